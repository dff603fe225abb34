package rulebook

import "strings"

// Line is a line of a text that changes: Kind is ' ' for one that stays, '-'
// for one that goes and '+' for one that comes. '@' stands for lines that are
// left out.
type Line struct {
	Kind rune
	Text string
}

// diff compares two short texts line by line.
func diff(from, to string) []Line {
	a, b := strings.Split(strings.TrimSuffix(from, "\n"), "\n"), strings.Split(strings.TrimSuffix(to, "\n"), "\n")
	// common[i][j] is how many lines a[i:] and b[j:] have in common.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []Line
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, Line{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			out = append(out, Line{'-', a[i]})
			i++
		default:
			out = append(out, Line{'+', b[j]})
			j++
		}
	}
	return out
}

// hunks leaves out lines that are further than context from any change.
func hunks(lines []Line, context int) []Line {
	near := make([]bool, len(lines))
	for i, l := range lines {
		if l.Kind == ' ' {
			continue
		}
		for k := max(0, i-context); k < min(len(lines), i+context+1); k++ {
			near[k] = true
		}
	}
	var out []Line
	for i, l := range lines {
		switch {
		case near[i]:
			out = append(out, l)
		case len(out) == 0 || out[len(out)-1].Kind != '@':
			out = append(out, Line{'@', "…"})
		}
	}
	return out
}
