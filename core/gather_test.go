package core

import (
	"context"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// Of very many findings those are kept that say which objects are wrong.
func TestManyFindingsBecomeBrief(t *testing.T) {
	const objects = 6_000
	class := `{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"A"},"spec":{"selectors":[{},{},{}]}}`
	result, err := Validate(context.Background(), []byte(strings.Repeat(class, objects)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(result.Objects); n != objects {
		t.Fatalf("%d objects", n)
	}
	for _, o := range result.Objects {
		if o.Valid {
			t.Fatalf("object %d is said to be valid", o.Index)
		}
	}
	api, last := 0, result.Diagnostics[len(result.Diagnostics)-1]
	for _, d := range result.Diagnostics {
		if d.Source == diag.API {
			api++
		}
	}
	if api < mostFindings || api > mostFindings+objects {
		t.Errorf("%d findings of the API server", api)
	}
	if last.Rule != "limit" || last.Severity != diag.Warning || !strings.HasSuffix(last.Message, "more findings are left out; mend those that are here, then ask again") {
		t.Errorf("the last finding is %+v", last)
	}
}
