package assist

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// framing says how what is inserted must look.
type framing struct {
	col    int  // of a key
	colon  bool // there is one already
	flow   bool // between brackets
	json   bool // keys and strings need quotes
	quoted bool // quotes are there already
}

func (f framing) quote() byte {
	if f.json {
		return 'j'
	}
	return 0
}

// typical are fields that nearly everybody writes, so that they are there when
// what they are in is inserted.
var typical = map[string]bool{
	"DeviceRequest.exactly": true, "DeviceClaim.requests": true, "ResourceSliceSpec.devices": true, "ObjectMeta.name": true,
	"DeviceClassSpec.selectors": true, "DeviceTaintRuleSpec.deviceSelector": true, "DeviceTaintSelector.driver": true,
	"CapacityRequirements.requests": true, "PodResourceClaim.resourceClaimName": true, "NodeSelectorTerm.matchExpressions": true,
}

// starters are values that nearly everybody begins with.
var starters = map[string]string{
	"ResourcePool.generation": "1", "ResourcePool.resourceSliceCount": "1", "DeviceTaint.effect": "NoSchedule",
	"DeviceAllocationConfiguration.source": "FromClaim", "NodeSelectorRequirement.operator": "In",
}

// draft is a text that is being put together, with the place for the cursor.
type draft struct {
	strings.Builder
	cursor int // -1 as long as there is none
}

func (t *draft) stop() {
	if t.cursor < 0 {
		t.cursor = utf8.RuneCountInString(t.String())
	}
}

// has tells whether the version has a field.
func (d *Desk) has(f bundle.Field) bool {
	minor := d.features.Version().Minor
	return f.Since <= minor && (f.Until == 0 || minor <= f.Until)
}

// value writes what follows on a key: a space and a scalar, or lines with the
// fields that are needed. inner is the column for them.
func (d *Desk) value(t *draft, id string, s bundle.Schema, inner, depth int) {
	line := "\n" + strings.Repeat(" ", inner)
	switch form := s.Form(); {
	case form == bundle.FormObject:
		t.WriteString(line)
		d.body(t, s, inner, depth)
	case form == bundle.FormMap:
		t.WriteString(line)
		t.stop()
	case form == bundle.FormList:
		// A list stands in the column of its key, as kubectl writes it.
		t.WriteString(strings.TrimSuffix(line, "  ") + "- ")
		if s.Elem().Form() == bundle.FormObject {
			d.body(t, s.Elem(), inner, depth)
			return
		}
		t.stop()
	case form == bundle.FormBool:
		t.WriteString(" true")
	case starters[id] != "":
		t.WriteString(" " + starters[id])
	default:
		t.WriteByte(' ')
		t.stop()
	}
}

// maxBody is how deep what is inserted goes.
const maxBody = 6

// body writes the fields of an object that are needed; the first goes where
// the text ends.
func (d *Desk) body(t *draft, s bundle.Schema, col, depth int) {
	first := true
	for _, f := range s.Fields() {
		id := f.Holder + "." + f.Name
		if !required(f) && !typical[id] || f.Holder == "TypeMeta" || depth >= maxBody || !d.has(f) {
			continue
		}
		if !first {
			t.WriteString("\n" + strings.Repeat(" ", col))
		}
		first = false
		t.WriteString(f.Name + ":")
		d.value(t, id, f.Schema, col+2, depth+1)
	}
	if first {
		t.stop()
	}
}

// finish makes a completion of a draft.
func (t *draft) finish(c Completion) Completion {
	c.Insert = t.String()
	if t.cursor > 0 && t.cursor < utf8.RuneCountInString(c.Insert) {
		c.Cursor = t.cursor
	}
	return c
}

// keys lists the fields that a map may have besides those that it has.
func (d *Desk) keys(parent, self *node, p place, f framing) []Completion {
	var out []Completion
	switch p.Form() {
	case bundle.FormMap:
		return d.mapKeys(parent, self, p, f)
	case bundle.FormObject:
		var first, rest []Completion
		for _, field := range p.Fields() {
			if k := parent.kid(field.Name); k != nil && k != self || !d.has(field) || d.gone(field) {
				continue
			}
			c := d.fieldCompletion(field, f)
			if field.Name == "apiVersion" && field.Holder == "TypeMeta" {
				first = append([]Completion{c}, first...)
			} else if required(field) {
				first = append(first, c)
			} else {
				rest = append(rest, c)
			}
		}
		out = append(first, rest...)
	}
	if parent.parent == nil && !f.flow && f.col == 0 && !f.colon && p.obj != nil && p.obj.kind == "" && p.obj.apiVersion == "" {
		out = append(out, d.skeletons()...)
	}
	return out
}

// gone tells whether a field belongs to a gate that the version lost.
func (d *Desk) gone(f bundle.Field) bool {
	e := entries[f.Holder+"."+f.Name]
	return e != nil && e.gate == feature.DRAControlPlaneController && !d.features.Exists(e.gate)
}

func textOf(id string) string {
	if e := entries[id]; e != nil {
		return e.doc
	}
	return ""
}

// key writes a key with what must follow on it.
func (f framing) key(name string) string {
	switch {
	case f.quoted && f.colon:
		return name
	case f.quoted:
		return name + `": `
	case f.json:
		name = `"` + name + `"`
	}
	if f.colon {
		return name
	}
	return name + ": "
}

func (d *Desk) fieldCompletion(field bundle.Field, f framing) Completion {
	id := field.Holder + "." + field.Name
	c := Completion{Label: field.Name, Kind: "field", Detail: typeName(field.Schema), Text: textOf(id)}
	if required(field) {
		c.Detail += ", required"
	}
	if e := entries[id]; e != nil && e.gate != "" && !d.features.Enabled(e.gate) {
		c.Detail += ", needs " + string(e.gate)
	}
	switch {
	case f.colon || f.quoted:
		c.Insert = f.key(field.Name)
	case f.flow:
		c.Insert = f.key(field.Name)
		if pair := pairOf(field.Schema, f.json); pair != "" {
			c.Insert += pair
			c.Cursor = utf8.RuneCountInString(c.Insert) - 1
		}
	default:
		t := &draft{cursor: -1}
		t.WriteString(field.Name + ":")
		switch field.Form() {
		case bundle.FormObject, bundle.FormMap, bundle.FormList:
			d.value(t, id, field.Schema, f.col+2, 0)
		default:
			t.WriteByte(' ') // it is chosen, or written, next
		}
		c = t.finish(c)
	}
	return c
}

func pairOf(s bundle.Schema, json bool) string {
	switch s.Form() {
	case bundle.FormObject, bundle.FormMap:
		return "{}"
	case bundle.FormList:
		return "[]"
	case bundle.FormString, bundle.FormQuantity, bundle.FormTime:
		if json {
			return `""`
		}
	}
	return ""
}

// items lists what a new item of a list may be; p is the place of the list.
func (d *Desk) items(p place, f framing) []Completion {
	item := p
	item.Schema, item.item, item.key = p.Elem(), true, ""
	if item.Form() == bundle.FormObject {
		t := &draft{cursor: -1}
		if f.flow {
			t.WriteString("{")
			t.stop()
			t.WriteString("}")
		} else {
			t.WriteString("- ")
			d.body(t, item.Schema, f.col+2, 0)
		}
		name := "new item"
		if p.field.Name != "" {
			name = "new item of " + p.field.Name
		}
		return []Completion{t.finish(Completion{Label: name, Kind: "item", Text: textOf(p.id())})}
	}
	out := d.values(nil, item, f.quote(), 0)
	if !f.flow {
		for i := range out {
			out[i].Insert = "- " + out[i].Insert
		}
		if len(out) == 0 {
			out = append(out, Completion{Label: "-", Kind: "item", Detail: typeName(item.Schema), Insert: "- "})
		}
	}
	return out
}

// skeletons are whole objects, for an empty document.
func (d *Desk) skeletons() []Completion {
	v := d.features.Version()
	var out []Completion
	for _, kind := range slices.Concat(feature.Kinds(), []string{"Pod", "Node"}) {
		served := feature.ServedVersions(v, kind)
		if len(served) == 0 {
			continue
		}
		s, ok := bundle.SchemaOf(served[0], kind)
		if !ok {
			continue
		}
		t := &draft{cursor: -1}
		t.WriteString("apiVersion: " + served[0] + "\nkind: " + kind + "\n")
		d.body(t, s, 0, 0)
		t.WriteByte('\n')
		out = append(out, t.finish(Completion{Label: kind, Kind: "object", Detail: "new object, " + served[0]}))
	}
	return out
}
