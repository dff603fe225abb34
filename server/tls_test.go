package server

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writePair puts a new certificate into files and returns its DER form.
func writePair(t *testing.T, dir string) []byte {
	t.Helper()
	cert, err := selfSigned(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"tls.crt": {Type: "CERTIFICATE", Bytes: cert.Certificate[0]},
		"tls.key": {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert.Certificate[0]
}

func TestCertificateReload(t *testing.T) {
	dir := t.TempDir()
	first := writePair(t, dir)
	log := &logBuffer{}
	now := time.Now()
	files := &certFiles{
		certFile: filepath.Join(dir, "tls.crt"), keyFile: filepath.Join(dir, "tls.key"), every: time.Second,
		now: func() time.Time { return now }, log: slog.New(slog.NewTextHandler(log, nil)),
	}
	if err := files.load(); err != nil {
		t.Fatal(err)
	}
	served := func() string {
		t.Helper()
		c, err := files.GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(c.Certificate[0])
	}
	if served() != string(first) {
		t.Error("not the first certificate")
	}
	second := writePair(t, dir)
	if served() != string(first) {
		t.Error("the files are read at every handshake")
	}
	now = now.Add(time.Second)
	if served() != string(second) || !strings.Contains(log.String(), "new certificate") {
		t.Error("not the second certificate")
	}
	// Half-written, mismatched or missing files keep what works.
	for _, breakIt := range []func() error{
		func() error { return os.WriteFile(files.keyFile, []byte("half"), 0o600) },
		func() error { return os.Remove(files.certFile) },
	} {
		if err := breakIt(); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
		if served() != string(second) {
			t.Error("a broken file is served")
		}
	}
	if !strings.Contains(log.String(), "keeping the old certificate") || strings.Contains(log.String(), "PRIVATE") {
		t.Errorf("got %s", log.String())
	}
	third := writePair(t, dir)
	now = now.Add(time.Second)
	if served() != string(third) {
		t.Error("not the third certificate")
	}
}

func TestCertificateFilesAreServed(t *testing.T) {
	dir := t.TempDir()
	want := writePair(t, dir)
	r := run(t, Config{HTTPSListen: "127.0.0.1:0", TLSCertFile: filepath.Join(dir, "tls.crt"), TLSKeyFile: filepath.Join(dir, "tls.key")})
	handshake := func() string {
		t.Helper()
		conn, err := tls.Dial("tcp", strings.TrimPrefix(r.https, "https://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return string(conn.ConnectionState().PeerCertificates[0].Raw)
	}
	if handshake() != string(want) {
		t.Error("not the certificate of the files")
	}
	next := writePair(t, dir)
	for deadline := time.Now().Add(5 * time.Second); handshake() != string(next); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the new certificate is not served")
		}
	}
}
