package terminal

import (
	"fmt"
	"strings"
)

// Snippet is a line of a source and the range of it that is meant.
type Snippet struct {
	// Line is its number, Text what stands there.
	Line int
	Text string
	// Column and End are where the range begins and ends, from 1, in code
	// points; End is exclusive. More is set where the range goes on in lines
	// below.
	Column, End int
	More        bool
}

// How many columns of a source line are shown: as many as a terminal has, within
// these. What a narrow one broke into two would not be underlined any more.
const (
	leastColumns = 30
	mostColumns  = 120
)

// Render draws the line and underlines the range, both with a margin for the
// number that is as wide as margin says.
func (s Snippet) Render(p Painter, mark Style, margin int) []string {
	columns := mostColumns
	if p.Columns > 0 {
		// Ellipses, a bar, and what a caller puts before all take their part.
		columns = min(max((p.Columns-margin-11)*12/13, leastColumns), mostColumns)
	}
	before, meant, after := s.cut(columns)
	bar := p.Paint(Blue, "|")
	number := p.Paint(Blue, fmt.Sprintf("%*d", margin, s.Line))
	underline := strings.Repeat("^", max(1, Width(meant)))
	if s.More {
		underline += "…"
	}
	return []string{
		strings.TrimRight(fmt.Sprintf("%s %s %s%s%s", number, bar, before, meant, after), " "),
		fmt.Sprintf("%*s %s %s%s", margin, "", bar, strings.Repeat(" ", Width(before)), p.Paint(mark, underline)),
	}
}

// cut splits the line where the range begins and ends, and shortens what is
// very long.
func (s Snippet) cut(columns int) (before, meant, after string) {
	runes := []rune(s.Text)
	start := min(max(0, s.Column-1), len(runes))
	end := min(max(start, s.End-1), len(runes))
	if s.More {
		end = len(runes)
	}
	before, meant, after = Clean(spaces(runes[:start])), Clean(string(runes[start:end])), Clean(string(runes[end:]))
	if Width(before) > columns/2 {
		before = "…" + tail(before, columns/2)
	}
	if Width(meant) > columns/2 {
		meant = head(meant, columns/2) + "…"
	}
	if room := max(columns/12, columns-Width(before)-Width(meant)); Width(after) > room {
		after = head(after, room) + "…"
	}
	return before, meant, after
}

// spaces shows tabs as two columns each, so that what is below stays below.
func spaces(runes []rune) string { return strings.ReplaceAll(string(runes), "\t", "  ") }

// head is the beginning of a text, as wide as columns says.
func head(text string, columns int) string {
	used := 0
	for i, r := range text {
		if used += runeWidth(r); used > columns {
			return text[:i]
		}
	}
	return text
}

// tail is the end of a text, as wide as columns says.
func tail(text string, columns int) string {
	runes, used, i := []rune(text), 0, 0
	for i = len(runes); i > 0; i-- {
		if used += runeWidth(runes[i-1]); used > columns {
			break
		}
	}
	return string(runes[i:])
}
