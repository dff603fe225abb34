package assist

import (
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// cursor splits a text at the place that | marks.
func cursor(t *testing.T, marked string) (text []byte, line, column int) {
	t.Helper()
	before, after, ok := strings.Cut(marked, "‸")
	if !ok {
		t.Fatal("no cursor in the text")
	}
	lines := strings.Split(before, "\n")
	return []byte(before + after), len(lines), len([]rune(lines[len(lines)-1])) + 1
}

func completed(t *testing.T, marked, version, gates string) *Completed {
	t.Helper()
	v, err := feature.ParseVersion(version)
	if err != nil {
		t.Fatal(err)
	}
	set, err := feature.NewSet(v, gates)
	if err != nil {
		t.Fatal(err)
	}
	text, line, column := cursor(t, marked)
	return New(text, set).Complete(line, column)
}

const bundleText = `apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: gpu.example.com
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1}
spec:
  driver: gpu.example.com
  nodeName: worker-1
  pool: {name: worker-1, generation: 1, resourceSliceCount: 2}
  devices:
  - name: gpu-0
    attributes:
      model: {string: A100}
      driverVersion: {version: 1.2.3}
      other.example.com/index: {int: 1}
    capacity:
      memory: {value: 80Gi}
  - name: gpu-1
    attributes:
      model: {string: H100}
    consumesCounters:
    - counterSet: CUT
      counters: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-counters}
spec:
  driver: gpu.example.com
  nodeName: worker-1
  pool: {name: worker-1, generation: 1, resourceSliceCount: 2}
  sharedCounters:
  - name: gpu-1-counters
    counters:
      memory: {value: 80Gi}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: two}
spec:
  spec:
    devices:
      requests:
      - name: big
        exactly: {deviceClassName: gpu.example.com}
      - name: other
        firstAvailable:
        - {name: best, deviceClassName: gpu.example.com}
---
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  resourceClaims:
  - name: gpus
    resourceClaimTemplateName: two
  containers:
  - name: main
    image: x
    resources:
      claims:
      - name: gpus
---
`

const claimHead = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: c
spec:
  devices:
    requests:
    - name: r
      exactly:
`

// TestComplete asks at many places. Every label that is wanted is there, in
// that order, and none with a hyphen before it.
func TestComplete(t *testing.T) {
	tests := []struct {
		name, text     string
		version, gates string
		want           string // labels
		insert         string // of the first that is wanted
	}{
		{name: "an empty text", text: "‸", want: "apiVersion kind ResourceClaim ResourceSlice"},
		{name: "a word in an empty text", text: "ki‸", want: "apiVersion kind", insert: "apiVersion: "},
		{name: "kinds of an API version", text: "apiVersion: resource.k8s.io/v1\nkind: ‸", want: "DeviceClass DeviceTaintRule ResourceClaim -Pod -ResourcePoolStatusRequest"},
		{name: "kinds of an older Kubernetes", text: "apiVersion: resource.k8s.io/v1\nkind: ‸", version: "1.34", want: "DeviceClass ResourceClaim -DeviceTaintRule"},
		{name: "kinds of roles", text: "apiVersion: rbac.authorization.k8s.io/v1\nkind: ‸", want: "ClusterRole RoleBinding -Pod -DeviceHealth"},
		{name: "the API version of a report", text: "kind: DeviceHealth\napiVersion: ‸", want: "drawbridge-dra.github.io/v1 -v1"},
		{name: "fields of a report", text: "apiVersion: drawbridge-dra.github.io/v1\nkind: DeviceHealth\nspec:\n  ‸", want: "driver devices nodeName"},
		{name: "devices that are reported", text: bundleText + "apiVersion: drawbridge-dra.github.io/v1\nkind: DeviceHealth\nspec:\n  driver: gpu.example.com\n  devices:\n  - device: ‸", want: "gpu-0 gpu-1"},
		{name: "health of a device", text: "apiVersion: drawbridge-dra.github.io/v1\nkind: DeviceHealth\nspec:\n  devices:\n  - health: ‸", want: "Healthy Unhealthy Unknown"},
		{name: "kinds of subjects", text: "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nsubjects:\n- kind: ‸", want: "ServiceAccount User Group"},
		{name: "API versions of a kind", text: "kind: DeviceTaintRule\napiVersion: ‸", version: "1.36", want: "resource.k8s.io/v1beta2 resource.k8s.io/v1alpha3 -resource.k8s.io/v1"},
		{name: "a value behind a colon without a blank", text: "apiVersion: v1\nkind:‸", want: "Pod", insert: " Pod"},
		{name: "fields of an object that are not there yet", text: "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec:\n  driver: x\n  ‸\n", want: "pool nodeName devices -driver", insert: "pool:\n    name: \n    generation: 1\n    resourceSliceCount: 1"},
		{name: "fields that stand before others", text: "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec:\n  ‸\n  driver: x\n", want: "pool -driver"},
		{name: "fields behind a dash", text: claimHead + "        selectors:\n        - ‸", want: "cel", insert: "cel:\n            expression: "},
		{name: "items in the column of the key", text: "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec:\n  devices:\n  ‸", want: "new_item_of_devices driver", insert: "- name: "},
		{name: "fields of exactly", text: claimHead + "        ‸", want: "deviceClassName selectors count -firstAvailable"},
		{name: "fields of a flat request", text: "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nspec:\n  devices:\n    requests:\n    - name: r\n      ‸", want: "deviceClassName count firstAvailable -exactly -name"},
		{name: "fields that the version does not have", text: "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec:\n  ‸", version: "1.36", want: "driver sharedCounters -skipNodeOperations"},
		{name: "a word within lines", text: claimHead + "        dev‸\n---\nkind: Pod\n", want: "deviceClassName selectors"},
		{name: "a key with a colon keeps it", text: claimHead + "        de‸v: x\n", want: "deviceClassName", insert: "deviceClassName"},
		{name: "choices", text: claimHead + "        allocationMode: ‸", want: "ExactCount All"},
		{name: "choices by version", text: claimHead + "        tolerations:\n        - effect: ‸", version: "1.34", want: "NoSchedule NoExecute -None"},
		{name: "booleans", text: claimHead + "        adminAccess: ‸", want: "true false"},
		{name: "names of classes", text: bundleText + claimHead + "        deviceClassName: ‸", want: "gpu.example.com"},
		{name: "templates", text: bundleText + "apiVersion: v1\nkind: Pod\nspec:\n  resourceClaims:\n  - name: a\n    resourceClaimTemplateName: ‸", want: "two"},
		{name: "claims of the pod", text: strings.Replace(bundleText, "      - name: gpus\n---", "      - name: ‸\n---", 1), want: "gpus"},
		{name: "requests of the pod's template", text: strings.Replace(bundleText, "      - name: gpus\n---", "      - name: gpus\n        request: ‸\n---", 1), want: "big other other/best"},
		{name: "requests of the claim", text: claimHead + "        deviceClassName: x\n    constraints:\n    - requests: [‸]\n", want: "r"},
		{name: "requests of the claim in a list", text: claimHead + "        deviceClassName: x\n    constraints:\n    - requests:\n      - ‸\n", want: "r"},
		{name: "attributes for constraints", text: bundleText + claimHead + "        deviceClassName: x\n    constraints:\n    - matchAttribute: ‸", want: "gpu.example.com/driverVersion gpu.example.com/model other.example.com/index"},
		{name: "counter sets of the pool", text: strings.Replace(bundleText, "CUT", "‸", 1), want: "gpu-1-counters"},
		{name: "counters of the set", text: strings.Replace(strings.Replace(bundleText, "CUT", "gpu-1-counters", 1), "counters: {}", "counters: {‸}", 1), want: "memory"},
		{name: "capacities as published", text: bundleText + claimHead + "        deviceClassName: x\n        capacity:\n          requests:\n            ‸", want: "memory", insert: "memory: "},
		{name: "names of attributes that other devices have", text: strings.Replace(bundleText, "      model: {string: H100}\n", "      model: {string: H100}\n      ‸\n", 1), want: "driverVersion other.example.com/index -model"},
		{name: "fields in brackets", text: "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec:\n  pool: {name: x, ‸}\n", want: "generation resourceSliceCount -name"},
		{name: "fields in brackets that are open", text: "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec:\n  pool: {name: x, ‸\n  driver: y\n", want: "generation -name"},
		{name: "JSON", text: `{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": {"pool": {‸`, want: "name generation", insert: `"name": ""`},
		{name: "a value in JSON", text: `{"apiVersion": "resource.k8s.io/v1", "kind": "‸"}`, want: "DeviceClass", insert: "DeviceClass"},
		{name: "a key in JSON", text: `{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": {"no‸": 1}}`, want: "driver nodeName", insert: "driver"},
		{name: "an item of a List", text: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: resource.k8s.io/v1\n  kind: DeviceClass\n  spec:\n    ‸\n", want: "selectors config"},
		{name: "device", text: claimHead + "        selectors:\n        - cel:\n            expression: device.‸", want: "driver attributes capacity allowMultipleAllocations"},
		{name: "device without shared capacity", text: claimHead + "        selectors:\n        - cel:\n            expression: device.‸", gates: "DRAConsumableCapacity=false,DRAFractionalCapacityRange=false", want: "driver attributes capacity -allowMultipleAllocations"},
		{name: "domains", text: bundleText + claimHead + "        selectors:\n        - cel:\n            expression: device.attributes[\"‸", want: "gpu.example.com other.example.com", insert: `gpu.example.com"].`},
		{name: "domains without a quote", text: bundleText + claimHead + "        selectors:\n        - cel:\n            expression: device.attributes[‸", want: "gpu.example.com", insert: `"gpu.example.com"].`},
		{name: "domains between brackets", text: bundleText + claimHead + "        selectors:\n        - cel:\n            expression: device.attributes[‸]", want: "gpu.example.com", insert: `"gpu.example.com"].`},
		{name: "domains in a string", text: bundleText + claimHead + "        selectors:\n        - cel:\n            expression: \"device.attributes[‸\"", want: "gpu.example.com", insert: `'gpu.example.com'].`},
		{name: "domains with something behind", text: bundleText + claimHead + "        selectors:\n        - cel:\n            expression: device.attributes[\"‸\"].model", want: "gpu.example.com", insert: `gpu.example.com"]`},
		{name: "domains of capacities in a block", text: bundleText + claimHead + "        selectors:\n        - cel:\n            expression: |-\n              device.driver == \"x\" &&\n              device.capacity['‸']", want: "gpu.example.com -other.example.com", insert: "gpu.example.com']."},
		{name: "attributes of a domain", text: bundleText + claimHead + "        selectors:\n        - cel: {expression: 'device.attributes[\"gpu.example.com\"].‸ == 1'}", want: "driverVersion model -index"},
		{name: "attributes in double quotes", text: bundleText + claimHead + "        selectors:\n        - cel:\n            expression: \"device.attributes[\\\"gpu.example.com\\\"].mo‸\"", want: "driverVersion model"},
		{name: "methods of a version", text: bundleText + claimHead + "        selectors:\n        - cel:\n            expression: device.attributes[\"gpu.example.com\"].driverVersion.‸", want: "isGreaterThan -startsWith -asInteger"},
		{name: "methods of a quantity", text: bundleText + claimHead + "        selectors:\n        - cel:\n            expression: device.capacity[\"gpu.example.com\"].memory.‸", want: "compareTo asInteger -startsWith", insert: "compareTo()"},
		{name: "the beginning of an expression", text: claimHead + "        selectors:\n        - cel:\n            expression: ‸x", want: "device has semver"},
		{name: "nothing in a comment", text: claimHead + "        # a ‸", want: ""},
		{name: "nothing where nobody knows the kind", text: "apiVersion: x/v1\nkind: Y\nspec:\n  ‸", want: ""},
		{name: "taints of the text", text: "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nspec:\n  taint: {key: broken.example.com/x, value: why}\n---\n" + claimHead + "        tolerations:\n        - key: ‸", want: "broken.example.com/x"},
		{name: "hostile", text: strings.Repeat("[", 5000) + "‸", want: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.version == "" {
				tt.version = "1.37"
			}
			got := completed(t, tt.text, tt.version, tt.gates)
			labels := map[string]int{}
			for i, c := range got.Items {
				labels[c.Label] = i
			}
			last := -1
			for i, want := range strings.Fields(tt.want) {
				want = strings.ReplaceAll(want, "_", " ")
				if not, ok := strings.CutPrefix(want, "-"); ok {
					if _, ok := labels[not]; ok {
						t.Errorf("%s must not be there", not)
					}
					continue
				}
				at, ok := labels[want]
				if !ok || at < last {
					t.Errorf("%s is missing or out of order in %v", want, got.Items)
					continue
				}
				last = at
				if i == 0 && tt.insert != "" && got.Items[at].Insert != tt.insert {
					first := got.Items[at].Insert
					t.Errorf("%s inserts %q, not %q", want, first, tt.insert)
				}
			}
			if tt.want == "" && len(got.Items) > 0 {
				t.Errorf("nothing was wanted: %v", got.Items)
			}
		})
	}
}
