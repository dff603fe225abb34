package lint

var deviceExamples = []example{
	{rule: "attribute-published-twice", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    attributes:
      acc.example.test/model: {string: X1}
      model: {string: X2} # want bundle/attribute-published-twice:warning
`, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: d0, attributes: {model: {string: X1}, net.example.test/model: {string: X2}}}
  - {name: d1, attributes: {acc.example.test/model: {string: X1}}}
`},

	{rule: "attribute-not-referable", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    attributes:
      Example.test/model: {string: X1} # want bundle/attribute-not-referable:warning
---
# The same in v1beta1, where a device's body is one level deeper.
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: net.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    basic:
      attributes:
        example.test/a/b: {string: X1} # want bundle/attribute-not-referable:warning
`, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0, attributes: {example.test/Model: {string: X1}, Model: {string: X1}}}]
`},

	{rule: "attribute-type-differs", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    attributes: {numa: {int: 0}}
  - name: d1
    attributes:
      acc.example.test/numa: {string: "0"} # want bundle/attribute-type-differs:warning
  - name: d2
    attributes: {numa: {string: "0"}}
`, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0, attributes: {numa: {int: 0}}}, {name: d1, attributes: {numa: {int: 1}}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: net.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: e0, attributes: {numa: {string: "0"}}}]
`},
	{rule: "attribute-type-differs", gates: "DRAListTypeAttributes=true", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    attributes: {numa: {int: 0}}
  - name: d1
    attributes:
      numa: {strings: ["0"]} # want bundle/attribute-type-differs:warning
`, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0, attributes: {numa: {int: 0}}}, {name: d1, attributes: {numa: {ints: [0, 1]}}}]
`},

	{rule: "shareable-without-capacity", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    allowMultipleAllocations: true # want bundle/shareable-without-capacity:info
  - name: d1
    allowMultipleAllocations: true
`, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: d0, allowMultipleAllocations: true, capacity: {memory: {value: 8Gi}}}
  - {name: d1, allowMultipleAllocations: false}
`},

	{rule: "request-policy-default-too-large", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    allowMultipleAllocations: true
    capacity:
      memory:
        value: 8Gi
        requestPolicy:
          default: 9Gi # want bundle/request-policy-default-too-large:warning
`, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    allowMultipleAllocations: true
    capacity: {memory: {value: 8Gi, requestPolicy: {default: 8Gi}}}
`},

	{rule: "device-node-selector-terms", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  perDeviceNodeSelection: true
  pool: {name: all, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    nodeSelector:
      # want@+1 bundle/device-node-selector-terms:error
      nodeSelectorTerms:
      - matchExpressions: [{key: zone, operator: In, values: [a]}]
      - matchExpressions: [{key: zone, operator: In, values: [b]}]
`, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  perDeviceNodeSelection: true
  pool: {name: all, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    nodeSelector:
      nodeSelectorTerms:
      - matchExpressions: [{key: zone, operator: In, values: [a, b]}]
`},

	{rule: "node-allocatable-not-shareable", gates: "DRANodeAllocatableResources=true", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    capacity: {memory: {value: 8Gi}}
    nodeAllocatableResources: # want bundle/node-allocatable-undeclared:info
      memory:
        mapping:
          capacityKey: memory # want bundle/node-allocatable-not-shareable:error
          capacityMultiplier: "1"
`, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: d0
    allowMultipleAllocations: true
    capacity: {memory: {value: 8Gi}}
    nodeAllocatableResources: {memory: {mapping: {capacityKey: memory, capacityMultiplier: "1"}}} # want bundle/node-allocatable-undeclared:info
  - name: d1
    nodeAllocatableResources: {cpu: {mapping: {deviceMultiplier: "1"}}}
`},
}
