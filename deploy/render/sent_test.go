package render

import (
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	admissioncel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// request is what somebody asks of the API server.
type request struct {
	verb, resource, version string // resource may be resource/subresource
	group, kind             string
	user                    string
	object, old             string // YAML
}

// accessors are both configurations' webhooks as the API server holds them.
func accessors(objects []Object) map[string]webhook.WebhookAccessor {
	out := map[string]webhook.WebhookAccessor{}
	for _, c := range Of[*admissionregistrationv1.MutatingWebhookConfiguration](objects) {
		for i := range c.Webhooks {
			w := &c.Webhooks[i]
			out["mutating "+w.Name] = webhook.NewMutatingWebhookAccessor(w.Name, c.Name, w)
		}
	}
	for _, c := range Of[*admissionregistrationv1.ValidatingWebhookConfiguration](objects) {
		for i := range c.Webhooks {
			w := &c.Webhooks[i]
			out["validating "+w.Name] = webhook.NewValidatingWebhookAccessor(w.Name, c.Name, w)
		}
	}
	return out
}

// sent tells whether the API server calls a webhook, by the API server's own
// code for rules and conditions.
func sent(t *testing.T, w webhook.WebhookAccessor, r request) bool {
	t.Helper()
	parse := func(text string) runtime.Object {
		if text == "" {
			return nil
		}
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		o.SetGroupVersionKind(schema.GroupVersionKind{Group: r.group, Version: r.version, Kind: r.kind})
		return o
	}
	object, old := parse(r.object), parse(r.old)
	resource, sub, _ := cut(r.resource)
	gvk := schema.GroupVersionKind{Group: r.group, Version: r.version, Kind: r.kind}
	gvr := schema.GroupVersionResource{Group: r.group, Version: r.version, Resource: resource}
	who := r.user
	if who == "" {
		who = "jane"
	}
	namespace := "default"
	if clusterScoped[resource] {
		namespace = ""
	}
	attributes := admission.NewAttributesRecord(object, old, gvk, namespace, "x", gvr, sub, admission.Operation(r.verb), nil, false, &user.DefaultInfo{Name: who})
	matched := false
	for _, rule := range w.GetRules() {
		m := rules.Matcher{Rule: rule, Attr: attributes}
		matched = matched || m.Matches()
	}
	if !matched {
		return false
	}
	compiler := admissioncel.NewConditionCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	result := w.GetCompiledMatcher(compiler).Match(t.Context(), &admission.VersionedAttributes{
		Attributes: attributes, VersionedKind: gvk, VersionedObject: admission.NewLazyObject(object), VersionedOldObject: admission.NewLazyObject(old),
	}, nil, nil)
	if result.Error != nil {
		t.Errorf("%+v: %v", r, result.Error)
	}
	return result.Matches
}

var clusterScoped = map[string]bool{
	"deviceclasses": true, "devicetaintrules": true, "resourceslices": true, "resourcepoolstatusrequests": true, "nodes": true, "namespaces": true,
	"validatingwebhookconfigurations": true, "mutatingwebhookconfigurations": true,
}

func cut(resource string) (string, string, bool) {
	for i := range resource {
		if resource[i] == '/' {
			return resource[:i], resource[i+1:], true
		}
	}
	return resource, "", false
}
