package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// answeredBefore are rules about which an API server has the first word: it
// has refused, or mended, the object before it asks anyone, or asks nobody.
var answeredBefore = map[string]string{
	"admin-access":              "its namespace comes with it, and a dry run does not keep that",
	"metadata-namespace":        "there is no such namespace",
	"metadata-finalizer-added":  "when an object is being deleted is not for clients to say",
	"reserved-for-deleted":      "when an object is being deleted is not for clients to say",
	"metadata-immutable":        "a UID that differs is a conflict",
	"metadata-resource-version": "an update without one means the newest",
	"role-aggregation":          roleOrBinding,
	"role-name":                 roleOrBinding,
	"role-ref":                  roleOrBinding,
	"role-resources":            roleOrBinding,
	"role-subject":              roleOrBinding,
	"role-urls":                 roleOrBinding,
	"role-verbs":                roleOrBinding,
}

const roleOrBinding = "the webhook is not registered for roles and bindings"

// example is a text that breaks a rule of the API server.
type example struct {
	diag.Example
	name string
	// field is where.
	field string
}

// examples are those that a cluster of this version, with its default gates,
// can be shown.
func examples(t *testing.T, operation diag.Operation) []example {
	t.Helper()
	var list []example
	for _, r := range diag.Rules() {
		if r.Source != diag.API || answeredBefore[r.ID] != "" {
			continue
		}
		e, err := r.Example()
		if err != nil {
			t.Fatal(err)
		}
		if e.Operation != operation || e.Options.KubernetesVersion != "" || e.Options.FieldValidation != "" {
			continue
		}
		e.Before, e.Wrong = diag.Expand(e.Before), diag.Expand(e.Wrong)
		if field, ok := breaks(t, e, r.ID); ok {
			list = append(list, example{Example: e, name: r.ID, field: field})
		}
	}
	return list
}

// breaks tells whether the first error with default gates is of that rule.
func breaks(t *testing.T, e diag.Example, rule string) (field string, ok bool) {
	t.Helper()
	var result *core.ValidateResult
	var err error
	switch e.Operation {
	case diag.Update:
		result, err = core.ValidateUpdate(t.Context(), []byte(e.Before), []byte(e.Wrong), core.Options{})
	case diag.UpdateStatus:
		result, err = core.ValidateStatus(t.Context(), []byte(e.Before), []byte(e.Wrong), core.Options{})
	default:
		result, err = core.Validate(t.Context(), []byte(e.Wrong), core.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Diagnostics {
		if d.Severity == diag.Error {
			return d.Field, d.Source == diag.API && d.Rule == rule
		}
	}
	return "", false
}

// TestRulesOnCreate shows kubectl the example of every rule, and expects from
// it our words: the webhook's name, the path and the rule.
func TestRulesOnCreate(t *testing.T) {
	one(t)
	list := examples(t, diag.Create)
	if len(list) < 90 {
		t.Errorf("only %d rules can be shown", len(list))
	}
	dir := t.TempDir()
	for _, e := range list {
		write(t, filepath.Join(dir, e.name+".yaml"), e.Wrong)
	}
	said := kubectl(t, "", "create", "--dry-run=server", "-f", dir)
	expectDenials(t, list, said)
}

// expectDenials finds for every example what kubectl says of its file.
func expectDenials(t *testing.T, list []example, said spoken) {
	t.Helper()
	for _, e := range list {
		about := aboutFile(said.err, e.name)
		for _, want := range []string{"denied the request: ", "drawbridge-dra.github.io", e.field, "(api/" + e.name} {
			if !strings.Contains(about, want) {
				t.Errorf("%s: no %q in what kubectl says: %s", e.name, want, about)
				break
			}
		}
	}
}

// aboutFile are the errors that name a file.
func aboutFile(text, name string) string {
	errors := regexp.MustCompile(`(?m)^Error from server|^The [A-Z]|^error: `).FindAllStringIndex(text, -1)
	var about []string
	for i, at := range errors {
		end := len(text)
		if i+1 < len(errors) {
			end = errors[i+1][0]
		}
		if one := text[at[0]:end]; strings.Contains(one, string(filepath.Separator)+name+".") {
			about = append(about, one)
		}
	}
	return strings.Join(about, "\n")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRulesOnUpdate does the same with what is stored and must not become.
func TestRulesOnUpdate(t *testing.T) {
	one(t)
	for _, try := range []struct {
		operation diag.Operation
		least     int
		args      []string
	}{
		{diag.Update, 2, []string{"replace"}},
		{diag.UpdateStatus, 20, []string{"replace", "--subresource=status"}},
	} {
		t.Run(string(try.operation), func(t *testing.T) {
			list := examples(t, try.operation)
			if len(list) < try.least {
				t.Errorf("only %d rules can be shown", len(list))
			}
			before, now := t.TempDir(), t.TempDir()
			states := t.TempDir()
			stated := 0
			for _, e := range list {
				old := named(t, e.Before, e.name)
				write(t, filepath.Join(before, e.name+".json"), old)
				if strings.Contains(old, `"status":`) {
					stated++
					write(t, filepath.Join(states, e.name+".json"), old)
				}
				write(t, filepath.Join(now, e.name+".json"), named(t, e.Wrong, e.name))
			}
			kubectl(t, "", "create", "-f", before).must(t)
			t.Cleanup(func() { forget(t, "-f", before) })
			if stated > 0 {
				kubectl(t, "", "replace", "--subresource=status", "-f", states).must(t)
			}
			expectDenials(t, list, kubectl(t, "", append(try.args, "-f", now)...))
		})
	}
}

// forget deletes what a test has stored: "-f", a folder, or a kind and names.
func forget(t *testing.T, what ...string) {
	args := append([]string{"delete", "--ignore-not-found", "--wait=false"}, what...)
	if said := kubectlWith(context.WithoutCancel(t.Context()), t, "", args...); said.failed {
		t.Error(said.err)
	}
}

// named gives the one object of an example a name that no other has.
func named(t *testing.T, text, name string) string {
	t.Helper()
	documents := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	var all []unstructured.Unstructured
	for {
		var object unstructured.Unstructured
		err := documents.Decode(&object)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, object)
	}
	if len(all) != 1 {
		t.Fatalf("%s: %d objects", name, len(all))
	}
	all[0].SetName("x-" + name)
	all[0].SetResourceVersion("")
	out, err := json.Marshal(all[0].Object)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
