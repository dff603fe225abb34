package certs

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"slices"
	"time"
)

// authority signs serving certificates.
type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer // nil in a previous one, which only is trusted
}

// newAuthority makes an authority of a name of its own, so that a chain is
// never tried with another one's key.
func newAuthority(now time.Time, validity time.Duration) (authority, error) {
	key, serial, err := newKey()
	if err != nil {
		return authority{}, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "Drawbridge webhook authority " + hex.EncodeToString(serial.Bytes()[:4])},
		NotBefore:             now.Add(-backdated),
		NotAfter:              now.Add(validity),
		KeyUsage:              x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}
	certificate, err := create(template, template, key.Public(), key)
	return authority{certificate, key}, err
}

// issue makes a serving certificate, which does not outlive the authority.
func (a authority) issue(now time.Time, validity time.Duration, names []string) (*tls.Certificate, error) {
	key, serial, err := newKey()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "Drawbridge webhook"},
		NotBefore:             now.Add(-backdated),
		NotAfter:              now.Add(validity),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	if template.NotAfter.After(a.certificate.NotAfter) {
		template.NotAfter = a.certificate.NotAfter
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	leaf, err := create(template, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key, Leaf: leaf}, nil
}

// signed says whether the authority made a certificate.
func (a authority) signed(leaf *x509.Certificate) bool {
	return bytes.Equal(leaf.RawIssuer, a.certificate.RawSubject) && leaf.CheckSignatureFrom(a.certificate) == nil
}

// made is when a certificate of ours was made.
func made(c *x509.Certificate) time.Time { return c.NotBefore.Add(backdated) }

// canonical is an address in the one way that namesOf writes it, or a name.
func canonical(name string) string {
	if ip := net.ParseIP(name); ip != nil {
		return ip.String()
	}
	return name
}

// namesOf lists what a certificate is for, sorted.
func namesOf(c *x509.Certificate) []string {
	names := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	slices.Sort(names)
	return names
}

func newKey() (*ecdsa.PrivateKey, *big.Int, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial := make([]byte, 16)
	if _, err := rand.Read(serial); err != nil {
		return nil, nil, err
	}
	serial[0] = serial[0]&0x7f | 0x40 // positive, and never shorter
	return key, new(big.Int).SetBytes(serial), nil
}

func create(template, parent *x509.Certificate, public crypto.PublicKey, signer crypto.Signer) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

func encodeCertificate(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

func encodeKey(key crypto.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// decodeAuthority reads a certificate, and its key unless there is to be none.
func decodeAuthority(certPEM, keyPEM []byte) (authority, error) {
	block, _ := pem.Decode(certPEM)
	if block == nil || block.Type != "CERTIFICATE" {
		return authority{}, errors.New("it is not a certificate in PEM")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return authority{}, fmt.Errorf("it cannot be read: %w", err)
	}
	if !certificate.IsCA {
		return authority{}, errors.New("it is not that of an authority")
	}
	if keyPEM == nil {
		return authority{certificate: certificate}, nil
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return authority{}, errors.New("its key does not belong to it, or cannot be read")
	}
	return authority{certificate, pair.PrivateKey.(crypto.Signer)}, nil
}
