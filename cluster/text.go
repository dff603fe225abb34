package cluster

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"go.yaml.in/yaml/v2"
)

// written is what kubectl get -o yaml prints of an object. It is what
// sigs.k8s.io/yaml makes of it, without its way from JSON through a parser of
// YAML, which takes most of the time that reading a large cluster does.
func written(tree map[string]any) ([]byte, error) {
	plain, err := plainOf(tree)
	if err != nil {
		return nil, err
	}
	return yaml.Marshal(plain)
}

// plainOf gives numbers the types that YAML has for them.
func plainOf(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			if out[key], err = plainOf(value); err != nil {
				return nil, err
			}
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			if out[i], err = plainOf(value); err != nil {
				return nil, err
			}
		}
		return out, nil
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n, nil
		}
		if n, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return n, nil
		}
		f, err := v.Float64()
		if err != nil || math.IsInf(f, 0) {
			return nil, fmt.Errorf("an object has the number %.20s, which is beyond what numbers can be", v)
		}
		return f, nil
	}
	return v, nil
}
