package server

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const policyHead = "apiVersion: drawbridge-dra.github.io/v1\nkind: AdmissionPolicy\n"

// A policy holds for the reviews of this server, follows its file, and shows
// in the metrics.
func TestPolicyOfAServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write := func(rules string) {
		t.Helper()
		next := path + ".next"
		if err := os.WriteFile(next, []byte(policyHead+rules), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, path); err != nil {
			t.Fatal(err)
		}
	}
	write("rules: {api/driver-name: warn}\n")
	r := run(t, Config{PolicyFile: path, PolicyPeriod: 2 * time.Millisecond})
	review := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","operation":"CREATE","kind":{"group":"resource.k8s.io","kind":"ResourceSlice"},` +
		`"object":{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"Not_A_Name","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[{"name":"d"}]}}}}`
	send := func() string {
		return r.send(t, "POST", r.https+"/admission/mutate", review, "Content-Type", "application/json").body
	}
	if got := send(); !strings.Contains(got, `"allowed":true`) || !strings.Contains(got, "(api/driver-name)") {
		t.Fatalf("got %s", got)
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s has not happened", what)
			}
		}
	}
	write("rules: {}\n")
	until("the refusal", func() bool { return strings.Contains(send(), `"allowed":false`) })
	write("rules: [\n")
	metrics := func() string { return r.send(t, "GET", r.http+"/metrics", "").body }
	until("the count of the fault", func() bool {
		return strings.Contains(metrics(), `drawbridge_policy_reads_total{result="refused"} 1`)
	})
	text := metrics()
	for _, want := range []string{
		`drawbridge_policy_reads_total{result="used"} 1`,
		`drawbridge_admission_findings_total{action="warn",rule="api/driver-name"}`,
		`drawbridge_admission_findings_total{action="deny",rule="api/driver-name"}`,
		`drawbridge_admission_reviews_total{kind="ResourceSlice",operation="CREATE",verdict="denied",webhook="mutate"}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing: %s", want)
		}
	}
}

// What cannot be followed is said before anything is served.
func TestPolicyAtTheStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(path, []byte(policyHead+"rules: {api/driver-nam: warn}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, cfg := range map[string]Config{
		"is api/driver-name meant": {PolicyFile: path},
		"cannot be read":           {PolicyFile: path + "x"},
		"selector or affinity":     {NodeNameTo: "label"},
		"must be a URL":            {RulesURL: "rules.html"},
	} {
		cfg.HTTPListen = "127.0.0.1:0"
		if _, err := New(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
