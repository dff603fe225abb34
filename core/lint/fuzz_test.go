package lint

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// FuzzCheck looks for bundles that the rules cannot stand, for places outside
// of the text, and for answers that differ from one time to the next.
func FuzzCheck(f *testing.F) {
	for _, e := range examples {
		f.Add([]byte(e.bad))
		f.Add([]byte(e.good))
	}
	set, err := feature.NewSet(feature.Newest, "AllAlpha=true,AllBeta=true")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		b := bundle.Parse(text, bundle.Options{Features: set, FieldValidation: bundle.Ignore})
		found := Check(b, set, nil)
		lines := bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte("\r")) + 1
		for _, d := range found {
			if d.Message == "" || d.Object == nil {
				t.Errorf("%+v", d)
			}
			if l := d.Location; l != nil && (l.Line < 1 || l.Line > lines || l.EndLine < l.Line) {
				t.Errorf("%s is on line %d of %d", d.Rule, l.Line, lines)
			}
		}
		if again := Check(b, set, nil); !reflect.DeepEqual(found, again) {
			t.Errorf("first %+v\nthen  %+v", found, again)
		}
	})
}
