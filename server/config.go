package server

import (
	"io/fs"
	"log/slog"
	"runtime"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/drawbridge-dra/drawbridge/server/certs"
)

// Config says how the server listens, what it accepts and how it ends. A zero
// field means its default where it has one.
type Config struct {
	HTTPSListen string // address of everything; empty turns it off
	HTTPListen  string // address of all but admission; empty turns it off
	PprofListen string // loopback address of Go's profiles; empty: none

	TLSCertFile   string         // PEM certificate chain; empty: a self-signed certificate made at start
	TLSKeyFile    string         // PEM private key of TLSCertFile
	Certificates  *certs.Manager // instead of the files: makes the certificates itself; nil: does not
	TLSMinVersion string         // 1.3, the default, or 1.2

	ClientCAFile string   // PEM authorities of those who may send reviews; empty: everybody may
	ClientNames  []string // which of their certificates; empty: all

	// KubernetesVersion and FeatureGates describe the cluster that sends
	// AdmissionReviews.
	KubernetesVersion string
	FeatureGates      string

	// Cluster is asked for the version and the gates, where they are not given
	// above, and for the objects of the cluster; nil: nobody is.
	Cluster   kubernetes.Interface
	WatchPods bool // as well, to tell which templates are used

	PolicyFile   string        // what comes of which finding in a review; empty: the defaults
	PolicyPeriod time.Duration // between looks at PolicyFile; default 10 s
	NodeNameTo   string        // what takes the place of a pod's nodeName: selector, the default, or affinity
	RulesURL     string        // where the rules can be read; empty: denials do not link to them

	MaxBodyBytes         int64         // of a bundle; default 32 MiB
	MaxConcurrentBundles int           // at work at once; default one per CPU, at least 2
	MaxConcurrentReviews int           // AdmissionReviews at work at once; default 64
	BodyTimeout          time.Duration // to receive a body; default 30 s
	ComputeTimeout       time.Duration // to answer; default 20 s

	Web     fs.FS        // the built playground; nil: none
	Version string       // of Drawbridge, for metrics
	Logger  *slog.Logger // default slog.Default()
}

func (c Config) withDefaults() Config {
	if c.MaxBodyBytes <= 0 {
		c.MaxBodyBytes = 32 << 20
	}
	if c.MaxConcurrentBundles <= 0 {
		c.MaxConcurrentBundles = max(2, runtime.GOMAXPROCS(0))
	}
	if c.MaxConcurrentReviews <= 0 {
		c.MaxConcurrentReviews = 64
	}
	if c.BodyTimeout <= 0 {
		c.BodyTimeout = 30 * time.Second
	}
	if c.ComputeTimeout <= 0 {
		c.ComputeTimeout = 20 * time.Second
	}
	if c.PolicyPeriod <= 0 {
		c.PolicyPeriod = 10 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}
