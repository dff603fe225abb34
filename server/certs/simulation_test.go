package certs

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"
)

// propagation is how long an API server may go on with a caBundle that has
// been replaced.
const propagation = 10 * time.Minute

// pair is a certificate and a caBundle with which it was verified.
type pair struct {
	leaf   *x509.Certificate
	bundle string
}

// seen is a caBundle that an API server may be using.
type seen struct {
	bundle string
	until  time.Time // zero: it is the one that stands there
}

// simulation runs replicas against one API server on a simulated clock. One
// request is under way at a time, and chance says whose is next.
type simulation struct {
	t        *testing.T
	rnd      *rand.Rand
	clock    *clocktesting.FakeClock
	api      *fakeAPI
	replicas []*replica
	bundles  []seen
	verified map[pair]bool
	log      *bytes.Buffer
	changes  map[string]int64
	done     map[string]int // requests by verb
}

// replica is a process: its manager, and where its look stands.
type replica struct {
	name    string
	m       *Manager
	cut     bool      // its requests fail
	since   time.Time // when it was last connected and had looked
	due     time.Time // of its next look
	started bool
	blocked chan error    // gives a request its turn, or kills its process
	events  chan struct{} // a request waits, or the look has ended
	ended   bool
	kill    bool // the answer of the request under way gets lost
}

var (
	errCut    = errors.New("connection refused")
	errKilled = errors.New("killed")
)

func newSimulation(t *testing.T, seed uint64, replicas int) *simulation {
	s := &simulation{
		t: t, rnd: rand.New(rand.NewPCG(seed, 1)), clock: clocktesting.NewFakeClock(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)),
		api: newFakeAPI(configurations(nil)...), verified: map[pair]bool{}, log: &bytes.Buffer{},
		changes: map[string]int64{}, done: map[string]int{},
	}
	s.api.wrote = func(gvr schema.GroupVersionResource) {
		if gvr != secrets {
			s.observe()
		}
	}
	for i := range replicas {
		s.replicas = append(s.replicas, s.launch(fmt.Sprintf("r%d", i)))
	}
	return s
}

func (s *simulation) launch(name string) *replica {
	r := &replica{name: name, due: s.clock.Now(), since: s.clock.Now(), blocked: make(chan error), events: make(chan struct{})}
	wire := s.api.wire(func(action clienttesting.Action) error {
		r.events <- struct{}{}
		if err := <-r.blocked; err != nil {
			return err
		}
		if r.cut {
			return errCut
		}
		s.done[action.GetVerb()]++
		return nil
	}, func(clienttesting.Action) error {
		if r.kill {
			return errKilled
		}
		return nil
	})
	log := slog.New(slog.NewTextHandler(s.log, nil)).With("replica", name)
	m, err := New(testConfig(wire, s.clock, s.rnd.Float64(), log))
	if err != nil {
		s.t.Fatal(err)
	}
	r.m = m
	return r
}

// begin starts a look of a replica, which then waits with its first request.
func (s *simulation) begin(r *replica) {
	r.started, r.ended = true, false
	go func() {
		wait, err := r.m.look(context.Background())
		switch {
		case errors.Is(err, errLost):
			wait = pause
		case err != nil:
			wait = r.m.cfg.refresh()
		default:
			r.since = s.clock.Now()
		}
		r.due = s.clock.Now().Add(max(wait, pause))
		r.ended = true
		r.events <- struct{}{}
	}()
	s.follow(r)
}

// follow waits until a replica stands again.
func (s *simulation) follow(r *replica) {
	<-r.events
	if r.ended {
		r.started = false
	}
}

// turn lets the request of a replica go.
func (s *simulation) turn(r *replica) {
	r.blocked <- nil
	s.follow(r)
}

// crash ends a replica, before or after its request was heard, and starts
// another.
func (s *simulation) crash(i int) {
	r := s.replicas[i]
	for s.count(r); r.started; {
		if s.rnd.IntN(2) == 0 {
			r.kill = true
			r.blocked <- nil
		} else {
			r.blocked <- errKilled
		}
		s.follow(r)
	}
	s.replicas[i] = s.launch(r.name + "'")
}

// count keeps what a replica did.
func (s *simulation) count(r *replica) {
	for name, n := range r.m.Status().Changes {
		s.changes[name] += n
	}
}

// observe takes down what API servers can see from now on.
func (s *simulation) observe() {
	now := s.clock.Now()
	for i := range s.bundles {
		if s.bundles[i].until.IsZero() {
			s.bundles[i].until = now
		}
	}
	for _, b := range s.api.bundles(s.t) {
		s.bundles = append(s.bundles, seen{bundle: string(b)})
	}
}

// check holds what must hold at every instant: whatever a replica serves
// verifies with whatever bundle an API server may still be using.
func (s *simulation) check() {
	now := s.clock.Now()
	kept := s.bundles[:0]
	for _, b := range s.bundles {
		if b.until.IsZero() || now.Sub(b.until) <= propagation {
			kept = append(kept, b)
		}
	}
	s.bundles = kept
	for _, r := range s.replicas {
		serving, err := r.m.GetCertificate(nil)
		if err != nil {
			s.t.Fatal(err)
		}
		if serving == nil {
			continue
		}
		if leaf := serving.Leaf; !now.Before(leaf.NotAfter) {
			if !r.cut && now.Sub(r.since) < propagation {
				s.fail("%s serves a certificate that expired at %v", r.name, leaf.NotAfter)
			}
			continue // cut off, and nothing can be done about it
		}
		for _, b := range s.bundles {
			if len(b.bundle) > 0 {
				s.verify(r.name, serving.Leaf, b)
			}
		}
	}
}

func (s *simulation) verify(name string, leaf *x509.Certificate, b seen) {
	key := pair{leaf, b.bundle}
	if s.verified[key] {
		return
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(b.bundle))
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: s.clock.Now()}); err != nil {
		s.fail("what %s serves does not verify with a caBundle of %d bytes that was replaced at %v: %v", name, len(b.bundle), b.until, err)
	}
	s.verified[key] = true
}

func (s *simulation) fail(format string, args ...any) {
	s.t.Helper()
	text := s.log.Bytes()
	if len(text) > 6000 {
		text = text[len(text)-6000:]
	}
	s.t.Fatalf("at %v: %s\n%s", s.clock.Now(), fmt.Sprintf(format, args...), text)
}

// step does one thing: a request, the begin of a look, or the passing of time.
func (s *simulation) step() {
	now := s.clock.Now()
	var under, due []*replica
	soonest := now.Add(time.Hour)
	for _, r := range s.replicas {
		switch {
		case r.started:
			under = append(under, r)
		case !r.due.After(now):
			due = append(due, r)
		case r.due.Before(soonest):
			soonest = r.due
		}
	}
	switch n := s.rnd.IntN(len(under) + len(due) + 1); {
	case n < len(under):
		s.turn(under[n])
	case n < len(under)+len(due):
		s.begin(due[n-len(under)])
	case len(under)+len(due) > 0:
		s.clock.Step(time.Duration(s.rnd.Int64N(int64(time.Second)))) // requests take time
	default:
		s.clock.Step(soonest.Sub(now))
	}
	s.check()
}

// runFor lets simulated time pass, with what chance does in between.
func (s *simulation) runFor(d time.Duration, chance func()) {
	s.t.Helper()
	for end := s.clock.Now().Add(d); s.clock.Now().Before(end); {
		s.step()
		chance()
	}
}

// settled lets everybody finish and says what all of them serve.
func (s *simulation) settled() {
	s.t.Helper()
	for _, r := range s.replicas {
		r.cut = false
	}
	// One may be at reading what another has just replaced; not for long.
	for turns := 0; ; turns++ {
		s.runFor(5*time.Minute, func() {})
		for _, r := range s.replicas {
			for r.started {
				s.turn(r)
			}
		}
		different := s.different()
		if different == "" {
			break
		}
		if turns == 3 {
			s.fail("%s serves another certificate than %s", different, s.replicas[0].name)
		}
	}
	for _, r := range s.replicas {
		s.count(r)
	}
	shared, err := decode(s.api.secret())
	if err != nil {
		s.fail("the Secret is broken: %v", err)
	}
	for _, b := range s.api.bundles(s.t) {
		if !bytes.Equal(b, shared.bundle()) {
			s.fail("a caBundle is not that of the Secret")
		}
	}
}

// different names a replica that does not serve what the first does.
func (s *simulation) different() string {
	first, _ := s.replicas[0].m.GetCertificate(nil)
	for _, r := range s.replicas {
		if c, _ := r.m.GetCertificate(nil); c == nil || !bytes.Equal(c.Certificate[0], first.Certificate[0]) {
			return r.name
		}
	}
	return ""
}

// On a quiet day authorities and certificates are replaced on time, by
// whoever is first, and each only once.
func TestRotationsOfADay(t *testing.T) {
	s := newSimulation(t, 1, 3)
	s.runFor(18*time.Hour, func() {})
	s.settled()
	for name, want := range map[change][2]int64{
		changeStarted: {1, 1}, changePrepared: {4, 8}, changeTrusted: {4, 8}, changeSwitched: {4, 8}, changeDropped: {3, 8},
		changeRenewed: {10, 24}, changeDoubted: {0, 0}, changeStartOver: {0, 0}, changeRestored: {0, 0},
	} {
		if got := s.changes[string(name)]; got < want[0] || got > want[1] {
			t.Errorf("%s: %d times, want %d to %d", name, got, want[0], want[1])
		}
	}
}

// Whatever the order of requests, however many replicas crash in the middle of
// one, are cut off or come back, and whatever is done to the Secret and to the
// configurations: no handshake could fail.
func TestNoHandshakeEverFails(t *testing.T) {
	var switched, restored, doubted int64
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newSimulation(t, seed, 2+int(seed%3))
			s.runFor(10*time.Minute, func() {})
			s.runFor(10*time.Hour, func() {
				i := s.rnd.IntN(len(s.replicas))
				switch s.rnd.IntN(4000) {
				case 0, 1, 2, 3, 4, 5, 6, 7:
					if i > 0 { // one stays, to put back what is deleted
						s.crash(i)
					}
				case 8, 9, 10:
					if i > 0 {
						s.replicas[i].cut = !s.replicas[i].cut
					}
				case 11:
					s.api.delete(secrets, "drawbridge", "drawbridge-certificates")
				case 12, 13, 14, 15, 16, 17, 18, 19:
					s.dropNext()
				case 20:
					broken := s.api.secret()
					if broken != nil {
						broken.Data["tls.key"] = []byte("half")
						s.api.put(broken)
					}
				}
			})
			s.settled()
			switched += s.changes[string(changeSwitched)]
			restored += s.changes[string(changeRestored)]
			doubted += s.changes[string(changeDoubted)]
		})
	}
	if t.Failed() {
		return
	}
	if switched < 12 || restored < 5 || doubted < 1 {
		t.Errorf("too little happened to tell: %d switches, %d restored, %d doubted", switched, restored, doubted)
	}
}

// dropNext is somebody who applies the configurations as they were a while
// ago, without the authority that is being prepared.
func (s *simulation) dropNext() {
	secret := s.api.secret()
	if secret == nil {
		return
	}
	shared, err := decode(secret)
	if err != nil || shared == nil || shared.next == nil {
		return
	}
	// In the moment of the switch it is as if it were after it, when nothing
	// helps: the authority that is in use has gone.
	if since := shared.trustedSince; !since.IsZero() && s.clock.Now().After(since.Add(14*time.Minute)) {
		return
	}
	mutating := s.api.mutating()
	for i, w := range mutating.Webhooks {
		if w.ClientConfig.Service.Name == "drawbridge" {
			mutating.Webhooks[i].ClientConfig.CABundle = encodeCertificate(shared.current.certificate)
		}
	}
	s.api.put(mutating)
}
