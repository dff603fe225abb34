// Package deploy holds manifests only; its tests keep them from rotting.
package deploy

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/spf13/pflag"
	yaml3 "go.yaml.in/yaml/v3"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
	"github.com/drawbridge-dra/drawbridge/webhook"
)

// foreign are the kinds that k8s.io/api does not have.
var foreign = []string{"Kustomization", "Component", "Issuer", "Certificate"}

// manifest is one document of a file.
type manifest struct {
	file string
	kind string
	json []byte
	// object is nil for foreign kinds.
	object runtime.Object
}

// load reads every YAML file below this folder, strictly.
func load(t *testing.T) []manifest {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, policyv1.AddToScheme, networkingv1.AddToScheme, admissionregistrationv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	var all []manifest
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		documents := yaml3.NewDecoder(bytes.NewReader(text))
		for {
			var node yaml3.Node
			if err := documents.Decode(&node); err == io.EOF {
				return nil
			} else if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			var value any
			if err := node.Decode(&value); err != nil { // follows anchors
				t.Fatalf("%s: %v", path, err)
			}
			m := manifest{file: path}
			if m.json, err = json.Marshal(value); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			var head struct{ Kind string }
			if err := json.Unmarshal(m.json, &head); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			m.kind = head.Kind
			if !slices.Contains(foreign, m.kind) {
				if m.object, _, err = decoder.Decode(m.json, nil, nil); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			all = append(all, m)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func of[T runtime.Object](all []manifest) []T {
	var out []T
	for _, m := range all {
		if o, ok := m.object.(T); ok {
			out = append(out, o)
		}
	}
	return out
}

func TestManifestsDecode(t *testing.T) {
	kinds := map[string]int{}
	for _, m := range load(t) {
		kinds[m.kind]++
	}
	for _, kind := range []string{"Namespace", "ServiceAccount", "Deployment", "PodDisruptionBudget", "Service", "NetworkPolicy",
		"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "Kustomization", "Component", "Certificate", "Issuer"} {
		if kinds[kind] == 0 {
			t.Errorf("there is no %s", kind)
		}
	}
}

// Every file is part of a kustomization, and every kustomization names files
// that are there.
func TestKustomizationsAreComplete(t *testing.T) {
	used := map[string]bool{}
	for _, m := range load(t) {
		if m.kind != "Kustomization" && m.kind != "Component" {
			continue
		}
		var k struct {
			Resources  []string
			Components []string
			Patches    []struct{ Path string }
		}
		if err := yaml.Unmarshal(m.json, &k); err != nil {
			t.Fatal(err)
		}
		names := append(slices.Clone(k.Resources), k.Components...)
		for _, p := range k.Patches {
			if p.Path != "" {
				names = append(names, p.Path)
			}
		}
		for _, name := range names {
			path := filepath.Join(filepath.Dir(m.file), name)
			info, err := os.Stat(path)
			if err != nil {
				t.Errorf("%s: %v", m.file, err)
				continue
			}
			if info.IsDir() {
				path = filepath.Join(path, "kustomization.yaml")
			}
			used[path] = true
		}
	}
	for _, m := range load(t) {
		if !used[m.file] && m.kind != "Kustomization" {
			t.Errorf("%s is part of nothing", m.file)
		}
	}
}

// The server takes the arguments that the manifests give it, ports and probes
// meet, and the pod satisfies the restricted policy of its namespace.
func TestDeployment(t *testing.T) {
	all := load(t)
	service := of[*corev1.Service](all)[0]
	deployments := of[*appsv1.Deployment](all)
	if len(deployments) != 2 {
		t.Fatalf("got %d deployments: the base and the patch of admission", len(deployments))
	}
	for _, d := range deployments {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		args := d.Spec.Template.Spec.Containers[0].Args
		command, rest, err := cli.New().Find(args)
		if err != nil {
			t.Fatal(err)
		}
		flags.AddFlagSet(command.Flags())
		if err := flags.Parse(rest); err != nil || command.Name() != "serve" || flags.NArg() != 0 {
			t.Errorf("the binary does not take %q: %v", args, err)
		}
		if address, _ := flags.GetString("https-listen"); address != ":8443" {
			t.Errorf("got %q", address)
		}
		body, _ := flags.GetInt64("max-body-bytes")
		bundles, _ := flags.GetInt("max-concurrent-bundles")
		for _, c := range d.Spec.Template.Spec.Containers {
			if limit := c.Resources.Limits.Memory(); !limit.IsZero() && 60*body*int64(bundles) > limit.Value()*3/4 {
				t.Errorf("%d bundles of %d bytes do not fit into %s", bundles, body, limit)
			}
		}
		delay, _ := flags.GetDuration("shutdown-delay")
		timeout, _ := flags.GetDuration("shutdown-timeout")
		if grace := d.Spec.Template.Spec.TerminationGracePeriodSeconds; grace != nil && float64(*grace) <= (delay+timeout).Seconds() {
			t.Errorf("the kubelet kills after %d s what takes %v", *grace, delay+timeout)
		}
	}
	base := deployments[slices.IndexFunc(deployments, func(d *appsv1.Deployment) bool { return d.Spec.Replicas != nil })]
	pod := base.Spec.Template
	c := pod.Spec.Containers[0]
	for key, value := range service.Spec.Selector {
		if pod.Labels[key] != value || base.Spec.Selector.MatchLabels[key] != value {
			t.Errorf("nothing selects %s=%s", key, value)
		}
	}
	if service.Spec.Ports[0].TargetPort.String() != c.Ports[0].Name || c.Ports[0].ContainerPort != 8443 {
		t.Errorf("ports do not meet: %+v, %+v", service.Spec.Ports, c.Ports)
	}
	for path, probe := range map[string]*corev1.Probe{"/livez": c.LivenessProbe, "/readyz": c.ReadinessProbe} {
		if probe.HTTPGet.Path != path || probe.HTTPGet.Scheme != corev1.URISchemeHTTPS || probe.HTTPGet.Port.String() != c.Ports[0].Name {
			t.Errorf("got %+v", probe.HTTPGet)
		}
	}
	if *base.Spec.Replicas < 3 || base.Spec.Strategy.RollingUpdate.MaxUnavailable.IntValue() != 0 {
		t.Errorf("a rollout leaves nobody to answer: %+v", base.Spec)
	}
	s := c.SecurityContext
	if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !*s.RunAsNonRoot || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) ||
		pod.Spec.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault || *pod.Spec.AutomountServiceAccountToken {
		t.Error("the pod is not restricted")
	}
}

// webhooks lists both configurations' webhooks in one form.
func webhooks(all []manifest) []admissionregistrationv1.MutatingWebhook {
	var out []admissionregistrationv1.MutatingWebhook
	for _, c := range of[*admissionregistrationv1.MutatingWebhookConfiguration](all) {
		out = append(out, c.Webhooks...)
	}
	for _, c := range of[*admissionregistrationv1.ValidatingWebhookConfiguration](all) {
		for _, w := range c.Webhooks {
			out = append(out, admissionregistrationv1.MutatingWebhook{
				Name: w.Name, ClientConfig: w.ClientConfig, Rules: w.Rules, FailurePolicy: w.FailurePolicy, MatchPolicy: w.MatchPolicy,
				NamespaceSelector: w.NamespaceSelector, SideEffects: w.SideEffects, TimeoutSeconds: w.TimeoutSeconds,
				AdmissionReviewVersions: w.AdmissionReviewVersions, MatchConditions: w.MatchConditions,
			})
		}
	}
	return out
}

func TestWebhooksAreHarmless(t *testing.T) {
	all := load(t)
	list := webhooks(all)
	if len(list) != 4 {
		t.Fatalf("got %d webhooks", len(list))
	}
	service := of[*corev1.Service](all)[0]
	for _, w := range list {
		target := w.ClientConfig.Service
		if target.Name != service.Name || target.Namespace != service.Namespace || *target.Port != service.Spec.Ports[0].Port {
			t.Errorf("%s: got %+v", w.Name, target)
		}
		if *target.Path != "/admission/mutate" && *target.Path != "/admission/validate" {
			t.Errorf("%s: got %s", w.Name, *target.Path)
		}
		if *w.FailurePolicy != admissionregistrationv1.Ignore || *w.SideEffects != admissionregistrationv1.SideEffectClassNone ||
			*w.MatchPolicy != admissionregistrationv1.Equivalent || *w.TimeoutSeconds > 5 || !slices.Equal(w.AdmissionReviewVersions, []string{"v1"}) {
			t.Errorf("%s: got %+v", w.Name, w)
		}
		exempt := w.NamespaceSelector.MatchExpressions[0]
		if exempt.Key != "kubernetes.io/metadata.name" || exempt.Operator != "NotIn" || !slices.Contains(exempt.Values, "kube-system") || !slices.Contains(exempt.Values, service.Namespace) {
			t.Errorf("%s: it can block its own pods: %+v", w.Name, w.NamespaceSelector)
		}
	}
}

// sent tells whether the API server sends an object, by the webhook's
// conditions, compiled in the environment that the API server has for them.
func sent(t *testing.T, w admissionregistrationv1.MutatingWebhook, object map[string]any) bool {
	t.Helper()
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	set, err := base.Extend(environment.VersionedOptions{
		IntroducedVersion: environment.DefaultCompatibilityVersion(),
		EnvOptions:        []cel.EnvOption{cel.Variable("object", cel.DynType)},
	})
	if err != nil {
		t.Fatal(err)
	}
	env := set.NewExpressionsEnv()
	for _, c := range w.MatchConditions {
		ast, issues := env.Compile(c.Expression)
		if issues.Err() != nil {
			t.Fatalf("%s: %v", c.Name, issues.Err())
		}
		program, err := env.Program(ast)
		if err != nil {
			t.Fatal(err)
		}
		result, _, err := program.Eval(map[string]any{"object": object})
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if result.Value() != true {
			return false
		}
	}
	return true
}

// The conditions keep from us only what we would leave alone anyway.
func TestConditionsAgreeWithTheWebhook(t *testing.T) {
	var mutate admissionregistrationv1.MutatingWebhook
	for _, w := range webhooks(load(t)) {
		if *w.ClientConfig.Service.Path == "/admission/mutate" {
			mutate = w
		}
	}
	if len(mutate.MatchConditions) == 0 {
		t.Fatal("every pod of the cluster is sent")
	}
	handler := webhook.New(webhook.Config{}).Mutate()
	pods := map[string]bool{
		`{"metadata":{},"spec":{"nodeName":"n","containers":[{"name":"c"}],"resourceClaims":[{"name":"a"}]}}`:                                                                    true,
		`{"metadata":{"annotations":{"a":"b"}},"spec":{"nodeName":"n","containers":[{"resources":{"limits":{"deviceclass.resource.kubernetes.io/g":"1"}}}]}}`:                    true,
		`{"metadata":{},"spec":{"nodeName":"n","containers":[{"name":"c"}],"initContainers":[{"resources":{"limits":{"cpu":"1","deviceclass.resource.kubernetes.io/g":"1"}}}]}}`: true,
		`{"metadata":{},"spec":{"containers":[{"name":"c"}],"resourceClaims":[{"name":"a"}]}}`:                                                                                   false,
		`{"metadata":{},"spec":{"nodeName":"","containers":[{"name":"c"}],"resourceClaims":[{"name":"a"}]}}`:                                                                     false,
		`{"metadata":{},"spec":{"nodeName":"n","containers":[{"resources":{"limits":{"cpu":"1"}}}],"resourceClaims":[]}}`:                                                        false,
		`{"metadata":{"annotations":{"kubernetes.io/config.mirror":"x"}},"spec":{"nodeName":"n","containers":[],"resourceClaims":[{"name":"a"}]}}`:                               false,
	}
	for text, want := range pods {
		var object map[string]any
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		if got := sent(t, mutate, object); got != want {
			t.Errorf("sent %v: %s", got, text)
		}
		review := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","operation":"CREATE","kind":{"version":"v1","kind":"Pod"},"object":` + text + `}}`
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(review))
		r.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, r)
		if got := strings.Contains(rec.Body.String(), "JSONPatch"); got != want {
			t.Errorf("patched %v: %s", got, text)
		}
	}
}

// A field that a gate drops is gone before the validating phase, so the
// objects have to be looked at in the mutating one.
func TestObjectsAreSeenWhole(t *testing.T) {
	for _, c := range of[*admissionregistrationv1.MutatingWebhookConfiguration](load(t)) {
		for _, w := range c.Webhooks {
			for _, rule := range w.Rules {
				if slices.Contains(rule.APIGroups, "resource.k8s.io") && slices.Contains(rule.Resources, "resourceslices") && *w.ClientConfig.Service.Path == "/admission/validate" {
					return
				}
			}
		}
	}
	t.Error("the mutating phase does not check slices")
}

func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nFROM scratch\n", "\nCOPY drawbridge /drawbridge\n", "\nUSER 65532:65532\n", `ENTRYPOINT ["/drawbridge"]`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("missing: %s", want)
		}
	}
}
