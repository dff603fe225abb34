package cluster

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestWritten compares with the library that kubectl prints YAML with.
func TestWritten(t *testing.T) {
	for seed := range uint64(2_000) {
		random := rand.New(rand.NewPCG(seed, 8))
		raw, err := json.Marshal(map[string]any{"spec": anything(random, 0), "metadata": anything(random, 0)})
		if err != nil {
			t.Fatal(err)
		}
		want, err := yaml.JSONToYAML(raw)
		if err != nil {
			t.Fatal(err)
		}
		var tree map[string]any
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		if err := d.Decode(&tree); err != nil {
			t.Fatal(err)
		}
		if got, err := written(tree); err != nil || string(got) != string(want) {
			t.Fatalf("seed %d: %v\n%s\nwritten as\n%s\nwant\n%s", seed, err, raw, got, want)
		}
	}
}

// anything is a value as objects may have it, with the texts that YAML has to
// quote, fold or mark.
func anything(random *rand.Rand, depth int) any {
	texts := []string{
		"", " ", "a", "true", "yes", "null", "~", "1", "01", "1e3", "0x1f", "1_000", ".5", "1:30", "2026-11-30", "=", "<<", "- a", "a: b", "a #b", "#a",
		"a\n", "a\nb\n", "\na", "  a\n b", "tab\t", "a\\b", `"`, "'", "é", "\u0001", "\u2028", "{a}", "[a]", "*a", "&a", "!a", "%a", "@a", "`a", "a,b", "?", "-", ":", "10Gi",
		strings.Repeat("long ", 40), "nvidia.com/gpu", `device.attributes["gpu.example.com"].model == "A100"`,
	}
	numbers := []string{"0", "-1", "1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615", "1.5", "-0.25", "1e3", "1E-7", "1.0", "123456789012345678901234567890"}
	switch pick := random.IntN(8); {
	case pick < 2 && depth < 4:
		out := map[string]any{}
		for range random.IntN(4) {
			key := texts[random.IntN(len(texts))]
			if random.IntN(2) == 0 {
				key = fmt.Sprintf("k%d", random.IntN(20))
			}
			out[key] = anything(random, depth+1)
		}
		return out
	case pick < 4 && depth < 4:
		out := []any{}
		for range random.IntN(4) {
			out = append(out, anything(random, depth+1))
		}
		return out
	case pick == 4:
		return json.Number(numbers[random.IntN(len(numbers))])
	case pick == 5:
		return []any{nil, true, false}[random.IntN(3)]
	}
	return texts[random.IntN(len(texts))]
}
