// Package feature knows the Kubernetes versions that Drawbridge speaks for:
// which feature gates exist in each, what they are by default, and which API
// versions are served.
package feature

import "slices"

// Gate is the name of a Kubernetes feature gate.
type Gate string

// Stage is how mature a feature is at one version.
type Stage string

// The stages of a feature.
const (
	// Absent means that the version has no such gate.
	Absent     Stage = ""
	Alpha      Stage = "alpha"
	Beta       Stage = "beta"
	GA         Stage = "GA"
	Deprecated Stage = "deprecated"
)

// Set is the state of every gate at one version. It is immutable.
type Set struct {
	version  Version
	on       map[Gate]bool
	explicit map[Gate]bool
}

// Version returns the Kubernetes version that the set speaks for.
func (s *Set) Version() Version { return s.version }

// Enabled tells whether the gate is on. A gate that does not exist at the
// version is off.
func (s *Set) Enabled(g Gate) bool { return s.on[g] }

// Explicit tells whether the caller set the gate, by its name or through
// AllAlpha or AllBeta.
func (s *Set) Explicit(g Gate) bool { return s.explicit[g] }

// Exists tells whether the version has the gate.
func (s *Set) Exists(g Gate) bool { return s.Stage(g) != Absent }

// Stage tells how mature the feature is at the version; Absent when the
// version does not have the gate.
func (s *Set) Stage(g Gate) Stage {
	spec, ok := specAt(g, s.version)
	if !ok {
		return Absent
	}
	return spec.Stage
}

// With returns a copy of the set with the gate on, and nothing else changed.
// It answers "what if": the error says why that cannot be.
func (s *Set) With(g Gate) (*Set, error) {
	changed := &Set{version: s.version, on: map[Gate]bool{}, explicit: map[Gate]bool{}}
	for gate, on := range s.on {
		changed.on[gate] = on
	}
	for gate := range s.explicit {
		changed.explicit[gate] = true
	}
	if err := changed.set(g, true); err != nil {
		return nil, err
	}
	if err := changed.checkNeeds(); err != nil {
		return nil, err
	}
	return changed, nil
}

// GateState is all there is to say of one gate at one version.
type GateState struct {
	Name    Gate   `json:"name"`
	Stage   Stage  `json:"stage"`
	Default bool   `json:"default"`
	Enabled bool   `json:"enabled"`
	Locked  bool   `json:"locked"`
	Needs   []Gate `json:"needs"`
}

// Gates lists the gates of the version by name.
func (s *Set) Gates() []GateState {
	var states []GateState
	for _, g := range table {
		spec, ok := specAt(g.Name, s.version)
		if !ok {
			continue
		}
		states = append(states, GateState{
			Name:    g.Name,
			Stage:   spec.Stage,
			Default: spec.Default,
			Enabled: s.on[g.Name],
			Locked:  spec.Locked,
			Needs:   s.needs(g),
		})
	}
	slices.SortFunc(states, func(a, b GateState) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return states
}

// needs lists the gates that g depends on and that the version has.
func (s *Set) needs(g gate) []Gate {
	needs := []Gate{}
	for _, need := range g.Needs {
		if s.Exists(need) {
			needs = append(needs, need)
		}
	}
	return needs
}
