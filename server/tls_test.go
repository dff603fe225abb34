package server

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
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

// A Secret's volume is swapped by renaming a link, all files at once, and a
// reader may see the key of one and the certificate of the other.
func TestMountedSecretIsSwapped(t *testing.T) {
	dir := t.TempDir()
	var ders []string
	for i := range 3 {
		inner := filepath.Join(dir, "..v"+strconv.Itoa(i))
		if err := os.Mkdir(inner, 0o700); err != nil {
			t.Fatal(err)
		}
		ders = append(ders, string(writePair(t, inner)))
	}
	swap := func(to string) {
		t.Helper()
		link := filepath.Join(dir, "..data_tmp")
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(link, filepath.Join(dir, "..data")); err != nil {
			t.Fatal(err)
		}
	}
	swap("..v0")
	for _, name := range []string{"tls.crt", "tls.key"} {
		if err := os.Symlink("..data/"+name, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	log := &logBuffer{}
	files := &certFiles{
		certFile: filepath.Join(dir, "tls.crt"), keyFile: filepath.Join(dir, "tls.key"), every: time.Second,
		now: func() time.Time { return now }, log: slog.New(slog.NewTextHandler(log, nil)),
	}
	if err := files.load(); err != nil {
		t.Fatal(err)
	}
	served := func() string {
		t.Helper()
		now = now.Add(time.Second)
		c, err := files.GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(c.Certificate[0])
	}
	for i := range 3 {
		swap("..v" + strconv.Itoa(i))
		if served() != ders[i] {
			t.Errorf("not certificate %d", i)
		}
	}
	// The moment in between: the new certificate, the key of the old one.
	mixed := filepath.Join(dir, "..mixed")
	if err := os.Mkdir(mixed, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{"tls.crt": "..v1", "tls.key": "..v2"} {
		text, err := os.ReadFile(filepath.Join(dir, from, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(mixed, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	swap("..mixed")
	if served() != ders[2] || !strings.Contains(log.String(), "keeping the old certificate") {
		t.Errorf("a mixed pair is served: %s", log)
	}
	swap("..v1")
	if served() != ders[1] {
		t.Error("it did not recover")
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	writePair(t, dir)
	files := func(cert string) error {
		return (&certFiles{certFile: filepath.Join(dir, cert), keyFile: filepath.Join(dir, "tls.key"), now: time.Now}).load()
	}
	if err := files("none.crt"); err == nil || !strings.Contains(err.Error(), "something has to put it into "+dir) {
		t.Errorf("got %v", err)
	}
	if os.Getuid() != 0 { // root may read everything
		if err := os.Chmod(filepath.Join(dir, "tls.crt"), 0); err != nil {
			t.Fatal(err)
		}
		if err := files("tls.crt"); err == nil || !strings.Contains(err.Error(), "needs fsGroup") {
			t.Errorf("got %v", err)
		}
	}
}

func TestOldestTLSVersion(t *testing.T) {
	for oldest, want := range map[string]map[uint16]bool{
		"":    {tls.VersionTLS13: true, tls.VersionTLS12: false, tls.VersionTLS11: false},
		"1.3": {tls.VersionTLS13: true, tls.VersionTLS12: false},
		"1.2": {tls.VersionTLS13: true, tls.VersionTLS12: true, tls.VersionTLS11: false},
	} {
		r := run(t, Config{HTTPSListen: "127.0.0.1:0", TLSMinVersion: oldest})
		dial := func(version uint16, suites ...uint16) error {
			conn, err := tls.Dial("tcp", strings.TrimPrefix(r.https, "https://"), &tls.Config{
				InsecureSkipVerify: true, MinVersion: version, MaxVersion: version, CipherSuites: suites,
			})
			if err == nil {
				conn.Close()
			}
			return err
		}
		for version, ok := range want {
			if err := dial(version); (err == nil) != ok {
				t.Errorf("%q: %s: %v", oldest, tls.VersionName(version), err)
			}
		}
		if oldest != "1.2" {
			continue
		}
		if err := dial(tls.VersionTLS12, tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256); err != nil {
			t.Error(err)
		}
		for _, suite := range tls.InsecureCipherSuites() {
			if err := dial(tls.VersionTLS12, suite.ID); err == nil {
				t.Errorf("it speaks %s", suite.Name)
			}
		}
		if err := dial(tls.VersionTLS12, tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA); err == nil {
			t.Error("it speaks a suite without authenticated encryption")
		}
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
	for deadline := time.Now().Add(time.Minute); handshake() != string(next); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the new certificate is not served")
		}
	}
}
