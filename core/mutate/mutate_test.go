package mutate

import (
	"encoding/json"
	"reflect"
	"slices"
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
		{"scheduling gates", "CREATE", `{"kind":"Pod","spec":{"nodeName":"n","schedulingGates":[{"name":"x"}],` + claims + `}}`, "exclude each other"},
		{"no name of a node", "CREATE", `{"kind":"Pod","spec":{"nodeName":"N_1",` + claims + `}}`, "no name of a node"},
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

// A pod that asks for two nodes is left to its author, who is told.
func TestContradictions(t *testing.T) {
	terms := func(list string) string {
		return `{"kind":"Pod","spec":{"nodeName":"n1","affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` + list + `]}}},` + claims + `}}`
	}
	for name, tt := range map[string]struct {
		pod string
		way Way
	}{
		"selector":          {`{"kind":"Pod","spec":{"nodeName":"n1","nodeSelector":{"kubernetes.io/hostname":"n2"},` + claims + `}}`, Selector},
		"selector, by name": {`{"kind":"Pod","spec":{"nodeName":"n1","nodeSelector":{"kubernetes.io/hostname":"n2"},` + claims + `}}`, Affinity},
		"another node":      {terms(`{"matchFields":[{"key":"metadata.name","operator":"In","values":["n2"]}]}`), Affinity},
		"not this node":     {terms(`{"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["n1"]}]}`), Affinity},
		"no node":           {terms(`{},null`), Affinity},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Pod([]byte(tt.pod), Request{Operation: "CREATE", NodeNameTo: tt.way})
			if err != nil || r.Outcome != Unchanged || r.Patch != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], `"n1"`) || !strings.Contains(r.Warnings[0], "remove nodeName") {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
}

func TestHostname(t *testing.T) {
	nodes := map[string]map[string]string{
		"ip-10.internal": {"kubernetes.io/hostname": "ip-10"},
		"bare":           {"zone": "a"},
	}
	labels := func(node string) (map[string]string, bool) { l, ok := nodes[node]; return l, ok }
	selector := `"nodeSelector":{"kubernetes.io/hostname":"ip-10"}`
	byName := func(node string) string {
		return `"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["` + node + `"]}]}]}}}`
	}
	long := strings.Repeat("n", 64)
	for name, tt := range map[string]struct {
		node, before, after string
		labels              func(string) (map[string]string, bool)
	}{
		"another label than the name":      {"ip-10.internal", "", selector, labels},
		"which is selected already":        {"ip-10.internal", selector, selector, labels},
		"a node without the label":         {"bare", "", byName("bare"), labels},
		"a node that is not known":         {"new", "", byName("new"), labels},
		"a name that is no label value":    {long, "", byName(long), nil},
		"a selector that cannot be judged": {"new", selector, selector + "," + byName("new"), labels},
	} {
		t.Run(name, func(t *testing.T) {
			pod := func(more ...string) string {
				parts := []string{claims}
				for _, m := range more {
					if m != "" {
						parts = append(parts, m)
					}
				}
				return `{"kind":"Pod","spec":{` + strings.Join(parts, ",") + `}}`
			}
			before := pod(`"nodeName":"`+tt.node+`"`, tt.before)
			r, err := Pod([]byte(before), Request{Operation: "CREATE", NodeLabels: tt.labels})
			if err != nil || r.Outcome != Patched {
				t.Fatalf("got %+v, %v", r, err)
			}
			sameJSON(t, apply(t, before, r.Patch), pod(tt.after))
		})
	}
}

// The terms of a node affinity are alternatives: the pod may go nowhere but
// to its node by any of them.
func TestAffinityTerms(t *testing.T) {
	pod := func(spec string) string { return `{"kind":"Pod","spec":{` + spec + claims + `}}` }
	terms := func(list string) string {
		return `"affinity":{"podAffinity":{"x":1},"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` + list + `]}}},`
	}
	const (
		name  = `{"key":"metadata.name","operator":"In","values":["n"]}`
		other = `{"key":"metadata.name","operator":"In","values":["m"]}`
		two   = `{"key":"metadata.name","operator":"In","values":["m","n"]}`
		gpu   = `{"key":"gpu","operator":"Exists"}`
	)
	alone := `"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[` + name + `]}]}}`
	for what, tt := range map[string]struct{ before, after string }{
		"none":                       {``, `"affinity":{` + alone + `},`},
		"null":                       {`"affinity":null,`, `"affinity":{` + alone + `},`},
		"of pods":                    {`"affinity":{"podAffinity":{}},`, `"affinity":{"podAffinity":{},` + alone + `},`},
		"null for nodes":             {`"affinity":{"nodeAffinity":null},`, `"affinity":{` + alone + `},`},
		"preferred":                  {`"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[]}},`, `"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[],` + strings.TrimPrefix(alone, `"nodeAffinity":{`) + `},`},
		"two alternatives":           {terms(`{"matchExpressions":[` + gpu + `]},{"matchFields":[` + two + `]}`), terms(`{"matchExpressions":[` + gpu + `],"matchFields":[` + name + `]},{"matchFields":[` + two + `,` + name + `]}`)},
		"an empty one matches none":  {terms(`{},{"matchFields":[],"matchExpressions":[` + gpu + `]},null`), terms(`{},{"matchFields":[` + name + `],"matchExpressions":[` + gpu + `]},null`)},
		"one for another node":       {terms(`{"matchFields":[` + other + `]},{"matchExpressions":[` + gpu + `]}`), terms(`{"matchFields":[` + other + `,` + name + `]},{"matchExpressions":[` + gpu + `],"matchFields":[` + name + `]}`)},
		"the same node, as it is":    {terms(`{"matchFields":[` + name + `]}`), terms(`{"matchFields":[` + name + `]}`)},
		"a null list is none either": {terms(`{"matchFields":null,"matchExpressions":[` + gpu + `]}`), terms(`{"matchFields":[` + name + `],"matchExpressions":[` + gpu + `]}`)},
	} {
		t.Run(what, func(t *testing.T) {
			before := pod(`"nodeName":"n",` + tt.before)
			r, err := Pod([]byte(before), Request{Operation: "CREATE", NodeNameTo: Affinity})
			if err != nil || r.Outcome != Patched || len(r.Warnings) != 1 {
				t.Fatalf("got %+v, %v", r, err)
			}
			after := apply(t, before, r.Patch)
			sameJSON(t, after, pod(tt.after))
			if again, err := Pod([]byte(after), Request{Operation: "CREATE", NodeNameTo: Affinity}); err != nil || again.Outcome != Unchanged || again.Warnings != nil {
				t.Errorf("again: got %+v, %v", again, err)
			}
		})
	}
}

func TestExtendedResourcesOfClasses(t *testing.T) {
	pod := []byte(`{"kind":"Pod","spec":{"nodeName":"n","containers":[{"resources":{"limits":{"example.com/gpu":"1"}}}]}}`)
	for backed, want := range map[bool]Outcome{true: Patched, false: Unchanged} {
		r, err := Pod(pod, Request{Operation: "CREATE", Backed: func(name string) bool { return backed && name == "example.com/gpu" }})
		if err != nil || r.Outcome != want {
			t.Errorf("got %+v, %v", r, err)
		}
	}
}

func TestOtherScheduler(t *testing.T) {
	r := create(t, `{"kind":"Pod","spec":{"nodeName":"n","schedulerName":"volcano",`+claims+`}}`)
	if r.Outcome != Unchanged || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], `"volcano"`) {
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
	f.Add([]byte(`{"spec":{"nodeName":"n","affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{},{"matchFields":[{"key":"metadata.name","operator":"In","values":["m"]}]},{"matchExpressions":[{"key":"a","operator":"Exists"}]}]}}},` + claims + `}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, way := range Ways {
			tryPatch(t, raw, Request{Operation: "CREATE", NodeNameTo: way})
		}
	})
}

func tryPatch(t *testing.T, raw []byte, req Request) {
	r, err := Pod(raw, req)
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
	if r, err = Pod(clean, req); err != nil || r.Outcome != Patched {
		return // duplicate keys
	}
	patched := apply(t, string(clean), r.Patch)
	var after map[string]any
	if err := json.Unmarshal([]byte(patched), &after); err != nil {
		t.Fatal(err)
	}
	was, is := before["spec"].(map[string]any), after["spec"].(map[string]any)
	if _, still := is["nodeName"]; still {
		t.Fatal("nodeName is still there")
	}
	if got := hostOf(is); got != was["nodeName"] && !asksByName(is, was["nodeName"]) {
		t.Fatalf("nothing asks for %v: %s", was["nodeName"], patched)
	}
	if again, err := Pod([]byte(patched), req); err != nil || again.Outcome != Unchanged {
		t.Fatalf("patched twice: %+v, %v", again, err)
	}
	// Nothing but what asks for nodes may have changed.
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
		delete(spec, "affinity") // TestAffinityTerms compares it whole
	}
	if !reflect.DeepEqual(before, after) {
		t.Fatalf("more changed than should:\n%v\n%v", before, after)
	}
}

func hostOf(spec map[string]any) any {
	selector, _ := spec["nodeSelector"].(map[string]any)
	return selector[hostnameLabel]
}

// asksByName tells whether every term of the affinity that can match asks for
// the node.
func asksByName(spec map[string]any, node any) bool {
	affinity, _ := spec["affinity"].(map[string]any)
	nodes, _ := affinity["nodeAffinity"].(map[string]any)
	selector, _ := nodes[required].(map[string]any)
	terms, _ := selector["nodeSelectorTerms"].([]any)
	asking := 0
	for _, entry := range terms {
		term, _ := entry.(map[string]any)
		fields, _ := term["matchFields"].([]any)
		expressions, _ := term["matchExpressions"].([]any)
		if len(fields)+len(expressions) == 0 {
			continue
		}
		want := map[string]any{"key": "metadata.name", "operator": "In", "values": []any{node}}
		if !slices.ContainsFunc(fields, func(f any) bool { return reflect.DeepEqual(f, want) }) {
			return false
		}
		asking++
	}
	return asking > 0
}
