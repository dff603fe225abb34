package core

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func TestConvert(t *testing.T) {
	claim := `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: gpu # of ours
        tolerations: [{key: a}]
    - name: alternatives
      firstAvailable:
      - {name: best, deviceClassName: gpu}
`
	slice := `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s, namespace: lost}
spec:
  driver: d.example.com
  allNodes: false
  nodeName: n1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices:
  - name: a
    attributes: {x: {int: 1}, z: {ints: [1, 2]}}
    consumesCounters:
    - {counterSet: s, counters: {c: {value: 1}}, compatibilityGroups: [g]}
  skipNodeOperations: ["*"]
`
	tests := []struct {
		name, text string
		opts       ConvertOptions
		want       string // the text
		changes    string // what and field, one a line
		message    string
	}{
		{name: "defaults", text: claim, want: `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: default}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: gpu
        allocationMode: ExactCount
        count: 1
        tolerations: [{key: a, operator: Equal}]
    - name: alternatives
      firstAvailable:
      - {name: best, deviceClassName: gpu, allocationMode: ExactCount, count: 1}
`, changes: `default metadata.namespace
default spec.devices.requests[0].exactly.allocationMode
default spec.devices.requests[0].exactly.count
default spec.devices.requests[0].exactly.tolerations[0].operator
default spec.devices.requests[1].firstAvailable[0].allocationMode
default spec.devices.requests[1].firstAvailable[0].count`},
		{name: "to v1beta1", text: strings.Replace(claim, "\n        tolerations: [{key: a}]", "", 1), opts: ConvertOptions{APIVersion: "resource.k8s.io/v1beta1"}, want: `apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c, namespace: default}
spec:
  devices:
    requests:
    - name: r
      deviceClassName: gpu
      allocationMode: ExactCount
      count: 1
    - name: alternatives
      deviceClassName: ""
      firstAvailable:
      - {name: best, deviceClassName: gpu, allocationMode: ExactCount, count: 1}
`, changes: `default metadata.namespace
default spec.devices.requests[0].allocationMode
default spec.devices.requests[0].count
default spec.devices.requests[1].firstAvailable[0].allocationMode
default spec.devices.requests[1].firstAvailable[0].count`},
		{name: "dropped, and lost", text: slice, opts: ConvertOptions{APIVersion: "resource.k8s.io/v1beta1"}, want: `apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example.com
  nodeName: n1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices:
  - name: a
    basic:
      attributes:
        x:
          int: 1
        z: {}
      consumesCounters:
      - counterSet: s
        counters:
          c:
            value: "1"
`, changes: `dropped metadata.namespace
dropped spec.devices[0].attributes[z].ints
dropped spec.devices[0].consumesCounters[0].compatibilityGroups
dropped spec.skipNodeOperations
lost spec.allNodes`},
		{name: "from v1beta1", text: "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: c, namespace: ns}\nspec:\n  devices:\n    requests:\n    - {name: r, deviceClassName: g, count: 2, nonsense: 1}\n",
			opts: ConvertOptions{APIVersion: "resource.k8s.io/v1", Options: Options{FieldValidation: "Ignore"}},
			want: `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: ns}
spec:
  devices:
    requests:
    - {name: r, exactly: {deviceClassName: g, allocationMode: ExactCount, count: 2}}
`, changes: "unread spec.devices.requests[0].nonsense\ndefault spec.devices.requests[0].exactly.allocationMode"},
		{name: "a version that the kind does not have", text: "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: {taint: {key: a, effect: None}}\n",
			opts: ConvertOptions{APIVersion: "resource.k8s.io/v1beta1"}, message: "Kubernetes 1.37 has no DeviceTaintRule in resource.k8s.io/v1beta1; it has resource.k8s.io/v1, resource.k8s.io/v1beta2, resource.k8s.io/v1alpha3"},
		{name: "a taint rule", text: "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: {taint: {key: a, effect: None}}\n",
			opts: ConvertOptions{APIVersion: "resource.k8s.io/v1alpha3"}, want: "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: {taint: {key: a, effect: None}}\n"},
		{name: "a pod", text: "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n", message: "only objects of resource.k8s.io are converted"},
		{name: "what cannot be read", text: "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: []\n", message: "the object cannot be read as its kind; see the findings"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Convert(context.Background(), []byte(tt.text), tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			o := got.Objects[0]
			var changes []string
			for _, c := range o.Changes {
				changes = append(changes, c.What+" "+c.Field)
				if c.Message == "" || c.Value == "" || c.What != "default" && c.Location == nil {
					t.Errorf("%s %s: %+v", c.What, c.Field, c)
				}
				if c.What == "dropped" && c.Field != "metadata.namespace" && c.Gate == "" {
					t.Errorf("nothing says why %s goes", c.Field)
				}
			}
			if o.Text != tt.want || strings.Join(changes, "\n") != tt.changes || o.Message != tt.message {
				t.Errorf("text\n%s\nchanges\n%s\nmessage %s", o.Text, strings.Join(changes, "\n"), o.Message)
			}
			if (tt.want == "") != (o.To == "") || (o.To == "") != (o.Written == "") {
				t.Errorf("to %q, written %q", o.To, o.Written)
			}
		})
	}
	_, err := Convert(context.Background(), nil, ConvertOptions{APIVersion: "v7"})
	if bad, ok := err.(*OptionError); !ok || bad.Option != "apiVersion" || !strings.Contains(bad.Message, "resource.k8s.io/v1beta1") {
		t.Errorf("v7: %v", err)
	}
	if list := fmt.Sprint(allVersions()); list != "[resource.k8s.io/v1 resource.k8s.io/v1beta2 resource.k8s.io/v1beta1 resource.k8s.io/v1alpha3 resource.k8s.io/v1alpha2 resource.k8s.io/v1alpha1]" {
		t.Error(list)
	}
}
