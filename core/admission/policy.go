package admission

import (
	"maps"
	"slices"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// Action is what comes of a finding.
type Action string

// The actions, strongest first.
const (
	// Deny refuses the request.
	Deny Action = "deny"
	// Warn lets it pass, and tells whoever sent it.
	Warn Action = "warn"
	// Audit tells nobody but the audit log.
	Audit Action = "audit"
	// Off does nothing.
	Off Action = "off"
)

// Actions lists the actions, strongest first.
var Actions = []Action{Deny, Warn, Audit, Off}

// ProfileLabel is the label of a namespace that chooses a profile, of those
// that the policy lets namespaces choose.
const ProfileLabel = "drawbridge-dra.github.io/policy"

// Policy says what comes of which finding. The zero value, like nil, has the
// defaults alone. It does not change once it is made.
type Policy struct {
	rules    table
	profiles map[string]profile
}

// profile is a set of rules that goes before those for all.
type profile struct {
	byLabel bool
	rules   table
}

// table gives actions to rules: by their id, by their source, or to all.
type table struct {
	rule   map[string]Action
	source map[diag.Source]Action
	all    Action
}

// defaults are what comes of a finding that no policy speaks of, by its source
// and severity. What the API server refuses is refused; the rest is told.
// Infos are for those who ask, not for everybody who applies a file.
var defaults = map[diag.Source]map[diag.Severity]Action{
	diag.Decode: {diag.Error: Deny, diag.Warning: Warn, diag.Info: Off},
	diag.API:    {diag.Error: Deny, diag.Warning: Warn, diag.Info: Off},
	diag.Gate:   {diag.Error: Warn, diag.Warning: Warn, diag.Info: Off},
	diag.Bundle: {diag.Error: Warn, diag.Warning: Warn, diag.Info: Off},
}

// Default is what comes of a finding where no policy speaks of it.
func Default(source diag.Source, severity diag.Severity) Action { return defaults[source][severity] }

// unjudged are the decode rules that say more about us than about the object:
// an API server that sends a kind has it, and has read it. They deny nothing
// unless a policy names them.
var unjudged = []string{"limit", "unknown-kind", "unknown-version"}

// Ruling is what holds in one namespace.
type Ruling struct {
	// Profile is the name of the profile that was chosen; empty for none.
	Profile string
	tables  []*table
}

// In returns what holds in a namespace with these labels.
func (p *Policy) In(namespace map[string]string) Ruling {
	if p == nil {
		return Ruling{}
	}
	r := Ruling{tables: []*table{&p.rules}}
	name := namespace[ProfileLabel]
	if chosen, ok := p.profiles[name]; ok && chosen.byLabel {
		r.Profile = name
		r.tables = []*table{&chosen.rules, &p.rules}
	}
	return r
}

// Profiles lists the profiles that namespaces may choose by their label.
func (p *Policy) Profiles() []string {
	var names []string
	if p != nil {
		for _, name := range slices.Sorted(maps.Keys(p.profiles)) {
			if p.profiles[name].byLabel {
				names = append(names, name)
			}
		}
	}
	return names
}

// Action is what comes of a finding. A profile goes before the rules for all,
// an id before its source, a source before everything. What is only worth
// knowing, and what says that we could not judge, is not meant by a pattern.
func (r Ruling) Action(d diag.Diagnostic) Action {
	byName := d.Severity == diag.Info || d.Source == diag.Decode && slices.Contains(unjudged, d.Rule)
	for _, t := range r.tables {
		if a, ok := t.rule[ID(d)]; ok {
			return a
		}
		if byName {
			continue
		}
		if a, ok := t.source[d.Source]; ok {
			return a
		}
		if t.all != "" {
			return t.all
		}
	}
	a := Default(d.Source, d.Severity)
	if byName && a == Deny {
		return Warn
	}
	return a
}

// ID names the rule of a finding, as in api/count.
func ID(d diag.Diagnostic) string { return string(d.Source) + "/" + d.Rule }
