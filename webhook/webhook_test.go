package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// findings makes a core that finds the same in every object.
func findings(list ...diag.Diagnostic) func(context.Context, []byte, core.Options) (*core.ValidateResult, error) {
	return func(context.Context, []byte, core.Options) (*core.ValidateResult, error) {
		return &core.ValidateResult{Diagnostics: list}, nil
	}
}

// updateFindings is findings for updates.
func updateFindings(list ...diag.Diagnostic) func(context.Context, []byte, []byte, core.Options) (*core.ValidateResult, error) {
	return func(context.Context, []byte, []byte, core.Options) (*core.ValidateResult, error) {
		return &core.ValidateResult{Diagnostics: list}, nil
	}
}

func groupsFinding(line int) diag.Diagnostic {
	return diag.Diagnostic{
		Severity: diag.Error, Source: diag.API, Rule: "compatibility-groups-max", Type: "FieldValueTooMany",
		Field:   "spec.devices[0].consumesCounters[0].compatibilityGroups",
		Message: "must have at most 2 items", Location: &diag.Location{Line: line, Column: 1},
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
	r := httptest.NewRequest(http.MethodPost, "/admission/x?timeout=5s", bytes.NewReader(body))
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

func TestDenial(t *testing.T) {
	second := diag.Diagnostic{Severity: diag.Error, Source: diag.API, Rule: "driver-name", Type: "FieldValueRequired", Field: "spec.driver", Message: "is missing"}
	warned := diag.Diagnostic{Severity: diag.Warning, Source: diag.Gate, Rule: "field-dropped", Gate: "DRAPartitionableDevices", Field: "spec.sharedCounters", Message: "will be dropped"}
	w := New(Config{Logger: quiet(), Validate: findings(groupsFinding(7), second, warned)})
	got := answer(t, w.Validate(), wire(t, file(t, "slice-create.json")))
	want := &admissionv1.AdmissionResponse{
		UID:     "0b3d5c1e-6c0a-4d0f-9a53-3f1a8f0f7b11",
		Allowed: false,
		Result: &metav1.Status{
			Status: "Failure", Code: 422, Reason: metav1.StatusReasonInvalid,
			Message: "spec.devices[0].consumesCounters[0].compatibilityGroups: must have at most 2 items (api/compatibility-groups-max); and 1 more",
			Details: &metav1.StatusDetails{
				Name: "gpu-devices", Group: "resource.k8s.io", Kind: "ResourceSlice",
				Causes: []metav1.StatusCause{
					{Type: "FieldValueTooMany", Field: "spec.devices[0].consumesCounters[0].compatibilityGroups", Message: "must have at most 2 items (api/compatibility-groups-max)"},
					{Type: "FieldValueRequired", Field: "spec.driver", Message: "is missing (api/driver-name)"},
				},
			},
		},
		Warnings:         []string{"spec.sharedCounters: will be dropped (gate/field-dropped)"},
		AuditAnnotations: map[string]string{"rules": "api/compatibility-groups-max,api/driver-name"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A line number counts in the object as it was sent. It is told where the
// object has lines, and it is the line of that very text.
func TestDenialLine(t *testing.T) {
	var seen []byte
	stub := func(_ context.Context, text []byte, _ core.Options) (*core.ValidateResult, error) {
		seen = text
		line := 1 + bytes.Count(text[:bytes.Index(text, []byte(`"compatibilityGroups"`))], []byte("\n"))
		return &core.ValidateResult{Diagnostics: []diag.Diagnostic{groupsFinding(line)}}, nil
	}
	w := New(Config{Logger: quiet(), Validate: stub})
	pretty := file(t, "slice-create.json")
	got := answer(t, w.Validate(), pretty)
	if !bytes.Contains(pretty, seen) {
		t.Error("the core did not see the object as it was sent")
	}
	if !strings.HasSuffix(got.Result.Message, "(api/compatibility-groups-max, line 33)") {
		t.Errorf("got %q", got.Result.Message)
	}
}

func TestDecodeErrorDenies(t *testing.T) {
	w := New(Config{Logger: quiet(), Validate: findings(diag.Diagnostic{Severity: diag.Error, Source: diag.Decode, Rule: "type", Message: "is not a number"})})
	got := answer(t, w.Validate(), file(t, "slice-create.json"))
	if got.Allowed || got.Result.Code != 400 || got.Result.Reason != metav1.StatusReasonBadRequest {
		t.Errorf("got %+v", got)
	}
}

func TestOptions(t *testing.T) {
	var seen core.Options
	w := New(Config{Logger: quiet(), KubernetesVersion: "1.36", FeatureGates: "A=true", Validate: func(_ context.Context, _ []byte, o core.Options) (*core.ValidateResult, error) {
		seen = o
		return &core.ValidateResult{}, nil
	}})
	if got := answer(t, w.Validate(), file(t, "slice-create.json")); !got.Allowed || got.Result != nil || got.Warnings != nil {
		t.Errorf("got %+v", got)
	}
	if want := (core.Options{KubernetesVersion: "1.36", FeatureGates: "A=true", FieldValidation: "Ignore"}); !reflect.DeepEqual(seen, want) {
		t.Errorf("got %+v", seen)
	}
}

// Only what a review can be judged by is judged.
func TestScope(t *testing.T) {
	slice, pod := file(t, "slice-create.json"), file(t, "pod-create.json")
	kind := func(group, kind string) func(map[string]any) {
		return func(r map[string]any) {
			r["kind"] = map[string]any{"group": group, "version": "v1", "kind": kind}
		}
	}
	update := func(kindName string) func(map[string]any) {
		return func(r map[string]any) {
			kind("resource.k8s.io", kindName)(r)
			r["operation"], r["oldObject"] = "UPDATE", r["object"]
		}
	}
	status := func(kindName string) func(map[string]any) {
		return func(r map[string]any) {
			update(kindName)(r)
			r["subResource"] = "status"
		}
	}
	set := func(key string, value any) func(map[string]any) {
		return func(r map[string]any) { r[key] = value }
	}
	tests := []struct {
		name   string
		review []byte
		change func(map[string]any)
		denied bool
	}{
		{"create slice", slice, func(map[string]any) {}, true},
		{"create slice, dry run", slice, set("dryRun", true), true},
		{"create claim", slice, kind("resource.k8s.io", "ResourceClaim"), true},
		{"update slice", slice, update("ResourceSlice"), true},
		{"update class", slice, update("DeviceClass"), true},
		{"update taint rule", slice, update("DeviceTaintRule"), true},
		{"update claim", slice, update("ResourceClaim"), true},
		{"update template", slice, update("ResourceClaimTemplate"), true},
		{"update pool status request", slice, update("ResourcePoolStatusRequest"), true},
		{"update of a kind without rules for it", slice, update("ResourceCube"), false},
		{"status of a claim", slice, status("ResourceClaim"), true},
		{"status of a taint rule", slice, status("DeviceTaintRule"), true},
		{"status of a kind that has none", slice, status("DeviceClass"), false},
		{"update of a slice that is leaving", slice, func(r map[string]any) {
			r["operation"] = "UPDATE"
			r["object"].(map[string]any)["metadata"].(map[string]any)["deletionTimestamp"] = "2026-11-28T10:00:00Z"
		}, false},
		{"status of a slice", slice, set("subResource", "status"), false},
		{"delete", slice, func(r map[string]any) { r["operation"], r["object"] = "DELETE", nil }, false},
		{"connect", slice, set("operation", "CONNECT"), false},
		{"no object", slice, set("object", nil), false},
		{"a kind of another group", slice, kind("apps", "Deployment"), false},
		{"pods are the API server's", pod, func(map[string]any) {}, false},
	}
	w := New(Config{Logger: quiet(), Validate: findings(groupsFinding(1)), Update: updateFindings(groupsFinding(1)), UpdateStatus: updateFindings(groupsFinding(1))})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := answer(t, w.Validate(), edit(t, tt.review, tt.change)); got.Allowed == tt.denied {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestBundleFindingsOnlyWarn(t *testing.T) {
	w := New(Config{Logger: quiet(), Validate: findings(
		diag.Diagnostic{Severity: diag.Error, Source: diag.Bundle, Rule: "missing-class", Message: "the class is missing"},
		diag.Diagnostic{Severity: diag.Error, Source: diag.Bundle, Rule: "pod-bound-unallocated", Field: "spec.nodeName", Message: "never starts"},
		diag.Diagnostic{Severity: diag.Info, Source: diag.Bundle, Rule: "driver-upper-case", Message: "nice to know"},
	)})
	for _, name := range []string{"pod-create.json", "slice-create.json"} {
		got := answer(t, w.Validate(), file(t, name))
		if want := []string{"spec.nodeName: never starts (bundle/pod-bound-unallocated)"}; !got.Allowed || !reflect.DeepEqual(got.Warnings, want) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestManyCauses(t *testing.T) {
	list := make([]diag.Diagnostic, 5000)
	for i := range list {
		list[i] = groupsFinding(1)
	}
	got := answer(t, New(Config{Logger: quiet(), Validate: findings(list...)}).Validate(), file(t, "slice-create.json"))
	if len(got.Result.Details.Causes) != maxCauses || !strings.HasSuffix(got.Result.Message, "and 4999 more") {
		t.Errorf("got %d causes, %s", len(got.Result.Details.Causes), got.Result.Message)
	}
}

func TestWarningsFit(t *testing.T) {
	long := strings.Repeat("ä", 300)
	got := fit([]string{"a\nb\x00c\xff", long})
	if got[0] != "a b c\uFFFD" || utf8.RuneCountInString(got[1]) != 256 || !strings.HasSuffix(got[1], "…") {
		t.Errorf("got %q", got)
	}
	total := 0
	for _, w := range fit(slicesOf(long, 100)) {
		total += utf8.RuneCountInString(w)
	}
	if total != 4096 {
		t.Errorf("got %d runes", total)
	}
}

func slicesOf(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func TestObserve(t *testing.T) {
	var seen []string
	w := New(Config{Logger: quiet(), Validate: findings(groupsFinding(1)), Observe: func(_ context.Context, webhook, verdict string) {
		seen = append(seen, webhook+" "+verdict)
	}})
	post(t, w.Validate(), file(t, "slice-create.json"))
	post(t, w.Validate(), file(t, "pod-create.json"))
	post(t, w.Mutate(), file(t, "pod-create.json"))
	post(t, w.Mutate(), []byte("{"))
	if want := []string{"validate denied", "validate allowed", "mutate patched", "mutate failed"}; !reflect.DeepEqual(seen, want) {
		t.Errorf("got %q", seen)
	}
}
