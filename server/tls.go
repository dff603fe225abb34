package server

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"sync"
	"time"
)

// tlsConfig makes the configuration of the HTTPS listener.
func tlsConfig(cfg Config) (*tls.Config, error) {
	out := &tls.Config{MinVersion: tls.VersionTLS13}
	switch {
	case cfg.TLSCertFile == "" && cfg.TLSKeyFile == "":
		cert, err := selfSigned(time.Now())
		if err != nil {
			return nil, err
		}
		out.Certificates = []tls.Certificate{*cert}
	case cfg.TLSCertFile == "" || cfg.TLSKeyFile == "":
		return nil, errors.New("--tls-cert-file and --tls-private-key-file belong together: give both, or none for a self-signed certificate")
	default:
		files := &certFiles{certFile: cfg.TLSCertFile, keyFile: cfg.TLSKeyFile, every: time.Second, now: time.Now, log: cfg.Logger}
		if err := files.load(); err != nil {
			return nil, err
		}
		out.GetCertificate = files.get
	}
	return out, nil
}

// selfSigned makes a certificate for this machine that lives as long as the
// process: nothing secret is ever written to disk.
func selfSigned(now time.Time) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "Drawbridge, self-signed"},
		NotBefore:             now.Add(-time.Hour), // clocks differ
		NotAfter:              now.AddDate(1, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if host, err := os.Hostname(); err == nil && host != "" && host != "localhost" {
		template.DNSNames = append(template.DNSNames, host)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// certFiles serves a certificate from files that something else renews. The
// files are looked at again when a client connects, so there is no watcher
// that could miss how a mounted Secret is swapped.
type certFiles struct {
	certFile, keyFile string
	every             time.Duration
	now               func() time.Time
	log               *slog.Logger

	mu          sync.Mutex
	looked      time.Time
	certPEM     []byte
	keyPEM      []byte
	certificate *tls.Certificate
}

func (c *certFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.looked) >= c.every {
		if err := c.loadLocked(); err != nil {
			// Half-written files are normal for a moment; the old
			// certificate is better than none.
			c.log.Warn("keeping the old certificate: the files cannot be used", "error", err)
		}
	}
	return c.certificate, nil
}

func (c *certFiles) load() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.loadLocked()
}

func (c *certFiles) loadLocked() error {
	c.looked = c.now()
	certPEM, err := os.ReadFile(c.certFile)
	if err != nil {
		return err
	}
	keyPEM, err := os.ReadFile(c.keyFile)
	if err != nil {
		return err
	}
	if c.certificate != nil && bytes.Equal(certPEM, c.certPEM) && bytes.Equal(keyPEM, c.keyPEM) {
		return nil
	}
	certificate, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", c.certFile, c.keyFile, err)
	}
	if c.certificate != nil {
		c.log.Info("serving a new certificate", "notAfter", certificate.Leaf.NotAfter)
	}
	c.certPEM, c.keyPEM, c.certificate = certPEM, keyPEM, &certificate
	return nil
}
