package assist

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// fixtures are the texts that everything here is tried on.
func fixtures(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir("../../testdata", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" && filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d fixtures", len(all))
	}
	return all
}

// TestHalfWritten cuts every fixture behind each of its lines, and some lines
// in the middle, as they are while somebody writes. Whatever the text is, what
// is offered replaces a range of the text, and twice the same is answered.
func TestHalfWritten(t *testing.T) {
	set := feature.Default(feature.Newest)
	asked, offered := 0, 0
	all := fixtures(t)
	for _, name := range sortedKeys(all) {
		text := all[name]
		if len(text) > 20_000 {
			continue
		}
		lines := strings.SplitAfter(text, "\n")
		length := 0
		for i, line := range lines {
			whole := strings.TrimRight(line, "\n")
			length += len(line)
			if i%12 != len(name)%12 {
				continue // all of them take too long
			}
			start := length - len(line)
			for _, cut := range []int{len(whole), (len(whole) + len(whole) - len(strings.TrimLeft(whole, " "))) / 2} {
				half := strings.ToValidUTF8(text[:start+cut], "")
				d := New([]byte(half), set)
				column := len([]rune(half[strings.LastIndexByte(half, '\n')+1:])) + 1
				got := d.Complete(i+1, column)
				asked++
				if len(got.Items) > 0 {
					offered++
					if got.Location == nil || got.Location.Line > i+1 || got.Location.EndColumn > column && got.Location.EndLine == i+1 {
						t.Fatalf("%s, line %d: replaces %+v", name, i+1, got.Location)
					}
				}
				d.Hover(i+1, max(1, column-1))
			}
		}
		first, err := json.Marshal(ask(New([]byte(text), set), len(lines)))
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := json.Marshal(ask(New([]byte(text), set), len(lines))); string(again) != string(first) {
			t.Errorf("%s is answered in two ways", name)
		}
	}
	if asked < 1000 || offered*3 < asked {
		t.Errorf("something was offered at %d of %d places", offered, asked)
	}
}

// ask asks for everything at some places of a text.
func ask(d *Desk, lines int) []any {
	all := []any{d.Outline(), d.Format()}
	for line := 1; line <= lines; line += 7 {
		for column := 1; column < 40; column += 9 {
			all = append(all, d.Hover(line, column), d.Complete(line, column), d.Definition(line, column), d.References(line, column))
		}
	}
	return all
}

// TestEveryKeyHovers asks at the first character of every key of the fixtures:
// a field of an object of DRA has something to say.
func TestEveryKeyHovers(t *testing.T) {
	set := feature.Default(feature.Newest)
	told := 0
	for name, text := range fixtures(t) {
		d := New([]byte(text), set)
		for _, o := range d.objects {
			if !strings.HasPrefix(o.apiVersion, "resource.k8s.io/") {
				continue
			}
			var visit func(n *node)
			visit = func(n *node) {
				for _, k := range n.kids {
					p, ok := d.placeOf(k)
					if ok && !k.item && !k.loose && p.key == "" && p.field.Holder != "" {
						line, column := d.position(k.keyStart)
						if h := d.Hover(line, column); h.Text == "" || len(h.Facts) == 0 {
							t.Errorf("%s, line %d: nothing about %s", name, line, p.id())
						}
						told++
					}
					visit(k)
				}
			}
			visit(o.root)
		}
	}
	if told < 2000 {
		t.Errorf("only %d keys", told)
	}
}

// TestFormatIsSound formats every fixture: the objects stay what they are, and
// so do the comments, and what is formatted does not change again.
func TestFormatIsSound(t *testing.T) {
	set := feature.Default(feature.Newest)
	changed := 0
	for name, text := range fixtures(t) {
		got := New([]byte(text), set).Format()
		if got.Changed {
			changed++
			if !sameObjects([]byte(text), []byte(got.Text)) {
				t.Errorf("%s means something else", name)
			}
		}
		if a, b := strings.Count(text, "#"), strings.Count(got.Text, "#"); a != b {
			t.Errorf("%s had %d comments and has %d", name, a, b)
		}
		if again := New([]byte(got.Text), set).Format(); again.Changed {
			t.Errorf("%s changes again", name)
		}
	}
	if changed < 3 {
		t.Errorf("only %d changed", changed)
	}
}

func TestFormat(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"indentation", "a:\n    b:\n        - c: 1\n          d:   # why\n              e: 2\n", "a:\n  b:\n  - c: 1\n    d:   # why\n      e: 2\n"},
		{"comments", "a:\n    # of b\n    b: 1\n# of all\nc: 2\n", "a:\n  # of b\n  b: 1\n# of all\nc: 2\n"},
		{"block scalars", "a:\n    b: |\n        one\n          two\n\n        three\n    c: 1\n", "a:\n  b: |\n      one\n        two\n\n      three\n  c: 1\n"},
		{"brackets", "a:\n    b: {c: 1,\n        d: 2}\n", "a:\n  b: {c: 1,\n      d: 2}\n"},
		{"empty lines and blanks", "a: 1  \n\n\n\nb: 2\n\n", "a: 1\n\nb: 2\n"},
		{"several documents", "a:\n   b: 1\n---\na:\n   - 1\n   - 2", "a:\n  b: 1\n---\na:\n- 1\n- 2\n"},
		{"what cannot be parsed", "a:\n   b: [1\n", "a:\n   b: [1\n"},
		{"what would mean something else", "a: |+\n  x\n\n\n\n", "a: |+\n  x\n\n\n\n"},
	} {
		if got := New([]byte(tt.text), feature.Default(feature.Newest)).Format(); got.Text != tt.want {
			t.Errorf("%s:\n%s\nnot\n%s", tt.name, got.Text, tt.want)
		}
	}
}

func FuzzAssist(f *testing.F) {
	for _, text := range fixtures(f) {
		if len(text) < 4000 {
			f.Add(text, uint16(len(text)/2))
		}
	}
	f.Add("a: {b: [\"c", uint16(5))
	set := feature.Default(feature.Newest)
	f.Fuzz(func(t *testing.T, text string, at uint16) {
		if !strings.Contains(text, "\n") && len(text) > 1<<16 {
			return
		}
		d := New([]byte(text), set)
		offset := min(int(at), len(d.text))
		for !isStart(d.text, offset) {
			offset--
		}
		line, column := d.position(offset)
		if got := d.Complete(line, column); len(got.Items) > 0 && got.Location == nil {
			t.Fatal("nobody knows where the items go")
		}
		for _, e := range d.Outline().Entries {
			if e.Location == nil || e.At == nil {
				t.Fatalf("nobody knows where %s %s is", e.Kind, e.Name)
			}
		}
		d.Hover(line, column)
		d.Definition(line, column)
		d.References(line, column)
		if got := d.Format(); got.Changed && !sameObjects(d.text, []byte(got.Text)) {
			t.Fatal("formatted, it means something else")
		}
	})
}

func isStart(text []byte, offset int) bool {
	return offset == len(text) || text[offset]&0xC0 != 0x80
}
