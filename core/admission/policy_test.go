package admission

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

const head = "apiVersion: " + PolicyAPIVersion + "\nkind: " + PolicyKind + "\n"

const policyText = head + `rules:
  api/*: warn
  api/compatibility-groups-max: deny
  bundle/missing-class: deny
  bundle/tolerations-many: audit
profiles:
  strict:
    byLabel: true
    rules:
      bundle/*: deny
      api/*: deny
  quiet:
    rules:
      "*": off
`

func finding(source diag.Source, rule string, severity diag.Severity) diag.Diagnostic {
	return diag.Diagnostic{Source: source, Rule: rule, Severity: severity}
}

func TestPolicy(t *testing.T) {
	policy, err := ParsePolicy([]byte(policyText))
	if err != nil {
		t.Fatal(err)
	}
	label := func(profile string) map[string]string { return map[string]string{ProfileLabel: profile} }
	for _, tt := range []struct {
		policy  *Policy
		labels  map[string]string
		finding diag.Diagnostic
		want    Action
	}{
		{nil, nil, finding(diag.Decode, "type", diag.Error), Deny},
		{nil, nil, finding(diag.Decode, "obsolete-field", diag.Warning), Warn},
		{nil, nil, finding(diag.Decode, "limit", diag.Error), Warn},
		{nil, nil, finding(diag.Decode, "unknown-version", diag.Error), Warn},
		{nil, nil, finding(diag.API, "count", diag.Error), Deny},
		{nil, nil, finding(diag.Gate, "shared-counters-dropped", diag.Warning), Warn},
		{nil, nil, finding(diag.Bundle, "missing-class", diag.Error), Warn},
		{nil, nil, finding(diag.Bundle, "tolerations-many", diag.Info), Off},
		{nil, label("strict"), finding(diag.Bundle, "missing-class", diag.Error), Warn},
		{&Policy{}, nil, finding(diag.API, "count", diag.Error), Deny},

		{policy, nil, finding(diag.API, "count", diag.Error), Warn},
		{policy, nil, finding(diag.API, "compatibility-groups-max", diag.Error), Deny},
		{policy, nil, finding(diag.Bundle, "missing-class", diag.Error), Deny},
		{policy, nil, finding(diag.Bundle, "pool-incomplete", diag.Warning), Warn},
		{policy, nil, finding(diag.Bundle, "tolerations-many", diag.Info), Audit},
		{policy, nil, finding(diag.Gate, "shared-counters-dropped", diag.Warning), Warn},

		// A profile goes before the rules for all, even by a pattern.
		{policy, label("strict"), finding(diag.API, "count", diag.Error), Deny},
		{policy, label("strict"), finding(diag.Bundle, "pool-incomplete", diag.Warning), Deny},
		{policy, label("strict"), finding(diag.Bundle, "tolerations-many", diag.Info), Audit},
		{policy, label("strict"), finding(diag.Gate, "shared-counters-dropped", diag.Warning), Warn},
		// Only those that the policy lets namespaces choose.
		{policy, label("quiet"), finding(diag.API, "compatibility-groups-max", diag.Error), Deny},
		{policy, label("unheard-of"), finding(diag.API, "compatibility-groups-max", diag.Error), Deny},
	} {
		if got := tt.policy.In(tt.labels).Action(tt.finding); got != tt.want {
			t.Errorf("%v %s: got %s, want %s", tt.labels, ID(tt.finding), got, tt.want)
		}
	}
	if got := policy.Profiles(); !reflect.DeepEqual(got, []string{"strict"}) {
		t.Errorf("got %q", got)
	}
}

// Patterns mean neither what is only worth knowing nor what says that we could
// not judge.
func TestPatternsLeaveOut(t *testing.T) {
	policy, err := ParsePolicy([]byte(head + "rules: {'*': deny, decode/limit: deny}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		finding diag.Diagnostic
		want    Action
	}{
		{finding(diag.Bundle, "tolerations-many", diag.Info), Off},
		{finding(diag.Decode, "unknown-kind", diag.Error), Warn},
		{finding(diag.Decode, "limit", diag.Error), Deny},
		{finding(diag.Gate, "shared-counters-dropped", diag.Warning), Deny},
	} {
		if got := policy.In(nil).Action(tt.finding); got != tt.want {
			t.Errorf("%s: got %s, want %s", ID(tt.finding), got, tt.want)
		}
	}
}

// TestPolicyDecides goes from the namespace of a request to its answer.
func TestPolicyDecides(t *testing.T) {
	policy, err := ParsePolicy([]byte(policyText))
	if err != nil {
		t.Fatal(err)
	}
	known := &cluster{namespaces: map[string]map[string]string{"default": {ProfileLabel: "strict"}}}
	found := bundleFinding("selector-missing-guard", diag.Warning)
	c := Case{Phase: Validating, Policy: policy, Request: request(ours, "ResourceClaim", admissionv1.Create, "{}")}
	if d := decide(t, c, found); !d.Response.Allowed || len(d.Response.Warnings) != 1 || d.Profile != "" {
		t.Errorf("no namespace: got %+v", d.Response)
	}
	c.Cluster = known
	d := decide(t, c, found)
	if d.Response.Allowed || d.Profile != "strict" || d.Response.AuditAnnotations["policy-profile"] != "strict" || d.Response.AuditAnnotations["rules"] != "bundle/selector-missing-guard" {
		t.Errorf("got %+v", d.Response)
	}
	c.Cluster = nil
	d = decide(t, c, finding(diag.Bundle, "tolerations-many", diag.Info))
	if !d.Response.Allowed || d.Response.Warnings != nil || !reflect.DeepEqual(d.Response.AuditAnnotations, map[string]string{"audited-rules": "bundle/tolerations-many"}) {
		t.Errorf("audit: got %+v", d.Response)
	}
}

func TestPolicyFaults(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":          {"", "the policy is empty"},
		"not YAML":         {"a: [", "cannot be read"},
		"a list":           {"- a", "line 1, column 1: a policy is a map here"},
		"another kind":     {"apiVersion: v1\nkind: ConfigMap\n", "apiVersion must be drawbridge-dra.github.io/v1; line 1, column 1: kind must be AdmissionPolicy"},
		"an unknown field": {head + "rule: {}", `line 3, column 1: a policy has no field "rule"; it has apiVersion, kind, profiles, rules`},
		"a misspelt rule":  {head + "rules:\n  api/compatibility-group-max: deny", `line 4, column 3: there is no rule "api/compatibility-group-max"; is api/compatibility-groups-max meant?`},
		"another source":   {head + "rules:\n  nothing/at-all-like-this: deny", "write one as source/id"},
		"another action":   {head + "rules:\n  api/*: allow", `line 4, column 10: what comes of a rule is deny, warn, audit or off, not "allow"`},
		"a list as action": {head + "rules:\n  api/*: [deny]", "line 4, column 10: what comes of a rule"},
		"twice":            {head + "rules:\n  api/*: deny\n  api/*: off", `line 5, column 3: "api/*" stands here for the second time; the first is in line 4`},
		"two documents":    {head + "---\n" + head, "followed by more"},
		"an alias":         {head + "rules: &r {}\nprofiles: {a: {rules: *r}}", "aliases are not followed"},
		"a bad name":       {head + "profiles: {'a b': {}}", `the profile "a b" cannot be chosen by a label`},
		"byLabel":          {head + "profiles: {a: {byLabel: perhaps}}", `byLabel is true or false, not "perhaps"`},
		"too large":        {strings.Repeat("#", mostPolicyBytes+1), "may have 1048576"},
		"JSON":             {`{"apiVersion":"drawbridge-dra.github.io/v1","kind":"AdmissionPolicy","rules":{"api/x":"deny"}}`, `line 1, column 79: there is no rule "api/x"`},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := ParsePolicy([]byte(tt.text))
			var faults *PolicyError
			if p != nil || !errors.As(err, &faults) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "  api/x%d: deny\n", i)
	}
	if _, err := ParsePolicy([]byte(head + "rules:\n" + b.String())); !strings.HasSuffix(err.Error(), "; and 80 more") {
		t.Errorf("got %v", err)
	}
}

func FuzzPolicy(f *testing.F) {
	f.Add([]byte(policyText))
	f.Add([]byte(`{"apiVersion":"drawbridge-dra.github.io/v1","kind":"AdmissionPolicy","profiles":{"a":{"byLabel":true}}}`))
	f.Add([]byte("a: &a [*a]\n"))
	every := diag.Rules()
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ParsePolicy(text)
		if (p == nil) != (err != nil) {
			t.Fatalf("got %v and %v", p, err)
		}
		if err != nil {
			if err.Error() == "" {
				t.Fatal("a fault without words")
			}
			return
		}
		namespaces := []map[string]string{nil}
		for _, name := range p.Profiles() {
			namespaces = append(namespaces, map[string]string{ProfileLabel: name})
		}
		for _, labels := range namespaces {
			ruling := p.In(labels)
			for _, r := range every {
				switch ruling.Action(finding(r.Source, r.ID, r.Severity)) {
				case Deny, Warn, Audit, Off:
				default:
					t.Fatalf("nothing comes of %s/%s", r.Source, r.ID)
				}
			}
		}
	})
}
