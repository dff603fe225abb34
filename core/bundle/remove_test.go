package bundle

import "testing"

func TestRemoveAndAppend(t *testing.T) {
	const head = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\n"
	remove := func(path string) func(o *Object) (Edit, bool) {
		return func(o *Object) (Edit, bool) { return o.Remove(path) }
	}
	tests := []struct {
		name, text string
		edit       func(o *Object) (Edit, bool)
		want       string // empty where it must not be possible
	}{
		{"a line", "spec:\n  a: 1 # why\n  b: 2\n", remove("spec.a"), "spec:\n  b: 2\n"},
		{"several lines", "spec:\n  a:\n    c: 1\n    d: |\n      x\n  b: 2\n", remove("spec.a"), "spec:\n  b: 2\n"},
		{"the last line, without a break", "spec:\n  b: 2\n  a: 1", remove("spec.a"), "spec:\n  b: 2\n"},
		{"what would leave nothing", "spec:\n  a:\n    b: 1\n  c: 2\n", remove("spec.a.b"), "spec:\n  c: 2\n"},
		{"behind a dash", "spec:\n  l:\n  - a: 1\n    b: 2\n", remove("spec.l[0].a"), "spec:\n  l:\n  - b: 2\n"},
		{"below a dash", "spec:\n  l:\n  - a: 1\n    b: 2\n", remove("spec.l[0].b"), "spec:\n  l:\n  - a: 1\n"},
		{"an item", "spec:\n  l:\n  - a: 1\n  - b: 2\n", remove("spec.l[1]"), "spec:\n  l:\n  - a: 1\n"},
		{"the first in brackets", "spec: {a: 1, b: 2}\n", remove("spec.a"), "spec: {b: 2}\n"},
		{"the last in brackets", "spec: {a: 1, b: {c: 2}}\n", remove("spec.b"), "spec: {a: 1}\n"},
		{"an item in brackets", "spec: {l: [1, 2, 3]}\n", remove("spec.l[1]"), "spec: {l: [1, 3]}\n"},
		{"behind a dash with a list below", "spec:\n  l:\n  - a: 1\n    # why\n    b: 2\n", remove("spec.l[0].a"), ""},
		{"what is not there", "spec:\n  a: 1\n", remove("spec.b"), ""},
		{"the object", "spec:\n  a: 1\n", remove(""), ""},
		{"append to brackets", "spec: {l: [a]}\n", func(o *Object) (Edit, bool) { return o.Append("spec.l", "b") }, "spec: {l: [a, b]}\n"},
		{"append to lines", "spec:\n  l:\n  - a # why\n  b: 1\n", func(o *Object) (Edit, bool) { return o.Append("spec.l", "b") }, "spec:\n  l:\n  - a # why\n  - b\n  b: 1\n"},
		{"append to nothing", "spec: {l: []}\n", func(o *Object) (Edit, bool) { return o.Append("spec.l", "b") }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := Parse([]byte(head+tt.text), Options{FieldValidation: Ignore})
			edit, ok := tt.edit(b.Objects[0])
			if ok != (tt.want != "") {
				t.Fatalf("possible is %t: %+v", ok, edit)
			}
			if !ok {
				return
			}
			got, ok := Apply([]byte(head+tt.text), []Edit{edit})
			if !ok || string(got) != head+tt.want {
				t.Errorf("got\n%s", got)
			}
		})
	}
}
