package assist

import (
	"bytes"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// Formatted is a text with even indentation.
type Formatted struct {
	Text    string `json:"text" doc:"The text, with two columns for each level, dashes in the column of their key, no blanks at the ends of lines and none but one empty line at a time."`
	Changed bool   `json:"changed"`
}

// Format evens out the indentation of a text and nothing else: comments,
// quotes, and what stands in brackets and in block scalars stay as they are.
// JSON, and lines that it does not understand, are left alone.
func (d *Desk) Format() *Formatted {
	shift := make([]int, len(d.lines)-1) // by which each line moves
	for _, doc := range d.docs {
		for _, root := range doc.roots {
			d.indent(root, 0, shift)
		}
	}
	hold := d.scalarLines()
	d.moveComments(shift, hold)
	var out bytes.Buffer
	blank := 0
	for i := range shift {
		begin, end := d.lines[i], min(d.lines[i+1]-1, len(d.text))
		line := d.text[begin:end]
		inside := hold[i]
		if !inside {
			line = bytes.TrimRight(line, " \t\r")
		}
		if len(bytes.TrimSpace(line)) == 0 && !inside {
			blank++
			continue
		}
		if out.Len() > 0 && blank > 0 {
			out.WriteByte('\n')
		}
		blank = 0
		switch {
		case shift[i] > 0 && len(bytes.TrimSpace(line)) > 0:
			out.WriteString(strings.Repeat(" ", shift[i]))
		case shift[i] < 0:
			line = line[min(-shift[i], leading(line)):]
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	text := out.String()
	if !sameObjects(d.text, out.Bytes()) {
		text = string(d.text)
	}
	return &Formatted{Text: text, Changed: text != string(d.text)}
}

// sameObjects tells whether two texts mean the same. One that has an error of
// syntax means nothing for certain.
func sameObjects(a, b []byte) bool {
	first, second := bundle.Parse(a, bundle.Options{}), bundle.Parse(b, bundle.Options{})
	if broken(first) || broken(second) || len(first.Objects) != len(second.Objects) {
		return false
	}
	for i, o := range first.Objects {
		if !bytes.Equal(o.Raw.JSON(), second.Objects[i].Raw.JSON()) {
			return false
		}
	}
	return true
}

func broken(b *bundle.Bundle) bool {
	return slices.ContainsFunc(b.Diagnostics, func(d diag.Diagnostic) bool {
		return slices.Contains([]string{"yaml-syntax", "json-syntax", "yaml-alias", "yaml-value", "not-yaml", "encoding", "limit", "duplicate-field"}, d.Rule)
	})
}

func leading(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// scalarLines tells for each line whether it is the second or a later one of
// a scalar.
func (d *Desk) scalarLines() []bool {
	inside := make([]bool, len(d.lines)-1)
	var visit func(n *node)
	visit = func(n *node) {
		if n.start >= 0 && n.bracket == 0 {
			for l := lineOf(d.lines, n.start) + 1; l <= lineOf(d.lines, max(n.start, n.end-1)); l++ {
				inside[l] = true
			}
		}
		for _, k := range n.kids {
			visit(k)
		}
	}
	for _, doc := range d.docs {
		for _, root := range doc.roots {
			visit(root)
		}
	}
	return inside
}

// indent moves the lines of a node's kids, which belong into a column.
func (d *Desk) indent(n *node, want int, shift []int) {
	if n.bracket != 0 {
		return
	}
	for _, k := range n.kids {
		line := lineOf(d.lines, k.from)
		first := bytes.TrimLeft(d.text[d.lines[line]:k.from], " ")
		col := want
		if len(first) == 0 {
			shift[line] = want - k.col
		} else {
			col = k.col + shift[line] // behind a dash
		}
		// Values of several lines move with what they belong to.
		if k.start >= 0 {
			for l := lineOf(d.lines, k.start) + 1; l <= lineOf(d.lines, max(k.start, k.end-1)); l++ {
				shift[l] = shift[line]
			}
		}
		switch {
		case k.item:
			inner := col + 2
			if len(k.kids) > 0 && lineOf(d.lines, k.kids[0].from) == line {
				inner = k.kids[0].col + shift[line]
			}
			d.indent(k, inner, shift)
		case len(k.kids) > 0 && k.kids[0].item:
			d.indent(k, col, shift)
		default:
			d.indent(k, col+2, shift)
		}
	}
}

// moveComments moves lines of nothing but a comment with the line below.
func (d *Desk) moveComments(shift []int, hold []bool) {
	next := 0
	for i := len(shift) - 1; i >= 0; i-- {
		line := bytes.TrimLeft(d.text[d.lines[i]:min(d.lines[i+1]-1, len(d.text))], " ")
		switch {
		case hold[i]:
		case len(line) > 0 && line[0] == '#':
			if shift[i] == 0 {
				shift[i] = next
			}
		case len(bytes.TrimSpace(line)) > 0:
			next = shift[i]
		}
	}
}
