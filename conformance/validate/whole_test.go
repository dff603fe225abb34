package validate

import (
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// TestRulesCompared makes sure that the objects of the tests above break every rule,
// so that each has been compared.
func TestRulesCompared(t *testing.T) {
	if len(seen) == 0 {
		t.Fatal("run it together with TestCreate and TestUpdate")
	}
	for _, rule := range diag.Rules() {
		if n := seen[string(rule.Source)+"/"+rule.ID]; n == 0 && (rule.Source == diag.API || rule.Source == diag.Gate) {
			t.Errorf("no generated object breaks %s/%s", rule.Source, rule.ID)
		} else if n > 0 {
			t.Logf("%6d %s/%s", n, rule.Source, rule.ID)
		}
	}
}
