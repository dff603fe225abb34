package server

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

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

// GetCertificate gives what the files have, or had when they last were right.
func (c *certFiles) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
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
	certPEM, err := c.read(c.certFile)
	if err != nil {
		return err
	}
	keyPEM, err := c.read(c.keyFile)
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

// read reads a file. A Secret's volume is a folder of links that are all
// swapped by renaming ..data: between our two reads the key may have become
// another certificate's, which X509KeyPair finds out.
func (c *certFiles) read(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if os.IsPermission(err) {
		return nil, fmt.Errorf("%w; the process runs as uid %d, gid %d: a Secret's volume needs fsGroup and defaultMode 0440", err, os.Getuid(), os.Getgid())
	}
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("%w; something has to put it into %s", err, filepath.Dir(name))
	}
	return text, err
}
