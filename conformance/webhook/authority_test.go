package webhook

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority issues certificates as cert-manager would.
type authority struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
	serial      int64
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{key: newKey(t), serial: 1}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "authority of the test"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.certificate = a.sign(t, template, template, &a.key.PublicKey)
	return a
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) sign(t testing.TB, template, parent *x509.Certificate, public *ecdsa.PublicKey) *x509.Certificate {
	t.Helper()
	a.serial++
	template.SerialNumber = big.NewInt(a.serial)
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, a.key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// bundle is what goes into caBundle.
func (a *authority) bundle() []byte { return certificatePEM(a.certificate) }

func certificatePEM(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// mount is a Secret as the kubelet mounts it: the files are links through
// ..data into a folder, and a new Secret is a new folder to which ..data is
// turned in one step.
type mount struct {
	dir    string
	serial int
}

func newMount(t testing.TB, a *authority) *mount {
	m := &mount{dir: t.TempDir()}
	m.write(t, a)
	for _, name := range []string{"tls.crt", "tls.key"} {
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(m.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *mount) file(name string) string { return filepath.Join(m.dir, name) }

// write swaps a new certificate in.
func (m *mount) write(t testing.TB, a *authority) {
	t.Helper()
	key := newKey(t)
	certificate := a.sign(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "drawbridge"}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", serviceName}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, a.certificate, &key.PublicKey)
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	m.serial++
	folder := fmt.Sprintf("..%d", m.serial)
	if err := os.Mkdir(m.file(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"tls.crt": {Type: "CERTIFICATE", Bytes: certificate.Raw},
		"tls.key": {Type: "EC PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(m.dir, folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(folder, m.file("..data_tmp")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(m.file("..data_tmp"), m.file("..data")); err != nil {
		t.Fatal(err)
	}
	if m.serial > 1 {
		if err := os.RemoveAll(m.file(fmt.Sprintf("..%d", m.serial-1))); err != nil {
			t.Fatal(err)
		}
	}
}
