package bundle

import (
	"reflect"
	"testing"
)

// A field that another version has is no field here: with field validation an
// error that says which version, without a warning that it is dropped.
func TestFieldsOfOtherVersions(t *testing.T) {
	for _, tt := range []struct {
		version, text string
		validation    FieldValidation
		want          []string
	}{
		{"1.34", "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec:\n  devices:\n  - {name: d, attributes: {a: {bools: [true]}}}\n  skipNodeOperations: ['*']\n", Strict, []string{
			"5:32-37 unknown-field spec.devices[0].attributes.a.bools: spec.devices[0].attributes.a in resource.k8s.io/v1 has no field bools in Kubernetes 1.34: it came with 1.36; leave it out, or choose that version",
			"6:3-21 unknown-field spec.skipNodeOperations: spec in resource.k8s.io/v1 has no field skipNodeOperations in Kubernetes 1.34: it came with 1.37; leave it out, or choose that version",
		}},
		{"1.36", "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec:\n  devices:\n  - {name: d, attributes: {a: {bools: [true]}}}\n  skipNodeOperations: ['*']\n", Ignore, []string{
			"6:3-21 unknown-field-dropped/warning spec.skipNodeOperations: skipNodeOperations will be dropped by this cluster: Kubernetes 1.36 does not have the field, it came with 1.37; what it says has no effect there",
		}},
		{"1.36", "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec: {devices: [{name: d, nodeAllocatableResourceMappings: {}}]}\n", Strict, []string{
			"3:28-59 obsolete-field/warning spec.devices[0].nodeAllocatableResourceMappings: nodeAllocatableResourceMappings: only 1.36 had it; from 1.37 on there is nodeAllocatableResources, of another shape; Drawbridge does not look into it and goes on as if it were not there",
		}},
		{"1.37", "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec: {devices: [{name: d, nodeAllocatableResourceMappings: {}}]}\n", Strict, []string{
			"3:28-59 unknown-field spec.devices[0].nodeAllocatableResourceMappings: spec.devices[0] in resource.k8s.io/v1 has no field nodeAllocatableResourceMappings in Kubernetes 1.37: only 1.36 had it; from 1.37 on there is nodeAllocatableResources, of another shape; leave it out",
		}},
		{"1.37", "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nspec: {deviceSelector: {selectors: []}}\n", Warn, []string{
			"3:25-34 unknown-field/warning spec.deviceSelector.selectors: spec.deviceSelector in resource.k8s.io/v1 has no field selectors in Kubernetes 1.37: only 1.33 to 1.34 had it; since 1.35 a rule chooses devices by driver, pool and device only; leave it out",
		}},
	} {
		b := Parse([]byte(tt.text), Options{Features: at(t, tt.version), FieldValidation: tt.validation})
		checkFindings(t, b.Diagnostics, tt.want)
		if b.Objects[0].Value == nil {
			t.Errorf("%s: the object is not decoded", tt.version)
		}
	}
}

// The table names only fields that there are, each once.
func TestLifetimesNameFields(t *testing.T) {
	seen := map[fieldOf]bool{}
	for _, l := range lifetimes {
		for _, holder := range l.holders {
			for _, field := range l.fields {
				key := fieldOf{holder, field}
				f, ok := fieldsOf(holder).find(field)
				if !ok || f.lifetime == nil || !reflect.DeepEqual(*f.lifetime, l) {
					t.Errorf("%s has no field %s of its own", holder, field)
				}
				if seen[key] {
					t.Errorf("%s.%s is there twice", holder, field)
				}
				seen[key] = true
			}
		}
	}
	for _, g := range gone {
		for _, holder := range g.holders {
			for _, field := range g.fields {
				if _, ok := fieldsOf(holder).find(field); ok {
					t.Errorf("%s has %s still", holder, field)
				}
			}
		}
	}
}
