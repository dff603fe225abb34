package assist

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// Fact is one thing to say of a field.
type Fact struct {
	Name  string `json:"name" enum:"type,required,limit,default,values,gate,since,published" doc:"What is said."`
	Value string `json:"value"`
}

// RuleLink leads to a rule.
type RuleLink struct {
	Rule string `json:"rule" doc:"The rule, as source/id."`
	URL  string `json:"url" doc:"Where it is explained, relative to the server."`
}

// Hover is what there is to say of a place of the text.
type Hover struct {
	Location *diag.Location `json:"location,omitempty" doc:"The field, or the part of an expression, that this is about."`
	Title    string         `json:"title" doc:"The path of the field, or the part of the expression."`
	Text     string         `json:"text" doc:"What it means, in one or a few sentences; empty if there is nothing to say."`
	Facts    []Fact         `json:"facts" doc:"Type, limit, default, gate and version, as far as they are known."`
	Rules    []RuleLink     `json:"rules" doc:"The rules that judge the field."`
}

// Hover tells what stands at a place; lines and columns count from 1.
func (d *Desk) Hover(line, column int) *Hover {
	offset := d.offset(line, column)
	n := d.at(offset)
	p, ok := d.placeOf(n)
	if !ok {
		return &Hover{Facts: []Fact{}, Rules: []RuleLink{}}
	}
	if h := d.hoverExpression(n, p, offset); h != nil {
		return h
	}
	out := &Hover{Title: p.path, Facts: []Fact{}, Rules: []RuleLink{}}
	start, end := n.keyStart, n.keyEnd
	if n.item || n.start >= 0 && n.bracket == 0 && n.quote != '|' && n.quote != '>' && offset > n.keyEnd {
		start, end = n.start, n.end
	}
	out.Location = d.location(start, end)
	if p.key != "" && !p.item {
		d.hoverKey(out, p)
		return out
	}
	e := entries[p.id()]
	if e == nil {
		out.Facts = append(out.Facts, Fact{"type", typeName(p.Schema)})
		return out
	}
	out.Text = e.doc
	out.Facts = append(out.Facts, d.facts(p, e)...)
	for _, c := range choicesOf(p.id(), d.features.Version().Minor) {
		if offset > n.keyEnd && c.value == n.value && c.doc != "" {
			out.Text = c.value + ": " + c.doc
		}
	}
	for _, id := range e.ruleIDs() {
		out.Rules = append(out.Rules, RuleLink{string(diag.API) + "/" + id, diag.URL(diag.API, id)})
	}
	return out
}

// hoverKey tells of the key of a map, such as an attribute.
func (d *Desk) hoverKey(out *Hover, p place) {
	if e := entries[p.id()]; e != nil {
		out.Text = e.doc
	}
	out.Facts = append(out.Facts, Fact{"type", typeName(p.Schema)})
	w := nameWalk{names: d.names}
	all := map[string]map[string]*attribute{"Device.attributes": d.names.attributes, "Device.capacity": d.names.capacities, "CapacityRequirements.requests": d.names.capacities}[p.id()]
	if a := all[w.qualified(p.obj, p.key)]; a != nil {
		out.Facts = append(out.Facts, Fact{"published", a.published()})
	}
}

// published says who has an attribute.
func (a *attribute) published() string {
	kind := "quantity"
	if !a.capacity {
		types := slices.Clone(a.types)
		slices.Sort(types)
		kind = strings.Join(types, " or ")
	}
	if a.devices == 1 {
		return fmt.Sprintf("%s, by 1 device", kind)
	}
	return fmt.Sprintf("%s, by %d devices", kind, a.devices)
}

var formNames = map[bundle.Form]string{
	bundle.FormObject: "object", bundle.FormMap: "map", bundle.FormString: "string", bundle.FormBool: "boolean",
	bundle.FormInteger: "integer", bundle.FormQuantity: "quantity", bundle.FormTime: "time", bundle.FormFree: "any value",
}

func typeName(s bundle.Schema) string {
	switch form := s.Form(); form {
	case bundle.FormList:
		return "list of " + typeName(s.Elem())
	case bundle.FormMap:
		return "map to " + typeName(s.Elem())
	case bundle.FormUnknown:
		return "unknown"
	default:
		return formNames[form]
	}
}

// facts lists what the table and the version say of a field.
func (d *Desk) facts(p place, e *entry) []Fact {
	schema := p.field.Schema
	out := []Fact{{"type", typeName(schema)}}
	add := func(name, value string) {
		if value != "" {
			out = append(out, Fact{name, value})
		}
	}
	if required(p.field) {
		add("required", "yes")
	}
	add("limit", e.limit)
	add("default", e.byDefault)
	var values []string
	for _, c := range choicesOf(e.field, d.features.Version().Minor) {
		values = append(values, c.value)
	}
	if len(values) > 0 && !strings.Contains(e.limit, values[0]) {
		add("values", strings.Join(values, ", "))
	}
	if e.gate != "" {
		add("gate", d.gate(e.gate))
	}
	add("since", since(p.field))
	return out
}

// gate says what a gate is at the version.
func (d *Desk) gate(g feature.Gate) string {
	v := d.features.Version()
	if !d.features.Exists(g) {
		return fmt.Sprintf("%s, which Kubernetes %s does not have: the field is dropped", g, v)
	}
	state := "on"
	if !d.features.Enabled(g) {
		state = "off: the field is dropped"
	}
	by := " by default"
	if d.features.Explicit(g) {
		by = ""
	}
	return fmt.Sprintf("%s, %s in Kubernetes %s, %s%s", g, d.features.Stage(g), v, state, by)
}

func since(f bundle.Field) string {
	switch {
	case f.Since == 0:
		return ""
	case f.Until != 0 && f.Until == f.Since:
		return fmt.Sprintf("Kubernetes 1.%d only", f.Since)
	case f.Until != 0:
		return fmt.Sprintf("Kubernetes 1.%d to 1.%d", f.Since, f.Until)
	}
	return fmt.Sprintf("Kubernetes 1.%d", f.Since)
}

// optional are the fields that Kubernetes always writes and does not demand,
// needed those that it demands although it may leave them out.
var (
	optional = map[string]bool{
		"DeviceClaim.requests": true, "PodStatus.resourceClaimStatuses": true, "AllocatedDeviceStatus.conditions": true,
	}
	needed = map[string]bool{
		"DeviceTaintRuleSpec.taint": true, "DeviceSelector.cel": true, "DeviceConfiguration.opaque": true,
		"DeviceCounterConsumption.counters": true, "CounterSet.counters": true, "TypeMeta.apiVersion": true, "TypeMeta.kind": true,
		"ResourceSlice.metadata": true, "ResourceClaim.metadata": true, "ResourceClaimTemplate.metadata": true,
		"DeviceClass.metadata": true, "DeviceTaintRule.metadata": true, "ResourcePoolStatusRequest.metadata": true,
	}
)

func required(f bundle.Field) bool {
	id := f.Holder + "." + f.Name
	return (f.Required || needed[id]) && !optional[id]
}
