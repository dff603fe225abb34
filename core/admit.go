package core

import (
	"context"
	"errors"
	"net/url"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/drawbridge-dra/drawbridge/core/admission"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/mutate"
)

// AdmissionPhase is when an API server asks: in the mutating phase, before
// anything was dropped or checked, or in the validating phase, after both.
type AdmissionPhase = admission.Phase

// The phases of admission.
const (
	Mutating   = admission.Mutating
	Validating = admission.Validating
)

// AdmissionVerdict is what became of a request.
type AdmissionVerdict = admission.Verdict

// The verdicts.
const (
	Allowed = admission.Allowed
	Denied  = admission.Denied
	Patched = admission.Patched
)

// AdmissionPolicy says what comes of which finding: deny, warn, audit or off.
// Nil has the defaults.
type AdmissionPolicy = admission.Policy

// AdmissionAction is what comes of a finding.
type AdmissionAction = admission.Action

// The actions.
const (
	Deny  = admission.Deny
	Warn  = admission.Warn
	Audit = admission.Audit
	Off   = admission.Off
)

// ParsePolicy reads a policy file, which is YAML or JSON. The error says what
// is wrong with it, with lines.
func ParsePolicy(text []byte) (*AdmissionPolicy, error) { return admission.ParsePolicy(text) }

// AdmitOptions are what an admission is decided by.
type AdmitOptions struct {
	// KubernetesVersion, FeatureGates and Cluster are those of the cluster
	// that asks.
	KubernetesVersion string
	FeatureGates      string
	Cluster           Cluster
	// Policy may be nil, for the defaults.
	Policy *AdmissionPolicy
	// NodeNameTo is how a pod asks for its node instead of by spec.nodeName:
	// selector, the default, or affinity.
	NodeNameTo string
	// RulesURL is where the rules are served, such as
	// https://drawbridge.example.com/; reasons then link to them.
	RulesURL string
}

// Check says which option cannot be used.
func (o AdmitOptions) Check() error {
	if _, err := o.options(Validating).features(); err != nil {
		return err
	}
	if o.NodeNameTo != "" && !slices.Contains(mutate.Ways, mutate.Way(o.NodeNameTo)) {
		return &OptionError{"nodeNameTo", "must be selector or affinity"}
	}
	_, err := o.rulesURL()
	return err
}

func (o AdmitOptions) rulesURL() (*url.URL, error) {
	if o.RulesURL == "" {
		return nil, nil
	}
	u, err := url.Parse(o.RulesURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil, &OptionError{"rulesUrl", "must be a URL such as https://drawbridge.example.com/"}
	}
	return u, nil
}

// options are those for the rules. The API server has read the object already,
// as strictly as its client asked for. What lies across objects is judged in
// the validating phase: before that others may still change the object.
func (o AdmitOptions) options(phase AdmissionPhase) Options {
	out := Options{KubernetesVersion: o.KubernetesVersion, FeatureGates: o.FeatureGates, FieldValidation: "Ignore"}
	if phase == Validating {
		out.Cluster = o.Cluster
	}
	return out
}

// JudgedFinding is a finding and what comes of it.
type JudgedFinding struct {
	diag.Diagnostic
	Action AdmissionAction `json:"action" enum:"deny,warn,audit" doc:"What comes of it."`
}

// Admission is what the webhook answers.
type Admission struct {
	Phase    AdmissionPhase                 `json:"phase" enum:"mutating,validating"`
	Verdict  AdmissionVerdict               `json:"verdict" enum:"allowed,denied,patched"`
	Response *admissionv1.AdmissionResponse `json:"response" doc:"The response as the API server gets it."`
	Patch    []PatchOperation               `json:"patch" doc:"The JSON patch of the response; empty unless the verdict is patched."`
	Profile  string                         `json:"profile,omitempty" doc:"The profile of the policy that the namespace chose."`
	Findings []JudgedFinding                `json:"findings" doc:"The findings that something comes of."`
}

// ErrNoOldObject says that an update came without the object as it was, so
// that there is no verdict.
var ErrNoOldObject = errors.New("a review of an update without the old object")

// Admit decides on a request in a phase of admission. The error is an
// *OptionError, ErrNoOldObject, or the context's own.
func Admit(ctx context.Context, phase AdmissionPhase, request *admissionv1.AdmissionRequest, opts AdmitOptions) (*Admission, error) {
	link, err := opts.rulesURL()
	if err != nil {
		return nil, err
	}
	c := admission.Case{
		Phase: phase, Request: request, Policy: opts.Policy, Cluster: opts.Cluster,
		NodeNameTo: mutate.Way(opts.NodeNameTo), RulesURL: link,
	}
	findings, notes, err := judged(ctx, &c, opts.options(phase))
	if err != nil {
		return nil, err
	}
	d, err := c.Decide(findings, notes)
	if err != nil {
		return nil, err
	}
	d.Response.UID = request.UID
	out := &Admission{
		Phase: phase, Verdict: d.Verdict, Response: d.Response, Patch: patchOperations(d.Patch),
		Profile: d.Profile, Findings: make([]JudgedFinding, 0, len(d.Judged)),
	}
	for _, j := range d.Judged {
		out.Findings = append(out.Findings, JudgedFinding(j))
	}
	return out, nil
}

// judged applies the rules. An update is judged by what it changes: what was
// wrong before does not stand in its way.
func judged(ctx context.Context, c *admission.Case, opts Options) (findings []diag.Diagnostic, notes []string, err error) {
	var result *ValidateResult
	now, old := c.Request.Object.Raw, c.Request.OldObject.Raw
	look := c.Look()
	switch {
	case look == admission.Nothing:
		return nil, nil, nil
	case look == admission.Create:
		result, err = Validate(ctx, now, opts)
	case len(old) == 0:
		return nil, nil, ErrNoOldObject
	case look == admission.UpdateStatus:
		result, err = ValidateStatus(ctx, old, now, opts)
	default:
		result, err = ValidateUpdate(ctx, old, now, opts)
	}
	if err != nil {
		return nil, nil, err
	}
	return result.Diagnostics, result.Notes, nil
}
