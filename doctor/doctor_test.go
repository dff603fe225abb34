package doctor

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// server answers with what is written in YAML, by path; what is a number is
// the code of a refusal.
type server map[string]string

func (s server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		http.Error(w, "the doctor only reads", http.StatusTeapot)
		return
	}
	text, known := s[r.URL.Path]
	var code int
	switch {
	case !known:
		w.WriteHeader(http.StatusNotFound)
	case strings.HasSuffix(r.URL.Path, "metrics") || strings.HasSuffix(r.URL.Path, "readyz"):
		if n, _ := fmt.Sscanf(text, "code %d", &code); n == 1 {
			w.WriteHeader(code)
			return
		}
		_, _ = w.Write([]byte(text))
	default:
		if n, _ := fmt.Sscanf(text, "code %d", &code); n == 1 {
			w.WriteHeader(code)
			return
		}
		out, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			panic(err)
		}
		_, _ = w.Write(out)
	}
}

func metrics(gates string) string {
	out := "# TYPE kubernetes_feature_enabled gauge\n"
	for _, g := range strings.Fields(gates) {
		name, value, _ := strings.Cut(g, "=")
		out += fmt.Sprintf("kubernetes_feature_enabled{name=%q,stage=\"BETA\"} %s\n", name, value)
	}
	return out
}

const resources = `{resources: [{name: deviceclasses}, {name: devicetaintrules}, {name: resourceclaims}, {name: resourceclaims/status}, {name: resourceclaimtemplates}, {name: resourceslices}]}`

func listOf(kind string, items ...string) string {
	return fmt.Sprintf("{kind: %sList, apiVersion: %s, metadata: {}, items: [%s]}", kind, map[bool]string{true: "v1", false: "resource.k8s.io/v1"}[kind == "Node" || kind == "Pod" || kind == "Namespace"], strings.Join(items, ", "))
}

const (
	slice   = `{metadata: {name: n1-gpu}, spec: {driver: gpu.example.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}]}}`
	class   = `{metadata: {name: gpu}, spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}}`
	node    = `{metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}, status: {nodeInfo: {kubeletVersion: v1.37.1}, allocatable: {cpu: "8", memory: 8Gi, pods: "100"}, conditions: [{type: Ready, status: "True"}]}}`
	plugin  = `{metadata: {name: plugin, namespace: gpu}, spec: {nodeName: n1, containers: [{name: c, image: x, args: [--driver=gpu.example.com]}], volumes: [{name: v, hostPath: {path: /var/lib/kubelet/plugins/}}]}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}`
	schedul = `{metadata: {name: kube-scheduler-a, namespace: kube-system, labels: {component: kube-scheduler}}, spec: {nodeName: n1, containers: [{name: c, image: "registry.example/kube-scheduler:v1.37.2", command: [kube-scheduler, "--feature-gates=DRAPartitionableDevices=true"]}]}, status: {phase: Running}}`
	manager = `{metadata: {name: kube-controller-manager-a, namespace: kube-system, labels: {component: kube-controller-manager}}, spec: {nodeName: n1, containers: [{name: c, image: "registry.example/kube-controller-manager:v1.37.2", command: [kube-controller-manager]}]}, status: {phase: Running}}`
	waiting = `{metadata: {name: train, namespace: ml}, spec: {resourceClaims: [{name: gpu, resourceClaimName: two}], containers: [{name: c, image: x, resources: {claims: [{name: gpu}]}}]}, status: {phase: Pending}}`
	claim   = `{metadata: {name: two, namespace: ml}, spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu, count: 2, allocationMode: ExactCount}}]}}}`
)

const hooks = "/apis/admissionregistration.k8s.io/v1/"

func hookList(kind, ca, policy string) string {
	return fmt.Sprintf(`{kind: %sList, items: [{metadata: {name: drawbridge}, webhooks: [{name: objects.drawbridge-dra.github.io, failurePolicy: %s, clientConfig: {caBundle: %q, service: {namespace: drawbridge, name: drawbridge, port: 443}}}, {name: of.somebody.else, clientConfig: {url: "https://x"}}]}]}`, kind, policy, ca)
}

// well is a cluster without a problem.
func well(ca string) server {
	return server{
		"/version":                 `{major: "1", minor: "37+", gitVersion: v1.37.2}`,
		"/apis/resource.k8s.io":    `{versions: [{groupVersion: resource.k8s.io/v1}]}`,
		"/apis/resource.k8s.io/v1": resources,
		"/metrics":                 metrics("DRAPartitionableDevices=1 DRAAdminAccess=1 SomethingElse=1"),
		"/api/v1/namespaces/kube-system/pods/https:kube-scheduler-a:10259/proxy/metrics":          "code 403",
		"/api/v1/namespaces/kube-system/pods/https:kube-controller-manager-a:10257/proxy/metrics": metrics("DRAPartitionableDevices=1"),
		"/apis/resource.k8s.io/v1/resourceslices":                                                 listOf("ResourceSlice", slice),
		"/apis/resource.k8s.io/v1/deviceclasses":                                                  listOf("DeviceClass", class),
		"/apis/resource.k8s.io/v1/resourceclaims":                                                 listOf("ResourceClaim"),
		"/apis/resource.k8s.io/v1/resourceclaimtemplates":                                         listOf("ResourceClaimTemplate"),
		"/apis/resource.k8s.io/v1/devicetaintrules":                                               listOf("DeviceTaintRule"),
		"/api/v1/nodes":                           listOf("Node", node),
		"/api/v1/namespaces":                      listOf("Namespace"),
		"/api/v1/pods":                            listOf("Pod", plugin, schedul, manager),
		"/api/v1/nodes/n1/proxy/metrics":          "code 403",
		"/api/v1/nodes/n1/proxy/configz":          `{kubeletconfig: {featureGates: {DRAPartitionableDevices: true}}}`,
		hooks + "mutatingwebhookconfigurations":   hookList("MutatingWebhookConfiguration", ca, "Ignore"),
		hooks + "validatingwebhookconfigurations": `{items: []}`,
		"/apis/discovery.k8s.io/v1/namespaces/drawbridge/endpointslices":           `{items: [{endpoints: [{addresses: [10.0.0.1], conditions: {ready: true}}, {addresses: [10.0.0.2], conditions: {ready: false}}]}]}`,
		"/api/v1/namespaces/drawbridge/services/https:drawbridge:443/proxy/readyz": "ok",
	}
}

// visitTo runs the doctor on such a server, whose certificate is that of the
// webhook.
func visitTo(t *testing.T, change func(server), opts Options) *Report {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	t.Cleanup(s.Close)
	pair := s.Certificate()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Raw})
	answers := well(encoded(t, ca))
	if change != nil {
		change(answers)
	}
	s.Config.Handler = answers
	opts.Within = time.Minute
	if opts.Now == nil {
		opts.Now = func() time.Time { return pair.NotBefore.Add(time.Hour) }
	}
	report, err := Run(context.Background(), &rest.Config{Host: s.URL, TLSClientConfig: rest.TLSClientConfig{CAData: ca}}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func encoded(t *testing.T, bytes []byte) string {
	t.Helper()
	out, err := json.Marshal(bytes)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(out), `"`)
}

// TestHealthy looks at a cluster that is well, in full.
func TestHealthy(t *testing.T) {
	r := visitTo(t, nil, Options{Kubelets: 5})
	if r.Outcome != Healthy {
		t.Errorf("%s: %+v", r.Outcome, r.Checks)
	}
	if len(r.Components) != 4 || r.Components[0].From != "metrics" || r.Components[1].From != "flags" || r.Components[2].From != "metrics" || r.Components[3].From != "configz" {
		t.Errorf("%+v", r.Components)
	}
	if c := r.Components[0]; len(c.Gates) != 2 || !c.Gates["DRAAdminAccess"] {
		t.Errorf("%+v", c)
	}
	if len(r.Drivers) != 1 || r.Drivers[0].Devices != 1 || r.Drivers[0].Plugins != 1 || len(r.Served) != 1 || len(r.Served[0].Resources) != 5 {
		t.Errorf("%+v %+v", r.Drivers, r.Served)
	}
	if len(r.Webhooks) != 1 || r.Webhooks[0].Endpoints != 1 || r.Webhooks[0].FailurePolicy != "Ignore" || r.Webhooks[0].Service != "drawbridge/drawbridge:443" {
		t.Errorf("%+v", r.Webhooks)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.HasSuffix(text.String(), "\nHealthy.\n") || !strings.Contains(text.String(), "gpu.example.com") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// TestFindings changes one thing at a time.
func TestFindings(t *testing.T) {
	set := func(path, text string) func(server) { return func(s server) { s[path] = text } }
	for name, c := range map[string]struct {
		change  func(server)
		opts    Options
		outcome string
		status  Status
		part    string // of a check with that status
	}{
		"nobody answers":     {func(s server) { delete(s, "/version") }, Options{}, NoLook, Unknown, "tells no version"},
		"no DRA":             {func(s server) { delete(s, "/apis/resource.k8s.io") }, Options{}, Problems, Problem, "resource.k8s.io is not served"},
		"an old version":     {set("/apis/resource.k8s.io", `{versions: [{groupVersion: resource.k8s.io/v1beta1}]}`), Options{}, Problems, Problem, "and not in v1"},
		"a newer Kubernetes": {set("/version", `{major: "1", minor: "99", gitVersion: v1.99.0}`), Options{}, Problems, Info, "not known here"},
		"skewed gates":       {set("/metrics", metrics("DRAPartitionableDevices=0")), Options{}, Problems, Problem, "DRAPartitionableDevices is on in kube-scheduler kube-system/kube-scheduler-a, kube-controller-manager kube-system/kube-controller-manager-a, and off in kube-apiserver"},
		"a skewed kubelet":   {set("/api/v1/nodes/n1/proxy/metrics", metrics("DRAPartitionableDevices=0")), Options{Kubelets: 1}, Problems, Problem, "off in kubelet n1"},
		"no right to proxy":  {set("/api/v1/nodes/n1/proxy/configz", "code 403"), Options{Kubelets: 1}, Healthy, Unknown, "do not tell their feature gates: 1 of 1"},
		"an old kubelet":     {set("/api/v1/nodes", listOf("Node", strings.Replace(node, "v1.37.1", "v1.33.0", 1))), Options{}, Problems, Problem, "3 minor versions older"},
		"a newer kubelet":    {set("/api/v1/nodes", listOf("Node", strings.Replace(node, "v1.37.1", "v1.38.0", 1))), Options{}, Problems, Problem, "newer than the API server"},
		"no metrics":         {set("/metrics", "code 403"), Options{}, Healthy, Unknown, "kube-apiserver: it may not be read with these rights"},
		"no pods":            {set("/api/v1/pods", "code 403"), Options{}, Healthy, Unknown, "Pods: it may not be read with these rights"},
		"no control plane":   {set("/api/v1/pods", listOf("Pod", plugin)), Options{}, Healthy, Unknown, "kube-scheduler is no pod of kube-system"},
		"no slices":          {set("/apis/resource.k8s.io/v1/resourceslices", listOf("ResourceSlice")), Options{}, Healthy, Info, "no driver publishes devices"},
		"no plugin":          {set("/api/v1/pods", listOf("Pod", schedul, manager)), Options{}, Problems, Problem, "gpu.example.com: on 1 of 1 nodes, such as n1"},
		"a plugin not ready": {set("/api/v1/pods", listOf("Pod", strings.Replace(plugin, `status: "True"`, `status: "False"`, 1), schedul, manager)), Options{}, Problems, Problem, "on 1 of 1 nodes"},
		"an incomplete pool": {set("/apis/resource.k8s.io/v1/resourceslices", listOf("ResourceSlice", strings.Replace(slice, "resourceSliceCount: 1", "resourceSliceCount: 2", 1))), Options{}, Problems, Problem, "gpu.example.com/n1: "},
		"a pod that waits": {func(s server) {
			s["/api/v1/pods"] = listOf("Pod", plugin, schedul, manager, waiting)
			s["/apis/resource.k8s.io/v1/resourceclaims"] = listOf("ResourceClaim", claim)
		}, Options{}, Problems, Problem, "pods that wait for devices: 1, of which 1 find no place"},
		"a pod that will fit": {func(s server) {
			s["/api/v1/pods"] = listOf("Pod", plugin, schedul, manager, waiting)
			s["/apis/resource.k8s.io/v1/resourceclaims"] = listOf("ResourceClaim", strings.Replace(claim, "count: 2", "count: 1", 1))
		}, Options{}, Healthy, Info, "and all of them would find a place"},
		"no webhook":       {set(hooks+"mutatingwebhookconfigurations", `{items: []}`), Options{}, Healthy, Info, "not registered"},
		"no authority":     {set(hooks+"mutatingwebhookconfigurations", hookList("MutatingWebhookConfiguration", "", "Ignore")), Options{}, Problems, Problem, "has no caBundle"},
		"no certificate":   {set(hooks+"mutatingwebhookconfigurations", hookList("MutatingWebhookConfiguration", "eA==", "Ignore")), Options{}, Problems, Problem, "without a certificate"},
		"past its end":     {nil, Options{Now: func() time.Time { return time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC) }}, Problems, Problem, "of which no certificate is valid now"},
		"no endpoint":      {set("/apis/discovery.k8s.io/v1/namespaces/drawbridge/endpointslices", `{items: []}`), Options{}, Problems, Problem, "has no ready endpoint: what it would check is stored unchecked"},
		"not reached":      {set("/api/v1/namespaces/drawbridge/services/https:drawbridge:443/proxy/readyz", "code 503"), Options{}, Problems, Problem, "is not reached through the API server"},
		"not allowed":      {set("/api/v1/namespaces/drawbridge/services/https:drawbridge:443/proxy/readyz", "code 403"), Options{}, Healthy, Unknown, "was not tried"},
		"hooks not read":   {set(hooks+"mutatingwebhookconfigurations", "code 403"), Options{}, Healthy, Unknown, "whether the webhook is registered"},
		"a truncated list": {set("/api/v1/nodes", `[`+"]"), Options{}, Healthy, Unknown, "Nodes: "},
	} {
		t.Run(name, func(t *testing.T) {
			r := visitTo(t, c.change, c.opts)
			found := false
			for _, check := range r.Checks {
				said := check.Message + "\n" + strings.Join(check.Details, "\n")
				found = found || check.Status == c.status && strings.Contains(said, c.part)
			}
			if r.Outcome != c.outcome || !found {
				out, _ := json.MarshalIndent(r.Checks, "", " ")
				t.Errorf("%s, found %v: %s", r.Outcome, found, out)
			}
		})
	}
}
