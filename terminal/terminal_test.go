package terminal

import (
	"bytes"
	"strings"
	"testing"
)

func TestSnippet(t *testing.T) {
	for _, tt := range []struct {
		what    string
		snippet Snippet
		want    string
	}{
		{"plain", Snippet{Line: 7, Text: "  name: gpu", Column: 9, End: 12}, "7 |   name: gpu\n  |         ^^^"},
		{"tabs", Snippet{Line: 7, Text: "\tname: gpu", Column: 2, End: 6}, "7 |   name: gpu\n  |   ^^^^"},
		{"wide", Snippet{Line: 7, Text: "名: 設備x", Column: 4, End: 6}, "7 | 名: 設備x\n  |     ^^^^"},
		{"combining", Snippet{Line: 7, Text: "e\u0301: x", Column: 5, End: 6}, "7 | e\u0301: x\n  |    ^"},
		{"nothing", Snippet{Line: 7, Text: "", Column: 1, End: 1}, "7 |\n  | ^"},
		{"behind the end", Snippet{Line: 7, Text: "ab", Column: 9, End: 12}, "7 | ab\n  |   ^"},
		{"goes on", Snippet{Line: 7, Text: "a: |", Column: 4, End: 1, More: true}, "7 | a: |\n  |    ^…"},
		{"escape", Snippet{Line: 7, Text: "a\x1b[1mb", Column: 6, End: 7}, "7 | a\\u{1b}[1mb\n  |           ^"},
	} {
		if got := strings.Join(tt.snippet.Render(Painter{}, Red, 1), "\n"); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.what, got, tt.want)
		}
	}
	long := Snippet{Line: 1, Text: strings.Repeat("a", 500) + "X" + strings.Repeat("b", 500), Column: 501, End: 502}
	lines := long.Render(Painter{}, Red, 1)
	at := strings.Index(lines[1], "^")
	if Width(lines[0]) > 140 || Width(lines[0][:strings.Index(lines[0], "X")]) != Width(lines[1][:at]) {
		t.Errorf("%q", lines)
	}
	// What is shown fits on a narrow terminal, wherever the range is.
	for _, column := range []int{1, 10, 40, 90} {
		line := Snippet{Line: 123, Text: strings.Repeat("設备 x", 20), Column: column, End: column + 30}
		for _, columns := range []int{50, 80} {
			for _, got := range line.Render(Painter{Columns: columns}, Red, 3) {
				if Width(got) > columns-4 {
					t.Errorf("column %d: %q takes %d columns of %d", column, got, Width(got), columns)
				}
			}
		}
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain é 名":             "plain é 名",
		"a\x1b[2Jb":             `a\u{1b}[2Jb`,
		"a\u009b31mb":           `a\u{9b}31mb`,
		"a\rb\nc\td":            `a\u{d}b c d`,
		"a\u202eb\u2028c":       `a\u{202e}b\u{2028}c`,
		"not UTF-8: \xff":       `not UTF-8: \u{fffd}`,
		"zero\u200bwidth\ufeff": `zero\u{200b}width\u{feff}`,
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	table := Table{Painter: Painter{On: true}, Head: []string{"A", "B"}}
	table.Row(Cell{Text: "設備", Style: Green}, Cell{Text: "x"})
	table.Row(Cell{Text: "c"}, Cell{})
	got := strings.Join(table.Lines(), "\n")
	want := "\x1b[1mA\x1b[0m     \x1b[1mB\x1b[0m\n\x1b[1;32m設備\x1b[0m  x\nc"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestColors(t *testing.T) {
	var out bytes.Buffer
	for choice, want := range map[string]bool{"always": true, "never": false, "auto": false} {
		if got, err := Colors(choice, &out, func(string) string { return "" }); err != nil || got.On != want {
			t.Errorf("%s: %v, %v", choice, got, err)
		}
	}
	for _, tt := range []struct {
		environment map[string]string
		want        bool
	}{
		{map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{map[string]string{"CLICOLOR_FORCE": "1", "TERM": "dumb"}, true},
		{map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, false},
		{map[string]string{"CLICOLOR": "1"}, false},
	} {
		if got, err := Colors("auto", &out, func(name string) string { return tt.environment[name] }); err != nil || got.On != tt.want {
			t.Errorf("%v: %v, %v", tt.environment, got, err)
		}
	}
	if _, err := Colors("pink", &out, func(string) string { return "" }); err == nil {
		t.Error("pink is a choice")
	}
}

// A progress line is for terminals.
func TestProgressIsQuiet(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, func(string) string { return "" })
	p.started = p.started.Add(-2 * patience)
	p.Show("files", 1, 2)
	p.Clear()
	if out.Len() > 0 {
		t.Errorf("%q", out.String())
	}
	p.on = true
	p.Show("files", 1, 2)
	p.Clear()
	if got := out.String(); !strings.Contains(got, "files: 1 of 2") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("%q", got)
	}
}
