package validate

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core"
)

// convertedObjects is how many objects are converted.
const convertedObjects = 2000

// TestConvert fills in defaults and converts generated objects, right and wrong
// ones, from and to every API version of their kind. What comes of it is what
// Kubernetes' own defaulting and conversion make, and what is told to be lost
// is what they lose on the way there and back.
func TestConvert(t *testing.T) {
	gates := gateSets(t, rand.New(rand.NewPCG(*seed, 0)), chief)[1]
	gates.apply(t)
	options := core.Options{FieldValidation: "Ignore", FeatureGates: "AllAlpha=true,AllBeta=true"}
	pairs, losses := map[[2]string]int{}, 0
	for i := range uint64(convertedObjects) {
		o := makeSample(t, 1<<41+i)
		o.object = written(t, o.object)
		for _, to := range o.kind.versions {
			want, back := convertedBy(t, o, to)
			text, err := json.Marshal(o.object)
			if err != nil {
				t.Fatal(err)
			}
			result, err := core.Convert(context.Background(), text, core.ConvertOptions{Options: options, APIVersion: group + "/" + to})
			if err != nil || len(result.Objects) != 1 {
				t.Fatal(err)
			}
			got := result.Objects[0]
			if got.To != group+"/"+to {
				t.Fatalf("object %d is not given in %s: %s\n%s", i, to, got.Message, text)
			}
			given, err := yaml.YAMLToJSON([]byte(got.Text))
			if err != nil {
				t.Fatal(err)
			}
			if have := asCompared(t, given); !reflect.DeepEqual(have, want) {
				t.Fatalf("object %d, from %s to %s:\n%s\nKubernetes has\n%s\nDrawbridge\n%s", i, o.version, to, text, inJSON(t, want), inJSON(t, have))
			}
			lost := 0
			for _, c := range got.Changes {
				if c.What == "lost" {
					lost++
				}
			}
			if (lost > 0) != back {
				t.Fatalf("object %d, from %s to %s and back: something is lost is %t for Kubernetes, and Drawbridge tells of %d\n%s", i, o.version, to, back, lost, text)
			}
			if lost > 0 {
				losses++
			}
			pairs[[2]string{o.version, to}]++
		}
	}
	for _, from := range []string{"v1", "v1beta2", "v1beta1"} {
		for _, to := range []string{"v1", "v1beta2", "v1beta1"} {
			if pairs[[2]string{from, to}] < 60 {
				t.Errorf("only %d objects from %s to %s", pairs[[2]string{from, to}], from, to)
			}
		}
	}
	if losses == 0 {
		t.Error("nothing was lost")
	}
	t.Logf("%d pairs of versions, something lost in %d objects", len(pairs), losses)
}

// TestRoundTrips sends generated objects with their status from one API version
// through the two others and back. After each step core.Convert gives what
// Kubernetes' own defaulting and conversion give of the same object; what they
// keep is there at the end, and what they do not keep was told to be lost.
func TestRoundTrips(t *testing.T) {
	const trips = 150
	gates := gateSets(t, rand.New(rand.NewPCG(*seed, 0)), chief)[1]
	gates.apply(t)
	options := core.Options{FieldValidation: "Ignore", FeatureGates: "AllAlpha=true,AllBeta=true"}
	ways := [][]string{{"v1", "v1beta2", "v1beta1", "v1"}, {"v1beta1", "v1", "v1beta2", "v1beta1"}, {"v1beta2", "v1beta1", "v1", "v1beta2"}}
	kept, lost := 0, 0
	for i := range uint64(trips) {
		r := &random{Rand: rand.New(rand.NewPCG(*seed, 1<<42+i))}
		r.faults = pick(r, 0, 0.01, 0.1)
		k := pick(r, kinds[:4]...)
		if len(k.versions) != 3 {
			t.Fatalf("%s is not in three versions: %v", k.kind, k.versions)
		}
		internal := r.object(k.kind)
		r.status(internal)
		way := ways[i%3]
		at := written(t, convert(t, internal, way[0], k.kind))
		legacyscheme.Scheme.Default(at)
		start := comparableOf(t, convert(t, at, way[0], k.kind))
		text, err := json.Marshal(at)
		if err != nil {
			t.Fatal(err)
		}
		told := false
		for _, to := range way[1:] {
			legacyscheme.Scheme.Default(at)
			at = written(t, convert(t, at, to, k.kind))
			result, err := core.Convert(t.Context(), text, core.ConvertOptions{Options: options, APIVersion: group + "/" + to})
			if err != nil || len(result.Objects) != 1 || result.Objects[0].Text == "" {
				t.Fatalf("trip %d to %s: %v\n%s", i, to, err, text)
			}
			for _, c := range result.Objects[0].Changes {
				told = told || c.What == "lost"
			}
			if text, err = yaml.YAMLToJSON([]byte(result.Objects[0].Text)); err != nil {
				t.Fatal(err)
			}
			if want, have := comparableOf(t, at), asCompared(t, text); !reflect.DeepEqual(want, have) {
				t.Fatalf("trip %d of %v, at %s: Kubernetes has\n%s\nDrawbridge\n%s", i, way, to, inJSON(t, want), inJSON(t, have))
			}
		}
		same := reflect.DeepEqual(start, asCompared(t, text))
		if same == told {
			t.Fatalf("trip %d of %v: the same again is %t, something told to be lost is %t\n%s\n%s", i, way, same, told, inJSON(t, start), text)
		}
		if same {
			kept++
		} else {
			lost++
		}
	}
	if kept < trips/2 {
		t.Errorf("only %d round trips kept everything", kept)
	}
	t.Logf("%d round trips kept everything, %d did not", kept, lost)
}

// convertedBy is what Kubernetes makes of an object in an API version, and
// whether something gets lost there and back.
func convertedBy(t *testing.T, o sample, to string) (want any, lost bool) {
	t.Helper()
	defaulted := o.object.DeepCopyObject()
	legacyscheme.Scheme.Default(defaulted)
	there := convert(t, defaulted, to, o.kind.kind)
	kept := comparableOf(t, convert(t, defaulted, o.version, o.kind.kind))
	return comparableOf(t, there), !reflect.DeepEqual(kept, comparableOf(t, convert(t, there, o.version, o.kind.kind)))
}

func comparableOf(t *testing.T, object any) any {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return asCompared(t, text)
}

// asCompared reads an object and leaves out what this process does not make:
// times of its own clock, and the namespace of the request.
func asCompared(t *testing.T, text []byte) any {
	t.Helper()
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	if m, ok := out["metadata"].(map[string]any); ok {
		delete(m, "namespace")
		if len(m) == 0 {
			delete(out, "metadata")
		}
	}
	return cleaned(out)
}

func cleaned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inside := range v {
			inside = cleaned(inside)
			empty, isMap := inside.(map[string]any)
			if inside == nil || key == "timeAdded" || isMap && len(empty) == 0 && (key == "status" || key == "metadata") {
				delete(v, key)
				continue
			}
			v[key] = inside
		}
	case []any:
		for i := range v {
			v[i] = cleaned(v[i])
		}
	}
	return v
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
