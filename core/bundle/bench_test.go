package bundle

import (
	"bytes"
	"fmt"
	"testing"
)

// manySlices makes the text of many slices, as kubectl prints them.
func manySlices(count int, asJSON bool) []byte {
	var text bytes.Buffer
	for i := range count {
		fmt.Fprintf(&text, "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata:\n  name: slice-%d\nspec:\n  driver: gpu.example.com\n  nodeName: worker-%d\n  pool:\n    name: worker-%d\n    generation: 1\n    resourceSliceCount: 1\n  devices:\n", i, i, i)
		for j := range 8 {
			fmt.Fprintf(&text, "  - name: gpu-%d\n    attributes:\n      model:\n        string: A%d\n      firmware:\n        version: 1.2.3\n      resource.kubernetes.io/pcieRoot:\n        string: pci0000:0%d\n    capacity:\n      memory:\n        value: 80Gi\n", j, j, j)
		}
	}
	if !asJSON {
		return text.Bytes()
	}
	var out bytes.Buffer
	out.WriteString(`{"apiVersion":"v1","kind":"List","items":[`)
	for i, o := range Parse(text.Bytes(), Options{}).Objects {
		if i > 0 {
			out.WriteString(",\n")
		}
		out.Write(o.Raw.JSON())
	}
	out.WriteString("]}")
	return out.Bytes()
}

func BenchmarkParse(b *testing.B) {
	for name, asJSON := range map[string]bool{"yaml": false, "json": true} {
		b.Run(name, func(b *testing.B) {
			text := manySlices(500, asJSON)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if r := Parse(text, Options{}); len(r.Objects) != 500 || len(r.Diagnostics) != 0 {
					b.Fatal(len(r.Objects), r.Diagnostics)
				}
			}
		})
	}
}
