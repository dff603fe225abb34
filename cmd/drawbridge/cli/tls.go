package cli

import (
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	admissionclient "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/drawbridge-dra/drawbridge/server"
	"github.com/drawbridge-dra/drawbridge/server/certs"
)

// addTLSFlags adds what the HTTPS listener shows and whom it believes.
func addTLSFlags(f *pflag.FlagSet, cfg *server.Config) {
	f.StringVar(&cfg.TLSCertFile, "tls-cert-file", "", "PEM certificate chain of the HTTPS listener, read again when it changes (default: a self-signed certificate made at start)")
	f.StringVar(&cfg.TLSKeyFile, "tls-private-key-file", "", "PEM private key of --tls-cert-file")
	f.StringVar(&cfg.TLSMinVersion, "tls-min-version", "1.3", "oldest TLS version that is spoken: 1.3 or 1.2")
	f.StringVar(&cfg.ClientCAFile, "client-ca-file", "", "PEM authorities; only callers with a client certificate of theirs may send AdmissionReviews, everything else stays open (default: everybody may)")
	f.StringSliceVar(&cfg.ClientNames, "client-names", nil, "which of these certificates, by common name or alternative name, such as the API server's (default: all)")
}

// certFlags say how certificates are made without help.
type certFlags struct {
	on  bool
	cfg certs.Config
}

func (c *certFlags) add(f *pflag.FlagSet) {
	f.BoolVar(&c.on, "self-managed-certs", false, "make the certificates of the webhook and keep caBundle of its configurations right, together with all other replicas; see docs/certificates.md (implies --in-cluster unless --kubeconfig is given)")
	f.StringVar(&c.cfg.Secret, "certs-secret", "drawbridge-certificates", "Secret that the replicas share for it")
	f.StringVar(&c.cfg.Namespace, "certs-namespace", "", "namespace of that Secret (default: the pod's own)")
	f.StringSliceVar(&c.cfg.Names, "cert-names", nil, "DNS names and addresses of the certificate; entries of the configurations that lead to one of them are ours (default: those of the Service drawbridge in the Secret's namespace)")
	f.StringVar(&c.cfg.Mutating, "mutating-webhook-configuration", "drawbridge", "name of the MutatingWebhookConfiguration; empty: none")
	f.StringVar(&c.cfg.Validating, "validating-webhook-configuration", "drawbridge", "name of the ValidatingWebhookConfiguration; empty: none")
	f.DurationVar(&c.cfg.Validity, "cert-validity", 90*24*time.Hour, "for how long a certificate is valid")
	f.DurationVar(&c.cfg.RenewAfter, "cert-renew-after", 0, "age at which it is renewed (default: two thirds of --cert-validity)")
	f.DurationVar(&c.cfg.CAValidity, "ca-validity", 0, "for how long an authority is valid (default: five years, or twelve times --cert-validity)")
	f.DurationVar(&c.cfg.CARenewAfter, "ca-renew-after", 0, "age at which the next authority is prepared (default: two thirds of --ca-validity)")
	f.DurationVar(&c.cfg.Overlap, "ca-overlap", time.Hour, "for how long an authority is trusted before it signs anything; longer than API servers take to see a changed caBundle")
}

// namespaceFile tells a pod where it is.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// manager makes what looks after the certificates; nil: nobody asked for it.
func (c certFlags) manager(cluster clusterFlags, log *slog.Logger) (*certs.Manager, error) {
	if !c.on {
		return nil, nil
	}
	cfg := c.cfg
	cfg.Logger = log
	if cfg.Namespace == "" {
		text, err := os.ReadFile(namespaceFile)
		if err != nil {
			return nil, errors.New("--self-managed-certs needs --certs-namespace: this is no pod that would know its own")
		}
		cfg.Namespace = strings.TrimSpace(string(text))
	}
	if len(cfg.Names) == 0 {
		cfg.Names = certs.ServiceNames("drawbridge", cfg.Namespace)
	}
	if !cluster.given() {
		cluster.inCluster = true
	}
	conf, err := cluster.rest()
	if err != nil {
		return nil, err
	}
	// Three objects, but in tests many times a second.
	conf.QPS, conf.Burst = 50, 100
	if cfg.Secrets, err = coreclient.NewForConfig(conf); err != nil {
		return nil, err
	}
	if cfg.Configurations, err = admissionclient.NewForConfig(conf); err != nil {
		return nil, err
	}
	return certs.New(cfg)
}
