package bundle

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

const node = "apiVersion: v1\nkind: Node\nmetadata: {name: one}\n"

// names lists the objects of a bundle.
func names(b *Bundle) string {
	var out []string
	for _, o := range b.Objects {
		out = append(out, fmt.Sprintf("%d:%s/%s", o.Ref.Index, o.Ref.Kind, o.Ref.Name))
	}
	return strings.Join(out, " ")
}

func TestForms(t *testing.T) {
	oneNode := `{"apiVersion":"v1","kind":"Node","metadata":{"name":"one"}}`
	tests := []struct {
		name, text, want string
	}{
		{"yaml", node, "0:Node/one"},
		{"two documents", node + "---\n" + node, "0:Node/one 1:Node/one"},
		{"empty documents", "---\n---\n# nothing\n---\n" + node + "---\n...\n---\n", "0:Node/one"},
		{"document end", node + "...\n" + node, "0:Node/one 1:Node/one"},
		{"comment behind the marker", node + "--- # next\n" + node, "0:Node/one 1:Node/one"},
		{"value behind the marker", "--- " + oneNode, "0:Node/one"},
		{"byte order mark", "\uFEFF" + node, "0:Node/one"},
		{"windows lines", strings.ReplaceAll(node+"---\n"+node, "\n", "\r\n"), "0:Node/one 1:Node/one"},
		{"old mac lines", strings.ReplaceAll(node+"---\n"+node, "\n", "\r"), "0:Node/one 1:Node/one"},
		{"directive", "%YAML 1.1\n---\n" + node, "0:Node/one"},
		{"json", oneNode, "0:Node/one"},
		{"json stream", oneNode + oneNode + "\n" + oneNode, "0:Node/one 1:Node/one 2:Node/one"},
		{"json with tabs", "{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Node\",\n\t\"metadata\": {\"name\": \"one\"}\n}", "0:Node/one"},
		{"json array", "[" + oneNode + ", " + oneNode + "]", "0:Node/one 1:Node/one"},
		{"json and yaml", oneNode + "\n---\n" + node, "0:Node/one 1:Node/one"},
		{"flow yaml", "{apiVersion: v1, kind: Node, metadata: {name: one}}", "0:Node/one"},
		{"yaml list of objects", "- " + strings.ReplaceAll(strings.TrimSpace(node), "\n", "\n  ") + "\n- " + oneNode, "0:Node/one 1:Node/one"},
		{"List", `{"apiVersion":"v1","kind":"List","items":[` + oneNode + `,{"apiVersion":"v1","kind":"List","items":[` + oneNode + `]}]}`, "0:Node/one 1:Node/one"},
		{"typed list", "apiVersion: resource.k8s.io/v1\nkind: ResourceSliceList\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\n  kind: ResourceSlice\n", "0:ResourceSlice/a 1:ResourceSlice/b"},
		{"empty list", "apiVersion: v1\nkind: List\nitems: []\n---\napiVersion: v1\nkind: List\nitems:\n---\n" + node, "0:Node/one"},
		{"generated name", "apiVersion: v1\nkind: Node\nmetadata: {generateName: n-}", "0:Node/n-*"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := Parse([]byte(tt.text), Options{})
			checkFindings(t, b.Diagnostics, nil)
			if got := names(b); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			for _, o := range b.Objects {
				if o.Value == nil {
					t.Errorf("%s is not decoded", o.Ref.Name)
				}
			}
		})
	}
}

// What is broken is reported at its line, and does not hide what follows.
func TestSyntax(t *testing.T) {
	tests := []struct {
		name, text string
		want       string
	}{
		{"indented too far", "metadata:\n  name: x\n   labels: y\n", "3:4-13 yaml-syntax: a colon cannot stand here: the line is indented wrongly, or text that holds a colon and a space must be put in quotes"},
		{"indented too little", "a:\n    b: 1\n  c: 2\n", "3:3-7 yaml-syntax: the line fits to no level above it: its indentation is wrong, or text before it is not in quotes"},
		{"indented at the top", "kind: x\n b: 1\n", "2:2-6 yaml-syntax: a colon cannot stand here: the line is indented wrongly, or text that holds a colon and a space must be put in quotes"},
		{"colon in text", "a: b: c\n", "1:1-8 yaml-syntax: a colon cannot stand here: the line is indented wrongly, or text that holds a colon and a space must be put in quotes"},
		{"tab", "a:\n\tb: 1\n", "2:1-2 yaml-syntax: the line is indented with a tab; YAML takes only spaces, replace the tab by spaces"},
		{"tab deeper", "a:\n  b:\n  \tc: 1\nd: 2\n", "3:3-4 yaml-syntax: the line is indented with a tab; YAML takes only spaces, replace the tab by spaces"},
		{"no colon", "a: 1\nb\nc: 2\n", "2:1-2 yaml-syntax: a colon and a space must follow the key"},
		{"no colon at the end", "a: 1\nb: 2\nc\n", "3:1-2 yaml-syntax: a colon and a space must follow the key"},
		{"no space after the colon", "a: 1\nb:2\nc: 3\n", "2:1-4 yaml-syntax: a colon and a space must follow the key"},
		{"list in a map", "a: 1\n- b\n", "2:1-4 yaml-syntax: the line fits to no level above it: its indentation is wrong, or text before it is not in quotes"},
		{"map in a list", "a:\n- b\n- c\nd: 1\n e: 2\n", "5:2-6 yaml-syntax: a colon cannot stand here: the line is indented wrongly, or text that holds a colon and a space must be put in quotes"},
		{"item out of line", "a:\n  - b\n - c\n", "3:2-5 yaml-syntax: the line fits to no level above it: its indentation is wrong, or text before it is not in quotes"},
		{"open bracket", "a: 1\nb: [1,\n  2\nc: 3\n", "2:1-7 yaml-syntax: the [ that opens here is not closed, or a comma between its items is missing"},
		{"open bracket in line 1", "b: [1,\n  2\nc: 3\n", "1:1-7 yaml-syntax: the [ that opens here is not closed, or a comma between its items is missing"},
		{"open brace", "a: 1\nb: {x: 1\nc: 3\n", "2:1-9 yaml-syntax: the { that opens here is not closed, or a comma between its entries is missing"},
		{"open brace at the end", "x: 0\na: {b: 1\n", "2:1-9 yaml-syntax: the { that opens here is not closed, or a comma between its entries is missing"},
		{"open quote", "a: 1\nb: \"x\nc: 2\nd: 3\n", "2:1-6 yaml-syntax: the quote that opens here is not closed"},
		{"open single quote in line 1", "b: 'x\nc: 2\n", "1:1-6 yaml-syntax: the quote that opens here is not closed"},
		{"at sign", "a: 1\nb: @x\n", "2:1-6 yaml-syntax: a value cannot start with @; put it in quotes"},
		{"back quote", "a:\n- `x`\n", "2:1-6 yaml-syntax: a value cannot start with `; put it in quotes"},
		{"percent", "a: %x\n", "1:1-6 yaml-syntax: a value cannot start with %; put it in quotes"},
		{"escape", "a: 1\nb: \"\\d\"\n", "2:1-8 yaml-syntax: the text in double quotes holds a backslash that escapes nothing; write \\\\, or use single quotes"},
		{"anchor", "a: 1\nb: 2\nc: *x\n", "3:1-6 yaml-syntax: *x refers to an anchor that the document does not have; define &x before it"},
		{"expression with quotes", "cel:\n  expression: device.driver == \"x\" && a: b\n", "2:3-43 yaml-syntax: a colon cannot stand here: the line is indented wrongly, or text that holds a colon and a space must be put in quotes"},
		{"expression in quotes that goes on", "cel:\n  expression: \"x\" == y\nz: 1\n", "2:3-23 yaml-syntax: the line fits to no level above it: its indentation is wrong, or text before it is not in quotes"},
		{"after comments", "# a\n\n# b\na: 1\n\n# c\n b: 2\n", "7:2-6 yaml-syntax: the line fits to no level above it: its indentation is wrong, or text before it is not in quotes"},
		{"template", "a: {{ .Values.x }}\n", "1:5-5 yaml-value: a key must be a scalar, not a map; if this is {{ a template }}, render it first"},
		{"infinite", "a: 1\nb: .inf\n", "2:4-8 yaml-value: .inf is no number that JSON can hold; if it is text, put it in quotes"},
		{"null key", "a: 1\n~: 2\n", "2:1-2 yaml-value: the key \"~\" cannot be a key in JSON; put it in quotes"},
		{"value in itself", "a: &x\n  b: *x\n", "2:6-6 yaml-alias: *x stands inside the value that it stands for; a value cannot hold itself"},
		{"merge of a scalar", "a: 1\n<<: 2\n", "2:1-3 yaml-value: << takes a map, or a list of maps, to merge"},
		{"braces of yaml", "{a: 1, b: [2\n", "1:1-13 yaml-syntax: the [ that opens here is not closed, or a comma between its items is missing"},
		{"json comma", "{\"a\": 1,}\n{\"b\"", "1:8-9 json-syntax: JSON allows no comma before the closing }; remove it"},
		{"json cut off", "{\n  \"a\": [1, 2", "2:13-13 json-syntax: the JSON text ends before the closing ]; it was cut off, or a bracket is missing"},
		{"json missing comma", "{\n  \"a\": 1\n  \"b\": 2\n}", "3:3-4 json-syntax: a comma or the closing } is expected here"},
		{"json single quotes", "{\"a\":'x', \"a\" 1}", "1:6-9 json-syntax: 'x' is not a value in JSON; text must stand in double quotes"},
		{"json escape", "{\"a\": \"\\d\", }}", "1:7-11 json-syntax: the string holds an escape that JSON does not have; a backslash is written \\\\"},
		{"html", "<!DOCTYPE html>\n<html>\n", "1:1-16 not-yaml: this is HTML or XML, not YAML or JSON; fetch the raw file"},
		{"kubectl error", "Error from server (NotFound): pods \"x\" not found\n", "1:1-49 not-yaml: this is an error message of kubectl, not an object; run the command again when it works, with -o yaml or -o json"},
		{"table", "NAME   READY\nx      1/1\n", "1:1-13 not-yaml: this is a table as kubectl prints it for reading; print the objects with -o yaml or -o json"},
		{"prose", "hello world\n", "1:1-12 not-an-object: this is plain text, not an object: an object is a map with apiVersion, kind and metadata; kubectl prints it with -o yaml or -o json"},
		{"number", "17\n", "1:1-3 not-an-object: an object is a map with apiVersion, kind and metadata, not a number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, form := range []struct {
				name   string
				breaks string
			}{{"unix", "\n"}, {"windows", "\r\n"}} {
				lines := strings.ReplaceAll(tt.text, "\n", form.breaks)
				b := Parse([]byte(lines), Options{})
				var got []diag.Diagnostic
				for _, d := range b.Diagnostics {
					if d.Rule != "api-version-required" {
						got = append(got, d)
					}
				}
				checkFindings(t, got, []string{tt.want})
			}
			// The same behind another document: lines move, and both stand.
			b := Parse([]byte(node+"---\n"+tt.text+"\n---\n"+node), Options{})
			if got := names(b); !strings.HasPrefix(got, "0:Node/one ") || !strings.HasSuffix(got, ":Node/one") {
				t.Errorf("objects: %s", got)
			}
			moved := false
			for _, d := range b.Diagnostics {
				moved = moved || (d.Location.Document == 1 && strings.HasPrefix(show(d), shift(tt.want, 4)))
			}
			if !moved {
				t.Errorf("got %v, want %s", b.Diagnostics, shift(tt.want, 4))
			}
		})
	}
}

// shift moves the place at the start of a shown finding down.
func shift(shown string, lines int) string {
	var line int
	if _, err := fmt.Sscanf(shown, "%d:", &line); err != nil {
		return shown
	}
	_, rest, _ := strings.Cut(shown, ":")
	return fmt.Sprintf("%d:%s", line+lines, rest)
}

func TestSeparators(t *testing.T) {
	for line, want := range map[string]string{
		"–--":   "5:1-4 document-separator: the document separator is written with an en dash (U+2013), so that the two documents run together; write three hyphens: ---",
		"—  ":   "5:1-2 document-separator: the document separator is written with an em dash (U+2014), so that the two documents run together; write three hyphens: ---",
		"-–":    "5:1-3 document-separator: the document separator is written with an en dash (U+2013), so that the two documents run together; write three hyphens: ---",
		"----":  "5:1-5 document-separator: the document separator is written with 4 hyphens; write exactly three: ---",
		"--":    "5:1-3 document-separator: the document separator is written with 2 hyphens; write exactly three: ---",
		"```":   "5:1-4 not-yaml: ``` marks code in Markdown and is no YAML; remove the line",
		"```go": "5:1-6 not-yaml: ```go marks code in Markdown and is no YAML; remove the line",
	} {
		b := Parse([]byte("\n"+node+line+"\n"+node), Options{})
		for i := range b.Diagnostics {
			b.Diagnostics[i].Suggestion = nil
		}
		checkFindings(t, b.Diagnostics, []string{want})
		if names(b) != "0:Node/one 1:Node/one" {
			t.Errorf("%s: %s", line, names(b))
		}
	}
	b := Parse([]byte(node+"–--\n"+node), Options{})
	if s := b.Diagnostics[0].Suggestion; s == nil || s.Replacement != "---" || place(s.Location) != "4:1-4" {
		t.Errorf("the mend is %v", s)
	}
}

func TestEncoding(t *testing.T) {
	for text, want := range map[string]string{
		"a: \xff":                           "1:4-4 encoding: the byte 0xFF is not UTF-8; save the text as UTF-8",
		"\xff\xfea\x00":                     "1:1-1 encoding: the text is UTF-16; save it as UTF-8",
		"a: é\nb: \x07":                     "2:4-5 encoding: the text holds the control character U+0007, which YAML does not allow; remove it",
		"a: 1\n\uFEFFb: 2":                  "2:1-2 encoding: a byte order mark (U+FEFF) stands inside the text, where files were joined; remove it",
		node + "---\na: \x07\n---\n" + node: "5:4-5 encoding: the text holds the control character U+0007, which YAML does not allow; remove it",
		"":                                  "? empty/warning: there is no object in the text; give it YAML or JSON of Kubernetes objects",
		"# just a comment ":                 "? empty/warning: there is no object in the text; give it YAML or JSON of Kubernetes objects",
	} {
		checkFindings(t, Parse([]byte(text), Options{}).Diagnostics, []string{want})
	}
}

func TestLimits(t *testing.T) {
	tests := []struct {
		name   string
		text   string
		limits Limits
		want   string
	}{
		{"bytes", node, Limits{Bytes: 10}, "? limit: the text has more than 10 bytes, which is the most that is read; split it"},
		{"documents", node + "---\n" + node + "---\n" + node, Limits{Documents: 2}, "9:1-1 limit: the text has more than 2 documents; split it"},
		{"objects", node + "---\n" + node, Limits{Objects: 1}, "5:1-7:20 limit: the text holds more than 1 objects; split it"},
		{"depth", "a: [[[[1]]]]", Limits{Depth: 4}, "1:7-7 limit: values are nested more than 4 deep here; no Kubernetes object needs that"},
		{"depth in json", `{"a": [[[[1]]]]}`, Limits{Depth: 4}, "1:10-10 limit: values are nested more than 4 deep here; no Kubernetes object needs that"},
		{"values", "a: [1, 2, 3]", Limits{Nodes: 5}, "1:6-6 limit: the text holds more than 5 values, or 33554432 bytes of them, once every alias is expanded; split it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := Parse([]byte(tt.text), Options{Limits: tt.limits})
			if len(b.Diagnostics) == 0 {
				t.Fatal("no finding")
			}
			got := show(b.Diagnostics[0])
			if tt.name == "objects" {
				tt.want = "5:1-15 limit: the text holds more than 1 objects; split it"
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Texts that are made to blow up must be refused soon.
func TestHostileTexts(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 20 {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	long := "a: &a \"" + strings.Repeat("x", 1<<20) + "\"\nb: [" + strings.Repeat("*a, ", 1000) + "]\n"
	var merges strings.Builder
	merges.WriteString("base: &m {" + strings.Repeat("k", 1))
	for i := range 5000 {
		fmt.Fprintf(&merges, ", k%d: 1", i)
	}
	merges.WriteString("}\n")
	for i := range 5000 {
		fmt.Fprintf(&merges, "m%d: {<<: *m}\n", i)
	}
	for name, text := range map[string]string{
		"billion laughs": laughs.String(),
		"long string":    long,
		"merges":         merges.String(),
		"deep brackets":  strings.Repeat("[", 1<<20),
		"deep braces":    strings.Repeat("{a: ", 1<<18),
		"deep json":      strings.Repeat(`{"a":`, 1<<18),
		"deep dashes":    strings.Repeat("- ", 1<<19),
		"deep keys":      strings.Repeat("? ", 1<<19),
	} {
		start := time.Now()
		b := Parse([]byte(text), Options{})
		if !diag.HasErrors(b.Diagnostics) {
			t.Errorf("%s: accepted", name)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s took %s", name, d)
		} else {
			t.Logf("%s: %s: %s", name, d, show(b.Diagnostics[0]))
		}
	}
}
