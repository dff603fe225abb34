package lint

const twoWays = `
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
status:
  allocatable:
    cpu: "8"
    acc.example.test/gpu: "2" # want bundle/device-plugin-and-dra:warning
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {kubernetes.io/hostname: n2}}
status: {allocatable: {cpu: "8", acc.example.test/gpu: "2"}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-acc}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}, {name: d1}]
`

var nodeExamples = []example{
	{rule: "slice-node-missing", bad: `
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n2 # want bundle/slice-node-missing:warning
  pool: {name: n2, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: acc.example.test
  nodeName: n3
  pool: {name: n3, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
`, good: `
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: acc.example.test
  allNodes: true
  pool: {name: all, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
`},
	{rule: "slice-selects-no-node", bad: `
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {zone: a}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  # want@+1 bundle/slice-selects-no-node:warning
  nodeSelector:
    nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [b]}]}]
  pool: {name: zone-b, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: acc.example.test
  perDeviceNodeSelection: true
  pool: {name: all, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: d0, allNodes: true}
  - name: d1
    # want@+1 bundle/slice-selects-no-node:warning
    nodeSelector:
      nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [b]}]}]
`, good: `
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {zone: a}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {zone: b}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeSelector:
    nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [b]}]}]
  pool: {name: zone-b, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
`},
	{rule: "skip-node-operations-undeclared", gates: "DRAOptionalNodeOperations=true", bad: `
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  skipNodeOperations: ["*"] # want bundle/skip-node-operations-undeclared:warning
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: acc.example.test
  allNodes: true
  skipNodeOperations: ["*"] # want bundle/skip-node-operations-undeclared:warning
  pool: {name: all, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
`, good: `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {declaredFeatures: [DRAOptionalNodeOperations]}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  skipNodeOperations: ["*"]
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: acc.example.test
  allNodes: true
  skipNodeOperations: ["*"]
  pool: {name: all, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
`},
	{rule: "device-plugin-and-dra", bad: twoWays, good: `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {acc.example.test/gpu: "0", other.example.test/gpu: "2", memory: 8Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {acc.example.test/gpu: "2"}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-acc}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}, {name: d1}]
`},
	{rule: "device-plugin-and-dra", bad: `
# The domain of the resource is above the driver's name.
apiVersion: v1
kind: Node
metadata: {name: n1}
status:
  allocatable:
    example.test/gpu: "2" # want bundle/device-plugin-and-dra:warning
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-acc}
spec:
  driver: gpu.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
`, good: twoOfTwo},
	{rule: "extended-resource-shadowed", bad: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
spec: {extendedResourceName: acc.example.test/gpu}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status:
  allocatable:
    acc.example.test/gpu: "2" # want bundle/extended-resource-shadowed:warning
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-acc}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}, {name: d1}]
`, good: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
spec: {extendedResourceName: acc.example.test/gpu}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "2"}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-acc}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}, {name: d1}]
`},
	{rule: "extended-resource-duplicate", bad: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
spec: {extendedResourceName: acc.example.test/gpu}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: other}
spec:
  extendedResourceName: acc.example.test/gpu # want bundle/extended-resource-duplicate:warning
`, good: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
spec: {extendedResourceName: acc.example.test/gpu}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: other}
spec: {extendedResourceName: acc.example.test/npu}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: third}
`},
}
