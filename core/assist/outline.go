package assist

import (
	"cmp"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// Entry is an object of the text, or a part of one.
type Entry struct {
	Kind      string         `json:"kind" doc:"The kind of the object, or what the part is: device, counterSet, request, alternative, claim, container, taint."`
	Name      string         `json:"name" doc:"The name as written; empty if it has none."`
	Namespace string         `json:"namespace,omitempty"`
	Location  *diag.Location `json:"location,omitempty" doc:"All of it."`
	At        *diag.Location `json:"at,omitempty" doc:"Its name, or where it begins."`
	Children  []Entry        `json:"children,omitempty"`
}

// Outline is what the text is made of.
type Outline struct {
	Entries []Entry `json:"entries" doc:"The objects, in the order of the text."`
}

// parts are the lists whose items stand in the outline, by their field.
var parts = map[string]string{
	"ResourceSliceSpec.devices":        "device",
	"ResourceSliceSpec.sharedCounters": "counterSet",
	"DeviceClaim.requests":             "request",
	"DeviceRequest.firstAvailable":     "alternative",
	"PodSpec.resourceClaims":           "claim",
	"PodSpec.containers":               "container",
	"PodSpec.initContainers":           "container",
	"ResourceRequirements.claims":      "claim",
}

// Outline tells what the text is made of.
func (d *Desk) Outline() *Outline {
	out := &Outline{Entries: []Entry{}}
	for _, o := range d.objects {
		if o.kind == "" && o.apiVersion == "" && o.name == "" {
			continue
		}
		start, end := extent(o.root)
		if start < 0 {
			continue
		}
		e := Entry{Kind: o.kind, Name: o.name, Namespace: o.namespace, Location: d.location(start, end), At: d.location(start, start)}
		if m := o.root.kid("metadata"); m != nil {
			name := m.kid("name")
			if name == nil {
				if name = m.kid("generateName"); name != nil {
					e.Name = name.value + "*"
				}
			}
			if name != nil && name.start >= 0 {
				e.At = d.location(name.start, name.end)
			}
		}
		if p, ok := d.start(o); ok {
			e.Children = d.children(o.root, p)
		}
		out.Entries = append(out.Entries, e)
	}
	return out
}

// children lists the parts of a node that stand in the outline.
func (d *Desk) children(n *node, p place) []Entry {
	var out []Entry
	for _, k := range n.kids {
		below, ok := p.under(k)
		if !ok || k.loose {
			continue
		}
		what := parts[below.id()]
		if what == "" || !below.item || below.Form() != bundle.FormObject {
			out = append(out, d.children(k, below)...)
			continue
		}
		start, end := extent(k)
		e := Entry{Kind: what, Name: cmp.Or(k.str("name"), ""), Location: d.location(start, end), At: d.location(start, min(start+1, end))}
		if name := k.kid("name"); name != nil && name.start >= 0 {
			e.At = d.location(name.start, name.end)
		}
		e.Children = d.children(k, below)
		out = append(out, e)
	}
	return out
}

// extent is from where to where a node reaches with all that is in it; -1 for
// one that has nothing.
func extent(n *node) (start, end int) {
	start, end = -1, -1
	if n.parent != nil {
		start, end = n.keyStart, n.keyEnd
	}
	if n.start >= 0 {
		if start < 0 {
			start = n.start
		}
		end = max(end, n.end)
	}
	for _, k := range n.kids {
		from, to := extent(k)
		if start < 0 {
			start = from
		}
		end = max(end, to)
	}
	return start, end
}

// Places are places of the text.
type Places struct {
	Symbol string           `json:"symbol" doc:"What the places are about, such as class gpu.example.com; empty if nothing has a name there."`
	Places []*diag.Location `json:"places"`
}

// Definition finds what the name at a place refers to. At a definition it
// finds that itself.
func (d *Desk) Definition(line, column int) *Places {
	return d.places(line, column, true)
}

// References finds every place that has the name at a place, its definition
// among them.
func (d *Desk) References(line, column int) *Places {
	return d.places(line, column, false)
}

func (d *Desk) places(line, column int, definition bool) *Places {
	out := &Places{Places: []*diag.Location{}}
	at, ok := d.mentionAt(d.offset(line, column))
	if !ok {
		return out
	}
	out.Symbol = at.kind + " " + at.name
	for _, m := range d.names.mentions {
		if m.symbol == at.symbol && (m.declares || !definition) {
			start, end := m.span()
			out.Places = append(out.Places, d.location(start, end))
		}
	}
	return out
}
