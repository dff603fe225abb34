package certs

import (
	"strings"
	"testing"
	"time"
)

const day = 24 * time.Hour

func complete(t *testing.T, c Config) Config {
	t.Helper()
	c.Namespace, c.Secret, c.Names = "n", "s", []string{"a.b.svc"}
	jitter := 0.0
	c.Jitter = &jitter
	c, err := c.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// How often a replica looks follows from what it must not miss, and not from
// how long a certificate is good for.
func TestLooksOftenEnough(t *testing.T) {
	for name, c := range map[string]Config{
		"defaults":      {},
		"a year":        {Validity: 365 * day},
		"an hour":       {Validity: time.Hour, Overlap: 5 * time.Minute},
		"short overlap": {Overlap: 20 * time.Second},
		"seconds":       {Validity: 8 * time.Second, RenewAfter: 3 * time.Second, Overlap: time.Second, CARenewAfter: 12 * time.Second, CAValidity: 40 * time.Second},
	} {
		c = complete(t, c)
		refresh := c.refresh()
		for what, d := range map[string]time.Duration{
			"renewal": c.RenewAfter, "time left after it": c.Validity - c.RenewAfter, "overlap": c.Overlap, "authority": c.CARenewAfter,
		} {
			if refresh > d/9 {
				t.Errorf("%s: a look every %v and %s within %v", name, refresh, what, d)
			}
		}
		if refresh > time.Minute || refresh < 50*time.Millisecond {
			t.Errorf("%s: a look every %v", name, refresh)
		}
		// Going only by how long a look says to wait, everything is on time.
		now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
		s, err := c.begin(now)
		if err != nil {
			t.Fatal(err)
		}
		var renewed, switched int
		for end := now.Add(4 * c.Validity); now.Before(end); now = now.Add(c.wait(s, now)) {
			left := s.serving.Leaf.NotAfter.Sub(now)
			if left < (c.Validity-c.RenewAfter)/2 && s.serving.Leaf.NotAfter.Before(s.current.certificate.NotAfter) {
				t.Fatalf("%s: only %v are left and nothing is renewed", name, left)
			}
			next, done, err := c.advance(s, now, trustGiven)
			if err != nil {
				t.Fatal(err)
			}
			if next == nil {
				// Nothing is due: go on to when something is.
				if due := c.renewAt(s); due.Sub(now) > 2*refresh && s.next == nil && s.previous == nil {
					now = earlier(due, c.prepareAt(s)).Add(-refresh)
				}
				continue
			}
			s = next
			for _, change := range done {
				switch change {
				case changeRenewed:
					renewed++
				case changeSwitched:
					switched++
				}
			}
		}
		if renewed < 3 {
			t.Errorf("%s: renewed %d times in four lives, %d new authorities", name, renewed, switched)
		}
	}
}

func TestConfigThatCannotWork(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"--cert-renew-after is 1s":                   func(c *Config) { c.RenewAfter = time.Second },
		"and --ca-overlap -1s":                       func(c *Config) { c.Overlap = -time.Second },
		"leaves too little of --cert-validity":       func(c *Config) { c.RenewAfter = 89 * day },
		"authorities would pile up":                  func(c *Config) { c.CARenewAfter = 90 * day },
		"would expire before its certificates":       func(c *Config) { c.CAValidity = 100 * day; c.CARenewAfter = 99 * day },
		"--cert-names is empty":                      func(c *Config) { c.Names = nil },
		`--cert-names has "A.b", which is neither`:   func(c *Config) { c.Names = []string{"A.b"} },
		"--certs-namespace and --certs-secret":       func(c *Config) { c.Namespace = "" },
		"--cert-renew-after is -5s and --ca-overlap": func(c *Config) { c.RenewAfter = -5 * time.Second },
	} {
		c := Config{Namespace: "n", Secret: "s", Names: []string{"a.b.svc", "::1"}}
		change(&c)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := New(Config{Namespace: "n", Secret: "s", Names: []string{"a.b.svc", "::1"}}); err != nil {
		t.Errorf("the defaults: %v", err)
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
