package selector

import (
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// The verdicts and costs are those of Kubernetes' own packages of these
// versions.
func TestEarlierVersions(t *testing.T) {
	const (
		plain  = 0
		shared = 1 << iota
		lists
	)
	for _, tc := range []struct {
		minor, gates int
		expression   string
		cost         uint64
		err          string
	}{
		{34, plain, `device.allowMultipleAllocations`, 0, "undefined field"},
		{34, shared, `device.allowMultipleAllocations`, 2, ""},
		{34, shared, `device.attributes["a.test"].x == 1`, 5, ""},
		{34, plain, `[1,2].sort() == [1,2]`, 0, "undeclared reference to 'sort'"},
		{35, plain, `[1,2].sort() == [1,2]`, 0, ""},
		{34, plain, `device.attributes["a.test"].x.exists(y, y == "a")`, 0, "cannot be range of a comprehension"},
		{35, plain, `device.attributes["a.test"].x.exists(y, y == "a")`, 0, "cannot be range of a comprehension"},
		{36, plain, `device.attributes["a.test"].x.includes("a")`, 0, "undeclared reference to 'includes'"},
		{36, lists, `device.attributes["a.test"].x.includes("a")`, 52, ""},
		{37, lists, `device.attributes["a.test"].x.includes("a")`, 68, ""},
		{36, lists, `device.attributes["a.test"].x`, 4, ""},
		{34, plain, `device.driver`, 0, "must evaluate to bool or the unknown type, not string"},
		{36, plain, `device.attributes["a.test"].?x.orValue("") == "y"`, 6, ""},
		{34, plain, `device.capacity.all(k, device.capacity[k].all(i, device.capacity[k][i].isInteger()))`, 10499, ""},
		{34, plain, `device.attributes["a.test"].v.isGreaterThan(semver("v1.0", true))`, 0, ""},
		{32, plain, `device.attributes["a.test"].v.isGreaterThan(semver("1.0.0"))`, 0, ""},
		{32, plain, `device.attributes["a.test"].v.isGreaterThan(semver("v1.0", true))`, 0, "no matching overload"},
		{31, plain, `device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, device.attributes.all(e, a == e)))))`, 0, ""},
	} {
		p := Compile(tc.expression, Options{Version: feature.Version{Minor: tc.minor}, ConsumableCapacity: tc.gates&shared != 0, ListAttributes: tc.gates&lists != 0})
		switch {
		case tc.err == "" && p.Err != nil:
			t.Errorf("1.%d %s: %v", tc.minor, tc.expression, p.Err)
		case tc.err != "" && (p.Err == nil || !strings.Contains(p.Err.Message, tc.err)):
			t.Errorf("1.%d %s: got %v, want %q", tc.minor, tc.expression, p.Err, tc.err)
		case tc.cost != 0 && p.MaxCost != tc.cost:
			t.Errorf("1.%d %s: costs %d, want %d", tc.minor, tc.expression, p.MaxCost, tc.cost)
		}
	}
}

// 1.31 has no limit on the cost of an expression, and what it takes there may
// be too much later.
func TestEarlierCost(t *testing.T) {
	const costly = `device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == d))))`
	for minor, within := range map[int]bool{31: true, 32: false, 34: false, 36: false, 37: false} {
		if p := Compile(costly, Options{Version: feature.Version{Minor: minor}}); p.Err != nil || p.MaxCost <= MaxCost != within {
			t.Errorf("1.%d: cost %d, %v", minor, p.MaxCost, p.Err)
		}
	}
}
