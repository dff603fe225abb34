package validate

import (
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// FuzzCreate feeds objects of any content, as they may come from any decoder.
func FuzzCreate(f *testing.F) {
	for i := range 10 {
		f.Add([]byte{byte(i), 1, 2, 3, 0xff, 0x80, 'a', '/', 'b', 0, 0, 7}, byte(i))
	}
	sets := fuzzedSets()
	f.Fuzz(func(t *testing.T, data []byte, choice byte) {
		fill := filler(data)
		values := []runtime.Object{&resourceapi.ResourceSlice{}, &resourceapi.ResourceClaim{}, &resourceapi.ResourceClaimTemplate{},
			&resourceapi.DeviceClass{}, &resourceapi.DeviceTaintRule{}, &alphaapi.ResourcePoolStatusRequest{}, &corev1.Pod{}}
		value := values[int(choice)%len(values)]
		if _, pod := value.(*corev1.Pod); !pod {
			fill.Fill(value)
		}
		version := "resource.k8s.io/v1"
		if choice&0x80 != 0 {
			version = v1beta1
		}
		obj := &bundle.Object{Value: value, Ref: diag.Object{APIVersion: version}}
		env := Env{Features: sets[int(choice>>3)%len(sets)]}
		before := obj.Value.(runtime.Object).DeepCopyObject()
		first := Create(obj, env)
		if !equality.Semantic.DeepEqual(before, obj.Value) {
			t.Fatalf("the object was changed from %+v to %+v", before, obj.Value)
		}
		if first.Stored == nil {
			t.Fatal("nothing is stored")
		}
		// The same again, which must not differ.
		second := Create(obj, env)
		if len(first.Diagnostics) != len(second.Diagnostics) {
			t.Fatalf("%d findings and then %d", len(first.Diagnostics), len(second.Diagnostics))
		}
		for i, d := range first.Diagnostics {
			if d.Message != second.Diagnostics[i].Message || d.Field != second.Diagnostics[i].Field {
				t.Fatalf("finding %d differs: %+v and then %+v", i, d, second.Diagnostics[i])
			}
			if _, ok := diag.Lookup(d.Source, d.Rule); !ok {
				t.Fatalf("rule %s/%s is not registered", d.Source, d.Rule)
			}
		}
	})
}

// filler fills objects with any content.
func filler(data []byte) *randfill.Filler {
	return randfill.NewFromGoFuzz(data).NilChance(0.3).NumElements(0, 3).MaxDepth(12).Funcs(
		func(q *resource.Quantity, c randfill.Continue) {
			if c.Bool() {
				*q = *resource.NewMilliQuantity(c.Int63(), resource.DecimalSI)
			} else {
				*q = *resource.NewQuantity(c.Int63()-c.Int63(), resource.BinarySI)
			}
		},
		func(r *runtime.RawExtension, c randfill.Continue) { r.Raw = []byte(c.String(20)) },
	)
}

func fuzzedSets() []*feature.Set {
	sets := []*feature.Set{feature.Default(feature.Newest), feature.Default(feature.Oldest), nil}
	if all, err := feature.NewSet(feature.Newest, "AllAlpha=true,AllBeta=true"); err == nil {
		sets = append(sets, all)
	}
	return sets
}

// FuzzUpdate replaces objects of any content by others, and by themselves.
func FuzzUpdate(f *testing.F) {
	for i := range 12 {
		f.Add([]byte{byte(i), 1, 2, 3, 0xff, 0x80, 'a', '/', 'b', 0, 0, 7}, []byte{7, byte(i), 0xff, 3, 0x80, 1, 'c', 0}, byte(i*21))
	}
	sets := fuzzedSets()
	f.Fuzz(func(t *testing.T, before, after []byte, choice byte) {
		fresh := []func() runtime.Object{
			func() runtime.Object { return &resourceapi.ResourceSlice{} }, func() runtime.Object { return &resourceapi.ResourceClaim{} },
			func() runtime.Object { return &resourceapi.ResourceClaimTemplate{} }, func() runtime.Object { return &resourceapi.DeviceClass{} },
			func() runtime.Object { return &resourceapi.DeviceTaintRule{} }, func() runtime.Object { return &alphaapi.ResourcePoolStatusRequest{} },
		}[int(choice)%6]
		version := "resource.k8s.io/v1"
		if choice&0x80 != 0 {
			version = v1beta1
		}
		filled := func(data []byte) *bundle.Object {
			value := fresh()
			filler(data).Fill(value)
			return &bundle.Object{Value: value, Ref: diag.Object{APIVersion: version}}
		}
		was, is := filled(before), filled(after)
		env := Env{Features: sets[int(choice>>3)%len(sets)]}
		for _, check := range []func(old, now *bundle.Object, env Env) Result{Update, UpdateStatus} {
			for _, now := range []*bundle.Object{is, was} {
				first, second := check(was, now, env), check(was, now, env)
				if !reflect.DeepEqual(first, second) {
					t.Fatalf("first %+v and then %+v", first, second)
				}
				for _, d := range first.Diagnostics {
					if _, ok := diag.Lookup(d.Source, d.Rule); !ok {
						t.Fatalf("rule %s/%s is not registered", d.Source, d.Rule)
					}
					if now == was && slices.Contains([]string{"metadata-immutable", "slice-immutable", "spec-immutable", "allocation-immutable", "pool-status-immutable", "metadata-finalizer-added", "reserved-for-deleted"}, d.Rule) {
						t.Fatalf("nothing has changed, and yet %+v", d)
					}
				}
			}
		}
	})
}

// TestNothing passes what is no object at all.
func TestNothing(t *testing.T) {
	for _, obj := range []*bundle.Object{nil, {}, {Value: (*resourceapi.ResourceSlice)(nil)}, {Value: (*corev1.Node)(nil)}, {Value: 5}} {
		if r := Create(obj, Env{}); r.Stored != nil || r.Diagnostics != nil {
			t.Errorf("%+v: %+v", obj, r)
		}
	}
}
