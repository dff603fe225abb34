package bundle

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// The YAML library tells where a value starts. Where it ends is found here,
// by reading the text beside the value. When text and value do not agree the
// place is given up: a wrong line is worse than none.

const noPlace = -1

// skipProperties steps over an anchor and a tag to the value itself.
func (r *yamlReader) skipProperties(start int, y *yaml.Node) int {
	if start < 0 || (y.Kind == yaml.ScalarNode && y.Value == "" && isPlain(y)) {
		return start
	}
	at := start
	for at < len(r.text) && (r.text[at] == '&' || r.text[at] == '!') {
		for at < len(r.text) && strings.IndexByte(" \t\r\n,", r.text[at]) < 0 {
			at++
		}
		at = skipSpace(r.text, at)
	}
	if at >= len(r.text) {
		return noPlace
	}
	return at
}

func isPlain(y *yaml.Node) bool {
	return y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// skipSpace steps over white space, line breaks and comments.
func skipSpace(text []byte, at int) int {
	for at < len(text) {
		switch c := text[at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			at++
		case c == '#' && (at == 0 || strings.IndexByte(" \t\r\n,[{", text[at-1]) >= 0):
			for at < len(text) && text[at] != '\n' && text[at] != '\r' {
				at++
			}
		default:
			return at
		}
	}
	return at
}

// scalarExtent finds the range of a scalar in the text.
func scalarExtent(text []byte, at int, y *yaml.Node) (start, end int) {
	if at < 0 || at > len(text) {
		return noPlace, noPlace
	}
	end = noPlace
	switch {
	case y.Style&yaml.DoubleQuotedStyle != 0:
		end = quotedEnd(text, at, '"')
	case y.Style&yaml.SingleQuotedStyle != 0:
		end = quotedEnd(text, at, '\'')
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		end = blockEnd(text, at)
	default:
		end = plainEnd(text, at, y.Value)
	}
	if end < 0 {
		return noPlace, noPlace
	}
	return at, end
}

func quotedEnd(text []byte, at int, quote byte) int {
	if at >= len(text) || text[at] != quote {
		return noPlace
	}
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return noPlace
}

// plainEnd matches the value against the text: both hold the same characters,
// and white space where the other has it.
func plainEnd(text []byte, at int, value string) int {
	for i := 0; i < len(value); {
		c, size := utf8.DecodeRuneInString(value[i:])
		if isBlank(c) {
			i += size
			continue
		}
		if i > 0 {
			for at < len(text) {
				b, width := utf8.DecodeRune(text[at:])
				if !isBlank(b) {
					break
				}
				at += width
			}
		}
		if !bytes.HasPrefix(text[at:], []byte(value[i:i+size])) {
			return noPlace
		}
		i += size
		at += size
	}
	return at
}

func isBlank(c rune) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\u0085' || c == '\u2028' || c == '\u2029'
}

// blockEnd finds the end of a literal or folded scalar: the last line that is
// indented as deep as the first one of the content.
func blockEnd(text []byte, at int) int {
	if at >= len(text) || (text[at] != '|' && text[at] != '>') {
		return noPlace
	}
	header := lineEndAt(text, at)
	indent, end := -1, len(bytes.TrimRight(text[:header], " \t"))
	if hasIndentDigit(text[at:header]) {
		// The digit counts from the parent's indentation, which is not known
		// here. What is known is that the content is indented deeper than the
		// line on which the scalar starts, or as deep as its dash.
		indent = lineIndent(text, at) + 1
	}
	for next := nextLine(text, header); next < len(text); {
		stop := lineEndAt(text, next)
		line := text[next:stop]
		depth := len(line) - len(bytes.TrimLeft(line, " "))
		if blank := len(bytes.TrimSpace(line)) == 0; !blank {
			if indent < 0 {
				indent = depth
			}
			if depth < indent || (depth == 0 && lineIndent(text, at) == 0 && !startsDocument(text, at)) {
				break
			}
			end = stop
		}
		next = nextLine(text, stop)
	}
	return end
}

// hasIndentDigit finds an indentation indicator in the header of a block
// scalar, such as |2-.
func hasIndentDigit(header []byte) bool {
	for _, c := range header[1:] {
		if c >= '1' && c <= '9' {
			return true
		}
		if c != '+' && c != '-' {
			return false
		}
	}
	return false
}

// lineIndent counts the spaces before the first other character of the line.
func lineIndent(text []byte, at int) int {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	indent := 0
	for start+indent < at && text[start+indent] == ' ' {
		indent++
	}
	return indent
}

// startsDocument tells whether nothing stands before the place.
func startsDocument(text []byte, at int) bool {
	return len(bytes.Trim(text[:at], "- \t\r\n")) == 0
}

func lineEndAt(text []byte, at int) int {
	for at < len(text) && text[at] != '\n' && text[at] != '\r' {
		at++
	}
	return at
}

func nextLine(text []byte, at int) int {
	if at < len(text) && text[at] == '\r' {
		at++
	}
	if at < len(text) && text[at] == '\n' {
		at++
	}
	return at
}

// flowEnd finds the closing bracket of a list or map in brackets. A single
// pair in a list, as in [a: b], is a map without brackets of its own.
func flowEnd(text []byte, start, last int, empty bool) int {
	if start < 0 || start >= len(text) || last < 0 {
		return noPlace
	}
	closing := byte(']')
	switch text[start] {
	case '{':
		closing = '}'
	case '[':
	default:
		return last
	}
	at := last
	if empty {
		at = start + 1
	}
	for {
		at = skipSpace(text, at)
		if at >= len(text) {
			return noPlace
		}
		switch text[at] {
		case closing:
			return at + 1
		case ',', ':', '?':
			at++
		default:
			return noPlace
		}
	}
}
