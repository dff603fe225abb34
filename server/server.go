// Package server puts the fronts behind listeners: TLS, limits, logs, metrics,
// traces, probes, and an end that drops no request.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/webhook"
)

// Server is one process' listeners and what is behind them.
type Server struct {
	cfg       Config
	telemetry *telemetry
	webhook   *webhook.Webhook
	listeners []listener
	draining  atomic.Bool
	policy    *webhook.PolicyFile // nil without one
	around    surroundings
	// stop ends what runs beside the listeners.
	stop []func()

	certificates certificateSource // of the HTTPS listener
	callers      *callers          // who may send reviews; nil: everybody
	ballast      []byte            // see newBallast
	reviewing    connections       // of the HTTPS listener

	// after is time.After, unless a test has the delay of a shutdown in hand.
	after func(time.Duration) <-chan time.Time
}

// listener is an open port and the server that answers on it.
type listener struct {
	scheme string
	net.Listener
	http *http.Server
}

// New checks the configuration and opens the ports; nothing is served yet.
func New(ctx context.Context, cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	if cfg.HTTPSListen == "" && cfg.HTTPListen == "" {
		return nil, errors.New("there is nothing to listen on: give --https-listen or --http-listen an address")
	}
	reviews := core.AdmitOptions{KubernetesVersion: cfg.KubernetesVersion, FeatureGates: cfg.FeatureGates, NodeNameTo: cfg.NodeNameTo, RulesURL: cfg.RulesURL}
	if err := reviews.Check(); err != nil {
		return nil, fmt.Errorf("what reviews are answered by: %w", err)
	}
	t, err := newTelemetry(ctx, cfg.Version)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, telemetry: t, ballast: newBallast(), after: time.After}
	if err := s.readPolicy(); err != nil {
		return nil, errors.Join(err, t.shutdown(ctx))
	}
	err = s.lookAround()
	hook := webhook.Config{
		Kubernetes: s.around.features.Kubernetes,
		Policy:     s.policyNow,
		NodeNameTo: cfg.NodeNameTo,
		RulesURL:   cfg.RulesURL,
		Observe:    t.reviewed,
		Logger:     cfg.Logger,
	}
	if s.around.view != nil {
		hook.Cluster = s.around.view
	}
	s.webhook = webhook.New(hook)
	if err == nil {
		err = s.trust()
	}
	var routes http.Handler
	if err == nil {
		routes, err = s.routes()
	}
	if err == nil {
		err = s.listen(routes)
	}
	if err != nil {
		for _, l := range s.listeners {
			_ = l.Close()
		}
		s.stopAll()
		return nil, errors.Join(err, t.shutdown(ctx))
	}
	return s, nil
}

// trust prepares what TLS needs, on both sides.
func (s *Server) trust() error {
	var err error
	if s.certificates, err = newCertificates(s.cfg); err != nil {
		return err
	}
	if s.callers, err = newCallers(s.cfg); err != nil {
		return err
	}
	return s.telemetry.certificates(s.certificates, s.cfg.Certificates)
}

func (s *Server) listen(routes http.Handler) error {
	if s.cfg.PprofListen != "" {
		if err := checkPprof(s.cfg.PprofListen); err != nil {
			return err
		}
		if err := s.open("pprof", s.cfg.PprofListen, profiles(), nil); err != nil {
			return err
		}
		s.listeners[0].http.WriteTimeout = 0 // a profile takes as long as it is asked to
		s.cfg.Logger.Info("serving Go's profiles", "url", "http://"+s.listeners[0].Addr().String()+"/debug/pprof/")
	}
	if s.cfg.HTTPSListen != "" {
		conf, err := tlsConfig(s.cfg, s.certificates, s.callers)
		if err != nil {
			return err
		}
		if err := s.open("https", s.cfg.HTTPSListen, routes, conf); err != nil {
			return err
		}
	}
	if s.cfg.HTTPListen != "" {
		return s.open("http", s.cfg.HTTPListen, routes, nil)
	}
	return nil
}

func (s *Server) open(scheme, address string, routes http.Handler, conf *tls.Config) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	s.listeners = append(s.listeners, listener{scheme: scheme, Listener: l, http: &http.Server{
		Handler:   routes,
		TLSConfig: conf,
		// A body may take its time, and after it the answer; a client that
		// does neither send nor read is cut off.
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       s.cfg.BodyTimeout + 10*time.Second,
		WriteTimeout:      s.cfg.BodyTimeout + s.cfg.ComputeTimeout + 40*time.Second,
		// An API server closes its idle connections after 90 seconds; it
		// must be the one to close, or a review could meet a closed one.
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		HTTP2:          &http.HTTP2Config{MaxConcurrentStreams: 100},
		ErrorLog:       slog.NewLogLogger(s.cfg.Logger.Handler(), slog.LevelWarn),
	}})
	if scheme == "https" {
		s.listeners[len(s.listeners)-1].http.ConnState = s.reviewing.track
	}
	return nil
}

// URLs tells where the server listens, in words that a browser takes.
func (s *Server) URLs() []string {
	var urls []string
	for _, l := range s.listeners {
		if l.scheme == "pprof" {
			continue
		}
		addr := l.Addr().(*net.TCPAddr)
		host := addr.IP.String()
		if addr.IP.IsUnspecified() || addr.IP.IsLoopback() {
			host = "localhost"
		}
		urls = append(urls, fmt.Sprintf("%s://%s", l.scheme, net.JoinHostPort(host, fmt.Sprint(addr.Port))))
	}
	return urls
}

// Serve answers until Shutdown is called or a listener fails.
func (s *Server) Serve() error {
	ctx, stop := context.WithCancel(context.Background())
	var background sync.WaitGroup
	defer background.Wait()
	defer stop()
	if m := s.cfg.Certificates; m != nil {
		background.Go(func() { m.Run(ctx) })
	}
	background.Go(func() { s.around.run(ctx) })
	done := make(chan error, len(s.listeners))
	for _, l := range s.listeners {
		go func() {
			if l.scheme == "https" {
				done <- l.http.ServeTLS(l.Listener, "", "")
			} else {
				done <- l.http.Serve(l.Listener)
			}
		}()
	}
	var errs []error
	for range s.listeners {
		err := <-done
		if !errors.Is(err, http.ErrServerClosed) {
			errs = append(errs, err)
			for _, l := range s.listeners { // one without the other is half a server
				_ = l.http.Close()
			}
		}
	}
	return errors.Join(errs...)
}

// Shutdown ends the server without dropping a request. It first reports not
// ready for the given delay, during which new requests are still answered:
// endpoints of a Service are updated some time after the signal. Then it lets
// connections be used once more, stops listening and waits for the requests at
// work, until ctx ends.
func (s *Server) Shutdown(ctx context.Context, delay time.Duration) error {
	s.draining.Store(true)
	select {
	case <-s.after(delay):
	case <-ctx.Done():
	}
	s.reviewing.linger(ctx, delay)
	results := make(chan error, len(s.listeners))
	for _, l := range s.listeners {
		go func() {
			err := l.http.Shutdown(ctx)
			if err != nil {
				err = errors.Join(err, l.http.Close())
			}
			results <- err
		}()
	}
	var errs []error
	for range s.listeners {
		errs = append(errs, <-results)
	}
	s.stopAll()
	// Telemetry goes last, with a little time of its own: the last spans are
	// those that tell why a shutdown took long.
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	return errors.Join(append(errs, s.telemetry.shutdown(flush))...)
}
