package bundle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// inside tells whether a place lies in the text.
func inside(lines []string, l *diag.Location) bool {
	for _, p := range [][2]int{{l.Line, l.Column}, {l.EndLine, l.EndColumn}} {
		if p[0] < 1 || p[0] > len(lines) || p[1] < 1 || p[1] > utf8.RuneCountInString(lines[p[0]-1])+1 {
			return false
		}
	}
	return l.Document >= 0 && (l.EndLine > l.Line || (l.EndLine == l.Line && l.EndColumn >= l.Column))
}

// Whatever the text: no panic, every place lies inside it, and the same text
// gives the same answer.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, "spec.devices[0].name")
	}
	for _, text := range []string{located, "{\"a\": [1, {\"b\": null}]}", "a: &a [*a]", "- |2\n   x\r\n\r- y", "? {a: b}\n: c", "%YAML 1.2\n--- >\n x\n...\n–--\n", "apiVersion: v1\nkind: List\nitems: [{}, 1]", claimHead + "spec: [1\n"} {
		f.Add([]byte(text), "metadata.labels[a...b]")
	}
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		if len(text) > 20_000 {
			return
		}
		b := Parse(text, Options{})
		normal := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(text), "\uFEFF"))
		lines := strings.Split(normal, "\n")
		check := func(l *diag.Location, what string) {
			if l != nil && !inside(lines, l) {
				t.Errorf("%s at %s is outside of the text", what, place(l))
			}
		}
		for _, d := range b.Diagnostics {
			check(d.Location, d.Message)
			for _, r := range d.Related {
				check(r.Location, r.Message)
			}
			if d.Suggestion != nil {
				check(d.Suggestion.Location, d.Suggestion.Message)
			}
			if _, ok := diag.Lookup(d.Source, d.Rule); !ok {
				t.Errorf("the rule %s is not registered", d.Rule)
			}
		}
		for _, o := range b.Objects {
			check(o.Locate(path), path)
			check(o.LocateKey(path, path), path)
			visited := 0
			allPaths(o.Raw, "", 0, func(path string, n *Node) {
				if visited++; visited > 1000 {
					return
				}
				check(n.Location(), path)
				check(o.Locate(path), path)
			})
			if !json.Valid(o.Raw.JSON()) {
				t.Errorf("not JSON: %s", o.Raw.JSON())
			}
		}
		first, err1 := json.Marshal(b.Diagnostics)
		second, err2 := json.Marshal(Parse(text, Options{}).Diagnostics)
		if err1 != nil || err2 != nil || string(first) != string(second) {
			t.Errorf("two answers: %s and %s", first, second)
		}
	})
}
