package bundle

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// want tells whether the value is of the kind, and reports it if not. The
// words say what is wanted.
func (d *decoder) want(n *Node, kind Kind, words string) bool {
	if n.kind == kind {
		return true
	}
	message, replacement := mismatch(n, kind, words)
	var mend *diag.Suggestion
	if replacement != "" && n.Location() != nil {
		mend = &diag.Suggestion{Message: "write " + shorten(replacement), Replacement: replacement, Location: n.Location()}
	}
	d.wrongType(n, message, mend)
	return false
}

// mismatch says why a value is not of the wanted kind, and what to write in
// its place where that is certain.
func mismatch(n *Node, want Kind, words string) (message, replacement string) {
	written := n.Written()
	scalar := n.kind != List && n.kind != Map
	switch {
	case want == String && scalar:
		return notString(n, words)
	case want == List && scalar:
		if n.style == plainStyle || n.style == quotedStyle {
			replacement = "[" + written + "]"
		}
		return fmt.Sprintf("must be %s, not %s; write [%s], or each item on a line of its own after a dash", words, n.kind, written), cut(replacement)
	case want == List && n.kind == Map:
		return fmt.Sprintf("must be %s, not a map; put a dash before each item", words), ""
	case want == Map && n.kind == List:
		return fmt.Sprintf("must be %s, not a list; leave the dash out", words), ""
	case (want == Number || want == Bool) && n.kind == String:
		if unquoted(n.text, want) && n.style == quotedStyle {
			return fmt.Sprintf("must be %s, and %s is a string; write %s", words, written, n.text), n.text
		}
		return fmt.Sprintf("must be %s; %s is not", words, orText(written, n)), ""
	case want == Bool && n.kind == Number:
		return fmt.Sprintf("must be %s; %s is a number", words, orText(written, n)), ""
	case scalar:
		return fmt.Sprintf("must be %s; %s is %s", words, orText(written, n), n.kind), ""
	}
	return fmt.Sprintf("must be %s, not %s", words, n.kind), ""
}

func notString(n *Node, words string) (message, replacement string) {
	written := n.Written()
	quoted, _ := json.Marshal(written)
	replacement = string(quoted)
	if written == "" {
		return fmt.Sprintf("must be %s, not %s", words, n.kind), ""
	}
	if n.kind == Bool && written != n.text {
		return fmt.Sprintf("must be %s; the unquoted %s is a boolean in YAML 1.1, write %s", words, written, replacement), replacement
	}
	return fmt.Sprintf("must be %s; %s is %s, write %s", words, written, n.kind, replacement), replacement
}

// number is what a whole number looks like in JSON.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,18})$`)

// unquoted tells whether a string would be of the wanted kind without its
// quotes.
func unquoted(text string, want Kind) bool {
	if want == Bool {
		return text == "true" || text == "false"
	}
	return number.MatchString(text)
}

func orText(written string, n *Node) string {
	if written != "" {
		return written
	}
	return strconv.Quote(shorten(n.text))
}

// cut drops a replacement that would hold a shortened value.
func cut(replacement string) string {
	if len(replacement) > maxShown {
		return ""
	}
	return replacement
}
