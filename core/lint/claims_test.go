package lint

const classTypo = `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc-daemon.example.test}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec:
  spec:
    devices:
      requests:
      - name: r
        exactly:
          deviceClassName: acc.example.test # want bundle/missing-class:error
`

// twoDrivers is a cluster in which each class is for one driver.
const twoDrivers = `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
spec: {selectors: [{cel: {expression: 'device.driver == "acc.example.test"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: net}
spec: {selectors: [{cel: {expression: "device.driver == 'net.example.test' && true"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-acc}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: d0, attributes: {pciRoot: {string: "pci0000:16"}, numa: {int: 0}}, capacity: {memory: {value: 8Gi}}}
  - {name: d1, attributes: {pciRoot: {string: "pci0000:17"}, numa: {int: 1}}, capacity: {memory: {value: 16Gi}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-net}
spec:
  driver: net.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: e0, attributes: {resource.kubernetes.io/pcieRoot: {string: "pci0000:16"}}}]
`

const foreignAttribute = twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests: [{name: acc, exactly: {deviceClassName: acc}}, {name: net, exactly: {deviceClassName: net}}]
    constraints:
    - requests: [acc, net]
      matchAttribute: resource.kubernetes.io/pcieRoot # want bundle/constraint-attribute-unpublished:warning
`

var claimExamples = []example{
	{rule: "missing-class", bad: classTypo, good: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: r, deviceClassName: acc}]}}
`},
	{rule: "missing-class", bad: `
# A claim by itself.
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      firstAvailable:
      - name: a
        deviceClassName: acc # want bundle/missing-class:info
`, good: twoDrivers},
	{rule: "missing-class", bad: `
# With slices, but with no class at all; and in the shape of v1beta1.
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      deviceClassName: acc # want bundle/missing-class:warning
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
`, good: twoDrivers},

	{rule: "selector-impossible-name", bad: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
spec: {selectors: [{cel: {expression: 'device.attributes["acc_driver"].mem > 3'}}]} # want bundle/selector-impossible-name:warning
---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      deviceClassName: acc
      selectors:
      - cel:
          # Quoted, and so no matter of CEL's grammar.
          expression: '"link-speed" in device.capacity["acc.example.test"]' # want bundle/selector-impossible-name:warning
`, good: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
spec: {selectors: [{cel: {expression: 'device.attributes["Acc.example.test"].mem > 3'}}, {cel: {expression: 'not ( CEL'}}]}
`},
	{rule: "selector-name-unpublished", bad: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: near
      exactly:
        deviceClassName: acc
        selectors:
        - cel:
            expression: 'device.attributes["acc.example.test"].nuam == 0' # want bundle/selector-name-unpublished:warning
    - name: far
      exactly:
        deviceClassName: acc
        selectors:
        - cel:
            expression: 'device.capacity["acc.example.test"].cores.isGreaterThan(quantity("3"))' # want bundle/selector-name-unpublished:info
    - name: net
      exactly:
        deviceClassName: net
        selectors:
        - cel:
            expression: 'device.attributes["acc.example.test"].numa == 0' # want bundle/selector-name-unpublished:info
`, good: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: elsewhere}
spec: {selectors: [{cel: {expression: 'device.driver == "far.example.test" && device.attributes["far.example.test"].x == 1'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: guarded
      exactly:
        deviceClassName: acc
        selectors: [{cel: {expression: 'has(device.attributes["acc.example.test"].nuam) && device.attributes["acc.example.test"].nuam == 0'}}]
    - name: fine
      exactly:
        deviceClassName: acc
        selectors: [{cel: {expression: 'device.attributes["acc.example.test"].numa == 0 && device.capacity["acc.example.test"].memory.isGreaterThan(quantity("3"))'}}]
`},
	{rule: "missing-class", bad: classTypo, good: `
# The class that lacks its name may be the one.
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc}}]}}
`},

	{rule: "config-unknown-driver", bad: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
spec:
  config:
  - opaque:
      driver: acc.exmaple.test # want bundle/config-unknown-driver:warning
      parameters: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests: [{name: r, exactly: {deviceClassName: acc}}]
    config:
    - opaque:
        driver: other.test # want bundle/config-unknown-driver:info
        parameters: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
`, good: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests: [{name: r, exactly: {deviceClassName: acc}}]
    config: [{opaque: {driver: acc.example.test, parameters: {}}}]
`},

	{rule: "constraint-both-attributes", bad: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests: [{name: r, exactly: {deviceClassName: acc, count: 2}}]
    constraints:
    - matchAttribute: acc.example.test/numa
      distinctAttribute: acc.example.test/pciRoot # want bundle/constraint-both-attributes:warning
`, good: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests: [{name: r, exactly: {deviceClassName: acc, count: 2}}]
    constraints: [{matchAttribute: acc.example.test/numa}, {distinctAttribute: acc.example.test/pciRoot}]
`},

	{rule: "constraint-attribute-unpublished", bad: foreignAttribute, good: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - {name: acc, exactly: {deviceClassName: acc}}
    - name: net
      firstAvailable: [{name: a, deviceClassName: net}, {name: b, deviceClassName: acc}]
    constraints:
    - {requests: [acc], matchAttribute: acc.example.test/pciRoot}
    - {requests: [net/a], distinctAttribute: resource.kubernetes.io/pcieRoot}
    - {requests: [net], matchAttribute: acc.example.test/numa}
`},
	{rule: "constraint-attribute-unpublished", gates: "DRADerivedAttributes=true", bad: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests: [{name: acc, exactly: {deviceClassName: acc, count: 2}}]
    constraints:
    - distinctAttribute: acc.example.test/pciRot # want bundle/constraint-attribute-unpublished:warning
`, good: twoDrivers + `---
# Derived by the request, or from a driver whose slices are elsewhere.
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: acc
      exactly:
        deviceClassName: acc
        count: 2
        derivedAttributes: [{name: example.test/half, expression: 'device.driver'}]
    - name: far
      exactly:
        deviceClassName: acc
        selectors: [{cel: {expression: 'device.driver == "far.example.test"'}}]
    constraints:
    - {requests: [acc], matchAttribute: example.test/half}
    - {requests: [far], matchAttribute: far.example.test/rack}
`},

	{rule: "all-mode-constraint", bad: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests: [{name: r, exactly: {deviceClassName: acc, allocationMode: All}}]
    constraints:
    - matchAttribute: acc.example.test/numa # want bundle/all-mode-constraint:warning
`, good: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests: [{name: r, exactly: {deviceClassName: acc, count: 2}}, {name: net, exactly: {deviceClassName: net, allocationMode: All}}]
    constraints:
    - {requests: [r], matchAttribute: acc.example.test/numa}
    - {requests: [net], matchAttribute: resource.kubernetes.io/pcieRoot}
`},

	{rule: "all-mode-overlap", bad: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: every
      exactly: {deviceClassName: acc, allocationMode: All}
    - name: one
      exactly:
        deviceClassName: acc # want bundle/all-mode-overlap:warning
`, good: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - {name: every, exactly: {deviceClassName: acc, allocationMode: All}}
    - {name: net, exactly: {deviceClassName: net}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: watcher}
spec:
  devices:
    requests:
    - {name: every, exactly: {deviceClassName: acc, allocationMode: All, adminAccess: true}}
    - {name: one, exactly: {deviceClassName: acc}}
`},

	{rule: "claim-device-limit", bad: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests: # want bundle/claim-device-limit:error
    - {name: a, exactly: {deviceClassName: acc, count: 20}}
    - name: b
      firstAvailable: [{name: more, deviceClassName: net, count: 14}, {name: some, deviceClassName: net, count: 13}]
`, good: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - {name: a, exactly: {deviceClassName: acc, count: 20}}
    - name: b
      firstAvailable: [{name: more, deviceClassName: net, count: 14}, {name: some, deviceClassName: net, count: 12}]
`},

	{rule: "capacity-unpublished", bad: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: acc
        capacity:
          requests:
            acc.example.test/memory: 1Gi # want bundle/capacity-unpublished:warning
`, good: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc, capacity: {requests: {memory: 1Gi}}}}]}}
`},
	{rule: "capacity-too-large", bad: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: acc
        capacity:
          requests:
            memory: 17Gi # want bundle/capacity-too-large:warning
`, good: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc, capacity: {requests: {memory: 16Gi}}}}]}}
`},
	{rule: "capacity-negative", bad: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: acc
        capacity:
          requests:
            memory: -1Gi # want bundle/capacity-negative:warning
`, good: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc, capacity: {requests: {memory: 0}}}}]}}
`},

	{rule: "alternative-shadowed", bad: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      firstAvailable:
      - {name: one, deviceClassName: acc}
      - name: two # want bundle/alternative-shadowed:warning
        deviceClassName: acc
        count: 2
`, good: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      firstAvailable:
      - {name: two, deviceClassName: acc, count: 2}
      - {name: big, deviceClassName: acc, selectors: [{cel: {expression: 'device.capacity["acc.example.test"].memory.isGreaterThan(quantity("8Gi"))'}}]}
      - {name: one, deviceClassName: acc}
`},

	{rule: "toleration-empty-effect", bad: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: acc
        tolerations:
        - {key: example.test/down, operator: Exists} # want bundle/toleration-empty-effect:warning
        - {key: example.test/worn, operator: Exists} # want bundle/toleration-empty-effect:info
        - {key: example.test/down, value: "no"} # want bundle/toleration-empty-effect:info
---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: down}
spec: {deviceSelector: {driver: acc.example.test}, taint: {key: example.test/down, value: "yes", effect: NoExecute}}
`, good: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: acc
        tolerations:
        - {key: example.test/down, operator: Exists, effect: NoExecute}
        - {key: example.test/down, operator: Exists, effect: NoSchedule}
`},
	{rule: "toleration-without-key", bad: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: acc
        tolerations:
        - {value: worn, effect: NoSchedule} # want bundle/toleration-without-key:warning
`, good: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: acc
        tolerations: [{operator: Exists, effect: NoSchedule}, {key: example.test/worn, value: worn, effect: NoSchedule}]
`},
	{rule: "toleration-seconds-ignored", bad: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      firstAvailable:
      - name: s
        deviceClassName: acc
        tolerations:
        - key: example.test/worn
          operator: Exists
          effect: NoSchedule
          tolerationSeconds: 60 # want bundle/toleration-seconds-ignored:info
`, good: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: acc
        tolerations: [{key: example.test/worn, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]
`},

	{rule: "device-allocated-twice", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a}
spec: {}
status: {allocation: {devices: {results: [{request: r, driver: acc.example.test, pool: n1, device: d0}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: b}
spec: {}
status:
  allocation:
    devices:
      results:
      - request: r
        driver: acc.example.test
        pool: n1
        device: d0 # want bundle/device-allocated-twice:error
`, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a}
spec: {}
status: {allocation: {devices: {results: [{request: r, driver: acc.example.test, pool: n1, device: d0}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: b}
spec: {}
status: {allocation: {devices: {results: [{request: r, driver: acc.example.test, pool: n2, device: d0}, {request: r, driver: acc.example.test, pool: n1, device: d0, adminAccess: true}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {}
status:
  allocation:
    devices:
      results:
      - {request: r, driver: acc.example.test, pool: n1, device: s0, shareID: a671734a-e8e5-4be4-8fde-42010af09327}
      - {request: q, driver: acc.example.test, pool: n1, device: s0, shareID: b671734a-e8e5-4be4-8fde-42010af09327}
`},

	{rule: "taint-rule-selects-all", bad: `
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: all}
spec:
  deviceSelector: {} # want bundle/taint-rule-selects-all:warning
  taint: {key: example.test/down, effect: NoExecute}
---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: dry-run}
spec:
  deviceSelector: {} # want bundle/taint-rule-selects-all:info
  taint: {key: example.test/down, effect: None}
`, good: namedTaintRule},
	{rule: "taint-rule-selects-none", bad: `
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: none}
spec: # want bundle/taint-rule-selects-none:warning
  taint: {key: example.test/down, effect: NoExecute}
`, good: namedTaintRule},
	{rule: "taint-rule-unmatched", bad: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: typo}
spec:
  deviceSelector:
    driver: ACC.example.test # want bundle/taint-rule-unmatched:warning
    pool: n1
  taint: {key: example.test/down, effect: NoSchedule}
---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: far}
spec:
  deviceSelector:
    driver: acc.example.test
    pool: rack-17 # want bundle/taint-rule-unmatched:info
  taint: {key: example.test/down, effect: NoSchedule}
`, good: twoDrivers + `---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: r}
spec: {deviceSelector: {driver: acc.example.test, pool: n1, device: d1}, taint: {key: example.test/down, effect: NoSchedule}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: s}
spec: {deviceSelector: {device: e0}, taint: {key: example.test/down, effect: NoSchedule}}
`},
}

const namedTaintRule = `
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: some}
spec: {deviceSelector: {driver: acc.example.test}, taint: {key: example.test/down, effect: NoExecute}}
`
