package validate

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drawbridge-dra/drawbridge/core/past"
)

// What Kubernetes 1.30 and 1.31 had and no later version has.

// pastKinds are the kinds of the API version of each, the more frequent ones
// more than once.
var pastKinds = map[int][]string{
	30: {"ResourceClaim", "ResourceClaimTemplate", "ResourceClass", "PodSchedulingContext", "ResourceSlice", "ResourceSlice", "ResourceClaimParameters", "ResourceClaimParameters", "ResourceClassParameters"},
	31: {"ResourceClaim", "ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "ResourceSlice", "ResourceSlice", "PodSchedulingContext"},
}

// alpha2 makes an object of v1alpha2, or of what v1alpha3 kept of it.
func (r *random) alpha2(kind string) runtime.Object {
	switch kind {
	case "PodSchedulingContext":
		o := &past.PodSchedulingContext{ObjectMeta: r.metadata(true)}
		o.Spec.SelectedNode = r.text("n1")
		if r := r.boost(); r.chance(2) {
			o.Spec.PotentialNodes = long(r, past.MostSchedulingNodes, func(i int) string { return r.name(i) })
		}
		return o
	case "ResourceClaim":
		return &past.ResourceClaim{ObjectMeta: r.metadata(true), Spec: r.pastClaim()}
	case "ResourceClaimTemplate":
		o := &past.ResourceClaimTemplate{ObjectMeta: r.metadata(true)}
		o.Spec.Labels = mapping(r, 2, r.labelKey, r.labelValue)
		if r.faulty() {
			o.Spec.ObjectMeta = r.metadata(true)
		}
		o.Spec.Spec = r.pastClaim()
		return o
	case "ResourceClass":
		o := &past.ResourceClass{ObjectMeta: r.metadata(false), DriverName: r.driver(), ParametersRef: r.ofClass()}
		if r.chance(2) {
			o.SuitableNodes = r.nodeSelector()
		}
		o.StructuredParameters = maybe(r, 2, r.chance(2))
		return o
	case "ResourceSlice":
		o := &past.ResourceSlice{ObjectMeta: r.metadata(false), DriverName: r.driver()}
		if !r.chance(4) {
			o.NodeName = r.text("n1")
		}
		if !r.faulty() {
			o.NamedResources = &past.NamedResources{Instances: list(r.boost(), 4, r.instance)}
		}
		return o
	case "ResourceClaimParameters":
		o := &past.ResourceClaimParameters{ObjectMeta: r.metadata(true), GeneratedFrom: r.ofClaim(), Shareable: r.chance(2)}
		o.DriverRequests = list(r, 4, func(int) past.DriverRequests {
			d := past.DriverRequests{DriverName: r.driver() + pick(r, "", "", ".a", ".b"), VendorParameters: r.vendor()}
			d.Requests = []past.Request{{NamedResources: r.namedSelector(), VendorParameters: r.vendor()}}
			if r.faulty() {
				d.Requests = list(r, 3, func(int) past.Request { return past.Request{NamedResources: r.namedSelector()} })
			}
			return d
		})
		return o
	case "ResourceClassParameters":
		o := &past.ResourceClassParameters{ObjectMeta: r.metadata(true), GeneratedFrom: r.ofClass()}
		o.VendorParameters = list(r, 3, func(i int) past.VendorParameters {
			return past.VendorParameters{DriverName: r.name(i), Parameters: r.vendor()}
		})
		o.Filters = list(r, 3, func(i int) past.Filter {
			return past.Filter{DriverName: r.name(i), NamedResources: r.namedSelector()}
		})
		return o
	}
	panic(kind)
}

func (r *random) pastClaim() past.ClaimSpec {
	return past.ClaimSpec{ResourceClassName: r.text("gpu.example.com"), ParametersRef: r.ofClaim(),
		AllocationMode: r.text(pick(r, "", past.Immediate, past.WaitForFirstConsumer))}
}

func (r *random) ofClaim() *past.ParametersReference {
	return maybe(r, 2, past.ParametersReference{APIGroup: r.text("gpu.example.com"), Kind: r.text("GPU"), Name: r.text("p")})
}

func (r *random) ofClass() *past.ClassParametersReference {
	return maybe(r, 2, past.ClassParametersReference{APIGroup: r.text("gpu.example.com"), Kind: r.text("GPU"), Name: r.text("p"), Namespace: r.text(pick(r, "", "default"))})
}

func (r *random) vendor() runtime.RawExtension {
	if r.chance(2) {
		return runtime.RawExtension{}
	}
	return runtime.RawExtension{Raw: []byte(`{"apiVersion":"gpu.example.com/v1","kind":"Config","a":1}`)}
}

func (r *random) instance(i int) past.Instance {
	return past.Instance{Name: r.name(i), Attributes: list(r, 5, func(i int) past.Attribute {
		a := past.Attribute{Name: r.text("a" + digits(i))}
		if r.faulty() {
			a.Name = r.name(i)
		}
		for first := true; first || r.faulty(); first = false {
			switch r.IntN(8) {
			case 0:
				a.QuantityValue = ptr(r.quantity())
			case 1:
				a.BoolValue = ptr(r.chance(2))
			case 2:
				a.IntValue = ptr(int64(r.IntN(9) - 4))
			case 3:
				a.IntSliceValue = &past.IntSlice{Ints: list(r, 3, func(i int) int64 { return int64(i) })}
			case 4:
				a.StringValue = ptr(r.oddText())
			case 5:
				a.StringSliceValue = &past.StringSlice{Strings: list(r, 3, func(int) string { return r.oddText() })}
			case 6:
				a.VersionValue = ptr(r.version())
			case 7:
				if r.faulty() {
					return a
				}
				a.StringValue = ptr("")
			}
		}
		return a
	})}
}

func (r *random) namedSelector() *past.NamedSelector {
	if r.faulty() {
		return maybe(r, 3, past.NamedSelector{Selector: pick(r, "", " ", "1", `"a"`, "true &&", "attributes", `device.driver == "d"`, "attributes.bool", `attributes.int["a"]`,
			`attributes.nothing["a"] == 1`, `attributes.string["a"] == 1`, `quantity("1x") == quantity("1")`, `semver("1") == semver("1.2.3")`, `attributes.version["v"].includes("1")`,
			`attributes.stringslice["a"].exists(x, attributes.stringslice["b"].exists(y, attributes.stringslice["c"].exists(z, x == y && y == z)))`,
			`dyn(1) == "x"`, `cel.bind(x, attributes.int["a"], x == 1)`, `"a".matches("(")`, `attributes.string.exists(k, k == "a")`, `"`+strings.Repeat("a", 10300)+`" == "a"`,
			`attributes.bool[?"a"].orValue(false)`, `attributes.int["a"] == 1u`, `isURL("http://a")`, `ip("1.2.3.4").family() == 4`, `[1, 2].sum() == 3`, `attributes.all(a, true)`, "attributes == attributes", "\xff")})
	}
	return &past.NamedSelector{Selector: pick(r, "true", `attributes.string["model"] == "A"`, `attributes.bool["x"]`, `attributes.int["n"] > 3`, `attributes.quantity["memory"].isGreaterThan(quantity("1Gi"))`,
		`attributes.version["v"].isGreaterThan(semver("1.0.0"))`, `attributes.stringslice["x"].exists(e, e == "b")`, `2 in attributes.intslice["y"]`, `"a" in attributes.bool && attributes.bool["a"]`)}
}

// alpha3 makes an object of v1alpha3 of Kubernetes 1.31 out of one of v1beta1:
// without most of what came later, and with what went.
func (r *random) alpha3(kind string, beta runtime.Object) runtime.Object {
	text, err := json.Marshal(beta)
	if err != nil {
		panic(err)
	}
	tree := map[string]any{}
	if err := json.Unmarshal(text, &tree); err != nil {
		panic(err)
	}
	tree["apiVersion"] = past.V1alpha3
	r.alpha3Status(tree)
	spec, _ := tree["spec"].(map[string]any)
	switch kind {
	case "ResourceClaimTemplate":
		spec, _ = spec["spec"].(map[string]any)
		fallthrough
	case "ResourceClaim":
		devices, _ := spec["devices"].(map[string]any)
		r.without(devices, "requests", "firstAvailable", "tolerations", "capacity", "derivedAttributes", "adminAccess")
		for _, q := range itemsOf(devices, "requests") {
			if q["deviceClassName"] == nil && !r.faulty() {
				q["deviceClassName"] = "class"
			}
		}
		r.without(devices, "constraints", "distinctAttribute")
		if r.chance(2) {
			spec["controller"] = r.driver()
		}
	case "DeviceClass":
		if !r.faulty() {
			delete(spec, "extendedResourceName")
		}
		if r.chance(2) {
			spec["suitableNodes"] = r.nodeSelector()
		}
	case "ResourceSlice":
		for _, name := range []string{"sharedCounters", "perDeviceNodeSelection", "partitionTypeAttribute", "skipNodeOperations"} {
			if !r.faulty() {
				delete(spec, name)
			}
		}
		for _, d := range itemsOf(spec, "devices") {
			basic, _ := d["basic"].(map[string]any)
			if basic == nil && !r.faulty() {
				d["basic"] = map[string]any{}
			}
			for name := range basic {
				if name != "attributes" && name != "capacity" {
					delete(basic, name)
				}
			}
			attributes, _ := basic["attributes"].(map[string]any)
			for _, a := range attributes {
				a := a.(map[string]any)
				for _, name := range []string{"bools", "ints", "strings", "versions"} {
					delete(a, name)
				}
			}
			capacity, _ := basic["capacity"].(map[string]any)
			for name, c := range capacity {
				if c, ok := c.(map[string]any); ok {
					capacity[name] = c["value"]
				}
			}
		}
	}
	if text, err = json.Marshal(tree); err != nil {
		panic(err)
	}
	out := &unstructured.Unstructured{}
	if err := out.UnmarshalJSON(text); err != nil {
		panic(err)
	}
	return out
}

// itemsOf are the items of a list.
func itemsOf(tree map[string]any, name string) (out []map[string]any) {
	items, _ := tree[name].([]any)
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// without removes fields of the items of a list.
func (r *random) without(tree map[string]any, list string, names ...string) {
	for _, item := range itemsOf(tree, list) {
		for _, name := range names {
			if !r.faulty() || r.chance(2) {
				delete(item, name)
			}
		}
	}
}
