package validate

import "testing"

// BenchmarkCreate checks the largest slice that is right: 128 devices with 32
// attributes each.
func BenchmarkCreate(b *testing.B) {
	text := sliceWith(devices(128, ""))
	body := ", attributes: {" + many(32, "a%d: {string: some-model}, ") + "}}"
	lines := []byte{}
	for _, c := range []byte(text) {
		if c == '}' && len(lines) > 200 {
			lines = append(lines, body...)
			continue
		}
		lines = append(lines, c)
	}
	t := &testing.T{}
	obj := parse(t, string(lines))
	env := environment(t, "", "")
	b.ReportAllocs()
	for b.Loop() {
		if found := Create(obj, env).Diagnostics; len(found) > 0 {
			b.Fatal(found[0])
		}
	}
}
