package validate

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// replace finds the range of a value, or of a key, and writes what is to stand
// there in the same style. Both are empty where that is not safe: without a
// range that is known, for text over several lines, and for what is no scalar.
func (r *reporter) replace(at *path, text string) (*diag.Location, string) {
	var place *diag.Location
	quoted := false
	if at.kind == keyPath {
		place = r.obj.LocateKey(at.parent.render(r.beta1), at.name)
		quoted = place != nil && place.EndColumn-place.Column > utf8.RuneCountInString(at.name)
	} else {
		n := r.obj.At(at.render(r.beta1))
		if k := n.Kind(); k != bundle.String && k != bundle.Number && k != bundle.Bool {
			return nil, ""
		}
		place = n.Location()
		switch written := n.Written(); {
		case strings.HasPrefix(written, "|"), strings.HasPrefix(written, ">"):
			return nil, ""
		default:
			quoted = strings.HasPrefix(written, `"`) || strings.HasPrefix(written, "'")
		}
	}
	if place == nil || place.Line != place.EndLine {
		return nil, ""
	}
	if quoted || !isPlain(text) {
		// JSON's quotes are YAML's too.
		text = strconv.Quote(text)
	}
	return place, text
}

// isPlain tells whether YAML reads a text without quotes as that very string.
func isPlain(text string) bool {
	for i, c := range []byte(text) {
		if !alnum(c) && (i == 0 || !strings.ContainsRune("-_./+", rune(c))) {
			return false
		}
	}
	switch strings.ToLower(text) {
	case "", "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	// What starts with a digit may be read as a number or a date.
	return text[0] > '9' || strings.Count(text, ".") > 1
}

// inside finds a position in a value, up to the end of its line there, if the
// text shows the value as it is: on one line, or as a literal block. Else it
// returns the place of the whole value.
func (r *reporter) inside(at *path, line, column int, whole *diag.Location) *diag.Location {
	n := r.obj.At(at.render(r.beta1))
	text, ok := n.Str()
	if !ok || whole == nil || column < 1 {
		return whole
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	last := utf8.RuneCountInString(lines[len(lines)-1])
	if line > len(lines) || column > utf8.RuneCountInString(lines[line-1]) {
		return whole
	}
	var first, indent int // the line and column where the text starts
	switch {
	case whole.Line == whole.EndLine && whole.EndColumn-whole.Column == last:
		first, indent = whole.Line, whole.Column
	case whole.Line == whole.EndLine && whole.EndColumn-whole.Column == last+2:
		first, indent = whole.Line, whole.Column+1 // in quotes, with nothing escaped
	case strings.HasPrefix(n.Written(), "|") && whole.EndLine-whole.Line == len(lines) && whole.EndColumn > last:
		first, indent = whole.Line+1, whole.EndColumn-last
	default:
		return whole
	}
	inside := *whole
	inside.Line, inside.EndLine = first+line-1, first+line-1
	inside.Column = indent + column - 1
	inside.EndColumn = indent + utf8.RuneCountInString(lines[line-1])
	return &inside
}
