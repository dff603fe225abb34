package lint

const bound = `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeName: worker-1 # want bundle/pod-bound-unallocated:warning
  containers: [{name: c, image: app, resources: {claims: [{name: a}]}}]
  resourceClaims:
  - name: a
    resourceClaimTemplateName: t # want bundle/missing-template:info
`

var podExamples = []example{
	{rule: "missing-claim", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: train, namespace: ml}
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: here, namespace: default}
spec: {}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec:
  containers: [{name: c, image: app}]
  resourceClaims:
  - name: a
    resourceClaimName: train # want bundle/missing-claim:error
  - name: b
    resourceClaimName: hree # want bundle/missing-claim:error
  - name: c
    resourceClaimName: here
---
apiVersion: v1
kind: Pod
metadata: {name: q}
spec:
  containers: [{name: c, image: app}]
  resourceClaims:
  - name: a
    resourceClaimName: train # want bundle/missing-claim:warning
`, good: `
# Without a namespace, both land in the same one.
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: train}
spec: {}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec:
  containers: [{name: c, image: app}]
  resourceClaims: [{name: a, resourceClaimName: train}]
---
apiVersion: v1
kind: Pod
metadata: {name: done}
spec:
  containers: [{name: c, image: app}]
  resourceClaims: [{name: a, resourceClaimName: gone}]
status: {phase: Succeeded}
`},
	{rule: "missing-claim", bad: `
# A pod without claims in its namespace.
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: other, namespace: ml}
spec: {}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: app}]
  resourceClaims:
  - name: a
    resourceClaimName: c # want bundle/missing-claim:info
`, good: twoDrivers},
	{rule: "missing-template", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu}
spec: {spec: {}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: app}]
  resourceClaims:
  - name: a
    resourceClaimTemplateName: gpus # want bundle/missing-template:error
`, good: `
# The claim was made already; the template is no longer needed.
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: app}]
  resourceClaims: [{name: a, resourceClaimTemplateName: gone}]
status: {resourceClaimStatuses: [{name: a, resourceClaimName: p-a-x7}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: p-a-x7, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: 0a9c3c0e, controller: true}]}
spec: {}
`},
	{rule: "container-claim-unknown", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  initContainers:
  - name: i
    image: app
    resources:
      claims:
      - name: acb # want bundle/container-claim-unknown:error
  containers:
  - name: c
    image: app
    resources:
      claims:
      - name: other # want bundle/container-claim-unknown:error
      - name: abc
  resourceClaims: [{name: abc, resourceClaimName: c}]
`, good: `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: app}]
`},
	{rule: "container-request-unknown", bad: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec: {spec: {devices: {requests: [{name: r, firstAvailable: [{name: big, deviceClassName: acc}]}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: c
    image: app
    resources:
      claims:
      - name: a
        request: s # want bundle/container-request-unknown:warning
      - name: a
        request: r/big # want bundle/container-request-unknown:warning
  resourceClaims: [{name: a, resourceClaimTemplateName: t}]
`, good: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec: {spec: {devices: {requests: [{name: r, firstAvailable: [{name: big, deviceClassName: acc}]}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: app, resources: {claims: [{name: a, request: r}, {name: a}]}}]
  resourceClaims: [{name: a, resourceClaimTemplateName: t}]
`},
	{rule: "pod-bound-unallocated", bad: bound, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {}
status: {allocation: {devices: {results: [{request: r, driver: acc.example.test, pool: n1, device: d0}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeName: worker-1
  containers: [{name: c, image: app}]
  resourceClaims: [{name: a, resourceClaimName: c}]
---
# The claim was made, and may be allocated.
apiVersion: v1
kind: Pod
metadata: {name: q}
spec:
  nodeName: worker-1
  containers: [{name: c, image: app}]
  resourceClaims: [{name: a, resourceClaimTemplateName: t}]
status: {resourceClaimStatuses: [{name: a, resourceClaimName: q-a-x7}]}
`},
	{rule: "pod-bound-unallocated", bad: `
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeName: worker-1 # want bundle/pod-bound-unallocated:warning
  containers: [{name: c, image: app}]
  resourceClaims: [{name: a, resourceClaimName: c}, {name: b, resourceClaimName: c}] # want bundle/claim-listed-twice:warning
`, good: `
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: app}]
  resourceClaims: [{name: a, resourceClaimName: c}]
`},
}
