//go:build !js

// Memory is measured once; it is the same as WebAssembly.

package core

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// What the memory for one text stays below, as docs/benchmarks.md states it:
// so many bytes for each value that the text may hold, for each of its own
// bytes, and for each of its documents and objects. All that is allocated counts, also what is garbage long before
// the end, so that the peak is lower in any case.
const (
	bytesPerValue    = 1_000
	bytesPerByte     = 100
	bytesPerDocument = 10_000
	bytesPerObject   = 5_000
)

// mayHold is how many values a text may hold, see bundle.Limits.
func mayHold(text string) int { return min(5_000_000, 100_000+len(text)/4) }

// repeated fills a text of about n bytes with a part.
func repeated(n int, head, part, tail string) string {
	return head + strings.Repeat(part, max(1, (n-len(head)-len(tail))/len(part))) + tail
}

func counted(n int, head string, part func(i int) string, tail string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len() < n; i++ {
		b.WriteString(part(i))
	}
	return b.String() + tail
}

// worst are texts that take much memory, each in its own way.
func worst(n int) map[string]string {
	const slice, head = `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"a"},"spec":{"devices":[{}`, "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a}\nspec:\n  devices:\n"
	key := func(format string) func(int) string { return func(i int) string { return fmt.Sprintf(format, i) } }
	return map[string]string{
		"JSON: lists":               repeated(n, "[[]", ",[]", "]"),
		"JSON: numbers":             repeated(n, "[1", ",1", "]"),
		"JSON: a wide map":          counted(n, "{", key(`"%x":1,`), `"z":1}`),
		"JSON: empty objects":       repeated(n, "", "{}", ""),
		"JSON: items of a list":     repeated(n, `{"kind":"DeviceClassList","apiVersion":"resource.k8s.io/v1","items":[{}`, ",{}", "]}"),
		"JSON: devices":             repeated(n, slice, ",{}", "]}}"),
		"JSON: unknown fields":      repeated(n, slice, `,{"a":1}`, "]}}"),
		"JSON: attributes":          repeated(n, slice, `,{"attributes":{"":{}}}`, "]}}"),
		"JSON: one map":             counted(n, strings.Replace(slice, "[{}", `[{"attributes":{`, 1), key(`"a%x":{},`), `"z":{}}}]}}`),
		"JSON: containers":          repeated(n, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{}`, ",{}", "]}}"),
		"JSON: claims of a pod":     repeated(n, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"resourceClaims":[{}`, ",{}", "]}}"),
		"JSON: requests":            repeated(n, `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"a"},"spec":{"devices":{"requests":[{}`, `,{}`, "]}}}"),
		"JSON: cut off":             repeated(n, "[", "[],", ""),
		"YAML: lists":               repeated(n, "a: [[]", ",[]", "]\n"),
		"YAML: items":               repeated(n, "", "- a\n", ""),
		"YAML: nulls":               repeated(n, "", "-\n", ""),
		"YAML: keys without values": repeated(n, "a: {a", ",a", "}\n"),
		"YAML: pairs in a list":     repeated(n, "a: [a: ", ",a: ", "]\n"),
		"YAML: a wide map":          counted(n, "", key("%x: 1\n"), ""),
		"YAML: deep":                repeated(n, "", "- "+strings.Repeat("[", 90)+strings.Repeat("]", 90)+"\n", ""),
		"YAML: too deep":            repeated(n, "a: ", "[", ""),
		"YAML: comments":            repeated(n, "- a\n", "- a #\n", ""),
		"YAML: anchors":             repeated(n, "", "- &a 1\n", ""),
		"YAML: aliases":             repeated(n, "- &a [1, 2]\n", "- *a\n", ""),
		"YAML: devices by alias":    repeated(n, head+"  - &d {name: a, attributes: {a: {int: 1}, b: {int: 1}}}\n", "  - *d\n", ""),
		"YAML: aliases of aliases":  "a: &a [1,1,1,1,1,1,1,1,1]\n" + counted(n, "", func(i int) string { return fmt.Sprintf("b%d: [*a,*a,*a,*a,*a,*a]\n", i) }, ""),
		"YAML: documents":           repeated(n, "", "---\na\n", ""),
		"YAML: a long key":          "? " + strings.Repeat("a", n) + "\n: 1\n",
		"YAML: a long text":         repeated(n, "a: >\n", "  a\n", ""),
		"YAML: escapes":             repeated(n, `a: "`, `\x41`, "\"\n"),
	}
}

// TestMemoryIsBounded holds all memory that one answer takes against what is
// stated, for the texts that take the most.
func TestMemoryIsBounded(t *testing.T) {
	for name, text := range worst(1 << 18) {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			result, err := Validate(context.Background(), []byte(text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			took, bound := after.TotalAlloc-before.TotalAlloc, uint64(mayHold(text)*bytesPerValue+len(text)*bytesPerByte+strings.Count(text, "---")*bytesPerDocument+len(result.Objects)*bytesPerObject)
			t.Logf("%d bytes of text took %d of memory, %d for each of the values that it may hold, %d per byte; at most %d are allowed", len(text), took, took/uint64(mayHold(text)), took/uint64(len(text)), bound)
			if took > bound {
				t.Errorf("took %d bytes, more than the %d that are stated", took, bound)
			}
		})
	}
}

// TestSharedParametersAreBounded gives many claims the same large parameters:
// all of them are answered, and those beyond the bound say why not.
func TestSharedParametersAreBounded(t *testing.T) {
	const claims, size = 100, 1 << 20
	var text strings.Builder
	fmt.Fprintf(&text, `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaimParameters
metadata: {name: large, namespace: default}
shareable: true
driverRequests:
- driverName: gpu.example.com
  vendorParameters: {text: %s}
  requests: [{namedResources: {selector: "true"}}]
`, strings.Repeat("x", size))
	for i := range claims {
		fmt.Fprintf(&text, `---
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: c%d, namespace: default}
spec: {resourceClassName: gpu, parametersRef: {kind: ResourceClaimParameters, name: large}}
`, i)
	}
	got, err := Convert(context.Background(), []byte(text.String()), ConvertOptions{APIVersion: "resource.k8s.io/v1"})
	if err != nil {
		t.Fatal(err)
	}
	given, refused, total := 0, 0, 0
	for _, o := range got.Objects[1:] {
		total += len(o.Text)
		switch {
		case strings.Contains(o.Text, "xxx"):
			given++
		case strings.Contains(o.Message, "more than 16 MiB"):
			refused++
		default:
			t.Errorf("%s: %q", o.Name, o.Message)
		}
	}
	// The first costs nothing, and a little of each MiB is not the text.
	if given != 16 || given+refused != claims || total > 17*size+1<<16 {
		t.Errorf("%d given in %d bytes, %d refused", given, total, refused)
	}
}

// TestNegotiationIsBounded plays texts that would take minutes if each claim,
// entry or reservation were looked at as often as Kubernetes may look.
func TestNegotiationIsBounded(t *testing.T) {
	const head = "apiVersion: v1\nkind: Node\nmetadata: {name: worker-1}\n---\napiVersion: resource.k8s.io/v1alpha3\nkind: DeviceClass\nmetadata: {name: c}\n"
	const spec = "{controller: d.example.com, devices: {requests: [{name: r, deviceClassName: c}]}}"
	each := func(n int, form string) string {
		return counted(n*len(form), "", func(i int) string { return strings.ReplaceAll(form, "#", fmt.Sprint(i)) }, "")
	}
	for name, text := range map[string]string{
		"entries": head + "---\napiVersion: resource.k8s.io/v1alpha3\nkind: ResourceClaimTemplate\nmetadata: {name: t}\nspec: {spec: " + spec + "}\n" +
			each(1200, "---\napiVersion: resource.k8s.io/v1alpha3\nkind: ResourceClaim\nmetadata: {name: c#, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}]}\nspec: "+spec+"\n") +
			"---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, uid: u}\nspec:\n  containers: [{name: c, image: i}]\n  resourceClaims:\n" + each(4000, "  - {name: e#, resourceClaimTemplateName: t}\n") +
			"status:\n  resourceClaimStatuses:\n" + each(4000, "  - {name: e#, resourceClaimName: d#}\n"),
		"reservations": head + "---\napiVersion: resource.k8s.io/v1alpha3\nkind: ResourceClaim\nmetadata: {name: c}\nspec: " + spec + "\nstatus:\n  reservedFor:\n" +
			each(20_000, "  - {resource: pods, name: x#, uid: x#}\n") +
			each(1000, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p#, uid: u#}\nspec: {containers: [{name: c, image: i}], resourceClaims: [{name: c, resourceClaimName: c}]}\n"),
	} {
		got, err := Negotiate(context.Background(), []byte(text), NegotiateOptions{Options: Options{KubernetesVersion: "1.31", FeatureGates: "DynamicResourceAllocation=true,DRAControlPlaneController=true"}})
		if err != nil {
			t.Fatal(name, err)
		}
		steps := 0
		for _, p := range got.Pods {
			steps += len(p.Steps)
		}
		if last := got.Pods[len(got.Pods)-1]; steps > 2_010 || last.Outcome != NegotiationUndecided || !strings.Contains(last.Reason, "the budget of 2000 steps") {
			t.Errorf("%s: %d steps, and the last pod is %s: %s", name, steps, last.Outcome, last.Reason)
		}
	}
}
