package validate

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// reporter turns findings into diagnostics.
type reporter struct {
	obj      *bundle.Object
	features *feature.Set
	beta1    bool
	// flat is set where all paths are those of requests and devices as they
	// were before v1beta2.
	flat bool
	out  []diag.Diagnostic
}

// maxFindings bounds the findings about one object. No object that somebody
// wrote comes near it.
const maxFindings = 1000

// maxGateWarnings bounds the warnings about dropped fields of one object; the
// last one then sums up the rest.
const maxGateWarnings = 20

// place finds where something stands in the text, which has the shape of the
// version it is written in.
func (r *reporter) place(at *path) *diag.Location {
	if at == nil {
		return nil
	}
	if at.kind == keyPath {
		if l := r.obj.LocateKey(at.parent.render(r.beta1), at.name); l != nil {
			return l
		}
	}
	return r.obj.Locate(at.render(r.beta1))
}

func (r *reporter) field(f finding) string {
	return f.at.render(r.flat || r.beta1 && f.passes&(declared|standard) != 0)
}

// api reports what was found; more were not kept.
func (r *reporter) api(found []finding, more int) {
	for i, f := range found {
		d := r.diagnostic(f)
		if rest := len(found) + more - i; i == maxFindings-1 && rest > 1 {
			d.Message += "; " + strconv.Itoa(rest-1) + " more findings about this object are left out"
			r.out = append(r.out, d)
			return
		}
		r.out = append(r.out, d)
	}
}

// kindWords name objects in messages that start with what they have.
var kindWords = map[string]string{
	"ResourceSlice": "the slice", "ResourceClaim": "the claim", "ResourceClaimTemplate": "the claim", "DeviceClass": "the class", "DeviceTaintRule": "the rule",
	"ResourcePoolStatusRequest": "the request",
}

func (r *reporter) diagnostic(f finding) diag.Diagnostic {
	ref := r.obj.Ref
	d := diag.Diagnostic{
		Severity: f.severity(), Source: diag.API, Rule: f.rule, Type: string(f.kind),
		Object: &ref, Field: r.field(f), Value: f.value, Message: f.message,
	}
	switch {
	case f.subject != subject{}:
		d.Message = f.subject.String() + ": " + f.message
	case strings.HasPrefix(f.message, "has "):
		d.Message = cmp.Or(kindWords[ref.Kind], "the object") + " " + f.message
	}
	focus := f.focus
	if focus == nil {
		focus = f.at
	}
	d.Location = r.place(focus)
	if f.line > 0 {
		d.Location = r.inside(focus, f.line, f.column, d.Location)
	}
	if f.cause != nil {
		d.Related = []diag.Related{{Message: f.causeReason, Location: r.place(f.cause)}}
	}
	if f.hint != "" {
		d.Suggestion = &diag.Suggestion{Message: f.hint}
		if f.replacement != "" {
			d.Suggestion.Location, d.Suggestion.Replacement = r.replace(focus, f.replacement)
		}
	}
	return d
}

// inDropped reports what is wrong inside of fields that are dropped here.
// Findings that there are anyway are left out.
func (r *reporter) inDropped(found, anyway []finding, dropped *droppedFields) {
	type key struct{ rule, kind, field string }
	known := map[key]bool{}
	for _, f := range anyway {
		known[key{f.rule, string(f.kind), f.at.render(false)}] = true
	}
	for _, f := range found {
		d, ok := dropped.covering(f.at)
		if !ok || known[key{f.rule, string(f.kind), f.at.render(false)}] || len(r.out) >= maxFindings {
			continue
		}
		e := r.diagnostic(f)
		e.Gate = string(d.gate)
		e.Message += "; this cluster would drop " + d.name + " instead of refusing it, because " + e.Gate + " is off"
		r.out = append(r.out, e)
	}
}

// gates warns of the fields that are dropped.
func (r *reporter) gates(dropped *droppedFields) {
	for i, f := range dropped.list {
		ref := r.obj.Ref
		d := diag.Diagnostic{
			Severity: diag.Warning, Source: diag.Gate, Rule: f.rule, Gate: string(f.gate), Object: &ref,
			Field: f.at.render(r.beta1), Location: r.place(f.at),
		}
		d.Message = f.name + " will be dropped by this cluster: " + r.gateState(f.gate) + "; " + f.effect
		if f.subject != (subject{}) {
			d.Message = f.subject.String() + ": " + d.Message
		}
		if rest := len(dropped.list) - i; i == maxGateWarnings-1 && rest > 1 {
			d.Message += "; " + strconv.Itoa(rest-1) + " more fields of this object are dropped as well"
			r.out = append(r.out, d)
			return
		}
		r.out = append(r.out, d)
	}
}

// gateState says in words why a gate is off.
func (r *reporter) gateState(g feature.Gate) string {
	version := r.features.Version().String()
	switch {
	case r.features.Explicit(g):
		return string(g) + " is set to off"
	case r.features.Stage(g) == feature.Absent:
		return string(g) + " does not exist in " + version
	}
	return string(g) + " is off in " + version + " by default"
}
