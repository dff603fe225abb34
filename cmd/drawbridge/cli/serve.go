package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/drawbridge-dra/drawbridge/server"
	"github.com/drawbridge-dra/drawbridge/web"
)

func newServe() *cobra.Command {
	var (
		cfg             server.Config
		cluster         clusterFlags
		certificates    certFlags
		logLevel        slog.Level
		shutdownDelay   time.Duration
		shutdownTimeout time.Duration
	)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the REST API, the admission webhook and the playground",
		Long: `Serve answers over HTTP what the other commands answer about files, judges
AdmissionReviews of an API server, and shows the playground. It ends with
SIGTERM or Ctrl-C, after what is at work is done. docs/deploy.md shows it in a
cluster, docs/admission.md the webhook.`,
		Example: `  drawbridge serve
  drawbridge serve --http-listen= --tls-cert-file=tls.crt --tls-private-key-file=tls.key`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg.Version = Version()
			cfg.Web = web.FS()
			cfg.Logger = slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: logLevel}))
			klog.SetSlogLogger(cfg.Logger) // what client-go has to say
			if !web.Built() {
				cfg.Logger.Warn("the playground is not part of this binary; those of releases hold it, and docs/install.md says how to build one")
			}
			var err error
			if cfg.Certificates, err = certificates.manager(cluster, cfg.Logger); err != nil {
				return err
			}
			if cluster.given() {
				if cfg.Cluster, err = cluster.client(); err != nil {
					return err
				}
			}
			return at(exitFailure, serve(cmd.Context(), cmd.OutOrStdout(), cfg, shutdownDelay, shutdownTimeout))
		},
	}
	f := cmd.Flags()
	f.StringVar(&cfg.HTTPSListen, "https-listen", ":8443", "address of the HTTPS listener, which serves everything; empty turns it off")
	f.StringVar(&cfg.HTTPListen, "http-listen", "127.0.0.1:8080", "address of the HTTP listener, which serves everything but admission; empty turns it off")
	f.StringVar(&cfg.PprofListen, "pprof-listen", "", "loopback address on which Go's profiles are served, such as 127.0.0.1:6060; empty: none")
	addTLSFlags(f, &cfg)
	cluster.add(f)
	certificates.add(f)
	f.BoolVar(&cfg.WatchPods, "watch-pods", true, "with --in-cluster or --kubeconfig, watch pods too, to warn who deletes a ResourceClaimTemplate that some use")
	f.StringVar(&cfg.KubernetesVersion, "kubernetes-version", "", "version of the cluster that sends AdmissionReviews, such as 1.37 (default: that of the API server, where --in-cluster or --kubeconfig lead to it, else the newest known)")
	f.StringVar(&cfg.FeatureGates, "feature-gates", "", "feature gates of that cluster, as A=true,B=false (default: those of the API server, where it tells them, else those of the version)")
	complete(cmd, "kubernetes-version", knownVersions()...)
	completeGates(cmd, "feature-gates")
	f.StringVar(&cfg.PolicyFile, "policy-file", "", "file that says which findings in AdmissionReviews deny, warn, go to the audit log or are left out; read again when it changes (default: what docs/admission.md lists)")
	f.DurationVar(&cfg.PolicyPeriod, "policy-period", 10*time.Second, "time between looks at --policy-file")
	f.StringVar(&cfg.NodeNameTo, "node-name-to", "selector", "what takes the place of spec.nodeName in pods that use devices: selector, for a node selector on the node's hostname label, or affinity, for node affinity on its name")
	complete(cmd, "node-name-to", "selector", "affinity")
	complete(cmd, "tls-min-version", "1.3", "1.2")
	f.StringVar(&cfg.RulesURL, "rules-url", "", "URL under which /rules.html can be read; denials then link to their rule")
	f.Int64Var(&cfg.MaxBodyBytes, "max-body-bytes", 32<<20, "largest bundle that is accepted")
	f.IntVar(&cfg.MaxConcurrentBundles, "max-concurrent-bundles", 0, "bundles at work at once; others wait a second and get 429 (default: one per CPU, at least 2)")
	f.DurationVar(&cfg.BodyTimeout, "body-timeout", 30*time.Second, "time to receive a body")
	f.DurationVar(&cfg.ComputeTimeout, "compute-timeout", 20*time.Second, "time to answer a bundle")
	f.DurationVar(&shutdownDelay, "shutdown-delay", 5*time.Second, "time after SIGTERM in which requests are still accepted while /readyz fails")
	f.DurationVar(&shutdownTimeout, "shutdown-timeout", 25*time.Second, "time that requests at work get to finish after that")
	f.TextVar(&logLevel, "log-level", slog.LevelInfo, "least `level` that is logged: DEBUG, INFO, WARN or ERROR")
	complete(cmd, "log-level", "DEBUG", "INFO", "WARN", "ERROR")
	return cmd
}

// serve runs a server until a signal or a failure. SIGTERM, which an
// orchestrator sends, waits until traffic has moved elsewhere; an interrupt
// from the keyboard does not wait; a second signal ends the process at once.
func serve(ctx context.Context, out io.Writer, cfg server.Config, delay, timeout time.Duration) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	defer signal.Stop(signals)

	s, err := server.New(ctx, cfg)
	if err != nil {
		return err
	}
	for _, url := range s.URLs() {
		if _, err := fmt.Fprintf(out, "drawbridge %s listens on %s\n", cfg.Version, url); err != nil {
			return err
		}
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	select {
	case err := <-served:
		return err
	case sig := <-signals:
		signal.Stop(signals)
		if sig == os.Interrupt {
			delay = 0
		}
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), delay+timeout)
	defer cancel()
	err = s.Shutdown(end, delay)
	<-served
	return err
}
