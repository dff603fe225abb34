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

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/podresources"
)

func newPodResources() *cobra.Command {
	var (
		socket   string
		opts     core.PodResourcesOptions
		logLevel slog.Level
	)
	cmd := &cobra.Command{
		Use:   "podresources --socket PATH [--node NAME] FILE...",
		Short: "Serve the kubelet's PodResources API for a node that files describe",
		Long: `Podresources serves the kubelet's PodResources API (v1) on a Unix socket, for
the node that files describe: what monitoring agents would be told about pods,
claims and devices there. The files are read again when they change.`,
		Example: `  drawbridge podresources --socket=/run/drawbridge/kubelet.sock --node=worker-1 cluster.yaml`,
		Args:    needs("name the files that describe the node"),
		RunE: func(cmd *cobra.Command, files []string) error {
			logger := slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: logLevel}))
			source, err := podresources.Open(cmd.Context(), files, opts, logger)
			if err != nil {
				return err
			}
			return servePodResources(cmd.Context(), cmd.OutOrStdout(), source, socket)
		},
	}
	f := cmd.Flags()
	f.StringVar(&socket, "socket", "", "path of the socket, which only this user can connect to; it must not exist")
	f.StringVar(&opts.Node, "node", "", "node whose kubelet is played; can be left out if all pods are on one node")
	f.StringVar(&opts.KubernetesVersion, "kubernetes-version", "", "version of the kubelet, such as 1.37 (default: the newest known)")
	f.StringVar(&opts.FeatureGates, "feature-gates", "", "feature gates that differ from the version's defaults, as A=true,B=false")
	f.BoolVar(&opts.SkipValidation, "skip-validation", false, "take the objects as already stored")
	f.StringVar(&opts.CDI, "cdi", "", "form of the names that drivers give to devices, such as {driver}/gpu={device} (default: {driver}/device={device})")
	f.BoolVar(&opts.DeviceMetadata, "device-metadata", false, "drivers write files for containers, whose names are listed with the devices")
	f.TextVar(&logLevel, "log-level", slog.LevelInfo, "least `level` that is logged: DEBUG, INFO, WARN or ERROR")
	complete(cmd, "log-level", "DEBUG", "INFO", "WARN", "ERROR")
	complete(cmd, "kubernetes-version", knownVersions()...)
	completeGates(cmd, "feature-gates")
	_ = cmd.MarkFlagRequired("socket") // it was defined a few lines above
	return cmd
}

// drainTime is how long calls at work may take once the end has come.
const drainTime = 5 * time.Second

// servePodResources answers until a signal, and takes the socket away.
func servePodResources(ctx context.Context, out io.Writer, source *podresources.Source, socket string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := podresources.Listen(socket)
	if err != nil {
		return err
	}
	defer listener.Close()
	server := podresources.NewServer(source)
	node := source.Answer(ctx).Node
	if node == "" {
		node = "a node without a name"
	}
	if _, err := fmt.Fprintf(out, "drawbridge %s answers for the kubelet of %s on unix://%s\n", Version(), node, socket); err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	stop() // a second signal ends the process at once
	hurry := time.AfterFunc(drainTime, server.Stop)
	defer hurry.Stop()
	server.GracefulStop()
	return <-served
}
