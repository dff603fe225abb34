// Package webhook answers AdmissionReviews over HTTP. What the answer is, the
// core decides.
package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/server/problem"
)

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
	// Policy says what comes of which finding, and may say something else
	// later. Nil: the defaults.
	Policy func() *core.AdmissionPolicy
	// NodeNameTo is what takes the place of a pod's nodeName: selector, the
	// default, or affinity.
	NodeNameTo string
	// RulesURL is where the rules can be read; denials link to it. Empty: they
	// do not.
	RulesURL string
	// Observe is told of every review. Nil: nobody is.
	Observe func(ctx context.Context, o Observation)
	// Logger gets who was refused or changed, and what went wrong in us; never
	// bodies, and never who asked. Nil: slog.Default().
	Logger *slog.Logger
	// Admit stands in for the core in tests of what happens when it fails.
	// Nil: core.Admit.
	Admit func(context.Context, core.AdmissionPhase, *admissionv1.AdmissionRequest, core.AdmitOptions) (*core.Admission, error)
}

// Webhook answers reviews of one cluster.
type Webhook struct{ cfg Config }

// New makes a webhook.
func New(cfg Config) *Webhook {
	if cfg.Observe == nil {
		cfg.Observe = func(context.Context, Observation) {}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Admit == nil {
		cfg.Admit = core.Admit
	}
	if cfg.Policy == nil {
		cfg.Policy = func() *core.AdmissionPolicy { return nil }
	}
	return &Webhook{cfg: cfg}
}

// Validate handles /admission/validate, the validating phase.
func (w *Webhook) Validate() http.Handler { return w.handler(core.Validating) }

// Mutate handles /admission/mutate, the mutating phase: pods may be patched,
// and the objects of resource.k8s.io are judged as their author wrote them.
func (w *Webhook) Mutate() http.Handler { return w.handler(core.Mutating) }

// options are those of one review.
func (w *Webhook) options() core.AdmitOptions {
	opts := core.AdmitOptions{
		KubernetesVersion: w.cfg.KubernetesVersion, FeatureGates: w.cfg.FeatureGates, Cluster: w.cfg.Cluster,
		Policy: w.cfg.Policy(), NodeNameTo: w.cfg.NodeNameTo, RulesURL: w.cfg.RulesURL,
	}
	if w.cfg.Kubernetes != nil {
		opts.KubernetesVersion, opts.FeatureGates = w.cfg.Kubernetes()
	}
	return opts
}

// handler reads a review and writes its answer. Whenever a review could be
// read, the status is 200 and the verdict is inside; anything else makes the
// API server apply the failure policy.
func (w *Webhook) handler(phase core.AdmissionPhase) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		start := time.Now()
		review, p := read(rw, r)
		if p != nil {
			w.cfg.Observe(r.Context(), failure(phase, nil, start))
			p.Write(rw)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), Patience(r))
		defer cancel()
		body, decision, err := w.decide(ctx, phase, review)
		if err != nil {
			w.cfg.Observe(ctx, failure(phase, review.Request, start))
			w.fail(ctx, rw, review.Request, err)
			return
		}
		o := observation(decision, review.Request, start)
		w.cfg.Observe(ctx, o)
		w.log(ctx, o, review.Request)
		rw.Header().Set("Content-Type", "application/json")
		rw.Header().Set("Cache-Control", "no-store")
		_, _ = rw.Write(body)
	})
}

// decide asks the core and encodes its answer. Where the core panics there is
// no verdict, and the failure policy decides.
func (w *Webhook) decide(ctx context.Context, phase core.AdmissionPhase, review *admissionv1.AdmissionReview) (body []byte, decision *core.Admission, err error) {
	defer func() {
		if p := recover(); p != nil {
			// The value may hold parts of the object; the place does not.
			err = &crash{stack: string(debug.Stack())}
		}
	}()
	decision, err = w.cfg.Admit(ctx, phase, review.Request, w.options())
	if err != nil {
		return nil, nil, err
	}
	body, err = json.Marshal(&admissionv1.AdmissionReview{TypeMeta: review.TypeMeta, Response: decision.Response})
	return body, decision, err
}

// crash is a panic of the core.
type crash struct{ stack string }

func (c *crash) Error() string { return "the core panicked" }

// fail answers when there is no verdict.
func (w *Webhook) fail(ctx context.Context, rw http.ResponseWriter, request *admissionv1.AdmissionRequest, err error) {
	attrs := about(request)
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		w.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "no verdict in time", attrs...)
		problem.Write(rw, http.StatusServiceUnavailable, "no verdict within the time that the API server waits")
		return
	}
	attrs = append(attrs, slog.String("error", err.Error()))
	var c *crash
	if errors.As(err, &c) {
		attrs = append(attrs, slog.String("stack", c.stack))
	}
	w.cfg.Logger.LogAttrs(ctx, slog.LevelError, "a review failed", attrs...)
	problem.Write(rw, http.StatusInternalServerError, "something went wrong here; the server's log says what")
}
