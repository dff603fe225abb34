package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pause lies between two looks, whatever happens: somebody else who also
// writes caBundle must not make us write as fast as the network allows.
const pause = 50 * time.Millisecond

// Manager is one replica's part in making the certificates.
type Manager struct {
	cfg  Config
	wake chan struct{}
	last struct { // what the Secret of a resourceVersion says
		version string
		state   *state
		err     error
	}

	mu       sync.Mutex
	memory   *state
	read     time.Time // when memory was last known to be what is shared
	missing  time.Time // since when there was nothing to read; zero: there was
	failed   string    // why the last look failed; empty: it did not
	lost     int       // looks in a row in which somebody else was quicker
	outcomes map[string]int64
	changes  map[string]int64
	repairs  map[string]int64
}

// New checks the configuration. Nothing is read or made before Run.
func New(cfg Config) (*Manager, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &Manager{
		cfg: cfg, wake: make(chan struct{}, 1),
		outcomes: map[string]int64{}, changes: map[string]int64{}, repairs: map[string]int64{kindMutating: 0, kindValidating: 0},
	}
	for _, o := range outcomes {
		m.outcomes[o] = 0
	}
	for _, c := range changes {
		m.changes[string(c)] = 0
	}
	return m, nil
}

// GetCertificate is for tls.Config. It never waits; before there is a
// certificate it is nil.
func (m *Manager) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.memory == nil {
		return nil, nil
	}
	return m.memory.serving, nil
}

// Ready says whether there is a certificate to serve.
func (m *Manager) Ready() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.memory != nil
}

// Run keeps the certificates until ctx ends.
func (m *Manager) Run(ctx context.Context) {
	done := m.watch(ctx)
	defer done()
	var backoff time.Duration
	for {
		wait, err := m.look(ctx)
		if ctx.Err() != nil {
			return
		}
		switch {
		case errors.Is(err, errLost):
			wait = pause
		case err != nil:
			// The first failure may be a short one.
			backoff = min(max(2*backoff, pause), m.cfg.refresh())
			wait = backoff
		default:
			backoff = 0
		}
		if !m.sleep(ctx, pause, nil) || !m.sleep(ctx, wait-pause, m.wake) {
			return
		}
	}
}

// sleep waits, or until it is woken, and is false when ctx has ended.
func (m *Manager) sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := m.cfg.Clock.NewTimer(max(d, 0))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C():
	case <-wake:
	}
	return true
}

// errLost is that another replica, or somebody, wrote between our reading and
// our writing. It is normal; what was written is to be read.
var errLost = errors.New("somebody else wrote at the same time")

// tooOften is when losing is no longer by chance: something refuses or undoes
// what we write.
const tooOften = 20

// The outcomes of a look, as in metrics.
const (
	outcomeDone        = "done"
	outcomeLost        = "lost"
	outcomeForeign     = "foreign"
	outcomeForbidden   = "forbidden"
	outcomeUnreachable = "failed"
)

var outcomes = []string{outcomeDone, outcomeLost, outcomeForeign, outcomeForbidden, outcomeUnreachable}

// look is one check with its log and its count.
func (m *Manager) look(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	wait, err := m.check(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	outcome := outcomeDone
	switch {
	case err == nil:
		m.lost = 0
		if m.failed != "" {
			m.cfg.Logger.Info("the certificates are looked after again")
		}
		m.failed = ""
	case errors.Is(err, errLost):
		outcome = outcomeLost
		if m.lost++; m.lost > tooOften {
			m.complain(err)
		}
	default:
		outcome = outcomeUnreachable
		if errors.Is(err, errForeign) || errors.Is(err, errNewer) {
			outcome = outcomeForeign
		} else if apierrors.IsForbidden(err) {
			outcome = outcomeForbidden
		}
		m.complain(err)
	}
	m.outcomes[outcome]++
	return wait, err
}

// complain logs a failure, the louder the less time is left.
func (m *Manager) complain(err error) {
	m.failed = err.Error()
	secret := slog.String("secret", m.cfg.Namespace+"/"+m.cfg.Secret)
	switch {
	case m.memory == nil:
		m.cfg.Logger.Error("there is no certificate to serve, and none can be made", "error", err, secret)
	case m.cfg.Clock.Now().After(m.memory.serving.Leaf.NotAfter):
		m.cfg.Logger.Error("the certificate has EXPIRED and cannot be renewed; API servers refuse it", "error", err, secret,
			"notAfter", m.memory.serving.Leaf.NotAfter)
	default:
		m.cfg.Logger.Warn("the certificates cannot be looked after; serving the one that we have", "error", err, secret,
			"notAfter", m.memory.serving.Leaf.NotAfter)
	}
}

// check looks once and does what is due. The configurations are read before
// the Secret: then a patch that still applies comes from a Secret that was
// read after all that is in the configuration had been decided.
func (m *Manager) check(ctx context.Context) (time.Duration, error) {
	found, unread := m.cfg.registrations(ctx)
	secret, err := m.cfg.Secrets.Secrets(m.cfg.Namespace).Get(ctx, m.cfg.Secret, metav1.GetOptions{})
	now := m.cfg.Clock.Now()
	if apierrors.IsNotFound(err) {
		err, secret = nil, nil
	}
	if err != nil {
		return m.cfg.refresh(), fmt.Errorf("reading the Secret: %w", err)
	}
	s, err := m.settle(ctx, secret, view{found, unread == nil}, now)
	if err != nil || s == nil {
		return m.cfg.refresh(), errors.Join(err, unread)
	}
	mended, err := m.mend(ctx, found, s)
	if err = errors.Join(err, unread); err != nil {
		return m.cfg.refresh(), err
	}
	if mended {
		return pause, nil // to see that they have it
	}
	return m.cfg.wait(s, m.cfg.Clock.Now()), nil
}

// settle brings the Secret to where it should be and memory to what it says.
// Without an error and a state it is too early to tell.
func (m *Manager) settle(ctx context.Context, secret *corev1.Secret, found view, now time.Time) (*state, error) {
	s, broken := m.decode(secret)
	memory, read := m.remember()
	switch {
	case errors.Is(broken, errForeign) || errors.Is(broken, errNewer):
		return nil, broken
	case s != nil && broken == nil && (memory == nil || s.generation >= memory.generation):
		m.keep(s, now)
		return m.move(ctx, secret, s, found, now)
	case s != nil && broken == nil:
		m.cfg.Logger.Warn("an older copy of the Secret was put back; writing the newer one", "generation", s.generation, "newer", memory.generation)
		return m.restore(ctx, secret, memory, now)
	}
	// The Secret is missing, empty or broken. Those who read it last know best
	// what was in it; others give them the time to put it back.
	if m.missing.IsZero() {
		m.missing = now
	}
	waited := now.Sub(m.missing) >= m.cfg.patience()
	switch {
	case memory != nil && (waited || now.Sub(read) <= m.cfg.patience()):
		m.cfg.Logger.Warn("the Secret is gone, empty or broken; writing what it was", "error", broken)
		return m.restore(ctx, secret, memory, now)
	case broken != nil:
		return nil, fmt.Errorf("the Secret is broken: %w; delete it, and a new one is made", broken)
	case memory != nil || !waited && found.mayBeTrusted():
		return nil, nil
	}
	s, err := m.cfg.begin(now)
	if err != nil {
		return nil, err
	}
	return m.write(ctx, secret, s, now, changeStarted)
}

// decode reads the Secret, unless it is the one that was read before: keys
// and signatures are dear.
func (m *Manager) decode(secret *corev1.Secret) (*state, error) {
	if secret == nil {
		return nil, nil
	}
	if m.last.version == "" || m.last.version != secret.ResourceVersion {
		s, err := decode(secret)
		m.last.version, m.last.state, m.last.err = secret.ResourceVersion, s, err
	}
	return m.last.state, m.last.err
}

// move does what is due.
func (m *Manager) move(ctx context.Context, secret *corev1.Secret, s *state, found view, now time.Time) (*state, error) {
	next, done, err := m.cfg.advance(s, now, found.know(s.next))
	if err != nil || next == nil {
		return s, err
	}
	return m.write(ctx, secret, next, now, done...)
}

// restore writes what we remember over what is there, as a newer one.
func (m *Manager) restore(ctx context.Context, secret *corev1.Secret, memory *state, now time.Time) (*state, error) {
	s := *memory
	s.generation++
	return m.write(ctx, secret, &s, now, changeRestored)
}

// write puts a state into the Secret, if that still is as it was read, and
// then into memory: nothing is served that the others cannot read.
func (m *Manager) write(ctx context.Context, secret *corev1.Secret, s *state, now time.Time, done ...change) (*state, error) {
	client := m.cfg.Secrets.Secrets(m.cfg.Namespace)
	frame := secret
	if frame == nil {
		frame = newSecret(m.cfg.Namespace, m.cfg.Secret)
	}
	full, err := s.encode(frame)
	if err != nil {
		return nil, err
	}
	if secret == nil {
		_, err = client.Create(ctx, full, metav1.CreateOptions{FieldManager: "drawbridge-certificates"})
	} else {
		_, err = client.Update(ctx, full, metav1.UpdateOptions{FieldManager: "drawbridge-certificates"})
	}
	switch {
	case apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || secret != nil && apierrors.IsNotFound(err):
		return nil, errLost
	case err != nil:
		return nil, fmt.Errorf("writing the Secret: %w", err)
	}
	m.keep(s, now)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range done {
		m.changes[string(c)]++
		m.cfg.Logger.Info("certificates: "+string(c), "generation", s.generation,
			"notAfter", s.serving.Leaf.NotAfter, "authority", s.current.certificate.Subject.CommonName)
	}
	return s, nil
}

// mend gives the configurations the bundle of a state.
func (m *Manager) mend(ctx context.Context, found []registration, s *state) (bool, error) {
	var mended bool
	var errs []error
	for _, r := range found {
		patch, names := r.mend(s.bundle())
		if patch == nil {
			continue
		}
		switch err := r.patch(ctx, patch); {
		case apierrors.IsConflict(err) || apierrors.IsInvalid(err) || apierrors.IsNotFound(err):
			errs = append(errs, errLost) // the test of the resourceVersion failed
		case err != nil:
			errs = append(errs, fmt.Errorf("writing caBundle of the %s webhook configuration: %w", r.kind, err))
		default:
			mended = true
			m.mu.Lock()
			m.repairs[r.kind]++
			m.mu.Unlock()
			m.cfg.Logger.Info("wrote caBundle", "kind", r.kind, "configuration", r.name, "webhooks", names)
		}
	}
	return mended, errors.Join(errs...)
}

func (m *Manager) remember() (*state, time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.memory, m.read
}

func (m *Manager) keep(s *state, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.memory, m.read, m.missing = s, now, time.Time{}
}
