package bundle

import (
	"strings"
	"testing"
)

// A piece of an expression is found however the expression is written.
func TestPart(t *testing.T) {
	tests := []struct {
		name, text, piece, want string
	}{
		{"plain", "a: device.driver == x\n", "driver", "1:11-17"},
		{"plain over lines", "a: one\n   two three\n", "three", "2:8-13"},
		{"double quotes", "a: \"x[\\\"é\\\"] == y\"\n", "==", "1:14-16"},
		{"double quotes over lines", "a: \"x \\\n    y\\n z\\u00e9q\"\n", "q", "2:16-17"},
		{"single quotes", "a: 'it''s here'\n", "here", "1:11-15"},
		{"piece with a quote", "a: 'it''s here'\n", "t's", "1:6-10"},
		{"literal", "a: |\n  one &&\n    two\n", "two", "3:5-8"},
		{"folded", "a: >-\n  one &&\n  two == 3\n", "== 3", "3:7-11"},
		{"literal over lines", "a: |\n  one &&\n  two\n", "&&\ntwo", "2:7-3:6"},
		{"json", "{\"a\": \"x[\\\"k\\\"]\\n\\ud83d\\ude00 == y\"}", "==", "1:31-33"},
		{"json first", "{\"a\": \"\\\"k\"}", "\"k", "1:8-11"},
	}
	for _, tt := range tests {
		b := Parse([]byte(tt.text), Options{})
		n := b.Objects[0].Raw.Get("a")
		start := strings.Index(n.Text(), tt.piece)
		if start < 0 {
			t.Fatalf("%s: %q is not in %q", tt.name, tt.piece, n.Text())
		}
		if got := place(n.Part(start, start+len(tt.piece))); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
		if got := n.Part(0, len(n.Text())+1); place(got) != place(n.Location()) {
			t.Errorf("%s: a piece beyond the end is at %s", tt.name, place(got))
		}
	}
}
