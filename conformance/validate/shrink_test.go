package validate

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// shrinkTries bounds the work: large objects could be cut for minutes, and a
// failure should show soon.
const shrinkTries = 2000

// shrink makes an object smaller as long as it still fails, so that a failure
// shows little more than its cause. It takes away one field or item after
// another until none can go.
func shrink(obj runtime.Object, fails func(runtime.Object) bool) runtime.Object {
	text, err := json.Marshal(obj)
	if err != nil {
		return obj
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return obj
	}
	tries := shrinkTries
	still := func() bool {
		tries--
		candidate, err := rebuild(obj, tree)
		return err == nil && tries > 0 && fails(candidate)
	}
	if !still() {
		// JSON cannot say what is wrong with it.
		return obj
	}
	for again := true; again; {
		again = false
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			if key != "apiVersion" && key != "kind" {
				again = cut(func() any { return tree[key] }, func(v any) { tree[key] = v }, func() { delete(tree, key) }, still) || again
			}
		}
	}
	small, err := rebuild(obj, tree)
	if err != nil {
		return obj
	}
	return small
}

func rebuild(like runtime.Object, tree map[string]any) (runtime.Object, error) {
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	out := reflect.New(reflect.TypeOf(like).Elem()).Interface().(runtime.Object)
	err = json.Unmarshal(text, out)
	return out, err
}

// cut removes a value, or what it can inside of it, and tells whether
// anything went.
func cut(get func() any, set func(any), remove func(), still func() bool) bool {
	before := get()
	remove()
	if still() {
		return true
	}
	set(before)
	went := false
	switch v := before.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			went = cut(func() any { return v[key] }, func(x any) { v[key] = x }, func() { delete(v, key) }, still) || went
		}
	case []any:
		for i := len(v) - 1; i >= 0; i-- {
			list := get().([]any)
			item := list[i]
			shorter := slices.Delete(slices.Clone(list), i, i+1)
			set(shorter)
			if still() {
				went = true
				continue
			}
			set(list)
			went = cut(func() any { return list[i] }, func(x any) { list[i] = x }, func() { list[i] = nil }, still) || went
			if list[i] == nil {
				list[i] = item
			}
		}
	}
	return went
}
