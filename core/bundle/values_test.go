package bundle

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// ourJSON reads one document and renders it. It is empty if anything was
// wrong with the document.
func ourJSON(text string) string {
	src := newSource([]byte(text))
	doc := &document{src: src, end: len(text)}
	n, err := readYAML(doc, newBudget(Limits{}.withDefaults()))
	if err != nil {
		return ""
	}
	for _, p := range doc.problems {
		if !p.warning {
			return ""
		}
	}
	return string(n.JSON())
}

// theirJSON is what kubectl makes of the document.
func theirJSON(text string) string {
	out, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// equalJSON compares two renderings.
func equalJSON(a, b string) bool {
	if a == "" || b == "" {
		return a == b
	}
	var left, right bytes.Buffer
	if json.Compact(&left, []byte(a)) != nil || json.Compact(&right, []byte(b)) != nil {
		return false
	}
	return bytes.Equal(left.Bytes(), right.Bytes())
}

// Every scalar that people stumble over means what it means to kubectl.
func TestValuesAreKubectls(t *testing.T) {
	scalars := []string{
		"y", "Y", "yes", "Yes", "YES", "yEs", "n", "N", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF",
		"true", "True", "TRUE", "tRUE", "false", "False", "FALSE", "null", "Null", "NULL", "nULL", "~", "", `""`, "''",
		"0", "1", "-1", "+1", "010", "0o10", "08", "0x1F", "0X1f", "0b101", "-0b101", "0b2", "0b+1", "0b-1", "-0b-1", "-0b+1", "+0b1", "0b", "-0b", "1_000", "_1", "1__0", "0x_ff", "1_",
		"1.0", "1.10", "1e3", "1E3", "1e+3", "1e-7", "1e21", "1e20", ".5", "5.", "-.5", "+.5", "-5.e2", ".", "..", "-", "+", "1.2.3", "1.2.3.4", "1e", "e1", ".e1",
		"12e03", "1_0.5_0", "0.1", "100000000000000000000", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775808", "-9223372036854775809",
		"1e400", "1:30", "190:20:30", "2001-12-14", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43", "2001-1-1", "20011-1-1", "2001-13-41",
		"0x", "0o", "0b", "0x1p4", "0x1.8p1", ".0x1", "1f", "1d", "infinity", "nan", "inf", "NaN", "Inf",
		"8Gi", "500m", "1.5Gi", "a b", "a: b", "'on'", `"on"`, `"1"`, "!!str 1", "!!str on", "!!int 3", `!!int "3"`, "!!float 3", "!!float 3.5", "!!bool yes", "!!null ''", "!!binary aGk=", "! 12", "! on", "!<!>", "!<!> 12", "!foo 12", "!foo on",
		"!!str", "!!int 0o7", "!!timestamp 2001-12-14", "|\n  on", ">\n  1\n  2", "|-\n  on\n", "|+\n  on\n\n", "\"a\\tb\\u00e9\\\n   c\"", "'it''s'", "a\n  b\n\n  c",
		"<<", "=", "é", "日本", "a#b", "a #b", "\"\\ud83d\\ude00\"",
	}
	for _, s := range scalars {
		for _, text := range []string{"a: " + s, "- " + s, s} {
			if want := theirJSON(text); !equalJSON(ourJSON(text), want) {
				t.Errorf("%q: got %q, kubectl has %q", text, ourJSON(text), want)
			}
		}
	}
}

func TestKeysAreKubectls(t *testing.T) {
	for _, key := range []string{"on", "y", "1", "010", "1.0", "1.50", "1e3", "~", "null", `"on"`, "true", "-1", "18446744073709551615", "0x10", "2001-12-14", "!!str 1", "!!int 1", "é", ".5", "1e100"} {
		text := key + ": v"
		if want := theirJSON(text); !equalJSON(ourJSON(text), want) {
			t.Errorf("%q: got %q, kubectl has %q", text, ourJSON(text), want)
		}
	}
}

func TestStructuresAreKubectls(t *testing.T) {
	for _, text := range []string{
		"a: &x {b: 1, c: 2}\nd: *x",
		"base: &x {b: 1, c: 2}\nd:\n  <<: *x\n  b: 3",
		"base: &x {b: 1, c: 2}\nd:\n  b: 3\n  <<: *x",
		"p: &x {b: 1, c: 2}\nq: &y {c: 3, e: 4}\nd:\n  <<: [*x, *y]\n  b: 9",
		"p: &x {b: 1, c: 2}\nq: &y {c: 3, e: 4}\nd:\n  <<: [*y, *x]",
		"d:\n  <<: {b: 1}\n  c: 2",
		"d:\n  \"<<\": {b: 1}\n  c: 2",
		"a: 1\na: 2",
		"a: {b: 1, b: 2}",
		"a:\n- 1\n-\n- [x, {y: z}]\n- {k: }\n- [a: b]",
		"? a\n: b\n? c",
		"{a: 1, b, c: [1, 2,]}",
		"a: &e\nb: *e",
		"a: &k on\n*k : v",
		"--- {a: 1}",
		"---\n# c\na: 1\n...\n",
		"a: \"x\\\n  y\"\nb: 'x\n  y'\nc: >-\n  x\n  y\n\n   z\n",
		"&a [1, 2]",
		"&a !!map {x: 1}",
		"a: <\nb: >\n   x>&\n",
		"%YAML 1.1\n---\na: on",
		"- &a a\n- &a b\n- *a",
		"a: [\n  1,\n  # c\n  2\n]",
	} {
		if want := theirJSON(text); !equalJSON(ourJSON(text), want) {
			t.Errorf("%q:\n got %s\nwant %s", text, ourJSON(text), want)
		}
	}
}

// readable tells whether the text gets as far as the YAML library.
func readable(text string) bool {
	src := newSource([]byte(text))
	return notUTF8(src.text) == nil && control(&document{src: src, end: len(text)}) == nil
}

// countYAML counts the values of a tree, keys included.
func countYAML(n *yamlv3.Node) int {
	count := 1
	for _, child := range n.Content {
		count += countYAML(child)
	}
	return count
}

// checkCount makes sure that no document has more values than are counted
// beforehand.
func checkCount(t *testing.T, text string) {
	root, err := parseYAML([]byte(text))
	if err != nil || root == nil {
		return
	}
	n := countYAML(root) - 1 // the document is none
	if n > 0 && tooManyValues([]byte(text), n-1) < 0 {
		t.Errorf("%q has %d values, and not as many were counted", text, n)
	}
}

func TestValuesAreCountedFromAbove(t *testing.T) {
	for _, text := range []string{
		"", "a", "a: b", "a:\n- b\n- c: d\n  e:\n  - - f\n    -\n", "[a, b]", "[]", "[[], [[]]]", "{a, b: c, d: }", "{\"a\":1,\"b\":[2,{\"c\":3}]}", "[a: b, c: d, ? e]", "? a\n: b\n? c\n? d\n",
		"- &x a\n- *x\n- !!str b\n-\n", "{a: [b, c], 'd':e, {f: g}: h, [i]: j}", "[{}, {a}, {a,b}, {? a, ? b}]", "a: |\n  b\n  c\nd: >\n  e\n", "a:\n  b:\n    c:\n      - d\n",
		"-\u0085-\u2028- a:\u2029b", "{a:}", "{a:,b:}", "[a:,b]", "{a:[b]}", "{a:{b}}", "- - - -", "a: 'b'\n\"c\": d\n", "{? }", "[?]", "{\"a\"}",
	} {
		checkCount(t, text)
	}
}

// FuzzValues compares what both accept.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{
		"a: on\nb: [1, 2.50, 0o10]", "x: &a {k: v}\ny:\n  <<: *a\n  k: w", "- |\n  text\n- >-\n  more", "1: 2\n1.5: y", "a: 'it''s'\n\"b\": \"\\x41\"", "? [a]\n: b", "!!set {a, b}",
		"a: !!binary aGk=", "a: 2001-01-01", "- - - 1", "a: ~\n~: a",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 10_000 || !readable(text) {
			return
		}
		checkCount(t, text)
		ours, theirs := ourJSON(text), theirJSON(text)
		if ours == "" || theirs == "" {
			return
		}
		if !equalJSON(ours, theirs) {
			t.Errorf("%q:\n got %s\nwant %s", text, ours, theirs)
		}
	})
}
