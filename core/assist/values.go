package assist

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// values lists what a scalar may be. The node is nil for one that is not
// there yet; quote is that around it, 'j' where one is needed, or 0.
func (d *Desk) values(n *node, p place, quote byte, offset int) []Completion {
	var out []Completion
	add := func(kind, detail, text string, labels ...string) {
		for _, label := range labels {
			out = append(out, Completion{Label: label, Kind: kind, Detail: detail, Text: text, Insert: quoted(label, quote, p.Form())})
		}
	}
	id := p.id()
	minor := d.features.Version().Minor
	if p.key != "" && !p.item {
		return nil
	}
	switch {
	case id == "TypeMeta.apiVersion":
		add("value", "", "", d.apiVersions(p.obj.kind)...)
	case id == "TypeMeta.kind":
		add("value", "", "", d.kinds(p.obj.apiVersion)...)
	case id == "DeviceToleration.key":
		for _, key := range sortedKeys(d.names.taints) {
			add("name", "taint of this text", "", key)
		}
	case id == "DeviceToleration.value":
		if n != nil && n.parent != nil {
			add("name", "taint of this text", "", sortedKeys(d.names.taints[n.parent.str("key")])...)
		}
	case id == "NodeAllocatableMapping.capacityKey":
		add("name", "capacity of this device", "", d.capacitiesAround(n, p)...)
	case len(choices[id]) > 0:
		for _, c := range choicesOf(id, minor) {
			add("value", "", c.doc, c.value)
		}
	case p.Form() == bundle.FormBool:
		for _, c := range truths {
			add("value", "", "", c.value)
		}
	default:
		t, ok := about[id]
		if !ok {
			break
		}
		if t.kind == "attribute" {
			for _, a := range sorted(d.names.attributes) {
				add("attribute", a.published(), "", a.name)
			}
			break
		}
		names := d.names.declared
		if t.declares || t.kind == "namespace" || t.kind == "node" {
			names = d.names.mentioned
		}
		if t.declares && t.kind != "driver" && t.kind != "pool" {
			break // a new name is made up, not chosen
		}
		for _, name := range names(t.kind, t.scope(d.around(n), p.obj)) {
			if n == nil || name != n.value || offset == 0 || d.mentionedTwice(t.kind, name) {
				add("name", t.kind, "", name)
			}
		}
	}
	return out
}

// mentionedTwice tells whether a name stands at another place than the one
// that is being written.
func (d *Desk) mentionedTwice(kind, name string) bool {
	count := 0
	for _, m := range d.names.mentions {
		if m.kind == kind && m.name == name {
			count++
		}
	}
	return count > 1
}

// around finds out in what a node is, for the scope of its name.
func (d *Desk) around(n *node) *nameWalk {
	w := &nameWalk{names: d.names, byName: d.byName}
	for ; n != nil; n = n.parent {
		p, ok := d.placeOf(n)
		if !ok {
			continue
		}
		switch p.Name() {
		case "CounterSet":
			w.set = cmp.Or(w.set, n.str("name"))
		case "DeviceCounterConsumption":
			w.set = cmp.Or(w.set, n.str("counterSet"))
		case "ContainerClaim":
			w.claim = cmp.Or(w.claim, w.claimOf(p.obj, n.str("name")))
		}
	}
	return w
}

// capacitiesAround are the capacities of the device that a node is in.
func (d *Desk) capacitiesAround(n *node, _ place) []string {
	for ; n != nil; n = n.parent {
		if p, ok := d.placeOf(n); ok && p.Name() == "Device" {
			if c := n.kid("capacity"); c != nil {
				var out []string
				for _, k := range c.kids {
					if !k.loose && !k.item {
						out = append(out, k.key)
					}
				}
				return out
			}
		}
	}
	return nil
}

// mapKeys lists the keys that a map of names may have.
func (d *Desk) mapKeys(parent, self *node, p place, f framing) []Completion {
	t, ok := about[p.id()+"*"]
	var names []string
	switch {
	case p.key != "":
		return nil
	case p.id() == "Device.nodeAllocatableResources":
		names = []string{"cpu", "memory", "hugepages-2Mi", "hugepages-1Gi"}
	case !ok || t.kind == "counter" && t.declares:
		return nil
	case t.kind == "counter":
		names = d.names.declared(t.kind, t.scope(d.around(parent), p.obj))
	case t.declares:
		// Devices of a slice mostly have the same names.
		for _, m := range d.names.mentions {
			if m.kind == t.kind && m.key && m.node != self && d.object(m.node) == p.obj {
				names = append(names, m.node.key)
			}
		}
		slices.Sort(names)
		names = slices.Compact(names)
	default:
		names = d.names.declared(t.kind, t.scope(d.around(parent), p.obj))
	}
	var out []Completion
	for _, name := range names {
		if k := parent.kid(name); k != nil && k != self {
			continue
		}
		c := Completion{Label: name, Kind: "attribute", Insert: f.key(name)}
		if elem := p.Elem(); !f.flow && !f.colon && elem.Form() == bundle.FormObject {
			draft := &draft{cursor: -1}
			draft.WriteString(name + ":")
			d.value(draft, "", elem, f.col+2, 0)
			c = draft.finish(c)
		}
		out = append(out, c)
	}
	return out
}

// apiVersions are those that the version serves, of a kind or of all.
func (d *Desk) apiVersions(kind string) []string {
	kinds := []string{kind}
	if kind == "" {
		kinds = slices.Concat(feature.Kinds(), []string{"Pod"})
	}
	var out []string
	for _, version := range []string{"resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1", "resource.k8s.io/v1alpha3", "v1"} {
		if slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(feature.ServedVersions(d.features.Version(), k), version) }) {
			out = append(out, version)
		}
	}
	return append(out, versionsBeside(kind)...)
}

// kinds are those that the version serves, in an API version or in any.
func (d *Desk) kinds(apiVersion string) []string {
	var out []string
	for _, kind := range slices.Concat(feature.Kinds(), []string{"Namespace", "Node", "Pod"}) {
		served := feature.ServedVersions(d.features.Version(), kind)
		if _, known := bundle.SchemaOf("resource.k8s.io/v1alpha3", kind); len(served) > 0 && (apiVersion == "" && (known || !strings.Contains(served[0], "/")) || slices.Contains(served, apiVersion)) {
			out = append(out, kind)
		}
	}
	return append(out, kindsBeside(apiVersion)...)
}

// bare is what needs no quotes to be a string in YAML.
var bare = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/-]*$`)

// quoted writes a value as it must look at its place.
func quoted(value string, quote byte, form bundle.Form) string {
	switch {
	case form == bundle.FormBool || form == bundle.FormInteger || quote == '"' || quote == '\'':
		return value
	case quote == 'j', !bare.MatchString(value), slices.Contains([]string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}, strings.ToLower(value)):
		return `"` + value + `"`
	}
	return value
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
