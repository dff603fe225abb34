// Package admission decides on requests that an API server asks a webhook
// about: what is looked at, what comes of the findings, and how the answer
// reads. It knows nothing of HTTP, so that the playground answers as the
// webhook does.
package admission

import (
	"bytes"
	"net/url"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	resourceapi "k8s.io/api/resource/v1"
	kjson "sigs.k8s.io/json"

	"github.com/drawbridge-dra/drawbridge/core/census"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/mutate"
)

// Phase is when the API server asks. In the mutating phase the object is as
// its author sent it; in the validating phase it is what will be stored, less
// the fields that the API server drops, and has passed the server's own rules.
type Phase string

// The phases.
const (
	Mutating   Phase = "mutating"
	Validating Phase = "validating"
)

// Phases lists the phases in the order in which an API server comes to them.
var Phases = []Phase{Mutating, Validating}

// Verdict is what became of a request.
type Verdict string

// The verdicts.
const (
	Allowed Verdict = "allowed"
	Denied  Verdict = "denied"
	Patched Verdict = "patched"
)

// Case is one request and what it is decided by.
type Case struct {
	Phase   Phase
	Request *admissionv1.AdmissionRequest
	// Policy may be nil, for the defaults alone.
	Policy *Policy
	// Cluster is what is known of the cluster's other objects; nil for nothing.
	Cluster census.View
	// NodeNameTo is how pods ask for their node instead of by nodeName.
	NodeNameTo mutate.Way
	// RulesURL is where the page of the rules is served; nil where nobody
	// said, and then reasons do not link to it.
	RulesURL *url.URL
}

// Look says which rules a request is judged by.
type Look int

// The ways to look at a request.
const (
	// Nothing about the request can be judged.
	Nothing Look = iota
	// Create, Update and UpdateStatus judge the object.
	Create
	Update
	UpdateStatus
)

// changeable are the kinds whose spec can change, so that what lies across
// objects may be worth a word on an update. The others keep the spec that was
// looked at when they came.
var changeable = []string{"DeviceClass", "ResourceSlice", "DeviceTaintRule"}

// updatable are the kinds that have rules for updates.
var updatable = append([]string{"ResourceClaim", "ResourceClaimTemplate", "ResourcePoolStatusRequest"}, changeable...)

// reporting are the kinds with a status of their own to update.
var reporting = []string{"DeviceTaintRule", "ResourceClaim", "ResourcePoolStatusRequest"}

// Look says which rules the request is judged by.
func (c *Case) Look() Look {
	r := c.Request
	ours, create, update := r.Kind.Group == resourceapi.GroupName, r.Operation == admissionv1.Create, r.Operation == admissionv1.Update
	switch {
	case len(r.Object.Raw) == 0:
		return Nothing
	case r.SubResource == "status" && ours && update && slices.Contains(reporting, r.Kind.Kind):
		return UpdateStatus
	case r.SubResource != "":
		return Nothing
	case c.isPod() && create, ours && create:
		return Create
	case ours && update && slices.Contains(updatable, r.Kind.Kind) && !leaving(r.Object.Raw):
		return Update
	}
	return Nothing
}

func (c *Case) isPod() bool { return c.Request.Kind.Group == "" && c.Request.Kind.Kind == "Pod" }

// leaving tells whether an object is being deleted: it must be let go of,
// whatever it holds.
func leaving(raw []byte) bool {
	if !bytes.Contains(raw, []byte(`"deletionTimestamp"`)) {
		return false // and no need to read it twice
	}
	var object struct {
		Metadata struct {
			DeletionTimestamp *string `json:"deletionTimestamp"`
		} `json:"metadata"`
	}
	err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &object)
	return err == nil && object.Metadata.DeletionTimestamp != nil
}

// Decision is the answer to a case.
type Decision struct {
	Response *admissionv1.AdmissionResponse
	Verdict  Verdict
	// Profile is the profile of the policy that the namespace chose.
	Profile string
	// Judged are the findings that count, with what comes of each.
	Judged []Judged
	// Patch is the patch in the response, before it was encoded.
	Patch []mutate.Operation
}

// Judged is a finding and what comes of it.
type Judged struct {
	diag.Diagnostic
	Action Action
}

// Decide answers a case, given what the rules found, and notes on how well that
// could be judged. It fails only where a patch cannot be written as JSON, which
// cannot be.
func (c *Case) Decide(findings []diag.Diagnostic, notes []string) (Decision, error) {
	d := Decision{Verdict: Allowed, Response: &admissionv1.AdmissionResponse{Allowed: true}}
	var told []string
	if c.Phase == Mutating && c.isPod() && c.Request.SubResource == "" && len(c.Request.Object.Raw) > 0 {
		rewritten, err := c.rewrite(&d)
		if err != nil {
			return d, err
		}
		if d.Verdict == Denied {
			return d, nil
		}
		told = rewritten.Warnings
	}
	if c.Request.Operation == admissionv1.Delete {
		told = append(told, c.stillUsed()...)
	}
	ruling := c.Policy.In(c.namespaceLabels())
	d.Profile = ruling.Profile
	d.Judged = c.judge(ruling, findings, d.Verdict == Patched)
	c.answer(&d, told, notes)
	return d, nil
}

func (c *Case) namespaceLabels() map[string]string {
	if c.Cluster == nil || c.Request.Namespace == "" {
		return nil
	}
	labels, _ := c.Cluster.NamespaceLabels(c.Request.Namespace)
	return labels
}
