package classic

import (
	"bytes"
	"encoding/json"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
)

// treeOf reads an object of the text as plain maps and lists.
func treeOf(n *bundle.Node) map[string]any {
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(n.JSON()))
	d.UseNumber()
	if d.Decode(&out) != nil || out == nil {
		return map[string]any{}
	}
	return out
}

func get(tree map[string]any, path ...string) any {
	for i, key := range path {
		v := tree[key]
		if i == len(path)-1 {
			return v
		}
		next, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		tree = next
	}
	return nil
}

func text(tree map[string]any, path ...string) string {
	s, _ := get(tree, path...).(string)
	return s
}

func items(tree map[string]any, path ...string) []any {
	list, _ := get(tree, path...).([]any)
	return list
}

// set writes a value; nil removes it.
func set(tree map[string]any, value any, path ...string) {
	for _, key := range path[:len(path)-1] {
		next, ok := tree[key].(map[string]any)
		if !ok {
			if value == nil {
				return
			}
			next = map[string]any{}
			tree[key] = next
		}
		tree = next
	}
	last := path[len(path)-1]
	if value == nil {
		delete(tree, last)
		return
	}
	tree[last] = value
}

// copyOf copies maps and lists.
func copyOf(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inside := range v {
			out[key] = copyOf(inside)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inside := range v {
			out[i] = copyOf(inside)
		}
		return out
	}
	return v
}

// size is how much text an object holds, about.
func size(v any) int {
	switch v := v.(type) {
	case map[string]any:
		n := 2
		for key, inside := range v {
			n += len(key) + size(inside)
		}
		return n
	case []any:
		n := 2
		for _, inside := range v {
			n += size(inside)
		}
		return n
	case string:
		return len(v) + 2
	}
	return 4
}

func strings(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
