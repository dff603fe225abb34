package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
)

func TestMutate(t *testing.T) {
	review := file(t, "pod-create.json")
	got := answer(t, New(Config{Logger: quiet()}).Mutate(), wire(t, review))
	if !got.Allowed || got.UID != "5c2f9f3e-2f2b-4f65-a6a5-0f7b2f0b8c21" || *got.PatchType != admissionv1.PatchTypeJSONPatch || len(got.Warnings) != 1 {
		t.Fatalf("got %+v", got)
	}
	var in struct {
		Request struct{ Object json.RawMessage }
	}
	if err := json.Unmarshal(review, &in); err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(got.Patch)
	if err != nil {
		t.Fatal(err)
	}
	after, err := patch.Apply(in.Request.Object)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(after, []byte("9007199254740993")) {
		t.Errorf("a number was rounded: %s", after)
	}
	want := strings.Replace(string(in.Request.Object), `"nodeName": "worker-1"`, `"nodeSelector": {"kubernetes.io/hostname": "worker-1"}`, 1)
	var g, w any
	if err := errors.Join(json.Unmarshal(after, &g), json.Unmarshal([]byte(want), &w)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %s\nwant %s", after, want)
	}
}

func TestMutateLeavesAlone(t *testing.T) {
	pod := file(t, "pod-create.json")
	tests := map[string][]byte{
		"update":      edit(t, pod, func(r map[string]any) { r["operation"] = "UPDATE" }),
		"delete":      edit(t, pod, func(r map[string]any) { r["operation"], r["object"] = "DELETE", nil }),
		"subresource": edit(t, pod, func(r map[string]any) { r["subResource"] = "binding" }),
		"slice":       file(t, "slice-update.json"),
		"mirror": edit(t, pod, func(r map[string]any) {
			r["object"].(map[string]any)["metadata"].(map[string]any)["annotations"] = map[string]any{"kubernetes.io/config.mirror": "x"}
		}),
	}
	for name, review := range tests {
		if got := answer(t, New(Config{Logger: quiet()}).Mutate(), review); !got.Allowed || got.Patch != nil || got.PatchType != nil || got.Warnings != nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// A pod that contradicts itself is left to its author.
func TestMutateWarns(t *testing.T) {
	review := edit(t, file(t, "pod-create.json"), func(r map[string]any) {
		r["object"].(map[string]any)["spec"].(map[string]any)["nodeSelector"] = map[string]any{"kubernetes.io/hostname": "worker-2"}
	})
	got := answer(t, New(Config{Logger: quiet()}).Mutate(), review)
	if !got.Allowed || got.Patch != nil || len(got.Warnings) != 2 || !strings.Contains(got.Warnings[0], "worker-1") || !strings.Contains(got.Warnings[0], "worker-2") {
		t.Errorf("got %+v", got)
	}
	broken := edit(t, file(t, "pod-create.json"), func(r map[string]any) { r["object"] = map[string]any{"spec": 1} })
	if got := answer(t, New(Config{Logger: quiet()}).Mutate(), broken); got.Allowed || got.Result.Code != 400 {
		t.Errorf("got %+v", got)
	}
}

// The API server may ask again after other webhooks; the pod that was patched
// is left alone then.
func TestReinvocation(t *testing.T) {
	for _, way := range []string{"selector", "affinity"} {
		w := New(Config{Logger: quiet(), NodeNameTo: way})
		review := file(t, "pod-create.json")
		patch, err := jsonpatch.DecodePatch(answer(t, w.Mutate(), review).Patch)
		if err != nil {
			t.Fatal(err)
		}
		after, err := patch.Apply(object(t, review))
		if err != nil {
			t.Fatal(err)
		}
		again := edit(t, review, func(r map[string]any) { r["object"] = json.RawMessage(after) })
		if got := answer(t, w.Mutate(), again); !got.Allowed || got.Patch != nil || got.Warnings != nil || got.AuditAnnotations != nil {
			t.Errorf("%s: got %+v", way, got)
		}
	}
}
