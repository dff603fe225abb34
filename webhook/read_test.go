package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	kjson "sigs.k8s.io/json"

	"github.com/drawbridge-dra/drawbridge/core"
)

func TestUnreadable(t *testing.T) {
	review := file(t, "slice-create.json")
	tests := []struct {
		name, contentType string
		body              []byte
		status            int
		detail            string
	}{
		{"no content type", "", review, 415, "application/json"},
		{"yaml", "application/yaml", review, 415, "application/json"},
		{"broken content type", "application/json;;=", review, 415, "application/json"},
		{"empty", "application/json", nil, 400, "cannot be read"},
		{"no JSON", "application/json", []byte("secret: x"), 400, "cannot be read"},
		{"no review", "application/json", []byte(`{"kind":"Pod","apiVersion":"v1"}`), 400, "admissionReviewVersions"},
		{"old review", "application/json", bytes.Replace(review, []byte("admission.k8s.io/v1"), []byte("admission.k8s.io/v1beta1"), 1), 400, "admissionReviewVersions"},
		{"no request", "application/json", []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`), 400, "no request"},
		{"names are case-sensitive", "application/json", []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","Request":{"uid":"x"}}`), 400, "no request"},
		{"too large", "application/json", append(bytes.Repeat([]byte(" "), bodyLimit), review...), 413, "7 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, h := range []http.Handler{New(Config{Logger: quiet()}).Validate(), New(Config{Logger: quiet()}).Mutate()} {
				r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(tt.body))
				if tt.contentType != "" {
					r.Header.Set("Content-Type", tt.contentType)
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != tt.status || w.Header().Get("Content-Type") != "application/problem+json" || !strings.Contains(w.Body.String(), tt.detail) {
					t.Errorf("got %d %s", w.Code, w.Body)
				}
				if strings.Contains(w.Body.String(), "secret") {
					t.Error("the input is echoed")
				}
			}
		})
	}
}

func TestContentTypeWithParameters(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(file(t, "pod-create.json")))
	r.Header.Set("Content-Type", "Application/JSON; charset=utf-8")
	w := httptest.NewRecorder()
	New(Config{Logger: quiet()}).Mutate().ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// A body of seven megabytes is an AdmissionReview like any other.
func TestLargeReview(t *testing.T) {
	big := edit(t, file(t, "slice-create.json"), func(r map[string]any) {
		r["object"].(map[string]any)["metadata"].(map[string]any)["annotations"] = map[string]any{"x": strings.Repeat("a", bodyLimit-8192)}
	})
	if got := answer(t, New(Config{Logger: quiet()}).Validate(), big); got.Allowed || !strings.Contains(fmt.Sprint(got.Result), "metadata.annotations") {
		t.Errorf("got %+v", got)
	}
	// An API server may send it without saying how long it is.
	r := httptest.NewRequest(http.MethodPost, "/?timeout=30s", io.MultiReader(bytes.NewReader(big)))
	r.Header.Set("Content-Type", "application/json")
	if r.ContentLength != -1 {
		t.Fatalf("the length is known: %d", r.ContentLength)
	}
	rec := httptest.NewRecorder()
	New(Config{Logger: quiet()}).Mutate().ServeHTTP(rec, r)
	if rec.Code != http.StatusOK {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
}

func TestTimeout(t *testing.T) {
	block := func(ctx context.Context, _ core.AdmissionPhase, _ *admissionv1.AdmissionRequest, _ core.AdmitOptions) (*core.Admission, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r := httptest.NewRequest(http.MethodPost, "/admission/validate?timeout=50ms", bytes.NewReader(file(t, "slice-create.json")))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	start := time.Now()
	New(Config{Logger: quiet(), Admit: block}).Validate().ServeHTTP(w, r)
	if w.Code != http.StatusServiceUnavailable || time.Since(start) > time.Minute {
		t.Errorf("got %d after %v", w.Code, time.Since(start))
	}
	for query, want := range map[string]time.Duration{
		"": defaultTimeout, "timeout=x": defaultTimeout, "timeout=-1s": defaultTimeout, "timeout=1h": defaultTimeout,
		"timeout=10s": 9800 * time.Millisecond, "timeout=1s": 900 * time.Millisecond,
	} {
		if got := Patience(httptest.NewRequest(http.MethodPost, "/?"+query, nil)); got != want {
			t.Errorf("%q: got %v", query, got)
		}
	}
}

func TestFailureIsNotTold(t *testing.T) {
	var log bytes.Buffer
	w := New(Config{Logger: slog.New(slog.NewTextHandler(&log, nil)), Admit: fails(errors.New("inner workings"))})
	rec := post(t, w.Validate(), file(t, "slice-create.json"))
	if rec.Code != 500 || strings.Contains(rec.Body.String(), "inner workings") || !strings.Contains(log.String(), "inner workings") {
		t.Errorf("got %d %s; log %s", rec.Code, rec.Body, log.String())
	}
}

// FuzzReview sends anything to both webhooks. Whatever comes, they answer: a
// review with the same uid, or a problem.
func FuzzReview(f *testing.F) {
	for _, name := range []string{"slice-create.json", "pod-create.json"} {
		f.Add(wire(f, file(f, name)))
	}
	for _, name := range []string{"claim-update.json", "claim-status-update.json"} {
		f.Add(wire(f, file(f, name)))
	}
	f.Add([]byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","operation":"CREATE","kind":{"group":"resource.k8s.io","kind":"DeviceClass"},"object":{"spec":{"selectors":[{"cel":{"expression":"true"}}]}}}}`))
	w := New(Config{Logger: quiet()})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, h := range []http.Handler{w.Validate(), w.Mutate()} {
			rec := post(t, h, body)
			switch rec.Code {
			case http.StatusOK:
				var in, out admissionv1.AdmissionReview
				if err := errors.Join(kjson.UnmarshalCaseSensitivePreserveInts(body, &in), json.Unmarshal(rec.Body.Bytes(), &out)); err != nil {
					t.Fatal(err)
				}
				if out.Response.UID != in.Request.UID {
					t.Fatalf("uid %q was answered with %q", in.Request.UID, out.Response.UID)
				}
				if !out.Response.Allowed && (out.Response.Result == nil || out.Response.Result.Message == "" || out.Response.Patch != nil) {
					t.Fatalf("denied without a reason: %s", rec.Body)
				}
			case http.StatusInternalServerError: // an update without the old object
				var in admissionv1.AdmissionReview
				if err := kjson.UnmarshalCaseSensitivePreserveInts(body, &in); err != nil || in.Request.Operation != admissionv1.Update || len(in.Request.OldObject.Raw) > 0 {
					t.Fatalf("got %d %s, %v", rec.Code, rec.Body, err)
				}
			case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
				if rec.Header().Get("Content-Type") != "application/problem+json" {
					t.Fatalf("got %s", rec.Body)
				}
			default:
				t.Fatalf("got %d %s", rec.Code, rec.Body)
			}
		}
	})
}
