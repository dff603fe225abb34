package server

import (
	"context"
	"io"
	"sync"

	"github.com/drawbridge-dra/drawbridge/webhook/view"
)

// surroundings are what the server knows of the cluster that asks it: the
// version and the gates, and the other objects where an API server is given.
type surroundings struct {
	features *view.Features
	view     *view.View // nil without an API server
}

func (s *Server) lookAround() error {
	cfg := s.cfg
	s.around.features = view.NewFeatures(view.FeaturesConfig{
		Client: cfg.Cluster, Version: cfg.KubernetesVersion, Gates: cfg.FeatureGates, Logger: cfg.Logger,
	})
	if cfg.Cluster == nil {
		return nil
	}
	s.around.view = view.New(view.Config{Client: cfg.Cluster, Pods: cfg.WatchPods, Logger: cfg.Logger})
	return s.around.view.Register(s.telemetry.meters.Meter("drawbridge"))
}

// run follows the cluster until the context ends.
func (a *surroundings) run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { a.features.Run(ctx) })
	if a.view != nil {
		wg.Go(func() { a.view.Run(ctx) })
	}
	wg.Wait()
}

// status says in words what is known. It never makes the server unready: a
// review must be answered all the same, and without the cluster's other
// objects it is answered with a warning.
func (a *surroundings) status(w io.Writer) error {
	if err := a.features.WriteStatus(w); err != nil {
		return err
	}
	if a.view == nil {
		_, err := io.WriteString(w, "cluster: not looked at; --in-cluster or --kubeconfig say how\n")
		return err
	}
	return a.view.WriteStatus(w)
}
