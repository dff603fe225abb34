package input

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core"
)

// TestPlaces asks the core about texts of several files, and looks whether
// each finding is placed where it is when the file is asked about by itself.
func TestPlaces(t *testing.T) {
	class := "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata:\n  name: NAME\n  \u00e9\u00e9: 1 # not a field\n"
	shapes := map[string]func(string) string{
		"plain":     func(s string) string { return s },
		"no end":    func(s string) string { return strings.TrimRight(s, "\n") },
		"crlf":      func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"cr":        func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
		"bom":       func(s string) string { return "\uFEFF" + s },
		"directive": func(s string) string { return "%YAML 1.1\n---\n" + s },
		"ends":      func(s string) string { return s + "...\n" },
		"open":      func(s string) string { return s + "---\n" },
		"comment":   func(s string) string { return "# one\n\n" + s + "# two" },
		"no space":  func(s string) string { return "---\n" + s + "\n\n\n" },
		"empty":     func(string) string { return "" },
		"json": func(string) string {
			return "{\"apiVersion\": \"resource.k8s.io/v1\",\n \"kind\": \"DeviceClass\", \"x\": 1}"
		},
		"open quote": func(s string) string { return s + "--- \"\n" },
	}
	var names []string
	for name := range shapes {
		names = append(names, name)
	}
	found := func(text *Text) map[string]bool {
		result, err := core.Validate(context.Background(), text.Bytes, core.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]bool{}
		for _, d := range result.Diagnostics {
			if d.Location != nil && d.Source != "bundle" && d.Rule != "empty" {
				out[fmt.Sprintf("%s %s %q", text.Place(d.Location), d.Rule, text.Line(d.Location.Line))] = true
			}
		}
		return out
	}
	// Every shape before and behind every other.
	for _, one := range names {
		for _, two := range names {
			together, want := &Text{}, map[string]bool{}
			for i, name := range []string{one, two, one} {
				content := shapes[name](strings.ReplaceAll(class, "NAME", fmt.Sprintf("n%d", i)))
				file := fmt.Sprintf("%d.yaml", i)
				together.Add(file, []byte(content))
				alone := &Text{}
				alone.Add(file, []byte(content))
				for f := range found(alone) {
					want[f] = true
				}
			}
			got := found(together)
			if len(want) == 0 && (one != "empty" || two != "empty") {
				t.Errorf("%s, %s: nothing is found, so nothing is compared", one, two)
			}
			for f := range want {
				if !got[f] {
					t.Errorf("%s, %s: %s is missing of %v", one, two, f, got)
				}
			}
			for f := range got {
				if !want[f] {
					t.Errorf("%s, %s: %s is new", one, two, f)
				}
			}
		}
	}
}

func TestUnits(t *testing.T) {
	files := func(count int, size int64, folders int) []*File {
		var out []*File
		for i := range count {
			out = append(out, &File{Name: fmt.Sprintf("d%d/f%d.yaml", i%folders, i), Size: size})
		}
		return out
	}
	for _, tt := range []struct {
		what  string
		files []*File
		scope Scope
		units int
		note  string
	}{
		{"few", files(10, 100, 5), Auto, 1, ""},
		{"one that is large", files(1, 10<<20, 1), Auto, 1, ""},
		{"many in folders", files(2000, 100, 5), Auto, 5, "objects of different folders are not compared"},
		{"many in one", files(2000, 100, 1), Auto, 2000, "and of different files in folders that are larger themselves, are not compared"},
		{"large", files(10, 1<<20, 5), Auto, 5, "10 files with 10240 KiB"},
		{"all of them", files(2000, 100, 5), All, 1, ""},
		{"folders", files(10, 100, 5), Folder, 5, ""},
		{"files", files(10, 100, 5), Single, 10, ""},
	} {
		units, note := Units(tt.files, tt.scope)
		count := 0
		for _, u := range units {
			count += len(u)
		}
		if len(units) != tt.units || count != len(tt.files) || !strings.Contains(note, tt.note) || tt.note == "" && note != "" {
			t.Errorf("%s: %d units of %d files, %q", tt.what, len(units), count, note)
		}
	}
}

func TestHasObjects(t *testing.T) {
	for text, want := range map[string]bool{
		"apiVersion: v1\nkind: Pod\n":                    true,
		`{"apiVersion":"v1","kind":"Pod"}`:               true,
		"'apiVersion' : v1\n\"kind\": Pod\n":             true,
		"- {kind: Pod, apiVersion: v1}":                  true,
		"# no apiVersion\nkind: x\n":                     false,
		"replicas: 3\n":                                  false,
		"myapiVersion: 1\nmankind: 2\n":                  false,
		"apiVersion: v2\nname: chart\ndescription: kind": false,
		`{"kind":"Pod","apiVersion":"v1"}`:               true,
		"apiVersions: 1\nkind: x":                        false,
		"# kind of apiVersion":                           false,
		"my-kind: 1\napiVersion: 2":                      true,
		"":                                               false,
	} {
		if got := HasObjects([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
