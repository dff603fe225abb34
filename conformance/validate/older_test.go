package validate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	ours "github.com/drawbridge-dra/drawbridge/core/validate"
)

var (
	olderObjects = flag.Int("older", 10_000, "how many objects to compare with each older version, besides its updates")
	olderUpdates = flag.Int("olderupdates", 3000, "how many updates to compare with each older version")
)

// olderMinors are the versions that are judged by code of their own.
var olderMinors = []int{34, 35, 36}

// olderJudge is Kubernetes' code of an older version, in a process of its own.
type olderJudge struct {
	in  *json.Encoder
	out *json.Decoder
}

// olderRequest and olderVerdict are what such a process reads and writes.
type olderRequest struct {
	Operation string          `json:"operation"`
	Old       json.RawMessage `json:"old,omitempty"`
	Object    json.RawMessage `json:"object"`
}

type olderVerdict struct {
	Unknown, Errors []string
	Stored          json.RawMessage
	Panic, Failed   string
}

// olderProgram builds the judge of a version.
func olderProgram(t *testing.T, minor int) string {
	t.Helper()
	name := feature.Version{Minor: minor}.String()
	program := filepath.Join(t.TempDir(), "kubernetes-"+name)
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join("..", "older", "v"+name)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s cannot be built: %v\n%s", build.Dir, err, out)
	}
	return program
}

func startOlder(t *testing.T, program, gates string) *olderJudge {
	t.Helper()
	labels := map[string]map[string]string{}
	for name, ns := range knownNamespaces {
		labels[name] = ns.Labels
	}
	known, err := json.Marshal(labels)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-feature-gates", gates, "-namespaces", string(known))
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the judge: %v\n%s", err, complaints.Bytes())
		}
	})
	return &olderJudge{json.NewEncoder(in), json.NewDecoder(bufio.NewReaderSize(out, 1<<20))}
}

// ask sends one request and waits for its verdict.
func (j *olderJudge) ask(t *testing.T, r olderRequest) olderVerdict {
	t.Helper()
	if err := j.in.Encode(r); err != nil {
		t.Fatal(err)
	}
	return j.answer(t)
}

func (j *olderJudge) answer(t *testing.T) olderVerdict {
	t.Helper()
	var v olderVerdict
	if err := j.out.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// olderKind is a kind with the API versions that an older version has it in.
func olderKind(minor int, k kindOf) kindOf {
	var versions []string
	for _, apiVersion := range feature.ServedVersions(feature.Version{Minor: minor}, k.kind) {
		versions = append(versions, strings.TrimPrefix(apiVersion, group+"/"))
	}
	k.versions = versions
	return k
}

// olderCase is one object, or one that replaces another, as it is sent.
type olderCase struct {
	replacement
	creation bool
}

func (c olderCase) request(t *testing.T) olderRequest {
	t.Helper()
	text := func(o runtime.Object) json.RawMessage {
		out, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	switch {
	case c.creation:
		return olderRequest{Operation: "create", Object: text(c.now)}
	case c.status:
		return olderRequest{Operation: "status", Old: text(c.old), Object: text(c.now)}
	}
	return olderRequest{Operation: "update", Old: text(c.old), Object: text(c.now)}
}

// TestOlderVersions compares with what the code of older versions says: error
// types and paths, fields that are not known, and what is stored; and the tables
// of gates, kinds and fields.
func TestOlderVersions(t *testing.T) {
	for _, minor := range olderMinors {
		v := feature.Version{Minor: minor}
		t.Run(v.String(), func(t *testing.T) {
			program := olderProgram(t, minor)
			t.Run("tables", func(t *testing.T) { compareTables(t, v, program) })
			sets := olderGates(t, rand.New(rand.NewPCG(*seed, uint64(minor))), v)
			for n, gates := range sets {
				// The defaults are what most clusters have.
				objects, updates := *olderObjects, *olderUpdates
				if n > 0 {
					objects, updates = objects/10/(len(sets)-1), updates/10/(len(sets)-1)
				}
				t.Run(strings.ReplaceAll(gates.name, ",", " "), func(t *testing.T) {
					judge := startOlder(t, program, gates.flags)
					compareOlder(t, judge, gates.gateSet, n, objects, func(g *random) olderCase { return g.olderCreation(t, v) })
					compareOlder(t, judge, gates.gateSet, 100+n, updates, func(g *random) olderCase { return g.olderUpdate(t, v) })
				})
			}
		})
	}
}

// olderSet is a state of gates with the flag that makes it.
type olderSet struct {
	gateSet
	flags string
}

// olderGates are the defaults of a version, all that can be on, all that can
// be off, and some by lot.
func olderGates(t *testing.T, r *rand.Rand, v feature.Version) []olderSet {
	t.Helper()
	sets := []olderSet{{gateSet{name: "defaults", set: feature.Default(v)}, ""}}
	add := func(name, flags string) bool {
		set, err := feature.NewSet(v, flags)
		if err == nil {
			sets = append(sets, olderSet{gateSet{name: name, set: set}, flags})
		}
		return err == nil
	}
	var on, off, rest []string
	for _, g := range feature.Default(v).Gates() {
		switch free := func(g feature.Gate) bool { return slices.Contains(decisive, g) }; {
		case g.Locked:
		case free(g.Name):
			on, off = append(on, string(g.Name)+"=true"), append(off, string(g.Name)+"=false")
		case g.Default && slices.ContainsFunc(g.Needs, free):
			rest = append(rest, string(g.Name)+"=false") // it cannot be on alone
		}
	}
	if !add("all", strings.Join(on, ",")) || !add("none", strings.Join(append(rest, off...), ",")) {
		t.Fatalf("%s cannot have all gates on, or off", v)
	}
	for len(sets) < 6 {
		var flags []string
		for i := range on {
			flags = append(flags, pick(&random{Rand: r}, on[i], off[i]))
		}
		text := strings.Join(flags, ",")
		add(text, text)
	}
	return sets
}

func (r *random) olderCreation(t *testing.T, v feature.Version) olderCase {
	k := olderKind(v.Minor, kinds[pick(r, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5)])
	for len(k.versions) == 0 {
		k = olderKind(v.Minor, kinds[r.IntN(4)])
	}
	u := replacement{kind: k, version: pick(r, k.versions...)}
	u.now = written(t, convert(t, r.object(k.kind), u.version, k.kind))
	return olderCase{u, true}
}

func (r *random) olderUpdate(t *testing.T, v feature.Version) olderCase {
	k := olderKind(v.Minor, kinds[pick(r, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5)])
	for len(k.versions) == 0 {
		k = olderKind(v.Minor, kinds[r.IntN(4)])
	}
	u := replacement{kind: k, version: pick(r, k.versions...)}
	u.status = slices.Contains([]string{"ResourceClaim", "DeviceTaintRule", "ResourcePoolStatusRequest"}, k.kind) && !r.chance(4)
	if k.kind == "DeviceTaintRule" && v.Minor < 35 {
		u.status = false // there was none
	}
	old, now := r.pair(k)
	u.old, u.now = written(t, convert(t, old, u.version, k.kind)), written(t, convert(t, now, u.version, k.kind))
	return olderCase{u, false}
}

// compareOlder generates cases and compares what both say.
func compareOlder(t *testing.T, judge *olderJudge, gates gateSet, run, n int, generate func(*random) olderCase) {
	t.Helper()
	const ahead = 64 // so that both processes are busy
	made := make(chan olderCase, ahead)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		defer close(made)
		for i := range n {
			g := &random{Rand: rand.New(rand.NewPCG(*seed+uint64(gates.set.Version().Minor), uint64(run*1_000_000+i)))}
			g.faults = pick(g, 0, 0.003, 0.01, 0.03, 0.1)
			c := generate(g)
			if err := judge.in.Encode(c.request(t)); err != nil {
				t.Errorf("the judge does not listen: %v", err)
				return
			}
			select {
			case made <- c:
			case <-stop:
				return
			}
		}
	}()
	count := map[string]int{}
	var failed []olderCase
	for c := range made {
		want := judge.answer(t)
		if want.Failed != "" {
			t.Fatalf("Kubernetes cannot tell: %s\n%s", want.Failed, c.show())
		}
		count[c.what()+map[bool]string{true: " accepted", false: " refused"}[want.accepts()]]++
		if len(failed) < 5 && olderDifference(t, want, c, gates) != "" {
			failed = append(failed, c)
		}
	}
	for _, c := range failed {
		tries := 400 // each asks two programs; a failure should show soon
		small := c.shrink(func(c olderCase) bool {
			if tries--; tries < 0 {
				return false
			}
			want := judge.ask(t, c.request(t))
			return want.Failed == "" && olderDifference(t, want, c, gates) != ""
		})
		t.Errorf("%s %s: %s\n%s", c.version, c.what(), olderDifference(t, judge.ask(t, small.request(t)), small, gates), small.show())
	}
	for _, what := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%6d %s", count[what], what)
	}
}

func (v olderVerdict) accepts() bool { return len(v.Errors) == 0 && v.Panic == "" }

func (c olderCase) what() string {
	switch {
	case c.creation:
		return c.kind.kind + " created"
	case c.status:
		return c.kind.kind + "/status updated"
	}
	return c.kind.kind + " updated"
}

func (c olderCase) show() string {
	if c.creation {
		return show(c.now)
	}
	return "old:\n" + show(c.old) + "\nnew:\n" + show(c.now)
}

func (c olderCase) shrink(fails func(olderCase) bool) olderCase {
	if c.creation {
		c.now = shrink(c.now, func(o runtime.Object) bool {
			return fails(olderCase{replacement{kind: c.kind, version: c.version, now: o}, true})
		})
		return c
	}
	return olderCase{shrinkPair(c.replacement, func(u replacement) bool { return fails(olderCase{u, false}) }), false}
}

// olderDifference says where the two verdicts differ; empty where they do not.
func olderDifference(t *testing.T, want olderVerdict, c olderCase, gates gateSet) string {
	t.Helper()
	now, unknown := readAt(t, c.now, gates)
	if slices.Sort(want.Unknown); !slices.Equal(unknown, slices.Compact(want.Unknown)) {
		return fmt.Sprintf("fields that are not known differ\nonly Kubernetes: %q\nonly Drawbridge: %q", without(want.Unknown, unknown), without(unknown, want.Unknown))
	}
	env := ours.Env{Features: gates.set, Namespaces: knownNamespaces, Expressions: ours.NewExpressions(expressions)}
	var result ours.Result
	switch {
	case c.creation:
		result = ours.Create(now, env)
	case c.status:
		old, _ := readAt(t, c.old, gates)
		result = ours.UpdateStatus(old, now, env)
	default:
		old, _ := readAt(t, c.old, gates)
		result = ours.Update(old, now, env)
	}
	got := drawbridge(t, result)
	// Older versions say some things twice.
	got.errors, want.Errors = slices.Compact(got.errors), slices.Compact(want.Errors)
	if want.Panic != "" {
		if slices.ContainsFunc(result.Diagnostics, func(d diag.Diagnostic) bool { return d.Type == "InternalError" }) {
			return ""
		}
		return "only Kubernetes breaks down: " + want.Panic
	}
	if slices.ContainsFunc(result.Diagnostics, func(d diag.Diagnostic) bool { return strings.Contains(d.Message, "are left out") }) {
		// Of very many findings Drawbridge tells the first ones only.
		want.Errors = slices.DeleteFunc(want.Errors, func(e string) bool { return !slices.Contains(got.errors, e) })
	}
	if !slices.Equal(got.errors, want.Errors) {
		return fmt.Sprintf("errors differ\nonly Kubernetes:\n  %s\nonly Drawbridge:\n  %s",
			strings.Join(without(want.Errors, got.errors), "\n  "), strings.Join(without(got.errors, want.Errors), "\n  "))
	}
	if len(want.Errors) > 0 {
		return ""
	}
	stored := reflect.New(reflect.TypeOf(got.stored).Elem()).Interface().(runtime.Object)
	if err := json.Unmarshal(want.Stored, stored); err != nil {
		return "what Kubernetes stores cannot be read: " + err.Error()
	}
	picked := func(o runtime.Object) any { return spec(o) }
	if !c.creation {
		picked = func(o runtime.Object) any { return whole(o) }
	}
	if !equality.Semantic.DeepEqual(picked(stored), picked(got.stored)) {
		return fmt.Sprintf("what is stored differs\nKubernetes:\n%s\nDrawbridge:\n%s", show(stored), show(got.stored))
	}
	return ""
}

// readAt reads an object as a cluster of the version does, and lists the
// fields that it does not know.
func readAt(t *testing.T, o runtime.Object, gates gateSet) (*bundle.Object, []string) {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	parsed := bundle.Parse(text, bundle.Options{Features: gates.set})
	if len(parsed.Objects) != 1 || parsed.Objects[0].Value == nil {
		t.Fatalf("the object cannot be read: %+v\n%s", parsed.Diagnostics, text)
	}
	var unknown []string
	for _, d := range parsed.Diagnostics {
		if d.Rule == "unknown-field" {
			unknown = append(unknown, d.Field)
		}
	}
	slices.Sort(unknown)
	return parsed.Objects[0], unknown
}
