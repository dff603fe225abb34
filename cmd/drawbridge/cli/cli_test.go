package cli

import (
	"bytes"
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
	for want, args := range map[string][]string{
		"unknown command":           {"sevre"},
		"unknown flag":              {"serve", "--port", "1"},
		"unknown command \"now\"":   {"serve", "now"},
		"nothing to listen on":      {"serve", "--https-listen=", "--http-listen="},
		"kubernetesVersion":         {"serve", "--kubernetes-version=1.2", "--https-listen=", "--http-listen=127.0.0.1:0"},
		"featureGates":              {"serve", "--feature-gates=NoSuchGate=true", "--https-listen=", "--http-listen=127.0.0.1:0"},
		"belong together":           {"serve", "--tls-cert-file=x", "--https-listen=127.0.0.1:0"},
		"invalid argument \"loud\"": {"serve", "--log-level=loud"},
	} {
		out, errs, err := execute(args...)
		if err == nil || !strings.Contains(errs, want) || out != "" {
			t.Errorf("%v: got %q %q %v", args, out, errs, err)
		}
	}
}
