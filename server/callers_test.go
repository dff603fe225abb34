package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clientCA signs client certificates.
type clientCA struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newClientCA(t *testing.T) clientCA {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "client authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return clientCA{certificate, key}
}

func (c clientCA) write(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.certificate.Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (c clientCA) issue(t *testing.T, change func(*x509.Certificate)) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "kube-apiserver"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if change != nil {
		change(template)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, c.certificate, key.Public(), c.key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// as is a client with a certificate; nil: without one.
func as(certificate *tls.Certificate) *http.Client {
	conf := &tls.Config{InsecureSkipVerify: true}
	if certificate != nil {
		// Shown whatever the server asks for, as somebody who tries it would.
		conf.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return certificate, nil }
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: conf, DisableKeepAlives: true}}
}

const connectReview = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","operation":"CONNECT"}}`

func TestClientCertificates(t *testing.T) {
	ca, foreign := newClientCA(t), newClientCA(t)
	file := filepath.Join(t.TempDir(), "ca.crt")
	ca.write(t, file)
	r := run(t, Config{HTTPSListen: "127.0.0.1:0", ClientCAFile: file, ClientNames: []string{"kube-apiserver", "api.example", "spiffe://x/api", "10.1.2.3"}})
	none := func(c *x509.Certificate) { c.Subject.CommonName = "somebody" }
	for name, c := range map[string]struct {
		certificate *tls.Certificate
		status      int
		says        string
	}{
		"none":             {nil, 401, "with a client certificate only"},
		"right":            {ca.issue(t, nil), 200, `"allowed":true`},
		"by DNS name":      {ca.issue(t, func(c *x509.Certificate) { none(c); c.DNSNames = []string{"api.example"} }), 200, `"allowed":true`},
		"by URI":           {ca.issue(t, func(c *x509.Certificate) { none(c); c.URIs = []*url.URL{{Scheme: "spiffe", Host: "x", Path: "/api"}} }), 200, `"allowed":true`},
		"by address":       {ca.issue(t, func(c *x509.Certificate) { none(c); c.IPAddresses = []net.IP{net.IPv4(10, 1, 2, 3)} }), 200, `"allowed":true`},
		"other name":       {ca.issue(t, none), 403, "none of the names of --client-names"},
		"foreign":          {foreign.issue(t, nil), 401, "not of an authority of --client-ca-file"},
		"expired":          {ca.issue(t, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }), 401, "not valid"},
		"of the future":    {ca.issue(t, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) }), 401, "not valid"},
		"only for servers": {ca.issue(t, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} }), 401, "not valid"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &running{Server: r.Server, https: r.https, client: as(c.certificate)}
			for range 2 { // the second answer is remembered
				for _, path := range []string{"/admission/validate", "/admission/mutate"} {
					got := r.send(t, "POST", r.https+path, connectReview, "Content-Type", "application/json")
					if got.status != c.status || !strings.Contains(got.body, c.says) {
						t.Errorf("%s: got %d %s", path, got.status, got.body)
					}
				}
			}
			// Kubelets and Prometheus have no certificate, and browsers some
			// other; all else is theirs.
			for _, path := range []string{"/livez", "/readyz", "/metrics", "/v1/versions"} {
				if got := r.send(t, "GET", r.https+path, ""); got.status != 200 {
					t.Errorf("%s: got %d %s", path, got.status, got.body)
				}
			}
		})
	}
	if text := r.log.String(); !strings.Contains(text, "refused a caller") || strings.Contains(text, "somebody") {
		t.Errorf("got %s", text)
	}
}

func TestClientAuthoritiesReload(t *testing.T) {
	first, second := newClientCA(t), newClientCA(t)
	file := filepath.Join(t.TempDir(), "ca.crt")
	first.write(t, file)
	now := time.Now()
	log := &logBuffer{}
	r := run(t, Config{HTTPSListen: "127.0.0.1:0", ClientCAFile: file})
	r.callers.mu.Lock()
	r.callers.now = func() time.Time { return now }
	r.callers.mu.Unlock()
	ask := func(c *tls.Certificate) int {
		t.Helper()
		r := &running{Server: r.Server, https: r.https, log: log, client: as(c)}
		return r.send(t, "POST", r.https+"/admission/validate", connectReview, "Content-Type", "application/json").status
	}
	a, b := first.issue(t, nil), second.issue(t, nil)
	if got := [2]int{ask(a), ask(b)}; got != [2]int{200, 401} {
		t.Errorf("at first: got %v", got)
	}
	step := func(d time.Duration) {
		r.callers.mu.Lock()
		now = now.Add(d)
		r.callers.mu.Unlock()
	}
	second.write(t, file)
	step(2 * time.Second)
	if got := [2]int{ask(a), ask(b)}; got != [2]int{401, 200} {
		t.Errorf("with the new file: got %v", got)
	}
	if err := os.WriteFile(file, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	step(2 * time.Second)
	if got := [2]int{ask(a), ask(b)}; got != [2]int{401, 200} {
		t.Errorf("with a broken file: got %v", got)
	}
	if text := r.log.String(); !strings.Contains(text, "new authorities") || !strings.Contains(text, "keeping the old client authorities") {
		t.Errorf("got %s", text)
	}
	// What was found good is so until it ends, and no longer.
	step(59 * time.Minute)
	if got := ask(b); got != 200 {
		t.Errorf("before its end: got %d", got)
	}
	step(2 * time.Minute)
	if got := ask(b); got != 401 {
		t.Errorf("after its end: got %d", got)
	}
}

func TestClientFilesThatCannotWork(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, cfg := range map[string]Config{
		"has no certificate in PEM": {ClientCAFile: file},
		"no such file":              {ClientCAFile: file + "2"},
		"is missing, by which":      {ClientNames: []string{"a"}},
	} {
		cfg.HTTPSListen = "127.0.0.1:0"
		if _, err := New(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
