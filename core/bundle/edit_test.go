package bundle

import "testing"

// TestPut sets fields in every way in which an object can be written.
func TestPut(t *testing.T) {
	tests := map[string]struct {
		text, path, key string
		value           any
		want            string
	}{
		"a number":              {"kind: A\nspec:\n  count: 2 # two\n", "spec", "count", 1, "kind: A\nspec:\n  count: 1 # two\n"},
		"a word":                {"kind: A\nspec:\n  class: acc\n", "spec", "class", "gpu", "kind: A\nspec:\n  class: gpu\n"},
		"a word like a number":  {"kind: A\nspec:\n  class: acc\n", "spec", "class", "1", "kind: A\nspec:\n  class: \"1\"\n"},
		"a word like a boolean": {"kind: A\nspec:\n  class: acc\n", "spec", "class", "yes", "kind: A\nspec:\n  class: \"yes\"\n"},
		"a new key":             {"kind: A\nspec:\n  count: 2\n", "spec", "mode", "All", "kind: A\nspec:\n  mode: \"All\"\n  count: 2\n"},
		"a new key of an item":  {"kind: A\nlist:\n- name: x\n  y: z\n", "list[0]", "num", 1, "kind: A\nlist:\n- num: 1\n  name: x\n  y: z\n"},
		"a new key in brackets": {"kind: A\nspec: {count: 2}\n", "spec", "n", 1, "kind: A\nspec: {\"n\": 1, count: 2}\n"},
		"a list in lines":       {"kind: A\nlist:\n- a\n- b\nc: 1\n", "", "list", []int{}, "kind: A\nlist: []\nc: 1\n"},
		"a map in lines":        {"kind: A\nspec:\n  a: 1\nc: 1\n", "", "spec", map[string]int{}, "kind: A\nspec: {}\nc: 1\n"},
		"parts that are missing": {"kind: A\nspec:\n  a: 1\n", "spec.b.c", "d", 1,
			"kind: A\nspec:\n  b: {\"c\":{\"d\":1}}\n  a: 1\n"},
		"nothing there":   {"kind: A\nspec:\n", "spec", "a", 1, "kind: A\nspec: {\"a\": 1}\n"},
		"JSON":            {`{"kind": "A", "spec": {"count": 2}}`, "spec", "count", 1, `{"kind": "A", "spec": {"count": 1}}`},
		"a word in JSON":  {`{"kind": "A", "spec": {"class": "acc"}}`, "spec", "class", "gpu", `{"kind": "A", "spec": {"class": "gpu"}}`},
		"an empty object": {`{"kind": "A", "spec": {}}`, "spec", "n", 1, `{"kind": "A", "spec": {"n": 1}}`},
		"behind a mark":   {"\uFEFFkind: A\nspec:\n  count: 2\n", "spec", "count", 1, "kind: A\nspec:\n  count: 1\n"},
		"a later document": {"kind: A\n---\nkind: B\nspec:\n  ü: 1\n  count: 2\n", "spec", "count", 1,
			"kind: A\n---\nkind: B\nspec:\n  ü: 1\n  count: 1\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := Parse([]byte(tt.text), Options{FieldValidation: Ignore})
			o := b.Objects[len(b.Objects)-1]
			e, ok := o.Put(tt.path, tt.key, tt.value)
			if !ok {
				t.Fatal("it cannot be set")
			}
			got, ok := Apply([]byte(tt.text), []Edit{e})
			if !ok || string(got) != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			back, ok := o.Offsets(o.Place(e))
			if !ok || back.Start != e.Start || back.End != e.End {
				t.Errorf("the place of %v leads to %v", e, back)
			}
		})
	}
}

func TestPutFails(t *testing.T) {
	o := Parse([]byte("kind: A\nlist: [1]\n"), Options{FieldValidation: Ignore}).Objects[0]
	for _, path := range []string{"list", "list[0]", "list[7]", "gone[0]"} {
		if e, ok := o.Put(path, "a", 1); ok {
			t.Errorf("%s: got %v", path, e)
		}
	}
}

func TestApplyRefusesOverlaps(t *testing.T) {
	if got, ok := Apply([]byte("abcdef"), []Edit{{Start: 0, End: 3}, {Start: 2, End: 4}}); ok {
		t.Errorf("got %q", got)
	}
	if got, ok := Apply([]byte("abcdef"), []Edit{{Start: 3, End: 9}}); ok {
		t.Errorf("got %q", got)
	}
	got, ok := Apply([]byte("abcdef"), []Edit{{Start: 4, End: 5, Text: "E"}, {Start: 0, End: 0, Text: "x"}})
	if !ok || string(got) != "xabcdEf" {
		t.Errorf("got %q", got)
	}
}
