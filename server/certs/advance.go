package certs

import (
	"slices"
	"time"
)

// trust is what is known of the configurations and next-ca.
type trust int

const (
	trustUnknown trust = iota // not all of them could be read
	trustMissing              // one has not got it
	trustGiven                // all have it
)

// change names something that was done to the state, for logs and metrics.
type change string

// All changes there are.
const (
	changeStarted   change = "started"
	changePrepared  change = "authority-prepared"
	changeTrusted   change = "authority-trusted"
	changeDoubted   change = "authority-doubted"
	changeSwitched  change = "authority-switched"
	changeRenewed   change = "certificate-renewed"
	changeDropped   change = "authority-dropped"
	changeStartOver change = "started-over"
	changeRestored  change = "restored"
)

// changes is every change, for metrics that are there before it happens.
var changes = []change{
	changeStarted, changePrepared, changeTrusted, changeDoubted, changeSwitched,
	changeRenewed, changeDropped, changeStartOver, changeRestored,
}

// begin is the first state of all.
func (c Config) begin(now time.Time) (*state, error) {
	s := &state{}
	var err error
	if s.current, err = newAuthority(now, c.CAValidity); err != nil {
		return nil, err
	}
	return s, c.renew(s, now, c.Names)
}

// renew issues a serving certificate of the current authority.
func (c Config) renew(s *state, now time.Time, names []string) error {
	serving, err := s.current.issue(now, c.Validity, names)
	if err != nil {
		return err
	}
	s.serving = serving
	if serving.Leaf.NotAfter.After(s.usedUntil) {
		s.usedUntil = serving.Leaf.NotAfter
	}
	return nil
}

// advance is the state after what is due, and what that was: nothing, mostly.
// It decides by its arguments alone, so every replica decides the same.
func (c Config) advance(old *state, now time.Time, known trust) (*state, []change, error) {
	s := *old
	s.generation++
	var done []change
	var err error
	step := func(what change, f func(now time.Time) error) {
		if err == nil {
			done = append(done, what)
			err = f(now)
		}
	}
	if !now.Before(s.current.certificate.NotAfter) {
		step(changeStartOver, func(now time.Time) error { return c.startOver(&s, now) })
	}
	switch {
	case s.next == nil && s.previous == nil && !now.Before(c.prepareAt(&s)):
		step(changePrepared, func(now time.Time) error {
			next, err := newAuthority(now, c.CAValidity)
			s.next, s.trustedSince = &next, time.Time{}
			return err
		})
	case s.next == nil || known == trustUnknown:
	case known == trustMissing:
		if !s.trustedSince.IsZero() {
			step(changeDoubted, func(time.Time) error { s.trustedSince = time.Time{}; return nil })
		}
	case s.trustedSince.IsZero():
		step(changeTrusted, func(now time.Time) error { s.trustedSince = now; return nil })
	case !now.Before(s.trustedSince.Add(c.Overlap)):
		step(changeSwitched, func(now time.Time) error { return c.switchOver(&s, now) })
	}
	if s.previous != nil && now.After(s.previousUntil.Add(c.Overlap)) {
		step(changeDropped, func(time.Time) error { s.previous, s.previousUntil = nil, time.Time{}; return nil })
	}
	if missing := c.missingNames(&s); len(missing) > 0 {
		// Replicas that want different names must not undo each other's work.
		step(changeRenewed, func(now time.Time) error {
			return c.renew(&s, now, append(missing, namesOf(s.serving.Leaf)...))
		})
	} else if !now.Before(c.renewAt(&s)) {
		step(changeRenewed, func(now time.Time) error { return c.renew(&s, now, c.Names) })
	}
	if err != nil || len(done) == 0 {
		return nil, nil, err
	}
	return &s, done, nil
}

// switchOver lets the next authority sign. The key of the one before is
// thrown away.
func (c Config) switchOver(s *state, now time.Time) error {
	s.previous, s.previousUntil = &authority{certificate: s.current.certificate}, s.usedUntil
	s.current, s.usedUntil = *s.next, time.Time{}
	s.next, s.trustedSince = nil, time.Time{}
	return c.renew(s, now, c.Names)
}

// startOver is for when the authority has expired, as after a year of being
// switched off: nothing works any more, so there is no order to keep.
func (c Config) startOver(s *state, now time.Time) error {
	s.previous, s.previousUntil, s.usedUntil, s.trustedSince = nil, time.Time{}, time.Time{}, time.Time{}
	if s.next != nil && now.Before(s.next.certificate.NotAfter) {
		s.current, s.next = *s.next, nil
		return c.renew(s, now, c.Names)
	}
	s.next = nil
	var err error
	if s.current, err = newAuthority(now, c.CAValidity); err != nil {
		return err
	}
	return c.renew(s, now, c.Names)
}

// missingNames are those that the serving certificate should have.
func (c Config) missingNames(s *state) []string {
	have := namesOf(s.serving.Leaf)
	return slices.DeleteFunc(slices.Clone(c.Names), func(name string) bool {
		_, found := slices.BinarySearch(have, canonical(name))
		return found
	})
}

// renewAt is when this replica renews the serving certificate.
func (c Config) renewAt(s *state) time.Time {
	leaf := s.serving.Leaf
	if !leaf.NotAfter.Before(s.current.certificate.NotAfter) {
		return s.current.certificate.NotAfter // another would live no longer
	}
	// One that was made by a replica with other flags may live shorter.
	return made(leaf).Add(c.early(min(c.RenewAfter, leaf.NotAfter.Sub(made(leaf))/10*9)))
}

// prepareAt is when this replica makes the next authority.
func (c Config) prepareAt(s *state) time.Time {
	ca := s.current.certificate
	return made(ca).Add(c.early(min(c.CARenewAfter, ca.NotAfter.Sub(made(ca))/10*9)))
}

// wait is how long nothing is due, at most a refresh.
func (c Config) wait(s *state, now time.Time) time.Duration {
	due := c.renewAt(s)
	for _, t := range []struct {
		counts bool
		at     time.Time
	}{
		{s.next == nil && s.previous == nil, c.prepareAt(s)},
		{s.next != nil && !s.trustedSince.IsZero(), s.trustedSince.Add(c.Overlap)},
		{s.previous != nil, s.previousUntil.Add(c.Overlap)},
	} {
		if t.counts && t.at.Before(due) {
			due = t.at
		}
	}
	return max(min(due.Sub(now), c.refresh()), pause)
}
