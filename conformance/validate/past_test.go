package validate

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	ours "github.com/drawbridge-dra/drawbridge/core/validate"
)

var (
	pastLive   = flag.Int("past", 0, "ask judges of 1.30 and 1.31 that are built now, with so many objects for each state of the gates, rather than what was recorded of them")
	pastRecord = flag.Bool("record", false, "build judges of 1.30 and 1.31 and write what they say into testdata/")
)

// pastState is a state of the gates, and how many objects are compared in it.
type pastState struct {
	gates   string
	objects int
}

// pastStates are those that the older code looks at: classic DRA on and off.
var pastStates = map[int][]pastState{
	30: {{"DynamicResourceAllocation=true", 2700}, {"", 350}},
	31: {{"DynamicResourceAllocation=true,DRAControlPlaneController=true", 1500}, {"DynamicResourceAllocation=true", 1250}, {"", 300}},
}

// pastSeed makes the objects that the recordings are about.
const pastSeed = 131

// pastCase is an object that is created, or that replaces another one.
type pastCase struct {
	Operation string         `json:"operation"`
	Old       map[string]any `json:"old,omitempty"`
	Now       map[string]any `json:"now,omitempty"`
}

// TestPastVersions compares with what the code of 1.30 and 1.31 says of objects
// of that time: error types and paths, fields that are not known, and what is
// stored. That code takes minutes to build, so its verdicts are recorded.
func TestPastVersions(t *testing.T) {
	for _, minor := range []int{30, 31} {
		v := feature.Version{Minor: minor}
		t.Run(v.String(), func(t *testing.T) {
			switch {
			case *pastRecord:
				recordPast(t, v)
			case *pastLive > 0:
				program := olderProgram(t, minor)
				for n, state := range pastStates[minor] {
					comparePast(t, v, state.gates, *seed, n, *pastLive, live{startOlder(t, program, state.gates)})
				}
				return
			}
			record := readPast(t, v)
			t.Run("tables", func(t *testing.T) { compareKinds(t, v, record.About) })
			for n, state := range pastStates[minor] {
				comparePast(t, v, state.gates, pastSeed, n, state.objects, &recorded{state: record.States[n]})
			}
		})
	}
}

// pastJudge says what Kubernetes makes of a case.
type pastJudge interface {
	verdict(t *testing.T, c pastCase) pastVerdict
	// again tells whether other cases than those generated may be asked about.
	again() bool
}

// live asks a judge that runs.
type live struct{ *olderJudge }

func (j live) verdict(t *testing.T, c pastCase) pastVerdict {
	t.Helper()
	return verdictOf(t, c.Operation, j.ask(t, c.request(t)))
}

func (live) again() bool { return true }

func (c pastCase) request(t *testing.T) olderRequest {
	t.Helper()
	r := olderRequest{Operation: c.Operation, Object: c.text(t, c.Now)}
	if c.Old != nil {
		r.Old = c.text(t, c.Old)
	}
	return r
}

func (c pastCase) text(t *testing.T, tree map[string]any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// pastCaseOf makes the case of a number.
func pastCaseOf(t *testing.T, v feature.Version, seed uint64, run, i int) pastCase {
	t.Helper()
	g := &random{Rand: rand.New(rand.NewPCG(seed+uint64(v.Minor), uint64(run*1_000_000+i)))}
	g.faults = pick(g, 0, 0.01, 0.03, 0.1)
	if g.chance(3) {
		return g.pastUpdate(t, v.Minor)
	}
	return pastCase{Operation: "create", Now: g.pastObject(t, v.Minor)}
}

func comparePast(t *testing.T, v feature.Version, gates string, seed uint64, run, n int, judge pastJudge) {
	t.Helper()
	set, err := feature.NewSet(v, gates)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	failed := 0
	for i := range n {
		c := pastCaseOf(t, v, seed, run, i)
		want := judge.verdict(t, c)
		outcome := "accepted"
		switch {
		case want.Unread:
			outcome = "not read"
		case len(want.Errors) > 0:
			outcome = "refused"
		}
		count[c.Operation+" "+outcome]++
		difference := c.difference(t, want, set, gates)
		if difference == "" {
			continue
		}
		if judge.again() {
			c = c.shrink(func(c pastCase) bool { return c.difference(t, judge.verdict(t, c), set, gates) != "" })
			difference = c.difference(t, judge.verdict(t, c), set, gates)
		}
		t.Errorf("gates %q, object %d: %s\n%s", gates, i, difference, show(c.object()))
		if failed++; failed == 8 {
			break
		}
	}
	t.Logf("gates %q: %v", gates, count)
	for _, operation := range []string{"create", "update", "status"} {
		if failed == 0 && (count[operation+" accepted"] < n/50 || count[operation+" refused"] < n/50) {
			t.Errorf("gates %q: the generator makes too few objects to %s of one sort: %v", gates, operation, count)
		}
	}
	if count["create not read"]+count["update not read"]+count["status not read"] > n/20 {
		t.Errorf("gates %q: too many objects cannot be read: %v", gates, count)
	}
}

// object is the case as one object, to be made smaller and to be shown.
func (c pastCase) object() *unstructured.Unstructured {
	o := map[string]any{"apiVersion": "v1", "kind": c.Operation, "now": c.Now}
	if c.Old != nil {
		o["old"] = c.Old
	}
	return &unstructured.Unstructured{Object: o}
}

func (c pastCase) shrink(fails func(pastCase) bool) pastCase {
	back := func(o runtime.Object) pastCase {
		tree := o.(*unstructured.Unstructured).Object
		out := pastCase{Operation: c.Operation}
		out.Old, _ = tree["old"].(map[string]any)
		out.Now, _ = tree["now"].(map[string]any)
		return out
	}
	return back(shrink(c.object(), func(o runtime.Object) bool {
		smaller := back(o)
		return smaller.Now != nil && (smaller.Old != nil) == (c.Old != nil) && fails(smaller)
	}))
}

// difference says where the two verdicts on a case differ; empty where they do
// not.
func (c pastCase) difference(t *testing.T, want pastVerdict, set *feature.Set, gates string) string {
	t.Helper()
	if want.Unread {
		return "" // what cannot be read is not what is compared here
	}
	opts := core.Options{KubernetesVersion: set.Version().String(), FeatureGates: gates}
	now := c.text(t, c.Now)
	var result *core.ValidateResult
	var err error
	switch c.Operation {
	case "create":
		result, err = core.Validate(t.Context(), now, opts)
	case "update":
		result, err = core.ValidateUpdate(t.Context(), c.text(t, c.Old), now, opts)
	case "status":
		result, err = core.ValidateStatus(t.Context(), c.text(t, c.Old), now, opts)
	}
	if err != nil {
		t.Fatal(err)
	}
	var got, unknown []string
	cut := false
	for _, d := range result.Diagnostics {
		switch {
		case d.Rule == "unknown-field":
			unknown = append(unknown, d.Field)
		case d.Source == diag.API && d.Severity == diag.Error && d.Gate == "":
			got = append(got, d.Type+" "+d.Field)
			cut = cut || strings.Contains(d.Message, "are left out")
		}
	}
	got, unknown = sortedOnce(got), sortedOnce(unknown)
	errors := want.Errors
	if cut {
		errors = slices.DeleteFunc(slices.Clone(errors), func(e string) bool { return !slices.Contains(got, e) })
	}
	for _, c := range []struct {
		what         string
		theirs, ours []string
	}{{"errors", errors, got}, {"fields that are not known", want.Unknown, unknown}} {
		if !slices.Equal(c.theirs, c.ours) {
			return fmt.Sprintf("%s differ\nonly Kubernetes: %q\nonly Drawbridge: %q", c.what, without(c.theirs, c.ours), without(c.ours, c.theirs))
		}
	}
	if len(want.Errors) > 0 {
		return ""
	}
	stored := c.stored(t, set, gates)
	if sum := digest(t, stored); sum != want.Stored {
		text := fmt.Sprintf("what is stored differs, Drawbridge: %s", stored)
		if want.kept != nil {
			text += fmt.Sprintf("\nKubernetes: %s", want.kept)
		}
		return text
	}
	return ""
}

// stored is what Drawbridge takes to be stored, in the API version of the
// object and in the form that is compared.
func (c pastCase) stored(t *testing.T, set *feature.Set, gates string) []byte {
	t.Helper()
	if c.Operation == "create" {
		return c.converted(t, set, gates)
	}
	parse := func(tree map[string]any) *bundle.Object {
		return bundle.Parse(c.text(t, tree), bundle.Options{Features: set}).Objects[0]
	}
	old, now, env := parse(c.Old), parse(c.Now), ours.Env{Features: set}
	result := ours.Update(old, now, env)
	if c.Operation == "status" {
		result = ours.UpdateStatus(old, now, env)
	}
	object, ok := bundle.Express(result.Stored, now.Ref.APIVersion)
	if !ok {
		object = result.Stored
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return comparedForm(t, text, c.Operation)
}

func sortedOnce(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
