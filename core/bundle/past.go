package bundle

import (
	"fmt"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// controllerNote finds what a field of v1alpha3 was for that only Kubernetes
// 1.31 had.
func controllerNote(kind, field string) *past.Note {
	for _, n := range past.FieldsOf(past.V1alpha3, kind) {
		if n.Field == field {
			return &n
		}
	}
	return nil
}

// explainPast says of the kinds and fields of classic DRA what they were for
// and what replaces them, each at its line.
func (c *collector) explainPast(o *Object, apiVersion string) {
	if c.checkedMinor(o) > 31 {
		return
	}
	kind := past.Of(apiVersion, o.Ref.Kind)
	if kind != nil {
		c.sink.add(o, diag.Diagnostic{
			Severity: diag.Info, Source: diag.Decode, Rule: "obsolete-kind", Field: "kind", Value: o.Ref.Kind, Location: o.Locate("kind"),
			Message: fmt.Sprintf("%s of %s %s; it is gone since Kubernetes %s; instead: %s", o.Ref.Kind, o.Ref.APIVersion, kind.Was, kind.Gone, kind.Instead),
		})
	}
	for _, note := range past.FieldsOf(apiVersion, o.Ref.Kind) {
		n := o.At(note.Field)
		if n.Kind() == Null || n.Text() == "" && n.Len() == 0 || n.Text() == "false" {
			continue
		}
		finding := diag.Diagnostic{
			Severity: diag.Info, Source: diag.Decode, Rule: "obsolete-field", Field: note.Field, Location: o.Locate(note.Field),
			Message: fmt.Sprintf("%s %s, gone since Kubernetes %s; instead: %s", note.Field, note.Was, note.Gone, note.Instead),
		}
		if n.Kind() != Map && n.Kind() != List {
			finding.Value = n.Written()
		}
		if kind == nil {
			// The rest of the object means something still, without this field.
			finding.Severity = diag.Warning
			finding.Message = fmt.Sprintf("%s %s, which Kubernetes 1.32 removed; a plan goes on as if it were not there; instead: %s", note.Field, strings.TrimSpace(note.Was), note.Instead)
		}
		c.sink.add(o, finding)
	}
}
