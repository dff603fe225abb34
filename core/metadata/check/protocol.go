package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/metadata"
)

// protocol looks at the objects of a file together.
func (f *File) protocol() {
	first := map[string]*CheckedObject{}
	newest := len(metadata.Versions)
	var before, base *CheckedObject
	for i := range f.Objects {
		o := &f.Objects[i]
		if o.Value == nil {
			continue
		}
		version := strings.TrimPrefix(o.APIVersion, metadata.Group+"/")
		rank := slices.Index(metadata.Versions, version)
		switch {
		case first[version] != nil:
			f.about(o, MetadataFinding{Severity: diag.Warning, Code: "version-twice", Field: "apiVersion", Value: version, Location: o.place("apiVersion"),
				Message: fmt.Sprintf("the file has an object of %s already, and readers take the first; remove one of them", version)})
		case rank < newest && before != nil:
			f.about(o, MetadataFinding{Severity: diag.Warning, Code: "version-order", Field: "apiVersion", Value: version, Location: o.place("apiVersion"),
				Message: fmt.Sprintf("%s stands behind the older %s, and readers take the first that they know; write the newest version first", version, strings.TrimPrefix(before.APIVersion, metadata.Group+"/"))})
		}
		if first[version] == nil {
			first[version] = o
		}
		newest, before = min(newest, rank), o
		if base == nil {
			base = o
			f.aboutGeneration(o)
			continue
		}
		if field, was, is := difference(base.Value, o.Value); field != "" {
			f.about(o, MetadataFinding{Severity: diag.Error, Code: "objects-differ", Field: field, Value: is, Location: o.place(field),
				Message: fmt.Sprintf("%s is %s here and %s in the first object, but all objects of a file say the same; write one object in each version", field, is, was)})
		}
	}
}

func (f *File) aboutGeneration(o *CheckedObject) {
	if o.Value.Generation == 0 {
		f.about(o, MetadataFinding{Severity: diag.Warning, Code: "generation-missing", Field: "metadata.generation", Location: o.place("metadata.generation"),
			Message: "the object has no generation, by which readers see that a file has changed; start with 1 and count up"})
	}
}

// Follows looks at a file that takes the place of another.
func (f *File) Follows(previous *File) {
	if f.Taken == nil || previous.Taken == nil {
		return
	}
	o, is, was := f.Taken, f.Taken.Value, previous.Taken.Value
	for _, d := range []struct{ field, is, was string }{
		{"metadata.namespace", is.Namespace, was.Namespace}, {"metadata.name", is.Name, was.Name}, {"metadata.uid", string(is.UID), string(was.UID)},
	} {
		if d.is != d.was {
			f.about(o, MetadataFinding{Severity: diag.Warning, Code: "another-claim", Field: d.field, Value: shown(d.is), Location: o.place(d.field),
				Message: fmt.Sprintf("%s is %s and was %s: this is the file of another claim, so the generations cannot be compared", d.field, shown(d.is), shown(d.was))})
			return
		}
	}
	generation, before := strconv.FormatInt(is.Generation, 10), strconv.FormatInt(was.Generation, 10)
	field, _, _ := changed(was, is)
	finding := MetadataFinding{Field: "metadata.generation", Value: generation, Location: o.place("metadata.generation")}
	switch {
	case is.Generation > was.Generation, is.Generation == was.Generation && field == "":
		return
	case is.Generation == 1:
		finding.Severity, finding.Code = diag.Warning, "generation-restarted"
		finding.Message = fmt.Sprintf("generation is 1 again and was %s, as after the claim was prepared once more; readers that only look for a larger one miss this file", before)
		if was.Generation == 1 {
			finding.Severity, finding.Code = diag.Error, "generation-not-risen"
			finding.Message = fmt.Sprintf("%s has changed and generation is still 1; write 2", field)
		}
	default:
		finding.Severity, finding.Code = diag.Error, "generation-not-risen"
		finding.Message = fmt.Sprintf("generation is %s and was %s; with every change it must rise, so write %d", generation, before, was.Generation+1)
		if field != "" {
			finding.Message = fmt.Sprintf("%s has changed, but generation is %s and was %s; write %d", field, generation, before, was.Generation+1)
		}
	}
	f.about(o, finding)
}

// changed is difference without the generation.
func changed(a, b *metadata.DeviceMetadata) (field, was, is string) {
	x, y := *a, *b
	x.Generation, y.Generation = 0, 0
	return difference(&x, &y)
}

// difference is the first field that two objects do not have in common, by
// name, with both values; empty if there is none. The version does not count.
func difference(a, b *metadata.DeviceMetadata) (field, was, is string) {
	return differs("", plain(a), plain(b))
}

// plain is an object as JSON has it.
func plain(m *metadata.DeviceMetadata) any {
	of := *m
	of.APIVersion, of.Kind = "", ""
	text, err := json.Marshal(&of)
	if err != nil {
		return nil // what was read can be written
	}
	var out any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()      // all digits count
	_ = decoder.Decode(&out) // it was written a moment ago
	return out
}

func differs(path string, a, b any) (field, was, is string) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		keys := map[string]bool{}
		for k := range x {
			keys[k] = true
		}
		for k := range y {
			keys[k] = true
		}
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			next := k
			if strings.HasSuffix(path, "attributes") {
				next = path + "[" + k + "]"
			} else if path != "" {
				next = path + "." + k
			}
			if field, was, is := differs(next, x[k], y[k]); field != "" {
				return field, was, is
			}
		}
		return "", "", ""
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			if field, was, is := differs(path+"["+strconv.Itoa(i)+"]", x[i], y[i]); field != "" {
				return field, was, is
			}
		}
		return "", "", ""
	default:
		if a == b {
			return "", "", ""
		}
	}
	return path, valueText(a), valueText(b)
}

func valueText(v any) string {
	if v == nil {
		return "missing"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "another value"
	}
	return shown(string(text))
}

// shown cuts a value for display.
func shown(s string) string {
	const longest = 60
	if s == "" {
		return "empty"
	}
	runes := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	if len(runes) <= longest {
		return string(runes)
	}
	return string(runes[:longest]) + "…"
}
