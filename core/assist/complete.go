package assist

import (
	"bytes"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// Completion is something that may stand at a place.
type Completion struct {
	Label  string `json:"label" doc:"What to show."`
	Kind   string `json:"kind" enum:"field,value,name,attribute,function,item,object" doc:"What it is."`
	Detail string `json:"detail,omitempty" doc:"More in a few words, such as the type."`
	Text   string `json:"text,omitempty" doc:"What it means, in one or a few sentences."`
	Insert string `json:"insert" doc:"Text to put in place of the location, with all of its indentation."`
	Cursor int    `json:"cursor,omitempty" doc:"Where the cursor goes, in code points from the start of the text; behind it if missing."`
}

// Completed is what may stand at a place of the text.
type Completed struct {
	Location *diag.Location `json:"location,omitempty" doc:"The range that is replaced."`
	Items    []Completion   `json:"items" doc:"Best first."`
}

// maxItems is how many completions one answer holds.
const maxItems = 500

// Complete lists what may stand at a place; lines and columns count from 1.
func (d *Desk) Complete(line, column int) *Completed {
	offset := d.offset(line, column)
	items, at := d.complete(offset)
	if len(items) > maxItems {
		items = items[:maxItems]
	}
	if len(items) == 0 {
		return &Completed{Items: []Completion{}}
	}
	return &Completed{Location: at, Items: items}
}

func (d *Desk) complete(offset int) ([]Completion, *diag.Location) {
	n := d.at(offset)
	if n == nil {
		return d.completeBlank(offset)
	}
	inKey := !n.item && n.parent != nil && n.keyStart <= offset && offset <= n.keyEnd
	switch {
	case inKey:
		return d.completeKey(n, offset)
	case n.bracket != 0:
		return d.completeBrackets(n, offset)
	}
	p, ok := d.placeOf(n)
	if !ok {
		return nil, nil
	}
	if begin, _, in := d.within(n, p, offset); in {
		return d.completeExpression(begin, offset)
	}
	if n.quote == '|' || n.quote == '>' || expressions[p.id()] {
		return nil, nil
	}
	start, end := n.start, n.end
	if n.quote != 0 {
		start++
		if end > start && d.text[end-1] == n.quote {
			end--
		}
		if offset < start || offset > end {
			return nil, nil
		}
	}
	return d.values(n, p, n.quote, offset), d.location(start, end)
}

// completeKey completes a key that is there, or begun.
func (d *Desk) completeKey(n *node, offset int) ([]Completion, *diag.Location) {
	start, end := n.keyStart, n.keyEnd
	quoted := d.text[start] == '"' || d.text[start] == '\''
	p, ok := d.placeOf(n.parent)
	if !ok {
		return nil, nil
	}
	f := framing{col: n.col, colon: !n.loose, flow: n.parent.bracket != 0}
	if f.flow {
		f.json = quoted || d.inJSON(n.parent)
		f.quoted = quoted
	}
	at := d.location(start, end)
	if quoted {
		// The quotes stay, so what is typed goes on from behind the first.
		start++
		if end > start && strings.IndexByte(`"'`, d.text[end-1]) >= 0 {
			end--
		}
		f.colon = f.colon || end < n.keyEnd
		at = d.location(start, end)
	} else if n.loose && offset < end {
		at = d.location(start, offset)
	}
	if form := p.Form(); n.parent.parent != nil && form == bundle.FormList {
		return d.items(p, f), at
	}
	return d.keys(n.parent, n, p, f), at
}

// inJSON tells whether a bracket is part of JSON rather than of YAML.
func (d *Desk) inJSON(n *node) bool {
	for ; n.parent != nil; n = n.parent {
		if n.bracket == 0 {
			return false
		}
	}
	return n.bracket != 0
}

// completeBrackets completes between brackets where nothing is begun.
func (d *Desk) completeBrackets(n *node, offset int) ([]Completion, *diag.Location) {
	if offset == n.start || offset == n.end && n.end > n.start+1 && strings.IndexByte("]}", d.text[n.end-1]) >= 0 {
		return nil, nil
	}
	p, ok := d.placeOf(n)
	if !ok {
		return nil, nil
	}
	here := d.location(offset, offset)
	f := framing{flow: true, json: d.inJSON(n)}
	for _, k := range n.kids {
		if k.from > offset || offset > k.till {
			continue
		}
		if k.item || k.loose || k.start >= 0 && offset > k.end {
			return nil, nil
		}
		if below, ok := p.under(k); ok && k.start < 0 {
			return d.values(k, below, f.quote(), offset), here
		}
		return nil, nil
	}
	if n.bracket == '[' {
		if p.Form() != bundle.FormList {
			return nil, nil
		}
		return d.items(p, f), here
	}
	return d.keys(n, nil, p, f), here
}

// completeBlank completes where nothing stands: on an empty line, behind
// dashes, or behind a key.
func (d *Desk) completeBlank(offset int) ([]Completion, *diag.Location) {
	i := lineOf(d.lines, offset)
	begin, end := d.lines[i], min(d.lines[i+1]-1, len(d.text))
	before, behind := d.text[begin:offset], bytes.TrimSpace(d.text[offset:end])
	if len(behind) > 0 && behind[0] != '#' {
		return nil, nil
	}
	here := d.location(offset, offset)
	if len(bytes.TrimSpace(before)) == 0 {
		return d.completeColumn(begin, len(before)), here
	}
	n := d.lastOn(begin, offset)
	if n == nil || n.start >= 0 || bytes.IndexByte(before, '#') >= 0 {
		return nil, nil
	}
	p, ok := d.placeOf(n)
	switch {
	case !ok:
		return nil, nil
	case n.item:
		if before[len(before)-1] == '-' {
			return nil, nil
		}
		if p.Form() == bundle.FormObject {
			return d.keys(n, nil, p, framing{col: len(before)}), here
		}
	}
	items := d.values(n, p, 0, offset)
	if before[len(before)-1] == ':' {
		for i := range items {
			items[i].Insert = " " + items[i].Insert
		}
	}
	return items, here
}

// lastOn finds the last node that begins on a line before an offset.
func (d *Desk) lastOn(begin, offset int) *node {
	var last *node
	d.before(offset, func(n *node) {
		if n.from >= begin {
			last = n
		}
	})
	return last
}

// before visits the nodes of the offset's document that begin before it, in
// order.
func (d *Desk) before(offset int, visit func(n *node)) {
	if len(d.docs) == 0 {
		return
	}
	var walk func(n *node)
	walk = func(n *node) {
		for _, k := range n.kids {
			if k.from >= offset {
				return
			}
			visit(k)
			walk(k)
		}
	}
	for _, root := range d.docs[d.documentOf(offset)].roots {
		if root.bracket == 0 {
			walk(root)
		}
	}
}

// completeColumn completes on an empty line, from its column.
func (d *Desk) completeColumn(begin, col int) []Completion {
	doc := d.docs[d.documentOf(begin)]
	parent := doc.roots[len(doc.roots)-1]
	if parent.bracket != 0 {
		return nil
	}
	var last *node
	d.before(begin, func(n *node) {
		if !n.loose {
			last = n
		}
	})
	if last != nil {
		parent = last
		for parent.col >= col {
			parent = parent.parent
		}
	}
	f := framing{col: col}
	p, ok := d.placeOf(parent)
	if parent.parent == nil {
		ok = ok && col == 0
	}
	if !ok || parent.start >= 0 {
		return nil
	}
	if len(parent.kids) > 0 && parent.kids[0].col != col {
		return nil
	}
	if p.Form() == bundle.FormList {
		return d.items(p, f)
	}
	out := d.keys(parent, nil, p, f)
	// A list may stand in the column of its key.
	if k := len(parent.kids) - 1; k >= 0 && parent.kids[k].start < 0 && parent.kids[k].col == col {
		if below, ok := p.under(parent.kids[k]); ok && below.Form() == bundle.FormList && (len(parent.kids[k].kids) == 0 || parent.kids[k].kids[0].col == col) {
			out = append(d.items(below, f), out...)
		}
	}
	return out
}
