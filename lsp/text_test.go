package lsp

import (
	"math/rand"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

func documentOf(text string) *document {
	d := &document{uri: "file:///a.yaml", path: "/a.yaml"}
	d.read([]byte(text))
	return d
}

func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		name, text   string
		encoding     encoding
		at           position
		line, column int
	}{
		{"start", "abc", utf16Units, position{0, 0}, 1, 1},
		{"non-BMP, UTF-16", "a🧠b", utf16Units, position{0, 3}, 1, 3},
		{"non-BMP, UTF-8", "a🧠b", utf8Units, position{0, 5}, 1, 3},
		{"non-BMP, UTF-32", "a🧠b", utf32Units, position{0, 2}, 1, 3},
		{"accent, UTF-16", "é=1", utf16Units, position{0, 1}, 1, 2},
		{"accent, UTF-8", "é=1", utf8Units, position{0, 2}, 1, 2},
		{"CRLF", "a\r\nbc", utf16Units, position{1, 1}, 2, 2},
		{"lone CR", "a\rbc", utf16Units, position{1, 1}, 2, 2},
		{"mark", "\uFEFFabc", utf16Units, position{0, 2}, 1, 2},
		{"no break here", "a\u2028b\u0085c", utf16Units, position{0, 4}, 1, 5},
		{"end", "a\n", utf16Units, position{1, 0}, 2, 1},
	} {
		d := documentOf(tt.text)
		line, column := d.place(tt.at, tt.encoding)
		if line != tt.line || column != tt.column {
			t.Errorf("%s: place is %d:%d", tt.name, line, column)
		}
		if got := d.position(tt.line, tt.column, tt.encoding); got != tt.at {
			t.Errorf("%s: position is %v", tt.name, got)
		}
	}
	d := documentOf("ab\r\ncd")
	for at, want := range map[position]int{{0, 9}: 2, {1, 9}: 6, {7, 0}: 6, {0, 1}: 1} {
		if got := d.offset(at, utf16Units); got != want {
			t.Errorf("%v is at %d, not %d", at, got, want)
		}
	}
	// Inside of a character is before it.
	if got := documentOf("🧠x").offset(position{0, 1}, utf16Units); got != 0 {
		t.Errorf("got %d", got)
	}
	if got := string(documentOf("\uFEFFa\rb\r\nc\r").plain()); got != "a\nb\r\nc\n" {
		t.Errorf("got %q", got)
	}
}

var pieces = []string{"a", "é", "漢", "🧠", "\t", "\n", "\r\n", "\r", "x: y", "...\n", "---\n", "\u2028"}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	if r.Intn(4) == 0 {
		b.WriteString("\uFEFF")
	}
	for range r.Intn(12) {
		b.WriteString(pieces[r.Intn(len(pieces))])
	}
	return b.String()
}

// Any position leads to the place that counting code units finds, and back.
func TestPositionsAreCounted(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		text := randomText(r)
		d := documentOf(text)
		for at, n := 0, 0; at < len(text); at += n {
			_, n = utf8.DecodeRuneInString(text[at:])
			line := 0
			for line+1 < len(d.lines) && d.lines[line+1] <= at {
				line++
			}
			before := text[d.lines[line]:at]
			if _, end := d.line(line); at > end {
				continue // between the two characters of a line's end
			}
			for _, want := range []struct {
				encoding encoding
				units    int
			}{{utf8Units, len(before)}, {utf16Units, len(utf16.Encode([]rune(before)))}, {utf32Units, utf8.RuneCountInString(before)}} {
				p := position{uint32(line), uint32(want.units)}
				if got := d.offset(p, want.encoding); got != at {
					t.Fatalf("%q: %v in %s is at %d, not %d", text, p, want.encoding, got, at)
				}
				if l, c := d.place(p, want.encoding); at >= len(bom) || d.mark(0) == 0 {
					if back := d.position(l, c, want.encoding); back != p {
						t.Fatalf("%q: %v in %s becomes %d:%d and %v", text, p, want.encoding, l, c, back)
					}
				}
				if got := d.positionOf(at, want.encoding); got != p {
					t.Fatalf("%q: %d is %v, not %v", text, at, got, p)
				}
			}
		}
	}
}

// Every line of documents that were joined is found again.
func TestJoinedLines(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 2000 {
		var all []*document
		for range 1 + r.Intn(4) {
			all = append(all, documentOf(randomText(r)))
		}
		joined := join(all)
		whole := strings.Split(string(joined.Bytes), "\n")
		// The lines behind a document's last one are found there, too.
		type place struct {
			*document
			line int
		}
		first := map[place]int{}
		for n := range whole {
			d, where := joined.find(&diag.Location{Line: n + 1, Column: 1, EndLine: n + 1, EndColumn: 1}, utf8Units)
			if at := (place{d, int(where.Start.Line)}); d == nil {
				t.Fatalf("%q: line %d is of no document", joined.Bytes, n)
			} else if _, seen := first[at]; !seen {
				first[at] = n
			}
		}
		for _, d := range all {
			for n, line := range strings.Split(string(d.plain()), "\n") {
				at, found := first[place{d, n}]
				if !found || whole[at] != line {
					t.Fatalf("%q: line %d of %q is %q, found %t", joined.Bytes, n, d.text, whole[at], found)
				}
			}
		}
	}
}

func TestPaths(t *testing.T) {
	for path, uri := range map[string]string{"/a/b c.yaml": "file:///a/b%20c.yaml", "/ü#?.yaml": "file:///%C3%BC%23%3F.yaml"} {
		if got := uriOf(path); got != uri {
			t.Errorf("got %s", got)
		}
		if got := pathOf(uri); got != path {
			t.Errorf("got %s", got)
		}
	}
	for _, uri := range []string{"untitled:Untitled-1", "git:/a.yaml", "file:", "::", "file:///a%00b"} {
		if got := pathOf(uri); got != "" {
			t.Errorf("%s: got %s", uri, got)
		}
	}
}
