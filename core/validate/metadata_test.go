package validate

import "strings"

// claimWith is a claim that is right save for its metadata.
func claimWith(metadata string) string {
	return "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: " + metadata + "\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}\n"
}

var metadataExamples = []example{
	{name: "right", text: claimWith(`{name: c, namespace: default, uid: u, resourceVersion: "5", generation: 3, creationTimestamp: "2026-01-01T00:00:00Z",
  labels: {app: x, example.com/a: ""}, annotations: {Example.com/A: any}, finalizers: [example.com/f, kubernetes],
  managedFields: [{manager: kubectl, operation: Update, apiVersion: v1}],
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: d, uid: u, controller: true}]}`)},
	{name: "no namespace means default", text: claimWith(`{name: c}`)},
	{name: "generated name", text: claimWith(`{generateName: c-}`)},
	{name: "no name", text: claimWith(`{namespace: default}`), want: []string{
		"api/metadata-name FieldValueRequired metadata.name"}},
	{name: "bad name", text: claimWith(`{name: My_Claim}`), want: []string{
		"api/metadata-name FieldValueInvalid metadata.name"}},
	{name: "long name", text: claimWith(`{name: ` + strings.Repeat("a", 254) + `}`), want: []string{
		"api/metadata-name FieldValueInvalid metadata.name"}},
	{name: "bad prefix", text: claimWith(`{generateName: My_}`), want: []string{
		"api/metadata-generate-name FieldValueInvalid metadata.generateName",
		"api/metadata-name FieldValueInvalid metadata.name"}},
	{name: "bad namespace", text: claimWith(`{name: c, namespace: a.b}`), want: []string{
		"api/metadata-namespace FieldValueInvalid metadata.namespace"}},
	{name: "negative generation", text: claimWith(`{name: c, generation: -1}`), want: []string{
		"api/metadata-generation FieldValueInvalid metadata.generation"}},
	{name: "labels", text: claimWith(`{name: c, labels: {a/b/c: x, /d: x, "e_": x, f: "-", "": x}}`), want: []string{
		"api/metadata-label-key FieldValueInvalid metadata.labels",
		"api/metadata-label-key FieldValueInvalid metadata.labels",
		"api/metadata-label-key FieldValueInvalid metadata.labels",
		"api/metadata-label-key FieldValueInvalid metadata.labels",
		"api/metadata-label-key FieldValueInvalid metadata.labels",
		"api/metadata-label-value FieldValueInvalid metadata.labels"}},
	{name: "one error for two labels with one bad value", text: claimWith(`{name: c, labels: {a: "-", b: "-"}}`), want: []string{
		"api/metadata-label-value FieldValueInvalid metadata.labels"}},
	{name: "key and value that are both too long", text: claimWith(`{name: c, labels: {` + strings.Repeat("a", 64) + `: ` + strings.Repeat("a", 64) + `}}`), want: []string{
		"api/metadata-label-key FieldValueInvalid metadata.labels",
		"api/metadata-label-value FieldValueInvalid metadata.labels"}},
	{name: "annotation key", text: claimWith(`{name: c, annotations: {a b: ""}}`), want: []string{
		"api/metadata-annotation-key FieldValueInvalid metadata.annotations"}},
	{name: "annotations that are too large", text: claimWith(`{name: c, annotations: {big: ` + strings.Repeat("x", 256<<10-2) + `}}`), want: []string{
		"api/metadata-annotations-size FieldValueTooLong metadata.annotations"}},
	{name: "annotations of the largest size", text: claimWith(`{name: c, annotations: {big: ` + strings.Repeat("x", 256<<10-3) + `}}`)},
	{name: "owners", text: claimWith(`{name: c, ownerReferences: [{apiVersion: v1, kind: Event, name: e, uid: u, controller: true}, {apiVersion: a/b/c, kind: "", name: "", uid: "", controller: true}, {apiVersion: "", kind: K, name: n1, uid: u}]}`), want: []string{
		"api/metadata-owner FieldValueInvalid metadata.ownerReferences[0]",
		"api/metadata-owner FieldValueInvalid metadata.ownerReferences[1].apiVersion",
		"api/metadata-owner FieldValueRequired metadata.ownerReferences[1].kind",
		"api/metadata-owner FieldValueRequired metadata.ownerReferences[1].name",
		"api/metadata-owner FieldValueRequired metadata.ownerReferences[1].uid",
		"api/metadata-owner FieldValueRequired metadata.ownerReferences[2].apiVersion",
		"api/metadata-owner-controller FieldValueInvalid metadata.ownerReferences"}},
	{name: "finalizers", text: claimWith(`{name: c, finalizers: [orphan, foregroundDeletion, bare, "a b"]}`), want: []string{
		"api/metadata-finalizer FieldValueInvalid metadata.finalizers",
		"api/metadata-finalizer FieldValueInvalid metadata.finalizers",
		"api/metadata-finalizer FieldValueInvalid metadata.finalizers[2]",
		"api/metadata-finalizer FieldValueInvalid metadata.finalizers[3]"}},
	{name: "namespace of a cluster-scoped object", text: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: c, namespace: default}
spec: {}
`, want: []string{"api/metadata-namespace-ignored - metadata.namespace"}},
	{name: "class with a prefix that is no path", text: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: c, generateName: a/b}
spec: {}
`, want: []string{"api/metadata-generate-name FieldValueInvalid metadata.generateName"}},
	{name: "the prefix of a class is looked at last", text: `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: C, generateName: a/b}
spec: {}
`, want: []string{"api/metadata-name FieldValueInvalid metadata.name"}},
	{name: "metadata of a template", text: `
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec:
  metadata: {name: w, namespace: z, labels: {-a: x}, annotations: {a: b}}
  spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}
`, want: []string{
		"api/metadata-label-key FieldValueInvalid spec.metadata.labels",
		"api/template-metadata FieldValueForbidden spec.metadata.name",
		"api/template-metadata FieldValueForbidden spec.metadata.namespace"}},
}
