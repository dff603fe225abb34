package server

import (
	"context"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/webhook"
)

// readPolicy reads the policy file, where there is one, and begins to follow
// it.
func (s *Server) readPolicy() error {
	if s.cfg.PolicyFile == "" {
		return nil
	}
	file, err := webhook.ReadPolicyFile(s.cfg.PolicyFile, s.cfg.Logger, s.telemetry.policyRead)
	if err != nil {
		return err
	}
	s.policy = file
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		file.Follow(ctx, s.cfg.PolicyPeriod)
	}()
	s.stop = append(s.stop, func() {
		cancel()
		<-done
	})
	return nil
}

// policyNow is the policy that reviews are answered by; nil for the defaults.
func (s *Server) policyNow() *core.AdmissionPolicy {
	if s.policy == nil {
		return nil
	}
	return s.policy.Policy()
}

// stopAll ends what runs beside the listeners.
func (s *Server) stopAll() {
	for _, stop := range s.stop {
		stop()
	}
}
