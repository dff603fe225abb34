package allocate

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var tryFaults = flag.Int("faults", 0, "how many worlds each deliberate fault gets to be found in; 0 only looks whether the faults still apply")

// fault is a deliberate mistake: one text of a file of the core in place of
// another.
type fault struct{ name, file, right, wrong string }

// faults are mistakes that the comparison with the scheduler's allocator has
// to find.
var faults = []fault{
	{"a claim may get more than 32 devices", "allocate/search.go", "MaxDevices-len(s.picks[p.claim]) {", "2*MaxDevices-len(s.picks[p.claim]) {"},
	{"use is looked at after selectors", "allocate/search.go", "	if code := s.unavailable(a, i); code != \"\" {\n\t\treturn undo{}, code, nil\n\t}\n\tok, failure", "	ok, failure"},
	{"alternatives in reverse", "allocate/search.go", "for i, a := range r.asks {\n\t\ts.chosen[r.id] = i", "for i := range r.asks {\n\t\ti = len(r.asks) - 1 - i\n\t\ta := r.asks[i]\n\t\ts.chosen[r.id] = i"},
	{"NoExecute does not keep off", "allocate/place.go", "taint.Effect != resourceapi.DeviceTaintEffectNoSchedule && taint.Effect != resourceapi.DeviceTaintEffectNoExecute", "taint.Effect != resourceapi.DeviceTaintEffectNoSchedule"},
	{"a toleration's value is not compared", "allocate/place.go", "return t.Value == taint.Value", "return true"},
	{"further shares draw from counters again", "allocate/place.go", "return s.devices[i].shareable && (s.devices[i].shared || s.state[i].shares > 0)", "return false"},
	{"skipped operations are always supported", "allocate/place.go", "	return len(d.slice.Spec.SkipNodeOperations) > 0 &&", "	return false && len(d.slice.Spec.SkipNodeOperations) > 0 &&"},
	{"published attributes before derived ones", "allocate/place.go", "	if a.derived != nil {\n\t\treturn s.attribute", "	if a.derived != nil && !s.view.value(i, con.name).found {\n\t\treturn s.attribute"},
	{"an admin's device counts as taken", "allocate/place.go", "if slices.Contains(owners, a.claim) {", "if len(owners) > 0 {"},
	{"a match compares with nothing", "allocate/constraint.go", "return shared, len(shared.values) > 0", "return shared, true"},
	{"distinct values may repeat in lists", "allocate/constraint.go", "if len(v.common(other).values) > 0 {", "if len(v.common(other).values) > 1 {"},
	{"devices without groups go with all", "allocate/pool.go", "return g.groupless\n", "return true\n"},
	{"groups do not narrow", "allocate/pool.go", "	g.groups = both\n", ""},
	{"an overdrawn counter is the device's own matter", "allocate/pool.go", "if v.overdrawn >= 0 && len(d.ConsumesCounters) > 0 {", "if false {"},
	{"devices of other nodes draw from nothing", "allocate/view.go", "			v.pools[other.pool].charge(other.Device)\n", ""},
	{"failures are remembered although more is given out", "allocate/view.go", "		clear(v.failed)\n\t\tv.settle()", "		v.settle()"},
	{"what fits is remembered although more is given out", "allocate/view.go", "		clear(v.fitting)\n\t\tclear(v.failed)", "		clear(v.failed)"},
	{"a held share leaves all of the capacity", "allocate/view.go", "		d.left[j].Sub(capacity[name])\n", ""},
	{"the shape knows no counts", "allocate/shape.go", "	k.int(a.count)\n", ""},
	{"the shape knows no tolerations", "allocate/shape.go", "	for i := range a.tolerations {", "	for i := range a.tolerations[:0] {"},
	{"the shape knows no constraints", "allocate/shape.go", "	for _, con := range a.constraints {\n\t\tk.int(int64(con.index))\n\t}\n", ""},
	{"the shape knows no amounts", "allocate/shape.go", "	k.int(int64(a.amountsNumber))\n", ""},
	{"all devices include those without room", "allocate/state.go", "if r.refusal.code != \"\" || r.exceeds() {", "if r.refusal.code != \"\" {"},
	{"the limit of 32 starts anew with each request", "allocate/state.go", "			devices += least\n", ""},
	{"amounts are not rounded up to a step", "allocate/capacity.go", "	if a%step != 0 {\n\t\tn++\n\t}\n", ""},
	{"a policy's default is checked like any amount", "allocate/capacity.go", "if policy.Default != nil && amount == *policy.Default {", "if false {"},
	{"touched devices speak for their class", "allocate/prune.go", "if t != nil && s.untouched(i) {", "if t != nil {"},
	{"classes know no counters", "allocate/prune.go", "	for _, need := range d.demands {", "	for _, need := range d.demands[:0] {"},
	{"states know no constraints", "allocate/prune.go", "		key = append(key, con.state(s.stacks[con.id])...)\n", "		_ = con\n"},
	{"states know no shares", "allocate/prune.go", "	for _, i := range slices.Compact(shared) {", "	for _, i := range shared[:0] {"},
	{"pruning with admin access", "allocate/prune.go", "	if a.admin() {\n\t\treturn nil, false\n\t}\n", ""},
	{"one device too many pays", "allocate/bound.go", "		paying := more + able\n", "		paying := more + able + 1\n"},
	{"shares count as devices of their own", "allocate/bound.go", "				num--\n", ""},
	{"a match is bounded by the first value", "allocate/bound.go", "requests, func(i int) bool { return has[i] }) == nil {\n\t\t\treturn false\n\t\t}", "requests, func(i int) bool { return has[i] }) == nil {\n\t\t\treturn false\n\t\t}\n\t\tbreak"},
	{"configuration of all requests names them", "allocate/result.go", "			out[i].Requests = nil\n", "			_ = all\n"},
	{"bindsToNode is nothing", "allocate/result.go", "if name != nil || binds {", "if name != nil {"},
	{"old generations count", "inventory/pool.go", "case s.Spec.Pool.Generation > group[0].Spec.Pool.Generation:\n\t\t\tgroups[id] = []*Slice{s}", "case s.Spec.Pool.Generation > group[0].Spec.Pool.Generation:"},
	{"binding conditions come in their place", "inventory/pool.go", "case pool.hasBindingConditions() && !inv.stable():", "case false:"},
	{"slices stay in their order", "inventory/pool.go", "		slices.SortStableFunc(group, func(a, b *Slice) int { return cmp.Compare(a.Name, b.Name) })\n", "		_ = cmp.Compare[string]\n"},
	{"repeated devices are no contradiction", "inventory/pool.go", "	if len(list) == 1 && !list[0].repeats {", "	if len(list) > 0 {"},
}

// TestFaults applies each fault by itself. With -faults it demands that the
// comparison fails then, or else a test of the core, a fixture or the
// scheduler's own suite.
func TestFaults(t *testing.T) {
	core, err := filepath.Abs("../../core")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			path := filepath.Join(core, filepath.FromSlash(f.file))
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(text), f.right) != 1 {
				t.Fatalf("%s must hold this text once:\n%s", f.file, f.right)
			}
			if *tryFaults > 0 {
				f.survives(t, path, strings.Replace(string(text), f.right, f.wrong, 1))
			}
		})
	}
}

// survives compiles the core with the fault in it and compares.
func (f fault) survives(t *testing.T, path, text string) {
	dir := t.TempDir()
	faulty, overlay := filepath.Join(dir, "faulty.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: faulty}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{faulty: []byte(text), overlay: replace} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n := *tryFaults
	compare := exec.Command("go", "test", "-overlay", overlay, ".", "-run", "Gates|Sequences",
		"-worlds", fmt.Sprint(n), "-random", fmt.Sprint(n/2), "-sequences", fmt.Sprint(n/4), "-first", "1000001", "-as-is", "-failfast")
	out, err := compare.CombinedOutput()
	if err == nil {
		t.Log("the comparison did not notice")
		rest := exec.Command("go", "test", "-overlay", overlay, "./core/allocate", "./core/schedule", "./core/inventory", "./fixture", "-run", "^Test([^HW]|Hope|Host)", "-failfast")
		rest.Dir = "../.."
		out, err = rest.CombinedOutput()
	}
	if err == nil {
		t.Log("the tests of the core and the fixtures did not notice")
		suite := exec.Command("go", "test", "-overlay", overlay, "./...", "-failfast")
		suite.Dir = "../suite"
		out, err = suite.CombinedOutput()
	}
	switch {
	case err == nil:
		t.Error("nobody noticed")
	case strings.Contains(string(out), "build failed") || !strings.Contains(string(out), "--- FAIL"):
		t.Errorf("did not come to comparing:\n%s", out)
	}
}
