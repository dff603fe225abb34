package rights

import (
	"slices"

	"github.com/drawbridge-dra/drawbridge/core/role"
)

// Attributes are what an authorizer is asked about.
type Attributes struct {
	Verb, APIGroup, Resource, Subresource string
	// Namespace and Name are empty where the question is about all of them.
	Namespace, Name string
}

// operation is the part of Attributes that a role's rules are sorted by.
type operation struct{ verb, group, resource, subresource string }

func (a Attributes) operation() operation {
	return operation{a.Verb, a.APIGroup, a.Resource, a.Subresource}
}

// full is the resource with its subresource, as rules write it.
func (o operation) full() string {
	if o.subresource == "" {
		return o.resource
	}
	return o.resource + "/" + o.subresource
}

// allows tells whether a rule is about the operation, for some name.
func (o operation) allows(r *role.Rule) bool {
	has := func(list []string, value string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return s == "*" || s == value })
	}
	return has(r.Verbs, o.verb) && has(r.APIGroups, o.group) &&
		(has(r.Resources, o.full()) || o.subresource != "" && slices.Contains(r.Resources, "*/"+o.subresource))
}

// table has what the rules of one role say of an operation: the first rule for
// any name, and the first for each name.
type table struct {
	any   *granted
	names map[string]*granted
}

func (p *Policy) table(h *holder, o operation) *table {
	if t := h.tables[o]; t != nil {
		return t
	}
	t := &table{}
	rules := p.rulesOf(h)
	for i := range rules {
		g := &rules[i]
		switch {
		case !o.allows(g.rule):
		case len(g.rule.ResourceNames) == 0:
			if t.any == nil {
				t.any = g
			}
		default:
			for _, name := range g.rule.ResourceNames {
				if t.names == nil {
					t.names = map[string]*granted{}
				}
				if t.names[name] == nil {
					t.names[name] = g
				}
			}
		}
	}
	if h.tables == nil {
		h.tables = map[operation]*table{}
	}
	h.tables[o] = t
	return t
}

func (t *table) find(name string) *granted {
	if g := t.names[name]; g != nil {
		return g
	}
	return t.any
}

// Grant says what allows something.
type Grant struct {
	// Superuser is set for members of system:masters, whom the API server
	// allows everything before it looks at roles.
	Superuser bool
	// Role has the rule; Rule is its index. Into is the aggregate that has
	// the rule from it, nil where the role is bound itself.
	Role, Into *Source
	Rule       int
	Binding    *Source
	// Subject is the one of the binding that is meant.
	Subject role.Subject
}

// Asker is somebody with the bindings that are about them. It asks a policy
// many questions.
type Asker struct {
	policy  *Policy
	subject Subject
	cluster []applied
	local   map[string][]applied
}

// applied is a binding that is about the subject.
type applied struct {
	*binding
	role *holder
	who  role.Subject
}

// Asks prepares the questions of a subject.
func (p *Policy) Asks(s Subject) *Asker {
	return &Asker{policy: p, subject: s, cluster: p.applied(s, p.cluster), local: map[string][]applied{}}
}

func (p *Policy) applied(s Subject, list []*binding) []applied {
	var out []applied
	for _, b := range list {
		who, is := s.among(b.subjects, b.source.Ref.Namespace)
		if !is {
			continue
		}
		if h := p.refers(b); h != nil {
			out = append(out, applied{b, h, who})
		}
	}
	return out
}

// in are the bindings of a namespace that are about the subject.
func (a *Asker) in(namespace string) []applied {
	if namespace == "" {
		return nil
	}
	list, known := a.local[namespace]
	if !known {
		list = a.policy.applied(a.subject, a.policy.local[namespace])
		a.local[namespace] = list
	}
	return list
}

// May finds what allows something; nil where nothing does.
func (a *Asker) May(at Attributes) *Grant {
	if a.subject.superuser() {
		return &Grant{Superuser: true}
	}
	for _, list := range [][]applied{a.cluster, a.in(at.Namespace)} {
		for _, b := range list {
			if g := a.policy.table(b.role, at.operation()).find(at.Name); g != nil {
				return b.grant(g)
			}
		}
	}
	return nil
}

func (b applied) grant(g *granted) *Grant {
	out := &Grant{Role: g.in, Rule: g.index, Binding: b.source, Subject: b.who}
	if b.role.source != g.in {
		out.Into = b.role.source
	}
	return out
}
