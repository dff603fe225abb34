package bundle

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	betaapi "k8s.io/api/resource/v1beta1"
	beta2api "k8s.io/api/resource/v1beta2"
	"k8s.io/apimachinery/pkg/api/resource"
)

// paths lists every field of a type with the kind of its value.
func paths(t reflect.Type) []string {
	found := map[string]bool{}
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		switch {
		case t.Kind() == reflect.Pointer:
			walk(t.Elem(), path)
		case readsItself(t):
			found[path+": "+t.String()] = true
		case t.Kind() == reflect.Struct:
			for _, f := range fieldsOf(t).list {
				walk(f.typ, path+"."+f.name)
			}
		case t.Kind() == reflect.Slice:
			walk(t.Elem(), path+"[]")
		case t.Kind() == reflect.Map:
			walk(t.Elem(), path+"{}")
		default:
			found[path+": "+t.Kind().String()] = true
		}
	}
	walk(t, "")
	return slices.Sorted(maps.Keys(found))
}

// Our own types, and v1's where they stand in for others, have exactly the
// fields of the published ones.
func TestShapesMatchThePublishedTypes(t *testing.T) {
	for _, tt := range []struct {
		ours, theirs reflect.Type
	}{
		{reflect.TypeFor[betaClaim](), reflect.TypeFor[betaapi.ResourceClaim]()},
		{reflect.TypeFor[betaTemplate](), reflect.TypeFor[betaapi.ResourceClaimTemplate]()},
		{reflect.TypeFor[betaSlice](), reflect.TypeFor[betaapi.ResourceSlice]()},
		{reflect.TypeFor[resourceapi.DeviceClass](), reflect.TypeFor[betaapi.DeviceClass]()},
		{reflect.TypeFor[resourceapi.ResourceClaim](), reflect.TypeFor[beta2api.ResourceClaim]()},
		{reflect.TypeFor[resourceapi.ResourceClaimTemplate](), reflect.TypeFor[beta2api.ResourceClaimTemplate]()},
		{reflect.TypeFor[resourceapi.ResourceSlice](), reflect.TypeFor[beta2api.ResourceSlice]()},
		{reflect.TypeFor[resourceapi.DeviceClass](), reflect.TypeFor[beta2api.DeviceClass]()},
		{reflect.TypeFor[resourceapi.DeviceTaintRule](), reflect.TypeFor[beta2api.DeviceTaintRule]()},
		{reflect.TypeFor[resourceapi.DeviceTaintRule](), reflect.TypeFor[alphaapi.DeviceTaintRule]()},
	} {
		ours, theirs := paths(tt.ours), paths(tt.theirs)
		if len(theirs) < 20 {
			t.Fatalf("%s: only %d fields", tt.theirs, len(theirs))
		}
		for _, p := range ours {
			if !slices.Contains(theirs, p) {
				t.Errorf("%s has no %s", tt.theirs, p)
			}
		}
		for _, p := range theirs {
			if !slices.Contains(ours, p) {
				t.Errorf("%s lacks %s", tt.ours, p)
			}
		}
	}
}

// flatten must not forget a field that a later version adds.
func TestFlattenTakesEveryField(t *testing.T) {
	var in basicDevice[resourceapi.DeviceCapacity]
	fill(reflect.ValueOf(&in).Elem(), 0)
	var out resourceapi.Device
	flatten(&in, &out)
	v := reflect.ValueOf(out)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if name != "Name" && name != "Capacity" && v.Field(i).IsZero() {
			t.Errorf("%s is lost", name)
		}
	}
}

func TestSetsAnythingLooksAtEveryField(t *testing.T) {
	typ := reflect.TypeFor[resourceapi.ExactDeviceRequest]()
	for i := range typ.NumField() {
		var r resourceapi.ExactDeviceRequest
		fill(reflect.ValueOf(&r).Elem().Field(i), 0)
		if !setsAnything(r) {
			t.Errorf("%s is not looked at", typ.Field(i).Name)
		}
	}
	if setsAnything(resourceapi.ExactDeviceRequest{}) {
		t.Error("an empty request sets something")
	}
}

// fill puts something into every field.
func fill(v reflect.Value, depth int) {
	if depth > 6 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		item := reflect.New(v.Type().Elem()).Elem()
		fill(item, depth+1)
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), item)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	}
}

func TestConvertOlderShapes(t *testing.T) {
	const doc = `apiVersion: resource.k8s.io/%[1]s
kind: ResourceClaim
metadata: {name: c}
spec:
  devices:
    requests:
    - {name: a, deviceClassName: x, count: 2}
    - {name: b, firstAvailable: [{name: s, deviceClassName: z}]}
    - {name: both, count: 1, firstAvailable: [{name: s, deviceClassName: z}]}
    - {name: none}
---
apiVersion: resource.k8s.io/%[1]s
kind: ResourceClaimTemplate
spec: {metadata: {labels: {a: b}}, spec: {devices: {requests: [{name: a, deviceClassName: x}]}}}
---
apiVersion: resource.k8s.io/%[1]s
kind: ResourceSlice
spec:
  nodeName: ""
  allNodes: false
  devices:
  - name: d
    basic: {attributes: {}, capacity: {memory: %[2]s}, nodeName: node}
  - name: e
---
apiVersion: resource.k8s.io/%[1]s
kind: DeviceClass
spec: {selectors: [{cel: {expression: "true"}}]}
`
	for version, capacity := range map[string]string{"v1beta1": "{value: 8Gi}", "v1alpha3": "8Gi"} {
		b := Parse(fmt.Appendf(nil, doc, version, capacity), Options{Features: at(t, "1.33")})
		for _, d := range b.Diagnostics {
			if d.Severity == "error" {
				t.Fatalf("%s: %s", version, show(d))
			}
		}
		claim := b.Objects[0].Value.(*resourceapi.ResourceClaim)
		requests := claim.Spec.Devices.Requests
		if claim.APIVersion != "resource.k8s.io/v1" || claim.Name != "c" || requests[0].Exactly.Count != 2 || requests[0].Exactly.DeviceClassName != "x" || requests[0].FirstAvailable != nil {
			t.Errorf("%s: got %+v", version, claim)
		}
		if requests[1].Exactly != nil || requests[1].FirstAvailable[0].DeviceClassName != "z" || requests[2].Exactly == nil || requests[3].Exactly != nil {
			t.Errorf("%s: got %+v", version, requests)
		}
		template := b.Objects[1].Value.(*resourceapi.ResourceClaimTemplate)
		if template.Spec.Labels["a"] != "b" || template.Spec.Spec.Devices.Requests[0].Exactly.DeviceClassName != "x" {
			t.Errorf("%s: got %+v", version, template)
		}
		slice := b.Objects[2].Value.(*resourceapi.ResourceSlice)
		if slice.Spec.NodeName != nil || slice.Spec.AllNodes != nil || len(slice.Spec.Devices) != 2 {
			t.Errorf("%s: got %+v", version, slice)
		}
		device := slice.Spec.Devices[0]
		if got := device.Capacity["memory"].Value; got.Cmp(resource.MustParse("8Gi")) != 0 || device.Attributes != nil || *device.NodeName != "node" {
			t.Errorf("%s: got %+v", version, device)
		}
		if class := b.Objects[3].Value.(*resourceapi.DeviceClass); class.Spec.Selectors[0].CEL.Expression != "true" {
			t.Errorf("%s: got %+v", version, class)
		}
	}
}

func TestControllerFields(t *testing.T) {
	text := []byte("apiVersion: resource.k8s.io/v1alpha3\nkind: ResourceClaim\nspec:\n  controller: x\n  devices: {}\nstatus:\n  deallocationRequested: false\n")
	b := Parse(text, Options{Features: at(t, "1.31")})
	checkFindings(t, b.Diagnostics, []string{
		"1:13-37 version-not-served/warning apiVersion: Kubernetes 1.31 serves ResourceClaim of resource.k8s.io/v1alpha3 only when the API server runs with --runtime-config=resource.k8s.io/v1alpha3=true",
		"4:15-16 obsolete-field/warning spec.controller: spec.controller is for allocation by a driver's own controller, which Kubernetes 1.32 removed; a plan goes on as if it were not there; instead: the scheduler allocates by itself, from the driver's ResourceSlices; leave it out",
	})
	if b.Objects[0].Value == nil {
		t.Error("the claim is not decoded")
	}
	later := []byte(strings.Replace(string(text), "v1alpha3", "v1beta1", 1))
	b = Parse(later, Options{Features: at(t, "1.32")})
	if got := show(b.Diagnostics[1]); !strings.Contains(got, "only v1alpha3 of Kubernetes 1.31 had it") {
		t.Error(got)
	}
}
