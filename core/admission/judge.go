package admission

import (
	"slices"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// beside are the bundle rules that look for other objects. Where the cluster
// is not known the request holds one object alone, so what they miss may well
// be there.
var beside = []string{
	"all-mode-overlap", "capacity-unpublished", "config-unknown-driver", "constraint-attribute-unpublished",
	"device-on-two-nodes", "missing-claim", "missing-class", "missing-template", "pool-incomplete", "pool-old-generation",
	"pool-slice-count-disagrees", "pool-too-many-slices", "skip-node-operations-undeclared", "slice-node-missing",
	"slice-selects-no-node", "taint-rule-selects-none", "taint-rule-unmatched", "unknown-counter", "unknown-counter-set",
}

const (
	// boundUnallocated is what the mutation mends.
	boundUnallocated = "pod-bound-unallocated"
	// adminAccess is a warning only where the namespace is not known. The API
	// server knows it.
	adminAccess = "admin-access"
)

// judge says what comes of each finding that counts. An API server checks pods
// itself; and whoever changes the metadata of a claim can do nothing about its
// spec.
func (c *Case) judge(ruling Ruling, findings []diag.Diagnostic, patched bool) []Judged {
	settled := c.Request.Operation == admissionv1.Update && !slices.Contains(changeable, c.Request.Kind.Kind)
	alone := c.Phase == Mutating || c.Cluster == nil
	var out []Judged
	for _, f := range findings {
		switch {
		case f.Source != diag.Bundle && c.isPod():
		case f.Source == diag.API && f.Rule == adminAccess && f.Severity == diag.Warning:
		case f.Source == diag.Bundle && settled:
		case f.Source == diag.Bundle && alone && slices.Contains(beside, f.Rule):
		case f.Source == diag.Bundle && patched && f.Rule == boundUnallocated:
		default:
			if action := ruling.Action(f); action != Off {
				out = append(out, Judged{f, action})
			}
		}
	}
	return out
}

// with picks the findings that something comes of.
func (d *Decision) with(action Action) []diag.Diagnostic {
	var out []diag.Diagnostic
	for _, j := range d.Judged {
		if j.Action == action {
			out = append(out, j.Diagnostic)
		}
	}
	return out
}
