package render

import (
	"os"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core"
)

// A value that does not exist, or cannot be, is refused and not passed over.
func TestValuesAreChecked(t *testing.T) {
	for values, want := range map[string]string{
		"replica: 3":                          "replica",
		"replicas: three":                     "replicas",
		"image: {name: x}":                    "name",
		"image: {digest: latest}":             "digest",
		"failurePolicy: Open":                 "failurePolicy",
		"timeoutSeconds: 31":                  "timeoutSeconds",
		"certificates: {mode: letsEncrypt}":   "mode",
		"certificates: {mode: files}":         "caBundle",
		"extraArgs: [serve]":                  "extraArgs",
		"kubernetesVersion: v1.37":            "kubernetesVersion",
		"monitoring: {alerts: true}":          "alerts",
		"resources: {limit: {memory: 1Gi}}":   "limit",
		"imagePullSecrets: [registry]":        "imagePullSecrets",
		"certificates: {caBundle: \"x\"}":     "caBundle",
		"networkPolicy: {enabled: sometimes}": "enabled",
	} {
		if _, err := Helm(chart, "drawbridge", values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", values, err)
		}
	}
}

// The chart has the values of its schema, and no others.
func TestValuesAreDescribed(t *testing.T) {
	text, err := os.ReadFile("../chart/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var values, schema map[string]any
	if err := yaml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	described, err := os.ReadFile("../chart/values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(described, &schema); err != nil {
		t.Fatal(err)
	}
	properties := schema["properties"].(map[string]any)
	for name := range values {
		if properties[name] == nil {
			t.Errorf("the schema does not have %s", name)
		}
	}
	for name := range properties {
		if _, ok := values[name]; !ok && name != "global" {
			t.Errorf("values.yaml does not have %s", name)
		}
	}
}

// Each value arrives where it belongs.
func TestValuesArrive(t *testing.T) {
	policy := "apiVersion: drawbridge-dra.github.io/v1\nkind: AdmissionPolicy\nrules:\n  bundle/*: deny\n"
	values, err := yaml.Marshal(map[string]any{
		"image":              map[string]any{"repository": "example.com/d", "digest": "sha256:" + strings.Repeat("0", 64), "pullPolicy": "Always"},
		"imagePullSecrets":   []any{map[string]any{"name": "pull"}},
		"replicas":           5,
		"certificates":       map[string]any{"mode": "files", "secretName": "mine", "caBundle": "-----BEGIN CERTIFICATE-----\nAA==\n"},
		"failurePolicy":      "Fail",
		"timeoutSeconds":     3,
		"excludedNamespaces": []any{"a"},
		"onlyNamespaces":     []any{"b", "c"},
		"policy":             policy,
		"kubernetesVersion":  "1.36",
		"featureGates":       "A=true,B=false",
		"logLevel":           "WARN",
		"extraArgs":          []any{"--node-name-to=affinity"},
		"extraEnv":           []any{map[string]any{"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": "http://collector:4318"}},
		"resources":          map[string]any{"limits": map[string]any{"memory": "3Gi"}},
		"goMemoryLimit":      "2GiB",
		"priorityClassName":  "system-cluster-critical",
		"nodeSelector":       map[string]any{"kubernetes.io/os": "linux"},
		"tolerations":        []any{map[string]any{"operator": "Exists"}},
		"podAnnotations":     map[string]any{"x": "y"},
		"networkPolicy":      map[string]any{"egress": []any{map[string]any{"ports": []any{map[string]any{"port": 4318}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := Helm(chart, "elsewhere", string(values))
	if err != nil {
		t.Fatal(err)
	}
	d := Of[*appsv1.Deployment](list)[0]
	pod := d.Spec.Template.Spec
	c := pod.Containers[0]
	args := strings.Join(c.Args, " ")
	for _, want := range []string{"--tls-cert-file=/tls/tls.crt", "--policy-file=/policy/policy.yaml", "--kubernetes-version=1.36",
		"--feature-gates=A=true,B=false", "--log-level=WARN", "--node-name-to=affinity", "--in-cluster"} {
		if !strings.Contains(args, want) {
			t.Errorf("%s is missing: %s", want, args)
		}
	}
	if strings.Contains(args, "--self-managed-certs") {
		t.Errorf("two kinds of certificates: %s", args)
	}
	if *d.Spec.Replicas != 5 || c.Image != "example.com/d@sha256:"+strings.Repeat("0", 64) || c.ImagePullPolicy != corev1.PullAlways ||
		pod.ImagePullSecrets[0].Name != "pull" || pod.PriorityClassName != "system-cluster-critical" || pod.NodeSelector["kubernetes.io/os"] != "linux" ||
		len(pod.Tolerations) != 1 || d.Spec.Template.Annotations["x"] != "y" || c.Resources.Limits.Memory().String() != "3Gi" ||
		c.Env[0].Value != "2GiB" || c.Env[1].Name != "OTEL_EXPORTER_OTLP_ENDPOINT" || pod.Volumes[0].Secret.SecretName != "mine" {
		t.Errorf("got %+v", d.Spec)
	}
	for _, m := range Of[*corev1.ConfigMap](list) {
		if m.Name == pod.Volumes[1].ConfigMap.Name && m.Data["policy.yaml"] != policy {
			t.Errorf("got %q", m.Data)
		}
		if _, err := core.ParsePolicy([]byte(m.Data["policy.yaml"])); err != nil {
			t.Error(err)
		}
	}
	for name, w := range accessors(list) {
		want := admissionregistrationv1.Ignore
		if strings.HasSuffix(name, objects) {
			want = admissionregistrationv1.Fail
		}
		selector := w.GetNamespaceSelector().MatchExpressions
		if *w.GetFailurePolicy() != want || *w.GetTimeoutSeconds() != 3 || len(selector) != 2 ||
			strings.Join(selector[0].Values, " ") != "kube-system elsewhere a" || selector[1].Operator != "In" || strings.Join(selector[1].Values, " ") != "b c" {
			t.Errorf("%s: got %+v", name, selector)
		}
		if m, ok := w.GetMutatingWebhook(); ok && (m.ClientConfig.Service.Namespace != "elsewhere" || !strings.HasPrefix(string(m.ClientConfig.CABundle), "-----BEGIN")) {
			t.Errorf("%s: got %+v", name, m.ClientConfig)
		}
	}
	if n := Of[*networkingv1.NetworkPolicy](list)[0]; n.Spec.Egress[len(n.Spec.Egress)-1].Ports[0].Port.IntValue() != 4318 {
		t.Errorf("got %+v", n.Spec.Egress)
	}
}

// Without what is optional it is not there.
func TestValuesLeaveOut(t *testing.T) {
	list, err := Helm(chart, "drawbridge", "{podDisruptionBudget: {enabled: false}, networkPolicy: {enabled: false}, certificates: {mode: certManager, issuerRef: {kind: ClusterIssuer, name: company}}}")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, o := range list {
		kinds = append(kinds, o.Kind())
	}
	got := strings.Join(kinds, " ")
	if want := "Certificate ClusterRole ClusterRoleBinding Deployment MutatingWebhookConfiguration Service ServiceAccount ValidatingWebhookConfiguration"; got != want {
		t.Errorf("got %s", got)
	}
	notes, err := files(chart, "drawbridge", "failurePolicy: Fail")
	if err != nil {
		t.Fatal(err)
	}
	if text := notes["drawbridge/templates/NOTES.txt"]; !strings.Contains(text, "kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration drawbridge") || !strings.Contains(text, "Fail") {
		t.Errorf("got %s", text)
	}
}
