// Package webhook answers AdmissionReviews. It only translates: the object of
// a review becomes text for the core, and findings become a verdict.
package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	kjson "sigs.k8s.io/json"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/server/problem"
)

// bodyLimit is what a review can need: two objects of the 3 MiB that an API
// server takes, and what is around them.
const bodyLimit = 7 << 20

// defaultTimeout applies where the API server does not say how long it waits;
// it always does.
const defaultTimeout = 10 * time.Second

// Config describes the cluster and the surroundings.
type Config struct {
	// KubernetesVersion and FeatureGates are those of the cluster that sends
	// the reviews; empty for the newest version and its defaults.
	KubernetesVersion string
	FeatureGates      string
	// Kubernetes tells the version and the gates instead, where they can
	// change while the webhook runs; nil where they cannot.
	Kubernetes func() (version, featureGates string)
	// Cluster knows the cluster's other objects; nil where nobody does.
	Cluster Cluster
	// Observe is told every verdict: the webhook ("validate" or "mutate") and
	// "allowed", "denied", "patched" or "failed". Nil: nobody is.
	Observe func(ctx context.Context, webhook, verdict string)
	// Logger gets what went wrong in us, never bodies. Nil: slog.Default().
	Logger *slog.Logger
	// Validate, Update and UpdateStatus stand in for the core in tests of what
	// happens when it fails. Nil: core.Validate, core.ValidateUpdate and
	// core.ValidateStatus.
	Validate             func(ctx context.Context, text []byte, opts core.Options) (*core.ValidateResult, error)
	Update, UpdateStatus func(ctx context.Context, old, now []byte, opts core.Options) (*core.ValidateResult, error)
}

// Webhook answers reviews of one cluster.
type Webhook struct{ cfg Config }

// New makes a webhook.
func New(cfg Config) *Webhook {
	if cfg.Observe == nil {
		cfg.Observe = func(context.Context, string, string) {}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Validate == nil {
		cfg.Validate = core.Validate
	}
	if cfg.Update == nil {
		cfg.Update = core.ValidateUpdate
	}
	if cfg.UpdateStatus == nil {
		cfg.UpdateStatus = core.ValidateStatus
	}
	return &Webhook{cfg: cfg}
}

// Validate handles /admission/validate.
func (w *Webhook) Validate() http.Handler { return w.handler("validate", w.validate) }

// Mutate handles /admission/mutate.
func (w *Webhook) Mutate() http.Handler { return w.handler("mutate", w.mutate) }

// decide gives the verdict on one request. An error means that there is none.
type decide func(ctx context.Context, req *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error)

// handler reads a review and writes its answer. Whenever a review could be
// read, the status is 200 and the verdict is inside; anything else makes the
// API server apply the failure policy.
func (w *Webhook) handler(name string, decide decide) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		review, p := read(rw, r)
		if p != nil {
			w.cfg.Observe(r.Context(), name, "failed")
			p.Write(rw)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout(r))
		defer cancel()
		response, err := decide(ctx, review.Request)
		if err != nil {
			w.cfg.Observe(ctx, name, "failed")
			w.fail(ctx, rw, err)
			return
		}
		response.UID = review.Request.UID
		w.cfg.Observe(ctx, name, verdict(response))
		review.Request = nil
		review.Response = response
		body, err := json.Marshal(review)
		if err != nil {
			w.fail(ctx, rw, err)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.Header().Set("Cache-Control", "no-store")
		_, _ = rw.Write(body)
	})
}

func verdict(r *admissionv1.AdmissionResponse) string {
	switch {
	case !r.Allowed:
		return "denied"
	case r.Patch != nil:
		return "patched"
	}
	return "allowed"
}

// fail answers when there is no verdict.
func (w *Webhook) fail(ctx context.Context, rw http.ResponseWriter, err error) {
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		problem.Write(rw, http.StatusServiceUnavailable, "no verdict within the time that the API server waits")
		return
	}
	w.cfg.Logger.ErrorContext(ctx, "a review failed", "error", err)
	problem.Write(rw, http.StatusInternalServerError, "something went wrong here; the server's log says what")
}

// timeout is how long the API server waits, less what the answer needs to get
// there: a verdict that comes too late is none.
func timeout(r *http.Request) time.Duration {
	d, err := time.ParseDuration(r.URL.Query().Get("timeout"))
	if err != nil || d <= 0 || d > time.Minute {
		return defaultTimeout
	}
	return d - min(d/10, 200*time.Millisecond)
}

// read takes a review from a request, or says why there is none.
func read(rw http.ResponseWriter, r *http.Request) (*admissionv1.AdmissionReview, *problem.Problem) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return nil, problem.New(http.StatusUnsupportedMediaType, "an AdmissionReview comes as application/json")
	}
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, bodyLimit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, problem.New(http.StatusRequestEntityTooLarge, fmt.Sprintf("the AdmissionReview is larger than %d MiB", bodyLimit>>20))
	case err != nil:
		return nil, problem.New(http.StatusBadRequest, "the body could not be read to its end")
	}
	review := &admissionv1.AdmissionReview{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(body, review); err != nil {
		return nil, problem.New(http.StatusBadRequest, "the body cannot be read as an AdmissionReview")
	}
	switch {
	case review.APIVersion != "admission.k8s.io/v1" || review.Kind != "AdmissionReview":
		return nil, problem.New(http.StatusBadRequest, "the body is not an AdmissionReview of admission.k8s.io/v1; list v1 in admissionReviewVersions")
	case review.Request == nil:
		return nil, problem.New(http.StatusBadRequest, "the AdmissionReview has no request")
	}
	return review, nil
}
