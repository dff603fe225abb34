package mutate

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

const claims = `"resourceClaims":[{"name":"a","resourceClaimTemplateName":"t"}]`

func create(t *testing.T, raw string) Result {
	t.Helper()
	r, err := Pod([]byte(raw), Request{Operation: "CREATE"})
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return r
}

// apply runs a patch with the library that API servers use.
func apply(t *testing.T, raw string, ops []Operation) string {
	t.Helper()
	list := []map[string]any{}
	for _, op := range ops {
		m := map[string]any{"op": op.Op, "path": op.Path}
		if op.Op != "remove" {
			m["value"] = op.Value
		}
		list = append(list, m)
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		t.Fatal(err)
	}
	out, err := patch.Apply([]byte(raw))
	if err != nil {
		t.Fatalf("patch %s does not apply to %s: %v", text, raw, err)
	}
	return string(out)
}

func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPatched(t *testing.T) {
	tests := []struct{ name, pod, want string }{
		{
			"a field that nobody knows yet survives, and so does a large number",
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"worker-1","someFutureField":{"keep":9007199254740993},` + claims + `}}`,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeSelector":{"kubernetes.io/hostname":"worker-1"},"someFutureField":{"keep":9007199254740993},` + claims + `}}`,
		},
		{
			"other selectors stay",
			`{"kind":"Pod","spec":{"nodeName":"n","nodeSelector":{"a/b":"c"},` + claims + `}}`,
			`{"kind":"Pod","spec":{"nodeSelector":{"a/b":"c","kubernetes.io/hostname":"n"},` + claims + `}}`,
		},
		{
			"an empty selector",
			`{"kind":"Pod","spec":{"nodeName":"n","nodeSelector":{},` + claims + `}}`,
			`{"kind":"Pod","spec":{"nodeSelector":{"kubernetes.io/hostname":"n"},` + claims + `}}`,
		},
		{
			"a null selector",
			`{"kind":"Pod","spec":{"nodeName":"n","nodeSelector":null,` + claims + `}}`,
			`{"kind":"Pod","spec":{"nodeSelector":{"kubernetes.io/hostname":"n"},` + claims + `}}`,
		},
		{
			"the selector is there already",
			`{"kind":"Pod","spec":{"nodeName":"n","nodeSelector":{"kubernetes.io/hostname":"n"},` + claims + `}}`,
			`{"kind":"Pod","spec":{"nodeSelector":{"kubernetes.io/hostname":"n"},` + claims + `}}`,
		},
		{
			"an extended resource of a class in a container's limits",
			`{"kind":"Pod","spec":{"nodeName":"n","containers":[{"name":"c","resources":{"limits":{"deviceclass.resource.kubernetes.io/gpu":1}}}]}}`,
			`{"kind":"Pod","spec":{"nodeSelector":{"kubernetes.io/hostname":"n"},"containers":[{"name":"c","resources":{"limits":{"deviceclass.resource.kubernetes.io/gpu":1}}}]}}`,
		},
		{
			"an extended resource of a class in an init container's requests",
			`{"kind":"Pod","spec":{"nodeName":"n","initContainers":[{"resources":{"requests":{"deviceclass.resource.kubernetes.io/gpu":"2"}}}]}}`,
			`{"kind":"Pod","spec":{"nodeSelector":{"kubernetes.io/hostname":"n"},"initContainers":[{"resources":{"requests":{"deviceclass.resource.kubernetes.io/gpu":"2"}}}]}}`,
		},
		{
			"a pod that came from the API server by its annotation",
			`{"kind":"Pod","metadata":{"annotations":{"kubernetes.io/config.source":"api"}},"spec":{"nodeName":"n",` + claims + `}}`,
			`{"kind":"Pod","metadata":{"annotations":{"kubernetes.io/config.source":"api"}},"spec":{"nodeSelector":{"kubernetes.io/hostname":"n"},` + claims + `}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := create(t, tt.pod)
			if r.Outcome != Patched || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "scheduler allocates") {
				t.Fatalf("got %+v", r)
			}
			after := apply(t, tt.pod, r.Patch)
			sameJSON(t, after, tt.want)
			if strings.Contains(tt.pod, "9007199254740993") && !strings.Contains(after, "9007199254740993") {
				t.Errorf("a number was rounded: %s", after)
			}
			if again := create(t, after); again.Outcome != Unchanged || len(again.Patch) != 0 {
				t.Errorf("not idempotent: %+v", again)
			}
		})
	}
}

func TestPatchIsMinimal(t *testing.T) {
	r := create(t, `{"kind":"Pod","spec":{"nodeName":"n",`+claims+`}}`)
	want := []Operation{
		{Op: "test", Path: "/spec/nodeName", Value: "n"},
		{Op: "add", Path: "/spec/nodeSelector", Value: map[string]string{"kubernetes.io/hostname": "n"}},
		{Op: "remove", Path: "/spec/nodeName"},
	}
	if !reflect.DeepEqual(r.Patch, want) {
		t.Errorf("got %+v", r.Patch)
	}
	r = create(t, `{"kind":"Pod","spec":{"nodeName":"n","nodeSelector":{"x":"y"},`+claims+`}}`)
	if r.Patch[1].Path != "/spec/nodeSelector/kubernetes.io~1hostname" || r.Patch[1].Value != "n" {
		t.Errorf("got %+v", r.Patch)
	}
}

func TestUnchanged(t *testing.T) {
	pod := `{"kind":"Pod","metadata":{%M},"spec":{"nodeName":"n",` + claims + `}}`
	tests := []struct{ name, operation, pod, why string }{
		{"update", "UPDATE", strings.Replace(pod, "%M", "", 1), "being created"},
		{"no operation", "", strings.Replace(pod, "%M", "", 1), "being created"},
		{"mirror pod", "CREATE", strings.Replace(pod, "%M", `"annotations":{"kubernetes.io/config.mirror":""}`, 1), "kubelet"},
		{"static pod by source", "CREATE", strings.Replace(pod, "%M", `"annotations":{"kubernetes.io/config.source":"file"}`, 1), "kubelet"},
		{"static pod by owner", "CREATE", strings.Replace(pod, "%M", `"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n"}]`, 1), "kubelet"},
		{"no claims", "CREATE", `{"kind":"Pod","spec":{"nodeName":"n","resourceClaims":[],"containers":[{"resources":{"limits":{"example.com/gpu":"1","cpu":1}}}]}}`, "no claims"},
		{"zero of a class", "CREATE", `{"kind":"Pod","spec":{"nodeName":"n","containers":[{"resources":{"limits":{"deviceclass.resource.kubernetes.io/gpu":"0"}}}]}}`, "no claims"},
		{"no node", "CREATE", `{"kind":"Pod","spec":{` + claims + `}}`, "not set"},
		{"empty node", "CREATE", `{"kind":"Pod","spec":{"nodeName":"",` + claims + `}}`, "not set"},
		{"names are case-sensitive", "CREATE", `{"kind":"Pod","spec":{"NodeName":"n",` + claims + `}}`, "not set"},
		{"a pod of a DaemonSet asks by affinity", "CREATE", `{"kind":"Pod","spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}]}}},` + claims + `}}`, "not set"},
		{"another kind", "CREATE", `{"kind":"Binding","spec":{"nodeName":"n",` + claims + `}}`, "not a pod"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Pod([]byte(tt.pod), Request{Operation: tt.operation})
			if err != nil || r.Outcome != Unchanged || len(r.Patch)+len(r.Warnings) != 0 || !strings.Contains(r.Message, tt.why) {
				t.Errorf("got %+v, %v; want unchanged because %s", r, err, tt.why)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	r := create(t, `{"kind":"Pod","spec":{"nodeName":"n1","nodeSelector":{"kubernetes.io/hostname":"n2"},`+claims+`}}`)
	if r.Outcome != Refused || r.Patch != nil || !strings.Contains(r.Message, `"n1"`) || !strings.Contains(r.Message, `"n2"`) || !strings.Contains(r.Message, "remove nodeName") {
		t.Errorf("got %+v", r)
	}
	long := strings.Repeat("n", 64)
	r = create(t, `{"kind":"Pod","spec":{"nodeName":"`+long+`",`+claims+`}}`)
	if r.Outcome != Refused || !strings.Contains(r.Message, "matchFields") {
		t.Errorf("a name that is no label value: %+v", r)
	}
}

func TestHostname(t *testing.T) {
	label := func(node string) string { return strings.TrimSuffix(node, ".internal") }
	r, err := Pod([]byte(`{"kind":"Pod","spec":{"nodeName":"ip-10.internal",`+claims+`}}`), Request{Operation: "CREATE", Hostname: label})
	if err != nil || !reflect.DeepEqual(r.Patch[1].Value, map[string]string{"kubernetes.io/hostname": "ip-10"}) || r.Patch[0].Value != "ip-10.internal" {
		t.Errorf("got %+v, %v", r, err)
	}
	r, err = Pod([]byte(`{"kind":"Pod","spec":{"nodeName":"ip-10.internal","nodeSelector":{"kubernetes.io/hostname":"ip-10"},`+claims+`}}`), Request{Operation: "CREATE", Hostname: label})
	if err != nil || r.Outcome != Patched || len(r.Patch) != 2 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestOtherScheduler(t *testing.T) {
	r := create(t, `{"kind":"Pod","spec":{"nodeName":"n","schedulerName":"volcano",`+claims+`}}`)
	if r.Outcome != Patched || len(r.Warnings) != 2 || !strings.Contains(r.Warnings[1], `"volcano"`) {
		t.Errorf("got %+v", r)
	}
}

func TestNoPod(t *testing.T) {
	for _, raw := range []string{``, `null x`, `[]`, `"p"`, `{"spec":{"nodeName":1}}`, `{"spec":[]}`} {
		if _, err := Pod([]byte(raw), Request{Operation: "CREATE"}); err == nil || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: got %v", raw, err)
		}
	}
}

func FuzzPod(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"Pod","spec":{"nodeName":"n","nodeSelector":{"a/b~":"c"},` + claims + `}}`,
		`{"kind":"Pod","spec":{"nodeName":"n","nodeSelector":null,"containers":[{"resources":{"limits":{"deviceclass.resource.kubernetes.io/g":"1"}}}]}}`,
		`{"kind":"Pod","metadata":{"annotations":{"kubernetes.io/config.mirror":"x"}},"spec":{"nodeName":"n","nodeName":"m"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := Pod(raw, Request{Operation: "CREATE"})
		if err != nil || r.Outcome != Patched {
			return
		}
		// What an API server sends has been through its own encoder.
		var before map[string]any
		if json.Unmarshal(raw, &before) != nil {
			t.Fatalf("patched what is no JSON: %q", raw)
		}
		clean, err := json.Marshal(before)
		if err != nil {
			t.Fatal(err)
		}
		if r, err = Pod(clean, Request{Operation: "CREATE"}); err != nil || r.Outcome != Patched {
			return // duplicate keys
		}
		var after map[string]any
		if err := json.Unmarshal([]byte(apply(t, string(clean), r.Patch)), &after); err != nil {
			t.Fatal(err)
		}
		was, is := before["spec"].(map[string]any), after["spec"].(map[string]any)
		if _, still := is["nodeName"]; still {
			t.Fatal("nodeName is still there")
		}
		if got := is["nodeSelector"].(map[string]any)[hostnameLabel]; got != was["nodeName"] {
			t.Fatalf("the selector asks for %v instead of %v", got, was["nodeName"])
		}
		// Nothing else may have changed.
		for _, spec := range []map[string]any{was, is} {
			if s, ok := spec["nodeSelector"].(map[string]any); ok {
				delete(s, hostnameLabel)
				if len(s) == 0 {
					delete(spec, "nodeSelector")
				}
			} else {
				delete(spec, "nodeSelector")
			}
			delete(spec, "nodeName")
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("more changed than should:\n%v\n%v", before, after)
		}
	})
}
