package webhook

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/drawbridge-dra/drawbridge/core"
)

// Observation is what is known of a review once it is answered. All its words
// come from closed sets, so that they can be labels of metrics.
type Observation struct {
	// Webhook is "validate" or "mutate".
	Webhook string
	// Kind is one of those that we judge, or "other".
	Kind string
	// Operation is CREATE, UPDATE, DELETE or CONNECT, or "other".
	Operation string
	// Verdict is "allowed", "denied", "patched" or "failed".
	Verdict string
	// Rules are those that something came of, in order.
	Rules []RuleCount
	// Took is the time from the first byte of the body to the answer.
	Took time.Duration
}

// RuleCount counts what came of a rule.
type RuleCount struct {
	Rule   string // as in api/count
	Action string // deny, warn or audit
	Count  int
}

const verdictFailed = "failed"

// webhooks are the names of the phases in metrics.
var webhooks = map[core.AdmissionPhase]string{core.Mutating: "mutate", core.Validating: "validate"}

var kinds = []string{
	"Pod", "ResourceSlice", "ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "DeviceTaintRule", "ResourcePoolStatusRequest",
}

var operations = []string{"CREATE", "UPDATE", "DELETE", "CONNECT"}

func oneOf(set []string, word string) string {
	if slices.Contains(set, word) {
		return word
	}
	return "other"
}

func begin(phase core.AdmissionPhase, request *admissionv1.AdmissionRequest, start time.Time) Observation {
	o := Observation{Webhook: webhooks[phase], Kind: "other", Operation: "other", Took: time.Since(start)}
	if request != nil {
		o.Kind, o.Operation = oneOf(kinds, request.Kind.Kind), oneOf(operations, string(request.Operation))
	}
	return o
}

// failure is the observation of a review that got no verdict.
func failure(phase core.AdmissionPhase, request *admissionv1.AdmissionRequest, start time.Time) Observation {
	o := begin(phase, request, start)
	o.Verdict = verdictFailed
	return o
}

func observation(a *core.Admission, request *admissionv1.AdmissionRequest, start time.Time) Observation {
	o := begin(a.Phase, request, start)
	o.Verdict = string(a.Verdict)
	for _, f := range a.Findings {
		rule, action := string(f.Source)+"/"+f.Rule, string(f.Action)
		i := slices.IndexFunc(o.Rules, func(c RuleCount) bool { return c.Rule == rule && c.Action == action })
		if i < 0 {
			i = len(o.Rules)
			o.Rules = append(o.Rules, RuleCount{Rule: rule, Action: action})
		}
		o.Rules[i].Count++
	}
	slices.SortFunc(o.Rules, func(a, b RuleCount) int {
		return strings.Compare(a.Rule+" "+a.Action, b.Rule+" "+b.Action)
	})
	return o
}

// log writes one line for a review. What passes without a word is of interest
// only to those who look for something.
func (w *Webhook) log(ctx context.Context, o Observation, request *admissionv1.AdmissionRequest) {
	level := slog.LevelDebug
	if o.Verdict != string(core.Allowed) || len(o.Rules) > 0 {
		level = slog.LevelInfo
	}
	if !w.cfg.Logger.Enabled(ctx, level) {
		return
	}
	attrs := append(about(request), slog.String("webhook", o.Webhook), slog.String("verdict", o.Verdict), slog.Duration("took", o.Took))
	if len(o.Rules) > 0 {
		var rules []string
		for _, r := range o.Rules {
			rules = append(rules, r.Rule+"="+r.Action)
		}
		attrs = append(attrs, slog.Any("rules", rules))
	}
	w.cfg.Logger.LogAttrs(ctx, level, "review", attrs...)
}

// about names the object of a review, as far as a log may.
func about(request *admissionv1.AdmissionRequest) []slog.Attr {
	if request == nil {
		return nil
	}
	attrs := []slog.Attr{
		slog.String("uid", string(request.UID)), slog.String("kind", request.Kind.Kind), slog.String("operation", string(request.Operation)),
		slog.String("namespace", request.Namespace), slog.String("name", request.Name),
	}
	if request.SubResource != "" {
		attrs = append(attrs, slog.String("subresource", request.SubResource))
	}
	if request.DryRun != nil && *request.DryRun {
		attrs = append(attrs, slog.Bool("dryRun", true))
	}
	return attrs
}
