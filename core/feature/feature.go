// Package feature knows the Kubernetes versions that Drawbridge speaks for:
// which feature gates exist in each, what they are by default, and which API
// versions are served.
package feature

// Gate is the name of a Kubernetes feature gate.
type Gate string

// Version is a minor release of Kubernetes 1.
type Version struct{ Minor int }

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
