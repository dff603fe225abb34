package bundle

import "strings"

// The YAML library makes a tree of the whole document before anybody can count
// its values. So they are counted beforehand, from above: each value but the
// first has a character before it that only it needs.

// tooManyValues finds the place where a YAML document can have more values than
// limit, keys included; -1 if there is none.
func tooManyValues(text []byte, limit int) int {
	most := 1
	for i, c := range text {
		switch c {
		case ':':
			// A key and its value.
			if endsToken(text, i+1, ",[]{}\"'") || i > 0 && strings.IndexByte("\"'}]", text[i-1]) >= 0 {
				most += 2
			}
		case '-':
			if endsToken(text, i+1, "") {
				most++
			}
		case '?', ',', '{':
			// What follows may be a key that has no colon.
			most += 2
		case '[':
			most++
		}
		if most > limit {
			return i
		}
	}
	return -1
}

// endsToken tells whether white space or one of others stands at a place, or
// the text ends there.
func endsToken(text []byte, at int, others string) bool {
	if at >= len(text) {
		return true
	}
	switch text[at] {
	case ' ', '\t', '\n', '\r', 0xC2, 0xE2: // the latter begin line breaks of Unicode
		return true
	}
	return strings.IndexByte(others, text[at]) >= 0
}
