package validate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// example is an object and the findings expected for it, each as
// "source/rule type path".
type example struct {
	name    string
	version string // of Kubernetes; empty for the newest
	gates   string
	text    string
	want    []string
}

// produced notes the rules that the examples broke.
var produced = map[string]bool{}

func environment(t *testing.T, version, gates string) Env {
	t.Helper()
	v := feature.Newest
	if version != "" {
		var err error
		if v, err = feature.ParsePast(version); err != nil {
			t.Fatal(err)
		}
	}
	set, err := feature.NewSet(v, gates)
	if err != nil {
		t.Fatal(err)
	}
	return Env{Features: set, Namespaces: map[string]*corev1.Namespace{
		"default": {ObjectMeta: metav1.ObjectMeta{Name: "default"}},
		"admin":   {ObjectMeta: metav1.ObjectMeta{Name: "admin", Labels: map[string]string{"resource.kubernetes.io/admin-access": "true"}}},
	}}
}

// parse reads one object that decodes without errors.
func parse(t *testing.T, text string) *bundle.Object {
	t.Helper()
	return parseAt(t, text, nil)
}

// parseAt reads one object for a version of Kubernetes.
func parseAt(t *testing.T, text string, features *feature.Set) *bundle.Object {
	t.Helper()
	b := bundle.Parse([]byte(text), bundle.Options{Features: features})
	if len(b.Objects) != 1 || diag.HasErrors(b.Diagnostics) {
		t.Fatalf("%d objects, findings %+v", len(b.Objects), b.Diagnostics)
	}
	return b.Objects[0]
}

func create(t *testing.T, e example) Result {
	t.Helper()
	env := environment(t, e.version, e.gates)
	if env.Features.Version().Minor > 31 {
		return Create(parse(t, e.text), env)
	}
	return Create(parseAt(t, e.text, env.Features), env)
}

func line(d diag.Diagnostic) string {
	kind := d.Type
	if kind == "" {
		kind = "-"
	}
	text := fmt.Sprintf("%s/%s %s %s", d.Source, d.Rule, kind, d.Field)
	if d.Source == diag.API && d.Gate != "" {
		text += " if " + d.Gate
	}
	return text
}

func run(t *testing.T, examples []example) {
	t.Helper()
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			var got []string
			for _, d := range create(t, e).Diagnostics {
				got = append(got, line(d))
				produced[string(d.Source)+"/"+d.Rule] = true
				checkForm(t, d)
			}
			want := slices.Clone(e.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
		})
	}
}

// checkForm holds every finding to what findings look like.
func checkForm(t *testing.T, d diag.Diagnostic) {
	t.Helper()
	rule, ok := diag.Lookup(d.Source, d.Rule)
	if !ok {
		t.Errorf("rule %s/%s is not registered", d.Source, d.Rule)
	}
	if d.Gate == "" && d.Severity != rule.Severity && d.Rule != "admin-access" {
		t.Errorf("%s/%s is registered as %s and found as %s", d.Source, d.Rule, rule.Severity, d.Severity)
	}
	if d.Location == nil {
		t.Errorf("no place for %s at %s", d.Rule, d.Field)
	}
	if d.Message == "" || strings.HasSuffix(d.Message, ".") || strings.Contains(d.Message, "\n") || strings.Contains(strings.ToLower(d.Message), "invalid value") {
		t.Errorf("message of %s: %q", d.Rule, d.Message)
	}
	if d.Object == nil {
		t.Errorf("no object for %s", d.Rule)
	}
}

// TestEveryRule makes sure that each registered rule is broken by an example.
func TestEveryRule(t *testing.T) {
	for _, examples := range [][]example{metadataExamples, sliceExamples, deviceExamples, policyExamples, claimExamples, classExamples, gateExamples, poolRequestExamples, pastExamples, roleExamples} {
		for _, e := range examples {
			for _, d := range create(t, e).Diagnostics {
				produced[string(d.Source)+"/"+d.Rule] = true
			}
		}
	}
	for _, e := range slices.Concat(updateExamples, statusExamples, pastChanges) {
		for _, d := range e.check(t).Diagnostics {
			produced[string(d.Source)+"/"+d.Rule] = true
		}
	}
	for _, rule := range diag.Rules() {
		if rule.ID == "unknown-field-dropped" {
			continue // that is found while the text is read
		}
		if (rule.Source == diag.API || rule.Source == diag.Gate) && !produced[string(rule.Source)+"/"+rule.ID] {
			t.Errorf("no example breaks %s/%s", rule.Source, rule.ID)
		}
	}
}

func TestMetadata(t *testing.T) { run(t, metadataExamples) }
func TestSlices(t *testing.T)   { run(t, sliceExamples) }
func TestDevices(t *testing.T)  { run(t, deviceExamples) }
func TestPolicies(t *testing.T) { run(t, policyExamples) }
func TestClaims(t *testing.T)   { run(t, claimExamples) }
func TestClasses(t *testing.T)  { run(t, classExamples) }
func TestGates(t *testing.T)    { run(t, gateExamples) }
