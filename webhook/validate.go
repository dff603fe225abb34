package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// mutable are the kinds whose spec can change, so that what lies across objects
// may be worth a warning on an update. The others keep the spec that was
// looked at when they came.
var mutable = []string{"DeviceClass", "ResourceSlice", "DeviceTaintRule"}

// known are the kinds that have rules for updates.
var known = append([]string{"ResourceClaim", "ResourceClaimTemplate", "ResourcePoolStatusRequest"}, mutable...)

// reporting are the kinds with a status of their own to update.
var reporting = []string{"DeviceTaintRule", "ResourceClaim", "ResourcePoolStatusRequest"}

// maxCauses bounds the causes of a denial; the message counts the rest.
const maxCauses = 200

func (w *Webhook) validate(ctx context.Context, req *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
	if !looksAt(req) {
		return &admissionv1.AdmissionResponse{Allowed: true}, nil
	}
	text := req.Object.Raw
	result, err := w.check(ctx, req)
	if err != nil {
		return nil, err
	}
	wrong, worth := judge(req, result.Diagnostics)
	response := &admissionv1.AdmissionResponse{Allowed: len(wrong) == 0, Warnings: warnings(worth)}
	if len(wrong) > 0 {
		response.Result = denial(req, wrong, slices.Contains(text, '\n'))
		response.AuditAnnotations = map[string]string{"rules": ruleIDs(wrong)}
	}
	return response, nil
}

// check asks the core. An update is judged by what it changes: what was wrong
// before does not stand in its way.
func (w *Webhook) check(ctx context.Context, req *admissionv1.AdmissionRequest) (*core.ValidateResult, error) {
	opts := core.Options{
		KubernetesVersion: w.cfg.KubernetesVersion,
		FeatureGates:      w.cfg.FeatureGates,
		FieldValidation:   "Ignore", // the API server has done it, as its client asked
		Cluster:           w.cfg.Cluster,
	}
	if w.cfg.Kubernetes != nil {
		opts.KubernetesVersion, opts.FeatureGates = w.cfg.Kubernetes()
	}
	switch {
	case req.Operation != admissionv1.Update:
		return w.cfg.Validate(ctx, req.Object.Raw, opts)
	case len(req.OldObject.Raw) == 0:
		return nil, errors.New("a review of an update without the old object")
	case req.SubResource == "status":
		return w.cfg.UpdateStatus(ctx, req.OldObject.Raw, req.Object.Raw, opts)
	}
	return w.cfg.Update(ctx, req.OldObject.Raw, req.Object.Raw, opts)
}

// looksAt tells whether there is anything to check about a request.
func looksAt(req *admissionv1.AdmissionRequest) bool {
	if len(req.Object.Raw) == 0 {
		return false
	}
	if req.SubResource != "" {
		return req.SubResource == "status" && req.Operation == admissionv1.Update &&
			req.Kind.Group == resourceapi.GroupName && slices.Contains(reporting, req.Kind.Kind)
	}
	switch {
	case req.Kind.Group == "" && req.Kind.Kind == "Pod":
		return req.Operation == admissionv1.Create
	case req.Kind.Group != resourceapi.GroupName:
		return false
	case req.Operation == admissionv1.Create:
		return true
	case req.Operation == admissionv1.Update:
		// What is being deleted must be let go of, whatever it holds.
		return slices.Contains(known, req.Kind.Kind) && !leaving(req.Object.Raw)
	}
	return false
}

func leaving(raw []byte) bool {
	var object struct {
		Metadata struct {
			DeletionTimestamp *string `json:"deletionTimestamp"`
		} `json:"metadata"`
	}
	err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &object)
	return err == nil && object.Metadata.DeletionTimestamp != nil
}

// beside are the bundle rules that look for other objects. A review holds one
// object alone, so what they miss may well be in the cluster.
var beside = []string{
	"all-mode-overlap", "capacity-unpublished", "config-unknown-driver", "constraint-attribute-unpublished",
	"device-on-two-nodes", "missing-claim", "missing-class", "missing-template", "pool-incomplete", "pool-old-generation",
	"pool-slice-count-disagrees", "pool-too-many-slices", "skip-node-operations-undeclared", "slice-node-missing",
	"slice-selects-no-node", "taint-rule-selects-none", "taint-rule-unmatched", "unknown-counter", "unknown-counter-set",
}

// unjudged are the decode rules that say more about us than about the object:
// an API server that sends a kind has it, and has read it.
var unjudged = []string{"limit", "unknown-kind", "unknown-version"}

// judge parts the findings into those that deny and those worth a warning.
func judge(req *admissionv1.AdmissionRequest, findings []diag.Diagnostic) (wrong, worth []diag.Diagnostic) {
	pod := req.Kind.Kind == "Pod"
	// Whoever changes the metadata of a claim can do nothing about its spec.
	settled := req.Operation == admissionv1.Update && !slices.Contains(mutable, req.Kind.Kind)
	for _, d := range findings {
		switch {
		case d.Severity == diag.Info:
		case d.Source == diag.Bundle:
			if !settled && !slices.Contains(beside, d.Rule) {
				worth = append(worth, d)
			}
		case pod: // the API server checks pods
		case d.Source == diag.Decode && slices.Contains(unjudged, d.Rule):
			worth = append(worth, d)
		case d.Severity == diag.Error && (d.Source == diag.API || d.Source == diag.Decode):
			wrong = append(wrong, d)
		default:
			worth = append(worth, d)
		}
	}
	return wrong, worth
}

// denial says no the way the API server itself does: the first finding in
// words, all of them as causes.
func denial(req *admissionv1.AdmissionRequest, wrong []diag.Diagnostic, manyLines bool) *metav1.Status {
	code, reason := int32(http.StatusUnprocessableEntity), metav1.StatusReasonInvalid
	if wrong[0].Source == diag.Decode {
		code, reason = http.StatusBadRequest, metav1.StatusReasonBadRequest
	}
	status := &metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    code,
		Reason:  reason,
		Message: describe(wrong[0], manyLines),
		Details: &metav1.StatusDetails{Name: req.Name, Group: req.Kind.Group, Kind: req.Kind.Kind},
	}
	if more := len(wrong) - 1; more > 0 {
		status.Message += fmt.Sprintf("; and %d more", more)
	}
	for _, d := range wrong[:min(len(wrong), maxCauses)] {
		status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{
			Type:    metav1.CauseType(d.Type),
			Field:   d.Field,
			Message: d.Message + " (" + ruleID(d) + ")",
		})
	}
	return status
}

// describe writes a finding as one line. The line number counts in the object
// as the API server sent it: it means something only where that has lines.
func describe(d diag.Diagnostic, manyLines bool) string {
	var b strings.Builder
	if d.Field != "" {
		b.WriteString(d.Field + ": ")
	}
	b.WriteString(d.Message + " (" + ruleID(d))
	if manyLines && d.Location != nil {
		fmt.Fprintf(&b, ", line %d", d.Location.Line)
	}
	b.WriteString(")")
	return b.String()
}

func ruleID(d diag.Diagnostic) string { return string(d.Source) + "/" + d.Rule }

// ruleIDs lists the rules that denied, each once, for the audit log.
func ruleIDs(wrong []diag.Diagnostic) string {
	var ids []string
	for _, d := range wrong {
		if id := ruleID(d); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, ",")
}
