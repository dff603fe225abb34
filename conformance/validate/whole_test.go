package validate

import (
	"flag"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

var write = flag.Bool("update", false, "write what was compared into docs/")

// leastHits is how many objects have to break each rule.
const leastHits = 20

// outOfReach are the rules that no object can break in these tests, and why. A
// rule that is listed here must not be broken.
var outOfReach = map[string]string{
	"api/counter-reference":        "only the code of older versions checks it: see TestOlderVersions",
	"gate/unknown-field-dropped":   "1.37 knows all fields: see TestOlderVersions",
	"api/past-allocation":          pastOnly,
	"api/past-allocation-mode":     pastOnly,
	"api/past-basic":               pastOnly,
	"api/past-deallocation":        pastOnly,
	"api/past-drivers":             pastOnly,
	"api/past-named-resources":     pastOnly,
	"api/past-parameters":          pastOnly,
	"api/past-scheduling-nodes":    pastOnly,
	"gate/past-controller-dropped": pastOnly,
	"api/role-aggregation":         rolesElsewhere,
	"api/role-name":                rolesElsewhere,
	"api/role-ref":                 rolesElsewhere,
	"api/role-resources":           rolesElsewhere,
	"api/role-subject":             rolesElsewhere,
	"api/role-urls":                rolesElsewhere,
	"api/role-verbs":               rolesElsewhere,
}

const (
	pastOnly       = "only kinds of Kubernetes 1.26 to 1.31 have it: see TestPastVersions"
	rolesElsewhere = "of roles and bindings: see TestRolesAreJudgedAlike"
)

// compares tells whether a rule is one of those that the API server has too.
func compares(r diag.Rule) bool { return r.Source == diag.API || r.Source == diag.Gate }

// asDocumented tells whether the run is the one whose counts are written down.
// Runs with other numbers are for looking around.
func asDocumented() bool {
	return *objects == defaultObjects && *updates == defaultUpdates && *sets == defaultSets && *seed == defaultSeed
}

// TestRulesCompared makes sure that the objects of the tests above break every
// rule often, and that the tests would have failed without it: whoever removes
// a rule is told so.
func TestRulesCompared(t *testing.T) {
	if len(compared.cells) == 0 {
		t.Fatal("run it together with TestCreate and TestUpdate")
	}
	known := map[string]bool{}
	for _, r := range diag.Rules() {
		if !compares(r) {
			continue
		}
		rule := string(r.Source) + "/" + r.ID
		known[rule] = true
		h := compared.of(rule)
		switch why := outOfReach[rule]; {
		case why != "" && h.objects > 0:
			t.Errorf("%d objects break %s, which should be out of reach: %s", h.objects, rule, why)
		case why != "":
		case h.decisive == 0 && asDocumented():
			t.Errorf("no comparison would fail without %s, although %d objects break it", rule, h.objects)
		case h.objects < leastHits && asDocumented():
			t.Errorf("%d objects break %s, at least %d should: let the generator make that mistake more often", h.objects, rule, leastHits)
		default:
			t.Logf("%7d %7d %s", h.objects, h.decisive, rule)
		}
	}
	for rule := range outOfReach {
		if !known[rule] {
			t.Errorf("%s is said to be out of reach, and is no rule of the API server", rule)
		}
	}
}
