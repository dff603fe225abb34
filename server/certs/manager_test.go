package certs

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

// logBuffer is a log that tests read while it is written.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// single is one replica, of which the test decides when it looks.
type single struct {
	*testing.T
	*Manager
	api   *fakeAPI
	clock *clocktesting.FakeClock
	log   *logBuffer
	fail  func(clienttesting.Action) error // what is wrong with the API server
	asked []clienttesting.Action
}

func newSingle(t *testing.T, api *fakeAPI, clk *clocktesting.FakeClock, change ...func(*Config)) *single {
	t.Helper()
	s := &single{T: t, api: api, clock: clk, log: &logBuffer{}}
	w := api.wire(func(a clienttesting.Action) error {
		s.asked = append(s.asked, a)
		if s.fail != nil {
			return s.fail(a)
		}
		return nil
	}, nil)
	cfg := testConfig(w, clk, 0, slog.New(slog.NewTextHandler(s.log, nil)))
	for _, f := range change {
		f(&cfg)
	}
	m, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.Manager = m
	return s
}

func newClock() *clocktesting.FakeClock {
	return clocktesting.NewFakeClock(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
}

// must looks and wants it to go well.
func (s *single) must() time.Duration {
	s.Helper()
	wait, err := s.look(context.Background())
	if err != nil {
		s.Fatalf("%v\n%s", err, s.log)
	}
	return wait
}

// mustNot looks and wants it to fail with these words.
func (s *single) mustNot(words string) {
	s.Helper()
	if _, err := s.look(context.Background()); err == nil || !strings.Contains(err.Error(), words) {
		s.Fatalf("got %v, want %s", err, words)
	}
}

// live looks as often as is due, until some time has passed.
func (s *single) live(d time.Duration) {
	s.Helper()
	for end := s.clock.Now().Add(d); s.clock.Now().Before(end); {
		s.clock.Step(s.must())
	}
}

func (s *single) serves() *x509.Certificate {
	s.Helper()
	c, err := s.GetCertificate(nil)
	if err != nil || c == nil {
		s.Fatalf("nothing is served: %v", err)
	}
	return c.Leaf
}

func (s *single) shared() *state {
	s.Helper()
	shared, err := decode(s.api.secret())
	if err != nil || shared == nil {
		s.Fatalf("the Secret: %v", err)
	}
	return shared
}

func TestFirstStart(t *testing.T) {
	s := newSingle(t, newFakeAPI(configurations(nil)...), newClock())
	if c, err := s.GetCertificate(nil); c != nil || err != nil || s.Ready() {
		t.Error("there is a certificate before the first look")
	}
	before := s.api.mutating()
	s.must()
	secret := s.api.secret()
	if secret.Type != corev1.SecretTypeTLS || secret.Labels["app.kubernetes.io/managed-by"] != "drawbridge" {
		t.Errorf("got %s %v", secret.Type, secret.Labels)
	}
	var keys []string
	for key := range secret.Data {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	if !reflect.DeepEqual(keys, []string{"ca.crt", "ca.key", "tls.crt", "tls.key"}) {
		t.Errorf("got %v", keys)
	}
	// What kubectl shows of it can be used as it is.
	pair, err := tls.X509KeyPair(secret.Data["tls.crt"], secret.Data["tls.key"])
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(secret.Data["ca.crt"])
	for _, at := range []time.Duration{-59 * time.Minute, 0, 99 * time.Minute} { // clocks differ
		for _, name := range []string{host, host + ".cluster.local"} {
			if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name, CurrentTime: s.clock.Now().Add(at)}); err != nil {
				t.Errorf("%v: %v", at, err)
			}
		}
	}
	if !s.Ready() || !s.serves().Equal(pair.Leaf) {
		t.Error("it serves another certificate")
	}
	// Both configurations, of all fields only caBundle, of all entries only ours.
	for _, b := range s.api.bundles(t) {
		if !bytes.Equal(b, secret.Data["ca.crt"]) {
			t.Errorf("got %s", b)
		}
	}
	after := s.api.mutating()
	for i := range after.Webhooks {
		after.Webhooks[i].ClientConfig.CABundle = before.Webhooks[i].ClientConfig.CABundle
	}
	after.ResourceVersion = before.ResourceVersion
	if !reflect.DeepEqual(before, after) {
		t.Errorf("it changed %+v\nto %+v", before, after)
	}
	if got := s.Status(); got.Repairs[kindMutating] != 1 || got.Repairs[kindValidating] != 1 || got.Changes[string(changeStarted)] != 1 || got.Failing || got.NotAfter.IsZero() {
		t.Errorf("got %+v", got)
	}
	// All is well: nothing is written any more.
	s.asked = nil
	s.must()
	for _, a := range s.asked {
		if a.GetVerb() != "get" {
			t.Errorf("it does not leave things alone: %s", a.GetVerb())
		}
	}
}

// The order that never breaks a handshake, step by step.
func TestNewAuthorityIsTrustedBeforeItSigns(t *testing.T) {
	s := newSingle(t, newFakeAPI(configurations(nil)...), newClock())
	s.live(3*time.Hour - time.Minute)
	old := s.shared()
	if old.next != nil {
		t.Fatal("the next authority is early")
	}
	s.live(2 * time.Minute)
	both := s.shared()
	if both.next == nil || both.trustedSince.IsZero() || !both.current.certificate.Equal(old.current.certificate) {
		t.Fatalf("got %+v", both)
	}
	for _, b := range s.api.bundles(t) {
		if !bundleHas(b, both.current.certificate) || !bundleHas(b, both.next.certificate) {
			t.Error("a caBundle has not got both")
		}
	}
	s.live(both.trustedSince.Add(s.cfg.Overlap - time.Minute).Sub(s.clock.Now()))
	if !s.shared().current.signed(s.serves()) || !s.shared().current.certificate.Equal(old.current.certificate) {
		t.Error("the next authority signs too early")
	}
	s.live(2 * time.Minute)
	now := s.shared()
	if !now.current.certificate.Equal(both.next.certificate) || !now.current.signed(s.serves()) || now.next != nil {
		t.Error("the next authority does not sign")
	}
	if now.previous == nil || !now.previous.certificate.Equal(old.current.certificate) || now.previous.key != nil || s.api.secret().Data["previous-ca.key"] != nil {
		t.Error("the authority before is not kept, or its key is")
	}
	if !now.previousUntil.Equal(both.serving.Leaf.NotAfter) {
		t.Errorf("got %v, want %v", now.previousUntil, both.serving.Leaf.NotAfter)
	}
	// A replica that was cut off may serve the old certificate until it ends.
	s.live(now.previousUntil.Sub(s.clock.Now()))
	for _, b := range s.api.bundles(t) {
		if !bundleHas(b, old.current.certificate) {
			t.Error("the authority before is dropped while its certificates are valid")
		}
	}
	s.live(16 * time.Minute)
	for _, b := range s.api.bundles(t) {
		if bundleHas(b, old.current.certificate) || !bundleHas(b, now.current.certificate) {
			t.Error("the authority before is never dropped")
		}
	}
}

// Whoever sees a configuration without the next authority starts the wait
// anew before mending it: an API server may have seen it too.
func TestLostTrustStartsTheWaitAnew(t *testing.T) {
	s := newSingle(t, newFakeAPI(configurations(nil)...), newClock())
	s.live(3*time.Hour + 10*time.Minute)
	before := s.shared()
	if before.next == nil {
		t.Fatal("there is no next authority")
	}
	for _, o := range configurations(encodeCertificate(before.current.certificate)) {
		s.api.put(o)
	}
	s.asked = nil
	s.must()
	var verbs []string
	for _, a := range s.asked {
		verbs = append(verbs, a.GetVerb())
	}
	if want := []string{"get", "get", "get", "update", "patch", "patch"}; !reflect.DeepEqual(verbs, want) {
		t.Errorf("got %v, want %v", verbs, want)
	}
	mended := s.clock.Now()
	s.live(14 * time.Minute)
	if s.shared().next == nil {
		t.Error("it did not wait again")
	}
	s.live(3 * time.Minute)
	if s.shared().next != nil || s.clock.Now().Sub(mended) > 20*time.Minute {
		t.Error("it waits for ever")
	}
}

// Two replicas never serve different certificates for longer than a refresh.
func TestReplicasServeTheSame(t *testing.T) {
	api, clk := newFakeAPI(configurations(nil)...), newClock()
	a, b := newSingle(t, api, clk), newSingle(t, api, clk)
	refresh := a.cfg.refresh()
	var differed time.Time
	for end := clk.Now().Add(12 * time.Hour); clk.Now().Before(end); clk.Step(refresh) {
		for _, s := range []*single{a, b} {
			if _, err := s.look(context.Background()); err != nil && !errors.Is(err, errLost) {
				t.Fatal(err)
			}
		}
		if a.serves().Equal(b.serves()) {
			differed = time.Time{}
			continue
		}
		if differed.IsZero() {
			differed = clk.Now()
		}
		if clk.Now().Sub(differed) > refresh {
			t.Fatalf("they serve different certificates since %v", differed)
		}
	}
}

func TestForeignSecretStays(t *testing.T) {
	foreign := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "drawbridge", Name: "drawbridge-certificates"},
		Data:       map[string][]byte{"tls.crt": []byte("theirs"), "tls.key": []byte("theirs")},
	}
	api := newFakeAPI(append(configurations(nil), foreign)...)
	s := newSingle(t, api, newClock())
	s.mustNot("is not ours and stays as it is; name another by --certs-secret, or delete it")
	s.clock.Step(time.Hour)
	s.mustNot("is not ours")
	if got := api.secret(); string(got.Data["tls.crt"]) != "theirs" || len(got.Annotations) != 0 || s.Ready() || s.Status().Looks[outcomeForeign] != 2 {
		t.Errorf("got %v", got)
	}
	if !strings.Contains(s.log.String(), "level=ERROR") || !strings.Contains(s.log.String(), "no certificate to serve") {
		t.Errorf("got %s", s.log)
	}
	for _, b := range api.bundles(t) {
		if len(b) > 0 {
			t.Error("something is trusted that is not served")
		}
	}
	// Deleted as it says, all is well.
	api.delete(secrets, "drawbridge", "drawbridge-certificates")
	s.must()
	if !s.Ready() {
		t.Error("it did not start")
	}
	// One that turns foreign later does not take away what is served.
	leaf := s.serves()
	api.put(foreign)
	s.mustNot("is not ours")
	if !s.serves().Equal(leaf) || string(api.secret().Data["tls.crt"]) != "theirs" {
		t.Error("it gave way, or wrote over it")
	}
}

// An empty Secret of the name is a place that was prepared for us; then the
// right to create Secrets, which knows no names, is not needed.
func TestEmptySecretIsFilled(t *testing.T) {
	empty := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: "drawbridge", Name: "drawbridge-certificates", Labels: map[string]string{"team": "a"}, Annotations: map[string]string{"note": "b"},
	}, Type: corev1.SecretTypeOpaque}
	s := newSingle(t, newFakeAPI(append(configurations(nil), empty)...), newClock())
	s.fail = func(a clienttesting.Action) error {
		if a.GetVerb() == "create" {
			return apierrors.NewForbidden(secrets.GroupResource(), "", errors.New("no"))
		}
		return nil
	}
	s.must()
	got := s.api.secret()
	if got.Labels["team"] != "a" || got.Annotations["note"] != "b" || got.Type != corev1.SecretTypeOpaque || !s.Ready() {
		t.Errorf("got %v", got)
	}
}

func TestBrokenSecret(t *testing.T) {
	for name, c := range map[string]struct {
		mangle func(*corev1.Secret)
		says   string
	}{
		"key of another":       {func(s *corev1.Secret) { s.Data["tls.key"] = s.Data["ca.key"] }, "tls.crt and tls.key do not belong together"},
		"no key":               {func(s *corev1.Secret) { delete(s.Data, "ca.key") }, "ca.crt: its key does not belong to it"},
		"no authority":         {func(s *corev1.Secret) { delete(s.Data, "ca.crt") }, "ca.crt: it is not a certificate in PEM"},
		"leaf as authority":    {func(s *corev1.Secret) { s.Data["ca.crt"], s.Data["ca.key"] = s.Data["tls.crt"], s.Data["tls.key"] }, "not that of an authority"},
		"half a certificate":   {func(s *corev1.Secret) { s.Data["ca.crt"] = s.Data["ca.crt"][:100] }, "ca.crt: it is not"},
		"other authority":      {func(s *corev1.Secret) { other(s) }, "tls.crt is not signed by ca.crt"},
		"bad next":             {func(s *corev1.Secret) { s.Data["next-ca.crt"] = s.Data["ca.crt"] }, "next-ca.crt: its key"},
		"bad previous":         {func(s *corev1.Secret) { s.Data["previous-ca.crt"] = []byte("x") }, "previous-ca.crt: it is not"},
		"bad time":             {func(s *corev1.Secret) { s.Annotations[annotationUsed] = "tomorrow" }, "ca-used-until is not a time"},
		"bad generation":       {func(s *corev1.Secret) { s.Annotations[annotationGeneration] = "-" }, "generation is not a number"},
		"format of the future": {func(s *corev1.Secret) { s.Annotations[annotationFormat] = "v2" }, "another version of Drawbridge"},
	} {
		t.Run(name, func(t *testing.T) {
			api, clk := newFakeAPI(configurations(nil)...), newClock()
			old := newSingle(t, api, clk)
			old.must()
			leaf := old.serves()
			broken := api.secret()
			c.mangle(broken)
			api.put(broken)
			// Who starts with it says what is wrong and touches nothing.
			s := newSingle(t, api, clk)
			s.mustNot(c.says)
			if s.Ready() || len(s.asked) != 3 {
				t.Errorf("it did %d things", len(s.asked))
			}
			if strings.Contains(s.log.String(), "BEGIN") || strings.Contains(s.log.String(), "PRIVATE") {
				t.Error("the log has what the Secret has")
			}
			if c.says == "another version of Drawbridge" {
				old.mustNot(c.says)
				if !old.serves().Equal(leaf) || api.secret().Annotations[annotationFormat] != "v2" {
					t.Error("it was written over")
				}
				return
			}
			// Who knows what was there puts it back.
			old.must()
			if !old.serves().Equal(leaf) || !old.shared().serving.Leaf.Equal(leaf) {
				t.Error("it was not put back")
			}
			s.must()
			if !s.serves().Equal(leaf) {
				t.Error("the other did not follow")
			}
		})
	}
}

// other puts a second authority into a Secret, of which nothing is signed.
func other(s *corev1.Secret) {
	a, err := newAuthority(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), time.Hour)
	if err != nil {
		panic(err)
	}
	key, err := encodeKey(a.key)
	if err != nil {
		panic(err)
	}
	s.Data["ca.crt"], s.Data["ca.key"] = encodeCertificate(a.certificate), key
}

// A Secret that is put back from a backup is older than what the API servers
// trust by now.
func TestOlderCopyIsReplaced(t *testing.T) {
	s := newSingle(t, newFakeAPI(configurations(nil)...), newClock())
	s.must()
	backup := s.api.secret()
	s.live(4 * time.Hour)
	leaf := s.serves()
	s.api.put(backup)
	s.must()
	if !s.serves().Equal(leaf) || !s.shared().serving.Leaf.Equal(leaf) || s.Status().Changes[string(changeRestored)] != 1 {
		t.Error("the backup won")
	}
}

// A replica that starts while the Secret is gone gives those that knew it the
// time to put it back; where there can be none, it does not wait.
func TestLostSecret(t *testing.T) {
	api, clk := newFakeAPI(configurations(nil)...), newClock()
	old := newSingle(t, api, clk)
	old.live(10 * time.Minute)
	leaf := old.serves()
	api.delete(secrets, "drawbridge", "drawbridge-certificates")
	fresh := newSingle(t, api, clk)
	fresh.must()
	if fresh.Ready() || api.secret() != nil {
		t.Fatal("it did not wait")
	}
	old.must()
	fresh.must()
	if !old.serves().Equal(leaf) || !fresh.serves().Equal(leaf) {
		t.Error("the Secret was not put back")
	}
	// Nobody is left who knew it.
	api.delete(secrets, "drawbridge", "drawbridge-certificates")
	fresh = newSingle(t, api, clk)
	fresh.live(fresh.cfg.patience() + 2*time.Second)
	if !fresh.Ready() || fresh.serves().Equal(leaf) {
		t.Error("it waits for ever")
	}
	for _, b := range api.bundles(t) {
		if !bytes.Equal(b, fresh.shared().bundle()) {
			t.Error("the new authority is not trusted, or the lost one still is")
		}
	}
}

// Without an API server what there is is served, after its end too, loudly.
func TestUnreachable(t *testing.T) {
	s := newSingle(t, newFakeAPI(configurations(nil)...), newClock())
	s.must()
	leaf := s.serves()
	s.fail = func(clienttesting.Action) error { return errCut }
	for range 200 {
		s.clock.Step(time.Minute)
		s.mustNot("connection refused")
	}
	text := s.log.String()
	if !s.serves().Equal(leaf) || !s.Status().Failing || !strings.Contains(text, "level=WARN") || !strings.Contains(text, "level=ERROR msg=\"the certificate has EXPIRED") {
		t.Errorf("got %s", text)
	}
	// It comes back after years: the authority has expired as well.
	for _, away := range []time.Duration{0, 10 * 365 * 24 * time.Hour} {
		s.fail = nil
		s.clock.Step(away)
		s.must()
		if s.serves().Equal(leaf) || s.Status().Failing || !s.serves().NotAfter.After(s.clock.Now()) {
			t.Error("it did not recover")
		}
		s.must()
		for _, b := range s.api.bundles(t) {
			if !bytes.Equal(b, s.shared().bundle()) {
				t.Error("the configurations were not mended")
			}
		}
	}
	if !strings.Contains(s.log.String(), "started-over") {
		t.Error("the expired authority still signs")
	}
}

// Without rights to the configurations certificates are renewed, and the
// authority stays, because nobody could say whether another is trusted.
func TestForbiddenConfigurations(t *testing.T) {
	s := newSingle(t, newFakeAPI(configurations(nil)...), newClock())
	s.must()
	first, leaf := s.shared(), s.serves()
	s.fail = func(a clienttesting.Action) error {
		if a.GetResource() == validatings {
			return apierrors.NewForbidden(validatings.GroupResource(), "drawbridge", errors.New("no"))
		}
		return nil
	}
	for range 5 * 60 {
		s.clock.Step(time.Minute)
		s.mustNot("validating webhook configuration")
	}
	if s.serves().Equal(leaf) || !s.shared().current.certificate.Equal(first.current.certificate) || s.shared().next == nil {
		t.Errorf("got %+v", s.shared())
	}
	if s.Status().Looks[outcomeForbidden] != 300 {
		t.Errorf("got %v", s.Status().Looks)
	}
	s.fail = nil
	s.live(time.Hour)
	if s.shared().current.certificate.Equal(first.current.certificate) {
		t.Error("the authority was not replaced afterwards")
	}
}

// During a rollout replicas may want different names; both get them, and
// neither undoes what the other did.
func TestDifferentNames(t *testing.T) {
	api, clk := newFakeAPI(configurations(nil)...), newClock()
	a := newSingle(t, api, clk)
	b := newSingle(t, api, clk, func(c *Config) { c.Names = []string{"other.drawbridge.svc", "::1", "127.0.0.1"} })
	for range 10 {
		a.must()
		b.must()
		clk.Step(time.Minute)
	}
	leaf := a.serves()
	for _, name := range []string{host, "other.drawbridge.svc", "127.0.0.1", "::1"} {
		if err := leaf.VerifyHostname(name); err != nil {
			t.Error(err)
		}
	}
	if n := b.Status().Changes[string(changeRenewed)] + a.Status().Changes[string(changeRenewed)]; n != 1 {
		t.Errorf("renewed %d times", n)
	}
}

// Entries lead to us by a Service or by a URL.
func TestEntries(t *testing.T) {
	c := Config{Names: []string{host, "10.0.0.1", "::1"}}
	for url, ours := range map[string]bool{
		"https://10.0.0.1:8443/x": true, "https://[0:0::1]/": true, "https://" + host + "/": true, "https://example.com/": false, "https://10.0.0.2/": false, ":": false,
	} {
		var r registration
		r.add(c, 3, "w", admissionv1.WebhookClientConfig{URL: &url})
		if got := len(r.entries) == 1; got != ours {
			t.Errorf("%s: got %v", url, got)
		}
	}
	var r registration
	r.add(c, 0, "w", admissionv1.WebhookClientConfig{})
	r.add(c, 0, "w", clientConfig("drawbridge", nil))
	r.add(c, 1, "w", admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: "other", Name: "drawbridge"}})
	if len(r.entries) != 1 {
		t.Errorf("got %v", r.entries)
	}
}

// Everything that is asked of the API server is in the rights of the package's
// documentation.
func TestRights(t *testing.T) {
	s := newSingle(t, newFakeAPI(configurations(nil)...), newClock())
	s.live(8 * time.Hour)
	allowed := map[string]bool{
		"get secrets": true, "create secrets": true, "update secrets": true,
		"get mutatingwebhookconfigurations": true, "patch mutatingwebhookconfigurations": true,
		"get validatingwebhookconfigurations": true, "patch validatingwebhookconfigurations": true,
	}
	seen := map[string]bool{}
	for _, a := range s.asked {
		what := a.GetVerb() + " " + a.GetResource().Resource
		seen[what] = true
		if !allowed[what] || a.GetSubresource() != "" || a.GetResource() == secrets && a.GetNamespace() != "drawbridge" {
			t.Errorf("it asks for %s", what)
		}
	}
	if len(seen) != len(allowed) {
		t.Errorf("got %v", seen)
	}
}

// Run sees by its watches, long before it would look, that somebody applied a
// configuration without caBundle, deleted the Secret, or renewed it.
func TestRunWatches(t *testing.T) {
	api := newFakeAPI(configurations(nil)...)
	var managers []*Manager
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	log := &logBuffer{}
	var running sync.WaitGroup
	for i := range 2 {
		w := api.wire(nil, nil)
		cfg := testConfig(w, clock.RealClock{}, 0, slog.New(slog.NewTextHandler(log, nil)).With("replica", i))
		// Nothing is due for months, so that what happens comes from a watch.
		cfg.Validity, cfg.RenewAfter, cfg.CAValidity, cfg.CARenewAfter, cfg.Overlap = 0, 0, 0, 0, 0
		m, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if m.cfg.refresh() != longestRefresh {
			t.Fatal(m.cfg.refresh())
		}
		managers = append(managers, m)
		running.Go(func() { m.Run(ctx) })
	}
	eventually := func(what string, f func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !f(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("never: %s\n%s", what, log)
			}
		}
	}
	served := func() *x509.Certificate {
		a, _ := managers[0].GetCertificate(nil)
		b, _ := managers[1].GetCertificate(nil)
		if a == nil || b == nil || !a.Leaf.Equal(b.Leaf) {
			return nil
		}
		return a.Leaf
	}
	eventually("both serve the same", func() bool { return served() != nil })
	leaf := served()
	trusted := func() bool {
		for _, b := range api.bundles(t) {
			if len(b) == 0 {
				return false
			}
		}
		return true
	}
	eventually("all entries trust it", trusted)
	for range 3 {
		for _, o := range configurations(nil) {
			api.put(o)
		}
		eventually("they trust it again", trusted)
	}
	api.delete(secrets, "drawbridge", "drawbridge-certificates")
	eventually("the Secret is back", func() bool { s := api.secret(); return s != nil })
	if !served().Equal(leaf) {
		t.Error("something else is served")
	}
	stop()
	done := make(chan struct{})
	go func() { running.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("Run does not end")
	}
	block, _ := pem.Decode(api.secret().Data["tls.key"])
	if text := log.String(); block == nil || strings.Contains(text, "BEGIN") || strings.Contains(text, fmt.Sprintf("%x", block.Bytes)) {
		t.Error("a key is in the log, or there is none")
	}
}

// Between our reading and our writing somebody puts an entry in front of ours:
// a patch by position would give the authority to somebody else's.
func TestPatchIsForWhatWasRead(t *testing.T) {
	s := newSingle(t, newFakeAPI(configurations(nil)...), newClock())
	patches := 0
	s.fail = func(a clienttesting.Action) error {
		if a.GetVerb() != "patch" || a.GetResource() != mutatings {
			return nil
		}
		if patches++; patches == 1 {
			conf := s.api.mutating()
			conf.Webhooks = append([]admissionv1.MutatingWebhook{{Name: "first.example.com", ClientConfig: clientConfig("somebody-else", []byte("theirs"))}}, conf.Webhooks...)
			s.api.put(conf)
		}
		return nil
	}
	if _, err := s.look(context.Background()); !errors.Is(err, errLost) {
		t.Fatalf("got %v", err)
	}
	s.api.bundles(t) // complains if an entry of somebody else was touched
	s.must()
	for _, b := range s.api.bundles(t) {
		if !bytes.Equal(b, s.shared().bundle()) {
			t.Error("it is not trusted")
		}
	}
	if s.Status().Looks[outcomeLost] != 1 || patches != 2 {
		t.Errorf("got %+v after %d patches", s.Status(), patches)
	}
}

// If something refuses or undoes whatever we write, that is said before long.
func TestAlwaysLosing(t *testing.T) {
	s := newSingle(t, newFakeAPI(configurations(nil)...), newClock())
	s.must()
	s.fail = func(a clienttesting.Action) error {
		if a.GetVerb() == "update" {
			return apierrors.NewConflict(secrets.GroupResource(), "drawbridge-certificates", errors.New("no"))
		}
		return nil
	}
	s.clock.Step(61 * time.Minute)
	for i := range tooOften + 1 {
		if s.Status().Failing {
			t.Fatalf("it complains after %d", i)
		}
		if _, err := s.look(context.Background()); !errors.Is(err, errLost) {
			t.Fatalf("got %v", err)
		}
	}
	if !s.Status().Failing || !strings.Contains(s.log.String(), "somebody else wrote at the same time") {
		t.Error("it never complains")
	}
	s.fail = nil
	s.must()
	if s.Status().Failing {
		t.Error("it goes on complaining")
	}
}

// A replica that was cut off for long remembers what no longer holds. It lets
// those that know better go first, and is better than nobody.
func TestStaleMemoryWaits(t *testing.T) {
	api, clk := newFakeAPI(configurations(nil)...), newClock()
	a, b := newSingle(t, api, clk), newSingle(t, api, clk)
	a.must()
	b.must()
	stale := b.serves()
	a.live(4 * time.Hour)
	if a.shared().current.signed(stale) {
		t.Fatal("there is no new authority")
	}
	leaf := a.serves()
	api.delete(secrets, "drawbridge", "drawbridge-certificates")
	b.must()
	if api.secret() != nil {
		t.Fatal("it wrote what is long past")
	}
	a.must()
	b.must()
	if !a.serves().Equal(leaf) || !b.serves().Equal(leaf) {
		t.Error("they serve something else")
	}
	a.live(4 * time.Hour)
	api.delete(secrets, "drawbridge", "drawbridge-certificates")
	for end := clk.Now().Add(b.cfg.patience() + time.Minute); clk.Now().Before(end); clk.Step(30 * time.Second) {
		b.must()
	}
	if !b.shared().current.signed(b.serves()) {
		t.Error("it waits for ever")
	}
}
