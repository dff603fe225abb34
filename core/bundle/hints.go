package bundle

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/nearest"
)

// unknownField reports a field that the type does not have, with what was
// probably meant.
func (d *decoder) unknownField(n *Node, e Entry, fields *structFields) {
	path := append(append([]segment(nil), d.path...), segment{key: e.Key})
	finding := diag.Diagnostic{
		Rule:     "unknown-field",
		Field:    pathString(path),
		Value:    shorten(e.Key),
		Location: e.KeyLocation(),
	}
	hint, mend := d.meant(n, e, fields)
	finding.Message = fmt.Sprintf("%s has no field %s%s", d.holder(), shorten(e.Key), hint)
	finding.Suggestion = mend
	d.strict(finding)
}

// holder names what the field is looked for in.
func (d *decoder) holder() string {
	if len(d.path) == 0 {
		return "a " + d.object.Ref.Kind + " of " + d.object.Ref.APIVersion
	}
	return d.field() + " in " + d.object.Ref.APIVersion
}

// meant finds the field that was meant: a known difference between API
// versions, one that differs in case, the same name one level down or up, or
// one that is spelled nearly so.
func (d *decoder) meant(n *Node, e Entry, fields *structFields) (hint string, mend *diag.Suggestion) {
	if hint, mend = d.versionHint(n, e, fields); hint != "" {
		return hint, mend
	}
	if near := nearestField(e.Key, fields, 0); near != "" {
		return d.rename(e, near)
	}
	if inner := fieldBelow(e.Key, fields); inner != "" {
		return fmt.Sprintf("; did you mean %s.%s?", inner, e.Key), nil
	}
	if i := len(d.outer) - 2; i >= 0 {
		if _, ok := fieldsOf(d.outer[i].typ).find(e.Key); ok {
			return fmt.Sprintf("; %s belongs one level further out", e.Key), nil
		}
	}
	if near := nearestField(e.Key, fields, 2); near != "" {
		return d.rename(e, near)
	}
	return "", nil
}

func (d *decoder) rename(e Entry, near string) (string, *diag.Suggestion) {
	hint := fmt.Sprintf("; did you mean %s?", near)
	place := e.KeyLocation()
	if place == nil {
		return hint, nil
	}
	if n := e.Value.doc.src.text[e.start]; n == '"' || n == '\'' {
		quoted, _ := json.Marshal(near)
		near = string(quoted)
	}
	return hint, &diag.Suggestion{Message: "rename it to " + near, Replacement: near, Location: place}
}

// nearestField finds the field whose name differs from the written one in at
// most that many edits, upper and lower case aside.
func nearestField(written string, fields *structFields, edits int) string {
	if len(written) > 64 {
		return ""
	}
	if len(written) < 5 {
		edits = min(edits, 1)
	}
	best, bestDistance := "", edits+1
	for _, f := range fields.list {
		if distance := nearest.Distance(strings.ToLower(written), strings.ToLower(f.name), bestDistance-1); distance < bestDistance {
			best, bestDistance = f.name, distance
		}
	}
	return best
}

// fieldBelow finds the field whose struct has a field of the name.
func fieldBelow(name string, fields *structFields) string {
	for _, f := range fields.list {
		t := f.typ
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || readsItself(t) {
			continue
		}
		if _, ok := fieldsOf(t).find(name); ok {
			return f.name
		}
	}
	return ""
}
