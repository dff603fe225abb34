package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func execute(args ...string) (out, errs string, err error) {
	var o, e bytes.Buffer
	cmd := New()
	cmd.SetArgs(args)
	cmd.SetOut(&o)
	cmd.SetErr(&e)
	err = cmd.Execute()
	return o.String(), e.String(), err
}

func TestVersion(t *testing.T) {
	out, _, err := execute("version")
	if err != nil || !strings.HasPrefix(out, "drawbridge "+Version()+" go") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestMisuse(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "") // these tests may run in a pod
	for want, args := range map[string][]string{
		"unknown command":           {"sevre"},
		"unknown flag":              {"serve", "--port", "1"},
		"unknown command \"now\"":   {"serve", "now"},
		"nothing to listen on":      {"serve", "--https-listen=", "--http-listen="},
		"kubernetesVersion":         {"serve", "--kubernetes-version=1.2", "--https-listen=", "--http-listen=127.0.0.1:0"},
		"featureGates":              {"serve", "--feature-gates=NoSuchGate=true", "--https-listen=", "--http-listen=127.0.0.1:0"},
		"belong together":           {"serve", "--tls-cert-file=x", "--https-listen=127.0.0.1:0"},
		"others could reach":        {"serve", "--pprof-listen=:6060"},
		"it can be 1.3 or 1.2":      {"serve", "--tls-min-version=1.1", "--https-listen=127.0.0.1:0"},
		"--client-ca-file is miss":  {"serve", "--client-names=x", "--https-listen=127.0.0.1:0"},
		"in a pod with a mounted":   {"serve", "--self-managed-certs", "--certs-namespace=x"},
		"exclude each other":        {"serve", "--self-managed-certs", "--certs-namespace=x", "--kubeconfig=y", "--in-cluster"},
		"--kubeconfig: ":            {"serve", "--self-managed-certs", "--certs-namespace=x", "--kubeconfig=no-such-file"},
		"invalid argument \"loud\"": {"serve", "--log-level=loud"},
	} {
		out, errs, err := execute(args...)
		if err == nil || !strings.Contains(errs, want) || out != "" {
			t.Errorf("%v: got %q %q %v", args, out, errs, err)
		}
	}
}

// In a pod the namespace is known; elsewhere it has to be given.
func TestNamespaceOfCertificates(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	want := "needs --certs-namespace"
	if _, err := os.Stat(namespaceFile); err == nil {
		want = "in a pod with a mounted" // it gets as far as looking for the API server
	}
	if _, errs, err := execute("serve", "--self-managed-certs"); err == nil || !strings.Contains(errs, want) {
		t.Errorf("got %q %v", errs, err)
	}
}
