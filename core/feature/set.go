package feature

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/nearest"
)

// NewSet reads gates in the form of Kubernetes' flag, "A=true,B=false", on
// top of the version's defaults. AllAlpha and AllBeta set every gate of their
// stage that is not named itself. The error says what is wrong with the gates
// and what to write instead.
func NewSet(v Version, gates string) (*Set, error) {
	if v.Minor < First.Minor || v.Minor > Newest.Minor {
		return nil, fmt.Errorf("Kubernetes %s is not a version that Drawbridge knows; it knows %s", v, knownVersions())
	}
	s := &Set{version: v, on: map[Gate]bool{}, explicit: map[Gate]bool{}}
	for _, g := range table {
		if spec, ok := specAt(g.Name, v); ok {
			s.on[g.Name] = spec.Default
		}
	}
	entries, err := parseEntries(gates)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if stage, special := stageOf(e.name); special {
			s.setStage(stage, e.on)
		}
	}
	for _, e := range entries {
		if _, special := stageOf(e.name); special {
			continue
		}
		if err := s.set(e.name, e.on); err != nil {
			return nil, err
		}
	}
	if err := s.checkNeeds(); err != nil {
		return nil, err
	}
	return s, nil
}

// Default returns the set of a known version with nothing changed.
func Default(v Version) *Set {
	s, err := NewSet(v, "")
	if err != nil {
		return Default(Newest)
	}
	return s
}

type entry struct {
	name Gate
	on   bool
}

// maxEntries is far above the number of gates that exist.
const maxEntries = 1000

func parseEntries(gates string) ([]entry, error) {
	var entries []entry
	for part := range strings.SplitSeq(gates, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if len(entries) == maxEntries {
			return nil, fmt.Errorf("more than %d feature gates are named; name each once", maxEntries)
		}
		name, value, found := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		on, err := strconv.ParseBool(value)
		if !found || name == "" || err != nil {
			return nil, fmt.Errorf("%q does not set a feature gate; write it like %s=true", shorten(part), exampleName(name))
		}
		e := entry{Gate(name), on}
		if i := slices.IndexFunc(entries, func(o entry) bool { return o.name == e.name }); i >= 0 {
			if entries[i].on != on {
				return nil, fmt.Errorf("%s is set to true and to false; keep one of them", shorten(name))
			}
			continue
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// exampleName picks the name for the example in a message: the written one
// when it is a gate.
func exampleName(written string) Gate {
	if _, ok := lookup(Gate(written)); ok {
		return Gate(written)
	}
	return DRAPartitionableDevices
}

func stageOf(name Gate) (Stage, bool) {
	switch name {
	case AllAlpha:
		return Alpha, true
	case AllBeta:
		return Beta, true
	}
	return Absent, false
}

func (s *Set) setStage(stage Stage, on bool) {
	for _, g := range table {
		if s.Stage(g.Name) == stage {
			s.on[g.Name] = on
			s.explicit[g.Name] = true
		}
	}
}

func (s *Set) set(name Gate, on bool) error {
	g, ok := lookup(name)
	if !ok {
		return unknownGate(name)
	}
	spec, ok := specAt(name, s.version)
	if !ok {
		return s.absentGate(g)
	}
	if spec.Locked && spec.Default != on {
		return fmt.Errorf("%s cannot be set to %t: Kubernetes %s locks it to %t; leave it out", name, on, s.version, spec.Default)
	}
	s.on[name] = on
	s.explicit[name] = true
	return nil
}

func unknownGate(name Gate) error {
	hint := ""
	if near := meant(string(name)); near != "" {
		hint = "; did you mean " + near + "?"
	}
	return fmt.Errorf("%s is not one of the gates that matter to DRA that Drawbridge knows%s", shorten(string(name)), hint)
}

func (s *Set) absentGate(g gate) error {
	first := Version{Minor: g.Specs[0].Since}
	if first.Minor > s.version.Minor {
		return fmt.Errorf("Kubernetes %s does not have %s: it exists since %s; leave it out or choose that version", s.version, g.Name, first)
	}
	removed := Version{Minor: g.Specs[len(g.Specs)-1].Since}
	return fmt.Errorf("Kubernetes %s does not have %s any more: it was removed in %s; leave it out", s.version, g.Name, removed)
}

// dependenciesSince is the first version whose API server refuses to start
// when a gate is on and one that it needs is off.
const dependenciesSince = 35

// checkNeeds demands for every gate that is on that those it needs are on.
// Before 1.35 Kubernetes did not check that, and some defaults of those
// versions break it; there only gates that were asked for are looked at.
func (s *Set) checkNeeds() error {
	for _, g := range table {
		if !s.on[g.Name] || (s.version.Minor < dependenciesSince && !s.explicit[g.Name]) {
			continue
		}
		for _, need := range s.needs(g) {
			if s.on[need] {
				continue
			}
			return fmt.Errorf("%s needs %s, which is off; set %s=true as well, or %s=false", g.Name, need, need, g.Name)
		}
	}
	return nil
}

// meant finds the gate whose name is most like the written one, whatever the
// case; empty if none is near.
func meant(written string) string {
	names := allNames()
	lower := make([]string, len(names))
	for i, name := range names {
		if strings.EqualFold(name, written) {
			return name
		}
		lower[i] = strings.ToLower(name)
	}
	near := nearest.Within(strings.ToLower(written), lower, len(written)/4+1)
	if i := slices.Index(lower, near); i >= 0 {
		return names[i]
	}
	return ""
}

func allNames() []string {
	names := []string{string(AllAlpha), string(AllBeta)}
	for _, g := range table {
		names = append(names, string(g.Name))
	}
	return names
}
