package certs

import (
	"maps"
	"time"
)

// Status is what metrics tell of a replica.
type Status struct {
	NotAfter          time.Time // of the serving certificate; zero: there is none
	AuthorityNotAfter time.Time
	Read              time.Time // when the Secret was last read or written
	Failing           bool      // whether the last look failed

	// Counts since the start. All keys that can come are there from the
	// beginning.
	Looks   map[string]int64 // by outcome
	Changes map[string]int64 // of the Secret, that this replica made
	Repairs map[string]int64 // of caBundle, that this replica made, by kind of configuration
}

// Status tells how things are.
func (m *Manager) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Status{
		Read: m.read, Failing: m.failed != "",
		Looks: maps.Clone(m.outcomes), Changes: maps.Clone(m.changes), Repairs: maps.Clone(m.repairs),
	}
	if m.memory != nil {
		s.NotAfter, s.AuthorityNotAfter = m.memory.serving.Leaf.NotAfter, m.memory.current.certificate.NotAfter
	}
	return s
}
