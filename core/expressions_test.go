package core

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestExpressionsChangeNothing asks with expressions that were remembered from
// other versions, gates and objects, and compares with answers that know none.
func TestExpressionsChangeNothing(t *testing.T) {
	const class = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {selectors: [{cel: {expression: 'EXPRESSION'}}]}\n"
	const claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: a, selectors: [{cel: {expression: 'EXPRESSION'}}]}}]}}\n"
	const slice = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: a.example.com, nodeName: n, pool: {name: n, generation: 1, resourceSliceCount: 1}, devices: [{name: d, attributes: {index: {int: 1}}}]}\n"
	expressions := []string{
		`device.attributes["a.example.com"].index < 8`, `device.attributes["a.example.com"].index < "8"`, `device.attributes["a.example.com"].nothing`,
		`device.allowMultipleAllocations`, `device.attributes["a.example.com"].index.includes(1)`, `device.driver = "a"`, `device.driver == "b.example.com"`,
	}
	asked := []Options{{}, {KubernetesVersion: "1.34"}, {KubernetesVersion: "1.31"}, {FeatureGates: "DRAConsumableCapacity=true,DRAListTypeAttributes=true"}, {FeatureGates: "DRAConsumableCapacity=false"}}
	known := &Expressions{}
	different := map[string]bool{}
	for _, expression := range expressions {
		text := strings.ReplaceAll(class+"---\n"+claim+"---\n"+slice, "EXPRESSION", expression)
		for _, opts := range asked {
			answer := func(opts Options) []byte {
				result, err := Validate(context.Background(), []byte(text), opts)
				if err != nil {
					t.Fatal(err)
				}
				out, err := JSON(result)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			want := answer(opts)
			different[string(want)] = true
			opts.Expressions = known
			for range 2 {
				if got := answer(opts); !bytes.Equal(got, want) {
					t.Errorf("%s with %+v:\n%s\nwant\n%s", expression, opts, got, want)
				}
			}
		}
	}
	if len(different) < 10 {
		t.Errorf("only %d answers differ", len(different))
	}
}
