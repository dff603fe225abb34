package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
		"unknown command":              {"sevre"},
		"unknown flag":                 {"serve", "--port", "1"},
		"serve takes no arguments":     {"serve", "now"},
		"no completion for \"tcsh\"":   {"completion", "tcsh"},
		"no command \"nonsense\"":      {"help", "nonsense"},
		"no command \"rules x\"":       {"help", "rules", "x"},
		"version takes no arguments":   {"version", "x"},
		"name the files":               {"podresources", "--socket=x"},
		"it can be text or json":       {"doctor", "-o", "yaml"},
		"--kubernetes-version: ":       {"lsp", "--kubernetes-version=9"},
		"is a rule of another source":  {"rules", "--source=bundle", "api/count"},
		"no rule is called \"api/\"":   {"rules", "api/"},
		"--workers is -1":              {"validate", "--workers=-1", "x.yaml"},
		"--rules-url: \"x\" is no URL": {"validate", "--rules-url=x", "x.yaml"},
		"nothing to listen on":         {"serve", "--https-listen=", "--http-listen="},
		"kubernetesVersion":            {"serve", "--kubernetes-version=1.2", "--https-listen=", "--http-listen=127.0.0.1:0"},
		"featureGates":                 {"serve", "--feature-gates=NoSuchGate=true", "--https-listen=", "--http-listen=127.0.0.1:0"},
		"belong together":              {"serve", "--tls-cert-file=x", "--https-listen=127.0.0.1:0"},
		"others could reach":           {"serve", "--pprof-listen=:6060"},
		"it can be 1.3 or 1.2":         {"serve", "--tls-min-version=1.1", "--https-listen=127.0.0.1:0"},
		"--client-ca-file is miss":     {"serve", "--client-names=x", "--https-listen=127.0.0.1:0"},
		"in a pod with a mounted":      {"serve", "--self-managed-certs", "--certs-namespace=x"},
		"exclude each other":           {"serve", "--self-managed-certs", "--certs-namespace=x", "--kubeconfig=y", "--in-cluster"},
		"--kubeconfig: ":               {"serve", "--self-managed-certs", "--certs-namespace=x", "--kubeconfig=no-such-file"},
		"invalid argument \"loud\"":    {"serve", "--log-level=loud"},
	} {
		out, errs, err := execute(args...)
		if err == nil || !strings.Contains(errs, want) || out != "" {
			t.Errorf("%v: got %q %q %v", args, out, errs, err)
		}
	}
}

// TestHelp holds the help of all commands to one style: a sentence, more of it
// that begins with the command, an example that names the command, and no flag
// whose value has no name.
func TestHelp(t *testing.T) {
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			look(sub)
		}
		name := cmd.Name()
		if cmd == cmd.Root() || name == "help" || cmd.Parent().Name() == "completion" {
			return
		}
		if first, _, _ := strings.Cut(cmd.Long, " "); !strings.EqualFold(first, name) && name != "completion" {
			t.Errorf("%s: what is longer begins with %q", name, first)
		}
		if !strings.HasPrefix(cmd.Example, "  ") || !strings.Contains(cmd.Example, "drawbridge "+name) {
			t.Errorf("%s: the examples are %q", name, cmd.Example)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if value, usage := pflag.UnquoteUsage(f); value == "" && f.Value.Type() != "bool" || usage == "" {
				t.Errorf("%s: --%s has no name for its value, or says nothing", name, f.Name)
			}
		})
	}
	look(New())
}

// TestCompletion asks as shells do.
func TestCompletion(t *testing.T) {
	for want, args := range map[string][]string{
		"pod/\nclaim/\n:6\n":            {"explain", ""},
		"pod/\nclaim/\ntemplate/\n:6\n": {"capacity", ""},
		":0\n":                          {"explain", "pod/train", ""},
		"bundle/missing-class\n":        {"validate", "--ignore", "bundle/missing-cl"},
		"text\njson\n:4\n":              {"doctor", "-o", ""},
		"DRAConsumableCapacity=true,DRADeviceTaints=false\nDRAConsumableCapacity=true,DRADeviceTaints=true\n:4\n": {"validate", "--feature-gates", "DRAConsumableCapacity=true,DRADeviceTaints="},
		":16\n":                   {"convert", "--output-dir", ""},
		"file\nfolder\nworkspace": {"lsp", "--scope", ""},
		"validate\t":              {"help", "valid"},
	} {
		out, _, err := execute(append([]string{"__complete"}, args...)...)
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%q: got %q, %v", args, out, err)
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
