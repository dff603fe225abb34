package server

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/drawbridge-dra/drawbridge/server/certs"
)

// Without an API server a replica lives, answers its probes, and gets no
// traffic; when there is one, it is ready and what it serves is trusted.
func TestSelfManagedCertificates(t *testing.T) {
	url := "https://127.0.0.1:1/admission/validate"
	set := fake.NewClientset(&admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "drawbridge", ResourceVersion: "1"},
		Webhooks:   []admissionv1.ValidatingWebhook{{Name: "w.example.com", ClientConfig: admissionv1.WebhookClientConfig{URL: &url}}},
	})
	var reachable atomic.Bool
	set.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		if reachable.Load() {
			return false, nil, nil
		}
		return true, nil, errors.New("connection refused")
	})
	log := &logBuffer{}
	manager, err := certs.New(certs.Config{
		Namespace: "n", Secret: "s", Names: []string{"127.0.0.1"}, Mutating: "drawbridge", Validating: "drawbridge",
		Secrets: set.CoreV1(), Configurations: set.AdmissionregistrationV1(), Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, Config{HTTPSListen: "127.0.0.1:0", Certificates: manager})
	if got := r.send(t, "GET", r.https+"/livez", ""); got.status != 200 {
		t.Errorf("livez: got %d", got.status)
	}
	r.send(t, "GET", r.https+"/readyz", "").wantProblem(t, 503, "no certificate to serve yet")
	if text := r.send(t, "GET", r.https+"/metrics", "").body; !strings.Contains(text, "drawbridge_certificates_failing") || strings.Contains(text, `{certificate="authority"`) {
		t.Errorf("got %s", text)
	}
	reachable.Store(true)
	for end := time.Now().Add(60 * time.Second); r.send(t, "GET", r.https+"/readyz", "").status != 200; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it is never ready: %s", log)
		}
	}
	var bundle []byte
	for end := time.Now().Add(60 * time.Second); len(bundle) == 0; time.Sleep(20 * time.Millisecond) {
		conf, err := set.AdmissionregistrationV1().ValidatingWebhookConfigurations().Get(t.Context(), "drawbridge", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		bundle = conf.Webhooks[0].ClientConfig.CABundle
		if time.Now().After(end) {
			t.Fatalf("it is never trusted: %s", log)
		}
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(bundle)
	conn, err := tls.Dial("tcp", r.listeners[0].Addr().String(), &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	text := r.send(t, "GET", r.https+"/metrics", "").body
	for _, want := range []string{
		`drawbridge_certificate_expiration_timestamp_seconds{certificate="serving"}`, `drawbridge_certificate_expiration_timestamp_seconds{certificate="authority"}`,
		"drawbridge_certificates_failing 0", "drawbridge_certificates_read_timestamp_seconds ",
		`drawbridge_certificates_looks_total{outcome="foreign"} 0`, `drawbridge_certificates_changes_total{change="started"} 1`,
		`drawbridge_certificates_changes_total{change="authority-switched"} 0`, `drawbridge_certificates_repairs_total{configuration="validating"} 1`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing: %s", want)
		}
	}
}

func TestCertificatesComeFromOnePlace(t *testing.T) {
	set := fake.NewClientset()
	manager, err := certs.New(certs.Config{Namespace: "n", Secret: "s", Names: []string{"a.b"}, Secrets: set.CoreV1(), Configurations: set.AdmissionregistrationV1()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), Config{HTTPSListen: "127.0.0.1:0", Certificates: manager, TLSCertFile: "x", TLSKeyFile: "y"}); err == nil || !strings.Contains(err.Error(), "exclude each other") {
		t.Errorf("got %v", err)
	}
}
