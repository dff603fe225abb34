package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	webhookadmissionv1 "k8s.io/apiserver/pkg/admission/plugin/webhook/config/apis/webhookadmission/v1"
	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
	"github.com/drawbridge-dra/drawbridge/server/certs"
)

func certificatesDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("certificates.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every flag that the document names exists, and the example of many rotations
// is one that the server takes.
func TestCertificateFlags(t *testing.T) {
	text := certificatesDoc(t)
	serve, _, err := cli.New().Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	theirs := map[string]bool{"admission-control-config-file": true, "replicas": true}
	seen := 0
	for _, m := range regexp.MustCompile("[ `]--([a-z-]+)").FindAllStringSubmatch(text, -1) {
		if !theirs[m[1]] && serve.Flag(m[1]) == nil {
			t.Errorf("there is no --%s", m[1])
		}
		seen++
	}
	if seen < 25 {
		t.Errorf("only %d flags were found", seen)
	}
	for name, want := range map[string]string{
		"certs-secret": "drawbridge-certificates", "cert-validity": "2160h0m0s", "ca-overlap": "1h0m0s",
		"mutating-webhook-configuration": "drawbridge", "validating-webhook-configuration": "drawbridge",
	} {
		if got := serve.Flag(name).DefValue; got != want {
			t.Errorf("--%s: the default is %s, not %s", name, got, want)
		}
	}
	example := regexp.MustCompile("many rotations: `(.*?)`").FindStringSubmatch(text)
	if example == nil {
		t.Fatal("the example of many rotations is gone")
	}
	if err := serve.ParseFlags(strings.Fields(example[1])); err != nil {
		t.Fatal(err)
	}
	cfg := certs.Config{Namespace: "n", Secret: "s", Names: certs.ServiceNames("drawbridge", "drawbridge")}
	for name, into := range map[string]*time.Duration{
		"cert-validity": &cfg.Validity, "cert-renew-after": &cfg.RenewAfter, "ca-overlap": &cfg.Overlap,
		"ca-validity": &cfg.CAValidity, "ca-renew-after": &cfg.CARenewAfter,
	} {
		if *into, err = time.ParseDuration(serve.Flag(name).Value.String()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := certs.New(cfg); err != nil {
		t.Error(err)
	}
}

// What an API server is given to show a certificate is what it reads.
func TestClientCertificateExample(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(certificatesDoc(t), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d examples", len(blocks))
	}
	var conf apiserverv1.AdmissionConfiguration
	if err := yaml.UnmarshalStrict([]byte(blocks[0][1]), &conf); err != nil {
		t.Fatal(err)
	}
	if len(conf.Plugins) != 2 || conf.APIVersion != apiserverv1.SchemeGroupVersion.String() {
		t.Errorf("got %+v", conf)
	}
	for _, plugin := range conf.Plugins {
		var inner webhookadmissionv1.WebhookAdmission
		if err := yaml.UnmarshalStrict(plugin.Configuration.Raw, &inner); err != nil {
			t.Fatal(err)
		}
		if inner.KubeConfigFile == "" || inner.APIVersion != webhookadmissionv1.SchemeGroupVersion.String() || inner.Kind != "WebhookAdmissionConfiguration" {
			t.Errorf("got %+v", inner)
		}
	}
	kubeconfig, err := clientcmd.Load([]byte(blocks[1][1]))
	if err != nil {
		t.Fatal(err)
	}
	user := kubeconfig.AuthInfos[certs.ServiceNames("drawbridge", "drawbridge")[0]]
	if user == nil || user.ClientCertificate == "" || user.ClientKey == "" {
		t.Errorf("got %+v", kubeconfig.AuthInfos)
	}
}
