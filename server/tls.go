package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// certificateSource has the certificate that the HTTPS listener shows. It is
// asked at every handshake and never waits; nil: there is none yet.
type certificateSource interface {
	GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error)
}

// newCertificates chooses where the certificate comes from.
func newCertificates(cfg Config) (certificateSource, error) {
	switch {
	case cfg.Certificates != nil && (cfg.TLSCertFile != "" || cfg.TLSKeyFile != ""):
		return nil, errors.New("--self-managed-certs and --tls-cert-file exclude each other: the certificate comes from the one or the other")
	case cfg.Certificates != nil:
		stand, err := selfSigned(time.Now())
		return meanwhile{cfg.Certificates, stand}, err
	case cfg.TLSCertFile == "" && cfg.TLSKeyFile == "":
		cert, err := selfSigned(time.Now())
		return fixed{cert}, err
	case cfg.TLSCertFile == "" || cfg.TLSKeyFile == "":
		return nil, errors.New("--tls-cert-file and --tls-private-key-file belong together: give both, or none for a self-signed certificate")
	}
	files := &certFiles{certFile: cfg.TLSCertFile, keyFile: cfg.TLSKeyFile, every: time.Second, now: time.Now, log: cfg.Logger}
	return files, files.load()
}

// fixed is a certificate for as long as the process lives.
type fixed struct{ certificate *tls.Certificate }

// GetCertificate gives it.
func (f fixed) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return f.certificate, nil
}

// meanwhile shows a self-signed certificate until there is the right one.
// Probes, which check no certificate, can tell then what is missing; no API
// server is led here before /readyz is well.
type meanwhile struct {
	certificateSource
	stand *tls.Certificate
}

// GetCertificate gives the right one, where it is there.
func (m meanwhile) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c, err := m.certificateSource.GetCertificate(hello); c != nil || err != nil {
		return c, err
	}
	return m.stand, nil
}

// oldSuites are what TLS 1.2 may use, where it is allowed at all: forward
// secrecy and authenticated encryption. Those of 1.3 are not for us to choose.
var oldSuites = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// tlsConfig makes the configuration of the HTTPS listener.
func tlsConfig(cfg Config, certificates certificateSource, callers *callers) (*tls.Config, error) {
	out := &tls.Config{GetCertificate: certificates.GetCertificate}
	switch cfg.TLSMinVersion {
	case "", "1.3":
		out.MinVersion = tls.VersionTLS13
	case "1.2":
		out.MinVersion, out.CipherSuites = tls.VersionTLS12, oldSuites
	default:
		return nil, fmt.Errorf("--tls-min-version is %q; it can be 1.3 or 1.2", cfg.TLSMinVersion)
	}
	if callers != nil {
		callers.configure(out)
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
	leaf, err := x509.ParseCertificate(der)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, err
}
