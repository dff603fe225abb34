package validate

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
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
	sets := []*feature.Set{feature.Default(feature.Newest), feature.Default(feature.Oldest), nil}
	if all, err := feature.NewSet(feature.Newest, "AllAlpha=true,AllBeta=true"); err == nil {
		sets = append(sets, all)
	}
	f.Fuzz(func(t *testing.T, data []byte, choice byte) {
		fill := randfill.NewFromGoFuzz(data).NilChance(0.3).NumElements(0, 3).MaxDepth(12).Funcs(
			func(q *resource.Quantity, c randfill.Continue) {
				if c.Bool() {
					*q = *resource.NewMilliQuantity(c.Int63(), resource.DecimalSI)
				} else {
					*q = *resource.NewQuantity(c.Int63()-c.Int63(), resource.BinarySI)
				}
			},
			func(r *runtime.RawExtension, c randfill.Continue) { r.Raw = []byte(c.String(20)) },
		)
		values := []runtime.Object{&resourceapi.ResourceSlice{}, &resourceapi.ResourceClaim{}, &resourceapi.ResourceClaimTemplate{},
			&resourceapi.DeviceClass{}, &resourceapi.DeviceTaintRule{}, &corev1.Pod{}}
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
		first := Create(obj, env)
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

// TestNothing passes what is no object at all.
func TestNothing(t *testing.T) {
	for _, obj := range []*bundle.Object{nil, {}, {Value: (*resourceapi.ResourceSlice)(nil)}, {Value: (*corev1.Node)(nil)}, {Value: 5}} {
		if r := Create(obj, Env{}); r.Stored != nil || r.Diagnostics != nil {
			t.Errorf("%+v: %+v", obj, r)
		}
	}
}
