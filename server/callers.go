package server

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/drawbridge-dra/drawbridge/server/problem"
)

// callers knows who may send reviews: those with a client certificate of an
// authority, by name. It is asked for each request and not in the handshake,
// so that kubelets and Prometheus, which have none, get at the rest.
type callers struct {
	file  string
	names []string // empty: every certificate of the authority
	every time.Duration
	now   func() time.Time
	log   *slog.Logger

	mu     sync.Mutex
	looked time.Time
	text   []byte
	roots  *x509.CertPool
	known  map[[sha256.Size]byte]time.Time // certificates that were found good, until when
}

// maxKnown bounds what is remembered; an API server has one certificate.
const maxKnown = 64

func newCallers(cfg Config) (*callers, error) {
	if cfg.ClientCAFile == "" {
		if len(cfg.ClientNames) > 0 {
			return nil, errors.New("--client-names says who may send reviews, and --client-ca-file is missing, by which a name could be believed")
		}
		return nil, nil
	}
	c := &callers{file: cfg.ClientCAFile, names: cfg.ClientNames, every: time.Second, now: time.Now, log: cfg.Logger}
	return c, c.load()
}

// load reads the authorities again if the file has changed.
func (c *callers) load() error {
	c.looked = c.now()
	text, err := os.ReadFile(c.file)
	if err != nil {
		return err
	}
	if c.roots != nil && bytes.Equal(text, c.text) {
		return nil
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return fmt.Errorf("%s has no certificate in PEM", c.file)
	}
	if c.roots != nil {
		c.log.Info("believing the client certificates of new authorities")
	}
	c.text, c.roots, c.known = text, roots, map[[sha256.Size]byte]time.Time{}
	return nil
}

func (c *callers) refresh() {
	if c.now().Sub(c.looked) < c.every {
		return
	}
	if err := c.load(); err != nil {
		c.log.Warn("keeping the old client authorities: the file cannot be used", "error", err)
	}
}

// configure asks clients for a certificate, and tells them of which authority,
// so that a browser does not ask its user for one that is of no use.
func (c *callers) configure(conf *tls.Config) {
	conf.ClientAuth = tls.RequestClientCert
	base := conf.Clone()
	var roots *x509.CertPool
	var current *tls.Config
	conf.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.refresh()
		if roots != c.roots {
			roots, current = c.roots, base.Clone()
			current.ClientCAs = roots
		}
		return current, nil
	}
}

// check says what is wrong with the caller: 0 is nothing.
func (c *callers) check(state *tls.ConnectionState) (status int, detail string) {
	if state == nil || len(state.PeerCertificates) == 0 {
		return http.StatusUnauthorized, "reviews are taken from callers with a client certificate only; docs/certificates.md says how to give the API server one"
	}
	leaf := state.PeerCertificates[0]
	if err := c.verify(leaf, state.PeerCertificates[1:]); err != nil {
		return http.StatusUnauthorized, "the client certificate is not valid, or not of an authority of --client-ca-file"
	}
	if len(c.names) > 0 && !slices.ContainsFunc(c.names, func(name string) bool { return goesBy(leaf, name) }) {
		return http.StatusForbidden, "the client certificate has none of the names of --client-names"
	}
	return 0, ""
}

// verify remembers what it found good: a signature is dear, and the API server
// sends review after review.
func (c *callers) verify(leaf *x509.Certificate, others []*x509.Certificate) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	now := c.now()
	id := sha256.Sum256(leaf.Raw)
	if until, ok := c.known[id]; ok && now.Before(until) {
		return nil
	}
	intermediates := x509.NewCertPool()
	for _, other := range others {
		intermediates.AddCert(other)
	}
	chains, err := leaf.Verify(x509.VerifyOptions{
		Roots: c.roots, Intermediates: intermediates, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return err
	}
	if len(c.known) >= maxKnown {
		clear(c.known)
	}
	until := now.Add(time.Hour)
	for _, certificate := range chains[0] {
		if certificate.NotAfter.Before(until) {
			until = certificate.NotAfter
		}
	}
	c.known[id] = until
	return nil
}

// goesBy says whether a certificate has a name, as common name or as one of
// the alternative names.
func goesBy(leaf *x509.Certificate, name string) bool {
	if leaf.Subject.CommonName == name || slices.Contains(leaf.DNSNames, name) || slices.Contains(leaf.EmailAddresses, name) {
		return true
	}
	for _, ip := range leaf.IPAddresses {
		if ip.String() == name {
			return true
		}
	}
	for _, uri := range leaf.URIs {
		if uri.String() == name {
			return true
		}
	}
	return false
}

// only lets nobody else through. A nil receiver lets everybody.
func (c *callers) only(next http.Handler) http.Handler {
	if c == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, detail := c.check(r.TLS); status != 0 {
			c.log.WarnContext(r.Context(), "refused a caller", "status", status, "requestId", w.Header().Get(requestIDHeader))
			problem.Write(w, status, detail)
			return
		}
		next.ServeHTTP(w, r)
	})
}
