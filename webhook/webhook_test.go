package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/drawbridge-dra/drawbridge/core"
)

// admit is what Config.Admit stands in for.
type admit = func(context.Context, core.AdmissionPhase, *admissionv1.AdmissionRequest, core.AdmitOptions) (*core.Admission, error)

// fails makes a core that gives no verdict.
func fails(err error) admit {
	return func(context.Context, core.AdmissionPhase, *admissionv1.AdmissionRequest, core.AdmitOptions) (*core.Admission, error) {
		return nil, err
	}
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wire writes a review the way an API server sends it: on one line.
func wire(t testing.TB, review []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, review); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// edit changes the request of a review.
func edit(t testing.TB, review []byte, change func(request map[string]any)) []byte {
	t.Helper()
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(review))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	change(m["request"].(map[string]any))
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func post(t testing.TB, h http.Handler, body []byte) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/admission/x?timeout=30s", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func answer(t testing.TB, h http.Handler, body []byte) *admissionv1.AdmissionResponse {
	t.Helper()
	w := post(t, h, body)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("got %d %s %s", w.Code, w.Header(), w.Body)
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(w.Body.Bytes(), &review); err != nil {
		t.Fatal(err)
	}
	if review.APIVersion != "admission.k8s.io/v1" || review.Kind != "AdmissionReview" || review.Request != nil || review.Response == nil {
		t.Fatalf("got %s", w.Body)
	}
	return review.Response
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// A line number counts in the object as it was sent. It is told where the
// object has lines, and it is the line of that very text.
func TestDenialLine(t *testing.T) {
	pretty := file(t, "slice-create.json")
	got := answer(t, New(Config{Logger: quiet()}).Validate(), pretty)
	raw := object(t, pretty)
	line := 1 + bytes.Count(raw[:bytes.Index(raw, []byte(`"compatibilityGroups"`))], []byte("\n"))
	if got.UID != "0b3d5c1e-6c0a-4d0f-9a53-3f1a8f0f7b11" || !strings.HasSuffix(got.Result.Message, fmt.Sprintf("(api/compatibility-groups-max, line %d)", line)) {
		t.Errorf("got %+v; the line is %d", got.Result, line)
	}
}

// What the webhook is configured with reaches the core, and what may change
// while it runs is asked for each time.
func TestOptions(t *testing.T) {
	var seen []core.AdmitOptions
	var phases []core.AdmissionPhase
	version, policy := "1.35", &core.AdmissionPolicy{}
	w := New(Config{
		Logger: quiet(), KubernetesVersion: "1.36", FeatureGates: "A=true", NodeNameTo: "affinity", RulesURL: "https://d.example.com",
		Kubernetes: func() (string, string) { return version, "B=true" },
		Policy:     func() *core.AdmissionPolicy { return policy },
		Admit: func(_ context.Context, phase core.AdmissionPhase, r *admissionv1.AdmissionRequest, o core.AdmitOptions) (*core.Admission, error) {
			seen, phases = append(seen, o), append(phases, phase)
			return &core.Admission{Phase: phase, Verdict: core.Allowed, Response: &admissionv1.AdmissionResponse{UID: r.UID, Allowed: true}}, nil
		},
	})
	answer(t, w.Validate(), file(t, "slice-create.json"))
	version = "1.34"
	answer(t, w.Mutate(), file(t, "slice-create.json"))
	want := core.AdmitOptions{KubernetesVersion: "1.35", FeatureGates: "B=true", Policy: policy, NodeNameTo: "affinity", RulesURL: "https://d.example.com"}
	if !reflect.DeepEqual(seen[0], want) || seen[1].KubernetesVersion != "1.34" || !reflect.DeepEqual(phases, []core.AdmissionPhase{core.Validating, core.Mutating}) {
		t.Errorf("got %+v", seen)
	}
}

func TestObserve(t *testing.T) {
	var seen []Observation
	w := New(Config{Logger: quiet(), Observe: func(_ context.Context, o Observation) {
		if o.Took <= 0 {
			t.Errorf("took %v", o.Took)
		}
		o.Took = 0
		seen = append(seen, o)
	}})
	invented := edit(t, file(t, "slice-create.json"), func(r map[string]any) {
		r["operation"] = "INVENT"
		r["kind"] = map[string]any{"group": "example.com", "kind": "Invention"}
	})
	post(t, w.Validate(), file(t, "slice-create.json"))
	post(t, w.Validate(), invented)
	post(t, w.Mutate(), file(t, "pod-create.json"))
	post(t, w.Mutate(), []byte("{"))
	want := []Observation{
		{Webhook: "validate", Kind: "ResourceSlice", Operation: "CREATE", Verdict: "denied", Rules: seen[0].Rules},
		{Webhook: "validate", Kind: "other", Operation: "other", Verdict: "allowed"},
		{Webhook: "mutate", Kind: "Pod", Operation: "CREATE", Verdict: "patched"},
		{Webhook: "mutate", Kind: "other", Operation: "other", Verdict: "failed"},
	}
	if !reflect.DeepEqual(seen, want) {
		t.Errorf("got %+v", seen)
	}
	if !slices.Contains(seen[0].Rules, RuleCount{"api/compatibility-groups-max", "deny", 1}) {
		t.Errorf("got %+v", seen[0].Rules)
	}
}

// The log names objects and rules, and nothing of what is in them or who
// asked.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	w := New(Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	post(t, w.Validate(), edit(t, file(t, "slice-create.json"), func(r map[string]any) { r["dryRun"] = true }))
	post(t, w.Mutate(), edit(t, file(t, "pod-create.json"), func(r map[string]any) { r["operation"] = "DELETE"; delete(r, "object") }))
	text := log.String()
	for _, want := range []string{"uid=0b3d5c1e-6c0a-4d0f-9a53-3f1a8f0f7b11", "kind=ResourceSlice", "name=gpu-devices", "verdict=denied", "api/compatibility-groups-max=deny", "dryRun=true"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if strings.Contains(text, "kubernetes-admin") || strings.Contains(text, "system:") || strings.Contains(text, "gpu.example.com") || strings.Count(text, "\n") != 1 {
		t.Errorf("got %s", text)
	}
}

// Where the core panics there is no verdict, and nothing of the object is
// told.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	w := New(Config{Logger: slog.New(slog.NewTextHandler(&log, nil)), Admit: func(_ context.Context, _ core.AdmissionPhase, r *admissionv1.AdmissionRequest, _ core.AdmitOptions) (*core.Admission, error) {
		panic(string(r.Object.Raw))
	}})
	rec := post(t, w.Validate(), file(t, "slice-create.json"))
	if text := log.String(); rec.Code != http.StatusInternalServerError || !strings.Contains(text, "uid=0b3d5c1e") || !strings.Contains(text, "TestPanic") ||
		strings.Contains(text, "gpu.example.com") || strings.Contains(rec.Body.String(), "gpu.example.com") {
		t.Errorf("got %d %s; log %s", rec.Code, rec.Body, text)
	}
}

// The API server shows a warning once, however often it is sent: what both
// phases know they must say in the same words.
func TestBothPhasesSayTheSame(t *testing.T) {
	review := bytes.Replace(file(t, "slice-create.json"), []byte(`, "whole"]`), []byte(`]`), 1)
	w := New(Config{Logger: quiet()})
	first, second := answer(t, w.Mutate(), review), answer(t, w.Validate(), review)
	if len(first.Warnings) == 0 || !reflect.DeepEqual(first.Warnings, second.Warnings) || first.Patch != nil {
		t.Errorf("got %q and %q", first.Warnings, second.Warnings)
	}
	if denied := answer(t, w.Mutate(), file(t, "slice-create.json")); denied.Allowed || denied.Result.Code != 422 {
		t.Errorf("got %+v", denied)
	}
}
