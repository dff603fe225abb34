package lint

const disagreeing = `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1} # want bundle/pool-slice-count-disagrees:error
  devices: [{name: d1}]
`

const surplus = `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1} # want bundle/pool-too-many-slices:error
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d1}]
`

const twoOfTwo = `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices: [{name: d1}]
---
# Another driver's pool of that name has its own count.
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: c}
spec:
  driver: net.example.test
  nodeName: n1
  pool: {name: n1, generation: 7, resourceSliceCount: 1}
  devices: [{name: d1}]
`

const onTwoNodes = `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: net.example.test
  nodeName: n1
  pool: {name: blue, generation: 1, resourceSliceCount: 1}
  devices: [{name: eth9}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: net.example.test
  nodeName: n2
  pool: {name: blue, generation: 1, resourceSliceCount: 1}
  devices:
  - name: eth9 # want bundle/device-on-two-nodes:error
`

var poolExamples = []example{
	{rule: "duplicate-object", bad: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
---
apiVersion: resource.k8s.io/v1beta1
kind: DeviceClass
metadata: {name: acc} # want bundle/duplicate-object:warning
`, good: `
apiVersion: v1
kind: Namespace
metadata: {name: acc}
---
apiVersion: v1
kind: Pod
metadata: {name: acc, namespace: a}
spec: {containers: [{name: c, image: app}]}
---
apiVersion: v1
kind: Pod
metadata: {name: acc, namespace: b}
spec: {containers: [{name: c, image: app}]}
---
apiVersion: v1
kind: Pod
metadata: {generateName: acc-}
spec: {containers: [{name: c, image: app}]}
---
apiVersion: v1
kind: Pod
metadata: {generateName: acc-}
spec: {containers: [{name: c, image: app}]}
`},

	{rule: "pool-slice-count-disagrees", bad: disagreeing, good: twoOfTwo},
	{rule: "pool-too-many-slices", bad: surplus, good: twoOfTwo},

	{rule: "pool-incomplete", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 2, resourceSliceCount: 2} # want bundle/pool-incomplete:warning
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {}
`, good: twoOfTwo},
	{rule: "pool-incomplete", bad: `
# One slice by itself: its author knows.
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  allNodes: true
  pool: {name: all, generation: 2, resourceSliceCount: 2} # want bundle/pool-incomplete:info
  devices: [{name: d0}]
`, good: `
# A pool over several nodes, complete as a whole.
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: all, generation: 2, resourceSliceCount: 2}
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: acc.example.test
  nodeName: n2
  pool: {name: all, generation: 2, resourceSliceCount: 2}
  devices: [{name: d1}]
`},

	{rule: "pool-old-generation", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1} # want bundle/pool-old-generation:info
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 2, resourceSliceCount: 1}
  devices: [{name: d0}]
`, good: twoOfTwo},
	{rule: "pool-old-generation", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1} # want bundle/pool-old-generation:warning
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 2, resourceSliceCount: 2} # want bundle/pool-incomplete:warning
  devices: [{name: d0}]
`, good: twoOfTwo},

	{rule: "pool-split-over-nodes", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: net.example.test
  nodeName: n1
  pool: {name: blue, generation: 4, resourceSliceCount: 1}
  devices: [{name: eth1}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: net.example.test
  nodeName: n2
  pool: {name: blue, generation: 1, resourceSliceCount: 1} # want bundle/pool-split-over-nodes:warning
  devices: [{name: eth2}]
`, good: twoOfTwo},

	{rule: "device-on-two-nodes", bad: onTwoNodes, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: net.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: eth9}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: net.example.test
  nodeName: n2
  pool: {name: n2, generation: 1, resourceSliceCount: 1}
  devices: [{name: eth9}]
`},

	{rule: "duplicate-device", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: net.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices: [{name: eth8}, {name: eth9}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: net.example.test
  allNodes: true
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices:
  - name: eth9 # want bundle/duplicate-device:error
  - name: eth8
`, good: twoOfTwo},

	{rule: "duplicate-counter-set", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  sharedCounters: [{name: set, counters: {slots: {value: "2"}}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  sharedCounters:
  - name: set # want bundle/duplicate-counter-set:error
    counters: {slots: {value: "2"}}
`, good: counted},

	{rule: "unknown-counter-set", bad: danglingSet, good: counted},
	{rule: "unknown-counter-set", bad: `
# While the pool is incomplete, only a near miss is worth a word.
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: sets}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 3} # want bundle/pool-incomplete:info
  sharedCounters: [{name: gpu-0-memory, counters: {slots: {value: "2"}}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: devices}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 3}
  devices:
  - name: d0
    consumesCounters:
    - counterSet: gpu-0-memroy # want bundle/unknown-counter-set:warning
      counters: {slots: {value: "1"}}
`, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: devices}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2} # want bundle/pool-incomplete:info
  devices:
  - name: d0
    consumesCounters:
    - counterSet: elsewhere
      counters: {slots: {value: "1"}}
`},
	{rule: "unknown-counter", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: sets}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  sharedCounters: [{name: set, counters: {slots: {value: "2"}}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: devices}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices:
  - name: d0
    consumesCounters:
    - counterSet: set
      counters:
        slots: {value: "1"}
        memory: {value: "1"} # want bundle/unknown-counter:error
`, good: counted},
	{rule: "counter-demand-too-large", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: sets}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  sharedCounters: [{name: set, counters: {memory: {value: 8Gi}}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: devices}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices:
  - name: d0
    consumesCounters:
    - counterSet: set
      counters: {memory: {value: 8Gi}}
  - name: d1
    consumesCounters:
    - counterSet: set
      counters:
        memory: {value: 9Gi} # want bundle/counter-demand-too-large:warning
`, good: counted},
	{rule: "counter-overcommitted", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: sets}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  sharedCounters:
  - name: set
    counters:
      memory: {value: 8Gi} # want bundle/counter-overcommitted:warning
` + heldPartitions, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: sets}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  sharedCounters: [{name: set, counters: {memory: {value: 12Gi}}}]
` + heldPartitions},
	{rule: "negative-counter", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: sets}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  sharedCounters:
  - name: set
    counters:
      low: {value: "-1"} # want bundle/negative-counter:error
      slots: {value: "2"}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: devices}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices:
  - name: d0
    consumesCounters:
    - counterSet: set
      counters:
        slots: {value: "-1"} # want bundle/negative-counter:warning
`, good: counted},
}

const danglingSet = `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: sets}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  sharedCounters: [{name: set, counters: {slots: {value: "2"}}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: devices}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices:
  - name: d0
    consumesCounters:
    - counterSet: ste # want bundle/unknown-counter-set:error
      counters: {slots: {value: "1"}}
  - {name: d1, consumesCounters: [{counterSet: ste, counters: {slots: {value: "1"}}}]}
`

// heldPartitions are two devices that are allocated, and one that an
// administrator looks at.
const heldPartitions = `---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: devices}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices:
  - {name: d0, consumesCounters: [{counterSet: set, counters: {memory: {value: 6Gi}}}]}
  - {name: d1, consumesCounters: [{counterSet: set, counters: {memory: {value: 6Gi}}}]}
  - {name: d2, consumesCounters: [{counterSet: set, counters: {memory: {value: 6Gi}}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {}
status:
  allocation:
    devices:
      results:
      - {request: a, driver: acc.example.test, pool: n1, device: d0}
      - {request: b, driver: acc.example.test, pool: n1, device: d1}
      - {request: c, driver: acc.example.test, pool: n1, device: d2, adminAccess: true}
`

const counted = `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: devices}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices:
  - {name: d0, consumesCounters: [{counterSet: set, counters: {slots: {value: "2"}}}]}
  - {name: d1, consumesCounters: [{counterSet: set, counters: {slots: {value: "0"}}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: sets}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  sharedCounters: [{name: set, counters: {slots: {value: "2"}}}]
`
