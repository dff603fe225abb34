package terminal

import "strings"

// Table lines up cells in columns.
type Table struct {
	Painter Painter
	// Head names the columns.
	Head []string
	rows [][]Cell
}

// Cell is a text with a style.
type Cell struct {
	Text  string
	Style Style
}

// Row adds a row. The texts are cleaned.
func (t *Table) Row(cells ...Cell) {
	row := make([]Cell, len(cells))
	for i, c := range cells {
		row[i] = Cell{Clean(c.Text), c.Style}
	}
	t.rows = append(t.rows, row)
}

// Lines are the rows below the head, with two spaces between columns.
func (t *Table) Lines() []string {
	var top []Cell
	for _, h := range t.Head {
		top = append(top, Cell{h, Bold})
	}
	all := append([][]Cell{top}, t.rows...)
	var widths []int
	for _, row := range all {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(c.Text))
		}
	}
	var out []string
	for _, row := range all {
		var line strings.Builder
		for i, c := range row {
			line.WriteString(t.Painter.Paint(c.Style, c.Text))
			if i+1 < len(row) {
				line.WriteString(strings.Repeat(" ", widths[i]-Width(c.Text)+2))
			}
		}
		out = append(out, strings.TrimRight(line.String(), " "))
	}
	return out
}
