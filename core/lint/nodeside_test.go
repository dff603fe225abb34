package lint

const skippingClaim = `
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == "gpu.example.test"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}, {name: s, exactly: {deviceClassName: gpu}}]}}
status:
  allocation:
    devices:
      results:
`

const skippingSlice = `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1}
spec:
  driver: gpu.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  skipNodeOperations: [NodePrepareResources, NodeUnprepareResources]
  devices: [{name: d0}, {name: d1}]
`

// The rules about what happens on nodes.
var nodeSideExamples = []example{
	{rule: "skip-node-operations-changed", gates: "DRAOptionalNodeOperations=true", bad: skippingSlice + skippingClaim + `
      - {request: r, driver: gpu.example.test, pool: n1, device: d0} # want bundle/skip-node-operations-changed:warning
      - {request: s, driver: gpu.example.test, pool: n1, device: d1, skipNodeOperations: ["*"]} # want bundle/skip-node-operations-changed:warning
`, good: skippingSlice + skippingClaim + `
      # The order does not matter, and of a device that is gone nobody knows.
      - {request: r, driver: gpu.example.test, pool: n1, device: d0, skipNodeOperations: [NodeUnprepareResources, NodePrepareResources]}
      - {request: s, driver: gpu.example.test, pool: n1, device: gone, skipNodeOperations: ["*"]}
`},
	{rule: "claim-listed-twice", bad: `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: app}]
  resourceClaims:
  - {name: a, resourceClaimName: c} # want bundle/missing-claim:info
  - {name: b, resourceClaimName: other} # want bundle/missing-claim:info
  - {name: c, resourceClaimName: c} # want bundle/missing-claim:info bundle/claim-listed-twice:warning
`, good: `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: app}]
  resourceClaims: # two claims are made from one template
  - {name: a, resourceClaimTemplateName: t} # want bundle/missing-template:info
  - {name: b, resourceClaimTemplateName: t} # want bundle/missing-template:info
  - {name: c, resourceClaimName: c} # want bundle/missing-claim:info
`},
	{rule: "device-health-invalid", bad: `
apiVersion: drawbridge-dra.github.io/v1
kind: DeviceHealth
metadata: {name: h}
spec:
  driver: gpu.example.test
  devices:
  - {pool: n1, health: Healthy} # want bundle/device-health-invalid
  - {pool: n1, device: d0, health: ok} # want bundle/device-health-invalid
  - {pool: n1, device: d1, health: Healthy, ageSeconds: -1} # want bundle/device-health-invalid
`, good: `
apiVersion: drawbridge-dra.github.io/v1
kind: DeviceHealth
metadata: {name: h}
spec:
  driver: gpu.example.test
  devices:
  - {pool: n1, device: d0, health: Unknown, message: asleep, timeoutSeconds: -1}
`},
	{rule: "device-health-unmatched", gates: "DRAOptionalNodeOperations=true", bad: skippingSlice + `
---
apiVersion: drawbridge-dra.github.io/v1
kind: DeviceHealth
metadata: {name: h}
spec:
  driver: gpu.example.test
  devices:
  - {pool: n1, device: d0, health: Healthy}
  - {pool: n1, device: d7, health: Healthy} # want bundle/device-health-unmatched:warning
`, good: skippingSlice + `
---
apiVersion: drawbridge-dra.github.io/v1
kind: DeviceHealth
metadata: {name: h}
spec:
  driver: nic.example.test # of which the bundle has no slice
  devices:
  - {pool: n1, device: d7, health: Healthy}
`},
}
