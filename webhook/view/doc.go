// Package view keeps what a cluster holds at hand for the webhook: informers
// for the objects that matter to DRA, and the gates and the version that the
// API server says it has. Nothing of it is waited for, and whatever may not be
// read is merely not known.
//
// Its ServiceAccount needs, cluster-wide:
//
//	apiGroups: [resource.k8s.io]
//	resources: [resourceslices, deviceclasses, resourceclaims, resourceclaimtemplates, devicetaintrules]
//	verbs: [list, watch]
//
//	apiGroups: [""]
//	resources: [nodes, namespaces]
//	verbs: [list, watch]
//
//	nonResourceURLs: [/metrics]
//	verbs: [get]
//
// Discovery (/api, /apis, /version) is open to every authenticated user by the
// role system:discovery. With --watch-pods, the default, also
//
//	apiGroups: [""]
//	resources: [pods]
//	verbs: [list, watch]
//
// Only pods tell which templates are in use: a claim that was made from one
// does not name it. Of the pods that use no claims nothing is kept.
package view
