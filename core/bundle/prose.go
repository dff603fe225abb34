package bundle

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// notUTF8 finds the first byte that is no UTF-8.
func notUTF8(text []byte) *problem {
	if bytes.HasPrefix(text, []byte("\xFF\xFE")) || bytes.HasPrefix(text, []byte("\xFE\xFF")) {
		return &problem{rule: "encoding", start: 0, end: 0, message: "the text is UTF-16; save it as UTF-8"}
	}
	if utf8.Valid(text) {
		return nil
	}
	for i := 0; ; {
		c, size := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && size <= 1 {
			return &problem{rule: "encoding", start: i, end: i, message: fmt.Sprintf("the byte 0x%02X is not UTF-8; save the text as UTF-8", text[i])}
		}
		i += size
	}
}

// control finds the first character of a document that no YAML may hold. JSON
// is checked where it is read.
func control(doc *document) *problem {
	text := doc.src.text
	for i := doc.start; i < doc.end; {
		c, size := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(text[i:doc.end])
		}
		switch {
		case c < ' ' && c != '\t' && c != '\n' && c != '\r', c >= 0x7F && c < 0xA0 && c != 0x85, c == 0xFFFE, c == 0xFFFF:
			return &problem{rule: "encoding", start: i, end: i + size, message: fmt.Sprintf("the text holds the control character U+%04X, which YAML does not allow; remove it", c)}
		case c == 0xFEFF && (i == doc.start || text[i-1] == '\n' || text[i-1] == '\r'):
			return &problem{rule: "encoding", start: i, end: i + size, message: "a byte order mark (U+FEFF) stands inside the text, where files were joined; remove it"}
		}
		i += size
	}
	return nil
}

// openings are the ways in which texts start that are no objects.
var openings = []struct {
	prefix  string
	message string
}{
	{"<", "this is HTML or XML, not YAML or JSON; fetch the raw file"},
	{"Error from server", "this is an error message of kubectl, not an object; run the command again when it works, with -o yaml or -o json"},
	{"error: ", "this is an error message, not an object; run the command again when it works, with -o yaml or -o json"},
	{"Error: ", "this is an error message, not an object; run the command again when it works, with -o yaml or -o json"},
	{"Unable to connect to the server", "this is an error message of kubectl, not an object; run the command again when it works"},
	{"The connection to the server", "this is an error message of kubectl, not an object; run the command again when it works"},
	{"No resources found", "kubectl found no resources; there is no object in its answer"},
	{"NAME ", "this is a table as kubectl prints it for reading; print the objects with -o yaml or -o json"},
	{"NAMESPACE ", "this is a table as kubectl prints it for reading; print the objects with -o yaml or -o json"},
	{"Name:  ", "this is what kubectl describe prints for reading; print the objects with kubectl get -o yaml or -o json"},
}

// prose recognizes a document that is no YAML to begin with, by its first
// line.
func prose(doc *document) *problem {
	text := doc.src.text[doc.start:doc.end]
	at := skipSpace(text, 0)
	end := lineEndAt(text, at)
	line := string(text[at:end])
	for _, o := range openings {
		if !strings.HasPrefix(line, o.prefix) || (strings.HasPrefix(line, "<<:")) {
			continue
		}
		return &problem{rule: "not-yaml", start: doc.start + at, end: doc.start + len(strings.TrimRight(line, " \t")) + at, message: o.message}
	}
	return nil
}

// meansJSON tells whether a text in brackets is meant as JSON rather than as
// YAML: keys in quotes, or items that are in brackets or quotes.
func meansJSON(text []byte) bool {
	rest := bytes.TrimLeft(bytes.TrimLeft(text, " \t\r\n")[1:], " \t\r\n")
	return len(rest) == 0 || bytes.IndexByte([]byte("\"{}[]"), rest[0]) >= 0 && !bytes.HasPrefix(rest, []byte("{{"))
}

// startsJSON tells whether the first character is an opening bracket.
func startsJSON(text []byte) bool {
	trimmed := bytes.TrimLeft(text, " \t\r\n")
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[')
}
