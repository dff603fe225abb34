package admission

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drawbridge-dra/drawbridge/core/census"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

const (
	ours = "resource.k8s.io"
	pod  = `{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n1","resourceClaims":[{"name":"a","resourceClaimName":"c"}]}}`
)

func request(group, kind string, operation admissionv1.Operation, object string) *admissionv1.AdmissionRequest {
	r := &admissionv1.AdmissionRequest{
		UID: "u", Name: "x", Namespace: "default", Operation: operation,
		Kind: metav1.GroupVersionKind{Group: group, Version: "v1", Kind: kind},
	}
	if object != "" {
		r.Object = runtime.RawExtension{Raw: []byte(object)}
	}
	return r
}

func decide(t *testing.T, c Case, findings ...diag.Diagnostic) Decision {
	t.Helper()
	d, err := c.Decide(findings, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func groups(line int) diag.Diagnostic {
	return diag.Diagnostic{
		Severity: diag.Error, Source: diag.API, Rule: "compatibility-groups-max", Type: "FieldValueTooMany",
		Field:   "spec.devices[0].consumesCounters[0].compatibilityGroups",
		Message: "must have at most 2 items", Location: &diag.Location{Line: line, Column: 1},
	}
}

func bundleFinding(rule string, severity diag.Severity) diag.Diagnostic {
	return diag.Diagnostic{Severity: severity, Source: diag.Bundle, Rule: rule, Field: "spec.x", Message: "does not fit"}
}

func TestDenial(t *testing.T) {
	second := diag.Diagnostic{Severity: diag.Error, Source: diag.API, Rule: "driver-name", Type: "FieldValueRequired", Field: "spec.driver", Message: "is missing"}
	warned := diag.Diagnostic{Severity: diag.Warning, Source: diag.Gate, Rule: "field-dropped", Field: "spec.sharedCounters", Message: "will be dropped"}
	for name, tt := range map[string]struct {
		object, message string
		rules           *url.URL
	}{
		"on one line": {`{}`, "spec.devices[0].consumesCounters[0].compatibilityGroups: must have at most 2 items (api/compatibility-groups-max); and 1 more", nil},
		"on many":     {"{\n}", "spec.devices[0].consumesCounters[0].compatibilityGroups: must have at most 2 items (api/compatibility-groups-max, line 7); and 1 more", nil},
		"with a link": {`{}`, "spec.devices[0].consumesCounters[0].compatibilityGroups: must have at most 2 items (api/compatibility-groups-max); and 1 more; see https://d.example.com/sub/rules.html#api-compatibility-groups-max",
			&url.URL{Scheme: "https", Host: "d.example.com", Path: "/sub/"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := decide(t, Case{Phase: Validating, Request: request(ours, "ResourceSlice", admissionv1.Create, tt.object), RulesURL: tt.rules}, groups(7), second, warned)
			want := &admissionv1.AdmissionResponse{
				Allowed: false,
				Result: &metav1.Status{
					Status: "Failure", Code: 422, Reason: metav1.StatusReasonInvalid, Message: tt.message,
					Details: &metav1.StatusDetails{
						Name: "x", Group: ours, Kind: "ResourceSlice",
						Causes: []metav1.StatusCause{
							{Type: "FieldValueTooMany", Field: "spec.devices[0].consumesCounters[0].compatibilityGroups", Message: "must have at most 2 items (api/compatibility-groups-max)"},
							{Type: "FieldValueRequired", Field: "spec.driver", Message: "is missing (api/driver-name)"},
						},
					},
				},
				Warnings:         []string{"spec.sharedCounters: will be dropped (gate/field-dropped)"},
				AuditAnnotations: map[string]string{"rules": "api/compatibility-groups-max,api/driver-name"},
			}
			if got.Verdict != Denied || !reflect.DeepEqual(got.Response, want) {
				t.Errorf("got  %+v\nwant %+v", got.Response, want)
			}
		})
	}
}

// Each source is answered with the code that the API server has for it.
func TestCodes(t *testing.T) {
	for source, code := range map[diag.Source]int32{diag.Decode: 400, diag.API: 422, diag.Gate: 403, diag.Bundle: 403} {
		policy, err := ParsePolicy([]byte("apiVersion: " + PolicyAPIVersion + "\nkind: " + PolicyKind + "\nrules: {'*': deny}\n"))
		if err != nil {
			t.Fatal(err)
		}
		f := diag.Diagnostic{Severity: diag.Error, Source: source, Rule: "some", Message: "is wrong"}
		d := decide(t, Case{Phase: Validating, Request: request(ours, "DeviceClass", admissionv1.Create, "{}"), Policy: policy}, f)
		if d.Response.Allowed || d.Response.Result.Code != code {
			t.Errorf("%s: got %+v", source, d.Response.Result)
		}
	}
}

// TestLook goes through every kind, operation and phase.
func TestLook(t *testing.T) {
	own := []string{"ResourceSlice", "ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "DeviceTaintRule", "ResourcePoolStatusRequest"}
	reports := map[string]bool{"ResourceClaim": true, "DeviceTaintRule": true, "ResourcePoolStatusRequest": true}
	for _, phase := range Phases {
		look := func(group, kind, sub string, operation admissionv1.Operation, object string) Look {
			c := Case{Phase: phase, Request: request(group, kind, operation, object)}
			c.Request.SubResource = sub
			return c.Look()
		}
		check := func(what string, got, want Look) {
			t.Helper()
			if got != want {
				t.Errorf("%s, %s: got %d, want %d", phase, what, got, want)
			}
		}
		for _, kind := range own {
			check("create "+kind, look(ours, kind, "", admissionv1.Create, "{}"), Create)
			check("update "+kind, look(ours, kind, "", admissionv1.Update, "{}"), Update)
			check("update of a leaving "+kind, look(ours, kind, "", admissionv1.Update, `{"metadata":{"deletionTimestamp":"2026-11-28T10:00:00Z"}}`), Nothing)
			check("no deletion of "+kind, look(ours, kind, "", admissionv1.Update, `{"metadata":{"deletionTimestamp":null}}`), Update)
			check("delete "+kind, look(ours, kind, "", admissionv1.Delete, ""), Nothing)
			check("connect to "+kind, look(ours, kind, "", admissionv1.Connect, "{}"), Nothing)
			check("another subresource of "+kind, look(ours, kind, "scale", admissionv1.Update, "{}"), Nothing)
			check("status at create of "+kind, look(ours, kind, "status", admissionv1.Create, "{}"), Nothing)
			want := Nothing
			if reports[kind] {
				want = UpdateStatus
			}
			check("status of "+kind, look(ours, kind, "status", admissionv1.Update, "{}"), want)
			check("nothing of "+kind, look(ours, kind, "", admissionv1.Create, ""), Nothing)
			check(kind+" of another group", look("example.com", kind, "", admissionv1.Create, "{}"), Nothing)
		}
		check("a kind that is not known", look(ours, "ResourceCube", "", admissionv1.Create, "{}"), Create)
		check("update of one", look(ours, "ResourceCube", "", admissionv1.Update, "{}"), Nothing)
		check("create pod", look("", "Pod", "", admissionv1.Create, "{}"), Create)
		check("update pod", look("", "Pod", "", admissionv1.Update, "{}"), Nothing)
		check("bind pod", look("", "Pod", "binding", admissionv1.Create, "{}"), Nothing)
		check("status of pod", look("", "Pod", "status", admissionv1.Update, "{}"), Nothing)
		check("a Deployment", look("apps", "Deployment", "", admissionv1.Create, "{}"), Nothing)
	}
}

// What counts depends on the kind, the operation, the phase and on whether the
// cluster is known.
func TestWhatCounts(t *testing.T) {
	lonely, always := bundleFinding("missing-class", diag.Error), bundleFinding("selector-missing-guard", diag.Warning)
	for name, tt := range map[string]struct {
		phase     Phase
		kind      string
		operation admissionv1.Operation
		cluster   census.View
		want      []string
	}{
		"alone":                              {Validating, "ResourceClaim", admissionv1.Create, nil, []string{"bundle/selector-missing-guard warn", "api/compatibility-groups-max deny"}},
		"among others":                       {Validating, "ResourceClaim", admissionv1.Create, &cluster{}, []string{"bundle/missing-class warn", "bundle/selector-missing-guard warn", "api/compatibility-groups-max deny"}},
		"among others, who may still change": {Mutating, "ResourceClaim", admissionv1.Create, &cluster{}, []string{"bundle/selector-missing-guard warn", "api/compatibility-groups-max deny"}},
		"a spec that cannot change":          {Validating, "ResourceClaim", admissionv1.Update, &cluster{}, []string{"api/compatibility-groups-max deny"}},
		"a spec that can":                    {Validating, "DeviceClass", admissionv1.Update, &cluster{}, []string{"bundle/missing-class warn", "bundle/selector-missing-guard warn", "api/compatibility-groups-max deny"}},
		"a pod":                              {Validating, "Pod", admissionv1.Create, &cluster{}, []string{"bundle/missing-class warn", "bundle/selector-missing-guard warn"}},
	} {
		t.Run(name, func(t *testing.T) {
			group := ours
			if tt.kind == "Pod" {
				group = ""
			}
			d := decide(t, Case{Phase: tt.phase, Cluster: tt.cluster, Request: request(group, tt.kind, tt.operation, `{"kind":"Pod"}`)},
				lonely, always, groups(1), bundleFinding("taint-rule-selects-all", diag.Info))
			var got []string
			for _, j := range d.Judged {
				got = append(got, ID(j.Diagnostic)+" "+string(j.Action))
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestManyCauses(t *testing.T) {
	list := make([]diag.Diagnostic, 5000)
	for i := range list {
		list[i] = groups(1)
	}
	got := decide(t, Case{Phase: Validating, Request: request(ours, "ResourceSlice", admissionv1.Create, "{}")}, list...).Response
	if len(got.Result.Details.Causes) != MaxCauses || !strings.HasSuffix(got.Result.Message, "and 4999 more") {
		t.Errorf("got %d causes, %s", len(got.Result.Details.Causes), got.Result.Message)
	}
}

func TestAuditAnnotationsAreBounded(t *testing.T) {
	var list []diag.Diagnostic
	for i := range 2000 {
		list = append(list, diag.Diagnostic{Severity: diag.Error, Source: diag.API, Rule: fmt.Sprintf("rule-%04d", i), Message: "x"})
	}
	if got := ruleIDs(list); len(got) > maxAnnotation || !strings.HasPrefix(got, "api/rule-0000,") || !strings.HasSuffix(got, ",…") {
		t.Errorf("got %d bytes", len(got))
	}
}

func TestWarningsFit(t *testing.T) {
	long := strings.Repeat("ä", 300)
	got := fit([]string{"a\nb\x00c\xff", long, "a\nb\x00c\xff"})
	if len(got) != 2 || got[0] != "a b c\uFFFD" || utf8.RuneCountInString(got[1]) != 256 || !strings.HasSuffix(got[1], "…") {
		t.Errorf("got %q", got)
	}
	total := 0
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("%03d", i)+long)
	}
	for _, w := range fit(many) {
		total += utf8.RuneCountInString(w)
	}
	if total != 4096 {
		t.Errorf("got %d runes", total)
	}
}

// A long finding keeps its rule, which says the rest.
func TestLongWarnings(t *testing.T) {
	for _, word := range []string{"wörter ", "x"} {
		long := finding(diag.Gate, "shared-counters-dropped", diag.Warning)
		long.Field, long.Message = "spec.sharedCounters", strings.Repeat(word, 300)
		d := decide(t, Case{Phase: Mutating, Request: request(ours, "ResourceSlice", admissionv1.Create, "{}")}, long)
		got := d.Response.Warnings[0]
		if n := utf8.RuneCountInString(got); n > maxWarning || n < maxWarning-20 || !strings.HasPrefix(got, "spec.sharedCounters: "+word) ||
			!strings.HasSuffix(got, " … (gate/shared-counters-dropped)") || strings.Contains(got, "wö …") {
			t.Errorf("got %q", got)
		}
	}
}

// A pod that is patched is told once, and is not told that it will never
// start.
func TestPatchedPod(t *testing.T) {
	never := bundleFinding("pod-bound-unallocated", diag.Error)
	other := bundleFinding("container-claim-unknown", diag.Error)
	d := decide(t, Case{Phase: Mutating, Request: request("", "Pod", admissionv1.Create, pod)}, never, other)
	if d.Verdict != Patched || len(d.Response.Warnings) != 2 || !strings.Contains(d.Response.Warnings[0], "kubernetes.io/hostname=n1") ||
		!strings.Contains(d.Response.Warnings[1], "container-claim-unknown") || d.Response.AuditAnnotations["node-name"] == "" {
		t.Errorf("got %+v", d.Response)
	}
	var steps []map[string]any
	if err := json.Unmarshal(d.Response.Patch, &steps); err != nil || len(steps) != 3 || *d.Response.PatchType != admissionv1.PatchTypeJSONPatch {
		t.Errorf("got %s, %v", d.Response.Patch, err)
	}
	// The validating phase changes nothing, and says it where nobody mended it.
	d = decide(t, Case{Phase: Validating, Request: request("", "Pod", admissionv1.Create, pod)}, never)
	if d.Verdict != Allowed || d.Response.Patch != nil || len(d.Response.Warnings) != 1 {
		t.Errorf("got %+v", d.Response)
	}
	// What a policy refuses is not changed.
	policy, err := ParsePolicy([]byte("apiVersion: " + PolicyAPIVersion + "\nkind: " + PolicyKind + "\nrules: {bundle/container-claim-unknown: deny}\n"))
	if err != nil {
		t.Fatal(err)
	}
	d = decide(t, Case{Phase: Mutating, Policy: policy, Request: request("", "Pod", admissionv1.Create, pod)}, never, other)
	if d.Verdict != Denied || d.Response.Patch != nil || d.Response.PatchType != nil || d.Patch != nil || d.Response.AuditAnnotations["node-name"] != "" {
		t.Errorf("got %+v", d.Response)
	}
	d = decide(t, Case{Phase: Mutating, Request: request("", "Pod", admissionv1.Create, `{"spec":1}`)})
	if d.Verdict != Denied || d.Response.Result.Code != 400 {
		t.Errorf("no pod: got %+v", d.Response)
	}
}

// The cluster knows the node's label and the classes behind a resource.
func TestPodInCluster(t *testing.T) {
	known := &cluster{nodes: map[string]map[string]string{"n1": {"kubernetes.io/hostname": "host-1"}}, classes: map[string]string{"example.com/gpu": "gpu"}}
	d := decide(t, Case{Phase: Mutating, Cluster: known, Request: request("", "Pod", admissionv1.Create,
		`{"spec":{"nodeName":"n1","containers":[{"resources":{"limits":{"example.com/gpu":"1"}}}]}}`)})
	if d.Verdict != Patched || !strings.Contains(string(d.Response.Patch), "host-1") {
		t.Errorf("got %+v", d.Response)
	}
	d = decide(t, Case{Phase: Mutating, Cluster: known, Request: request("", "Pod", admissionv1.Create, strings.Replace(pod, "n1", "n2", 1))})
	if d.Verdict != Patched || !strings.Contains(string(d.Response.Patch), `"metadata.name"`) {
		t.Errorf("got %+v", d.Response)
	}
	d = decide(t, Case{Phase: Mutating, NodeNameTo: "affinity", Request: request("", "Pod", admissionv1.Create, pod)})
	if d.Verdict != Patched || !strings.Contains(string(d.Response.Patch), `"metadata.name"`) {
		t.Errorf("got %+v", d.Response)
	}
}

// Every rule that is treated specially exists: a rule that is renamed must
// not turn into a denial.
func TestSpecialRulesExist(t *testing.T) {
	for source, ids := range map[diag.Source][]string{diag.Bundle: append([]string{boundUnallocated}, beside...), diag.Decode: unjudged, diag.API: {adminAccess}} {
		for _, id := range ids {
			if _, ok := diag.Lookup(source, id); !ok {
				t.Errorf("there is no rule %s/%s", source, id)
			}
		}
	}
}

func TestDeletion(t *testing.T) {
	used := &cluster{
		ofClass:    census.Users{Claims: []string{"a/one", "a/three", "a/two"}, ClaimCount: 5, Templates: []string{"b/t"}, TemplateCount: 1, AllocatedCount: 2},
		ofTemplate: census.Users{Pods: []string{"default/p"}, PodCount: 1},
	}
	for name, tt := range map[string]struct {
		kind    string
		cluster census.View
		want    []string
	}{
		"class": {"DeviceClass", used, []string{"DeviceClass x is still named by 5 claims (a/one, a/three, a/two, …) and 1 template (b/t); " +
			"without it nothing more is allocated for them, while those that have devices (2) keep them"}},
		"template":                    {"ResourceClaimTemplate", used, []string{"ResourceClaimTemplate x is still named by 1 pod (default/p); pods that have no claim from it yet will not start"}},
		"claim":                       {"ResourceClaim", used, nil},
		"class that nobody uses":      {"DeviceClass", &cluster{}, nil},
		"class, and nothing is known": {"DeviceClass", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, phase := range Phases {
				d := decide(t, Case{Phase: phase, Cluster: tt.cluster, Request: request(ours, tt.kind, admissionv1.Delete, "")})
				if !d.Response.Allowed || !reflect.DeepEqual(d.Response.Warnings, tt.want) {
					t.Errorf("got %+v", d.Response)
				}
			}
		})
	}
}

// Notes are told last, and once.
func TestNotes(t *testing.T) {
	c := Case{Phase: Validating, Request: request(ours, "DeviceClass", admissionv1.Create, "{}")}
	d, err := c.Decide([]diag.Diagnostic{bundleFinding("selector-missing-guard", diag.Warning)}, []string{"not known yet", "not known yet"})
	if want := []string{"spec.x: does not fit (bundle/selector-missing-guard)", "not known yet"}; err != nil || !reflect.DeepEqual(d.Response.Warnings, want) {
		t.Errorf("got %q, %v", d.Response.Warnings, err)
	}
}

// cluster is a cluster of a few answers.
type cluster struct {
	nodes, namespaces   map[string]map[string]string
	classes             map[string]string
	ofClass, ofTemplate census.Users
}

func (c *cluster) Around(any) *census.Around { return &census.Around{} }
func (c *cluster) NodeLabels(name string) (map[string]string, bool) {
	l, ok := c.nodes[name]
	return l, ok
}
func (c *cluster) NamespaceLabels(name string) (map[string]string, bool) {
	l, ok := c.namespaces[name]
	return l, ok
}
func (c *cluster) ClassFor(resource string) (string, bool) {
	class, ok := c.classes[resource]
	return class, ok
}
func (c *cluster) UsersOfClass(string) census.Users            { return c.ofClass }
func (c *cluster) UsersOfTemplate(string, string) census.Users { return c.ofTemplate }
func (c *cluster) Freshness() census.Freshness                 { return census.Freshness{} }
