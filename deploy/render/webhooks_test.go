package render

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/webhook"
)

const (
	pods    = "pods.drawbridge-dra.github.io"
	objects = "objects.drawbridge-dra.github.io"
)

// everything is both configurations, and what they name.
func everything(t *testing.T) []Object {
	t.Helper()
	out, err := Kustomize("../overlays/cert-manager")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// strict makes every condition count: where one fails, the API server refuses.
func strict(list []Object) []Object {
	fail := admissionregistrationv1.Fail
	for _, c := range Of[*admissionregistrationv1.MutatingWebhookConfiguration](list) {
		for i := range c.Webhooks {
			c.Webhooks[i].FailurePolicy = &fail
		}
	}
	for _, c := range Of[*admissionregistrationv1.ValidatingWebhookConfiguration](list) {
		for i := range c.Webhooks {
			c.Webhooks[i].FailurePolicy = &fail
		}
	}
	return list
}

func TestWebhooksAreHarmless(t *testing.T) {
	list := everything(t)
	service := Of[*corev1.Service](list)[0]
	all := accessors(list)
	if len(all) != 4 {
		t.Fatalf("got %d webhooks", len(all))
	}
	for name, w := range all {
		client := admissionregistrationv1.WebhookClientConfig{}
		if m, ok := w.GetMutatingWebhook(); ok {
			client = m.ClientConfig
		} else if v, ok := w.GetValidatingWebhook(); ok {
			client = v.ClientConfig
		}
		if client.Service.Name != service.Name || client.Service.Namespace != service.Namespace || *client.Service.Port != service.Spec.Ports[0].Port {
			t.Errorf("%s: got %+v", name, client.Service)
		}
		if !strings.HasPrefix(*client.Service.Path, "/admission/") {
			t.Errorf("%s: got %s", name, *client.Service.Path)
		}
		if *w.GetFailurePolicy() != admissionregistrationv1.Ignore || *w.GetSideEffects() != admissionregistrationv1.SideEffectClassNone ||
			*w.GetMatchPolicy() != admissionregistrationv1.Equivalent || *w.GetTimeoutSeconds() > 3 || !slices.Equal(w.GetAdmissionReviewVersions(), []string{"v1"}) {
			t.Errorf("%s can do harm", name)
		}
		exempt := w.GetNamespaceSelector().MatchExpressions[0]
		if exempt.Key != "kubernetes.io/metadata.name" || exempt.Operator != "NotIn" || !slices.Contains(exempt.Values, "kube-system") || !slices.Contains(exempt.Values, service.Namespace) {
			t.Errorf("%s can block its own pods: %+v", name, exempt)
		}
		for _, rule := range w.GetRules() {
			for _, list := range [][]string{rule.APIGroups, rule.Resources} {
				if slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "*") }) {
					t.Errorf("%s takes more than it names: %v", name, list)
				}
			}
		}
	}
}

func asked(verb, resource, kind string) request {
	spec := `{metadata: {name: x}, spec: {a: 1}}`
	r := request{verb: verb, resource: resource, group: "resource.k8s.io", version: "v1", kind: kind}
	if verb != "DELETE" {
		r.object = spec
	}
	if verb != "CREATE" {
		r.old = strings.Replace(spec, "a: 1", "a: 2", 1)
	}
	return r
}

func TestWhatIsSent(t *testing.T) {
	all := accessors(strict(everything(t)))
	with := func(r request, change func(*request)) request { change(&r); return r }
	onlyMetadata := func(r *request) { r.old = strings.Replace(r.object, "name: x", "name: x, finalizers: [a]", 1) }
	by := func(name string) func(*request) { return func(r *request) { r.user = name } }
	for _, c := range []struct {
		request
		mutating, validating bool
	}{
		{asked("CREATE", "resourceslices", "ResourceSlice"), true, true},
		{asked("UPDATE", "resourceslices", "ResourceSlice"), true, true},
		{asked("DELETE", "resourceslices", "ResourceSlice"), false, false},
		{asked("CREATE", "resourceclaims", "ResourceClaim"), true, true},
		{asked("UPDATE", "resourceclaims", "ResourceClaim"), true, true},
		{with(asked("UPDATE", "resourceclaims", "ResourceClaim"), onlyMetadata), false, false},
		{with(asked("UPDATE", "resourceclaims/status", "ResourceClaim"), onlyMetadata), true, false},
		{with(asked("UPDATE", "resourceclaims/status", "ResourceClaim"), by("system:kube-scheduler")), false, false},
		{with(asked("CREATE", "resourceclaims", "ResourceClaim"), by("system:serviceaccount:kube-system:resource-claim-controller")), false, false},
		{with(asked("CREATE", "resourceslices", "ResourceSlice"), by("system:serviceaccount:kube-system:gpu-driver")), true, true},
		{asked("DELETE", "resourceclaims", "ResourceClaim"), false, false},
		{asked("CREATE", "resourceclaimtemplates", "ResourceClaimTemplate"), true, true},
		{asked("UPDATE", "resourceclaimtemplates", "ResourceClaimTemplate"), true, true},
		{asked("DELETE", "resourceclaimtemplates", "ResourceClaimTemplate"), false, true},
		{with(asked("DELETE", "resourceclaimtemplates", "ResourceClaimTemplate"), by("system:serviceaccount:kube-system:namespace-controller")), false, false},
		{asked("CREATE", "deviceclasses", "DeviceClass"), true, true},
		{asked("UPDATE", "deviceclasses", "DeviceClass"), true, true},
		{asked("DELETE", "deviceclasses", "DeviceClass"), false, true},
		{with(asked("CREATE", "deviceclasses", "DeviceClass"), func(r *request) { r.version = "v1beta1" }), true, true},
		{asked("CREATE", "devicetaintrules", "DeviceTaintRule"), true, true},
		{asked("UPDATE", "devicetaintrules/status", "DeviceTaintRule"), true, false},
		{asked("CREATE", "resourcepoolstatusrequests", "ResourcePoolStatusRequest"), true, true},
		{asked("UPDATE", "resourcepoolstatusrequests/status", "ResourcePoolStatusRequest"), true, false},
		// What keeps a cluster alive never comes.
		{request{verb: "UPDATE", resource: "leases", group: "coordination.k8s.io", version: "v1", kind: "Lease", object: "{}", old: "{}"}, false, false},
		{request{verb: "UPDATE", resource: "nodes/status", version: "v1", kind: "Node", object: "{}", old: "{}"}, false, false},
		{request{verb: "DELETE", resource: "validatingwebhookconfigurations", group: "admissionregistration.k8s.io", version: "v1", kind: "ValidatingWebhookConfiguration", old: "{}"}, false, false},
		{request{verb: "CREATE", resource: "subjectaccessreviews", group: "authorization.k8s.io", version: "v1", kind: "SubjectAccessReview", object: "{}"}, false, false},
	} {
		for name, want := range map[string]bool{"mutating " + objects: c.mutating, "validating " + objects: c.validating, "mutating " + pods: false, "validating " + pods: false} {
			if got := sent(t, all[name], c.request); got != want {
				t.Errorf("%s gets %s of %s by %q: %v", name, c.verb, c.resource, c.user, got)
			}
		}
	}
}

// The conditions keep from us only what we would leave alone anyway.
func TestPodsThatMatter(t *testing.T) {
	all := accessors(strict(everything(t)))
	mutate := webhook.New(webhook.Config{}).Mutate()
	for _, c := range []struct {
		pod                           string
		mutating, validating, patched bool
	}{
		{`{metadata: {}, spec: {nodeName: n1, containers: [{name: c}], resourceClaims: [{name: a}]}}`, true, true, true},
		{`{metadata: {annotations: {a: b}}, spec: {nodeName: n1, containers: [{name: c, resources: {limits: {deviceclass.resource.kubernetes.io/g: "1"}}}]}}`, true, false, true},
		{`{metadata: {}, spec: {nodeName: n1, containers: [{name: c}], initContainers: [{name: i, resources: {limits: {cpu: "1", deviceclass.resource.kubernetes.io/g: "1"}}}]}}`, true, false, true},
		// Only the cluster knows whether a DeviceClass stands behind it.
		{`{metadata: {}, spec: {nodeName: n1, containers: [{name: c, resources: {limits: {example.com/gpu: "1"}}}]}}`, true, false, false},
		{`{metadata: {}, spec: {containers: [{name: c}], resourceClaims: [{name: a}]}}`, false, true, false},
		{`{metadata: {}, spec: {nodeName: "", containers: [{name: c}], resourceClaims: [{name: a}]}}`, false, true, false},
		{`{metadata: {}, spec: {nodeName: n1, containers: [{name: c, resources: {limits: {cpu: "1", memory: 1Gi}}}], resourceClaims: []}}`, false, false, false},
		{`{metadata: {}, spec: {containers: [{name: c, resources: {limits: {example.com/gpu: "1"}}}]}}`, false, false, false},
		{`{metadata: {annotations: {kubernetes.io/config.mirror: x}}, spec: {nodeName: n1, containers: [{name: c}], resourceClaims: [{name: a}]}}`, false, false, false},
	} {
		r := request{verb: "CREATE", resource: "pods", version: "v1", kind: "Pod", object: c.pod}
		for name, want := range map[string]bool{"mutating " + pods: c.mutating, "validating " + pods: c.validating, "mutating " + objects: false, "validating " + objects: false} {
			if got := sent(t, all[name], r); got != want {
				t.Errorf("%s gets it: %v: %s", name, got, c.pod)
			}
		}
		if got := patched(t, mutate, c.pod); got != c.patched || got && !c.mutating {
			t.Errorf("patched: %v: %s", got, c.pod)
		}
		for _, verb := range []string{"UPDATE", "DELETE"} {
			r := request{verb: verb, resource: "pods", version: "v1", kind: "Pod", object: c.pod, old: c.pod}
			for name, w := range all {
				if sent(t, w, r) {
					t.Errorf("%s gets %s of pods", name, verb)
				}
			}
		}
	}
}

// patched asks the webhook itself.
func patched(t *testing.T, mutate http.Handler, pod string) bool {
	t.Helper()
	object, err := yaml.YAMLToJSON([]byte(pod))
	if err != nil {
		t.Fatal(err)
	}
	review := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","operation":"CREATE","kind":{"version":"v1","kind":"Pod"},"object":` + string(object) + `}}`
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(review))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	mutate.ServeHTTP(w, r)
	var answer struct {
		Response struct {
			Allowed   bool
			PatchType string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || !answer.Response.Allowed {
		t.Fatalf("got %s, %v", w.Body, err)
	}
	return answer.Response.PatchType != ""
}
