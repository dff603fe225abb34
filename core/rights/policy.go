// Package rights tells who may write the status of a ResourceClaim: by the
// roles and bindings of a text and those that every cluster starts with, and
// by the rules that Kubernetes 1.36 added for the parts of that status.
package rights

import (
	"cmp"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/role"
)

// defaultNamespace is where objects land that name none.
const defaultNamespace = "default"

// Source is a role or binding that has a part in an answer.
type Source struct {
	Ref diag.Object
	// Object is where it stands; nil for what every cluster starts with.
	Object *bundle.Object
}

// BuiltIn tells whether every cluster starts with it.
func (s *Source) BuiltIn() bool { return s.Object == nil }

// Named is the kind and name of it, as people write them.
func (s *Source) Named() string {
	if s.Ref.Namespace != "" {
		return s.Ref.Kind + " " + s.Ref.Namespace + "/" + s.Ref.Name
	}
	return s.Ref.Kind + " " + s.Ref.Name
}

// granted is a rule of a role, with the role that it is written in: another
// one than the role's own where that is an aggregate.
type granted struct {
	rule  *role.Rule
	in    *Source
	index int
}

// holder is a role, its rules looked up by what they allow.
type holder struct {
	source *Source
	labels map[string]string
	own    []role.Rule
	sum    *role.Aggregation
	// rules are those that count, known once somebody asks.
	rules    []granted
	resolved bool
	tables   map[operation]*table
}

// binding gives the rules of a role to subjects.
type binding struct {
	source   *Source
	subjects []role.Subject
	ref      role.Ref
}

// named is what roles are told apart by; without a namespace it is that of a
// ClusterRole.
type named struct{ namespace, name string }

// Policy is what roles and bindings say together.
type Policy struct {
	roles map[named]*holder
	// order has the names of the roles in the order of the text.
	order   []named
	cluster []*binding
	local   map[string][]*binding
	// matches is how many more labels are compared for aggregates.
	matches int
	// Partial is set where the roles were too many to compare the labels of
	// all of them.
	Partial bool
}

// mostMatches bounds the work for aggregates, of which each looks at all roles.
const mostMatches = 2_000_000

// NewPolicy reads the roles and bindings among objects. Of two with one name
// the last counts, and any counts before the one of that name among those that
// every cluster starts with.
func NewPolicy(objects []*bundle.Object, builtIn []any) *Policy {
	p := &Policy{roles: map[named]*holder{}, local: map[string][]*binding{}, matches: mostMatches}
	last := map[diag.Object]int{}
	for i, o := range objects {
		if o.Value != nil && o.Ref.APIVersion == role.APIVersion {
			last[identity(o)] = i
		}
	}
	for i, o := range objects {
		if n, ok := last[identity(o)]; ok && n == i && o.Value != nil {
			p.add(o.Value, &Source{Ref: identity(o), Object: o})
		}
	}
	for _, value := range builtIn {
		s := &Source{Ref: builtInRef(value)}
		if _, ours := last[s.Ref]; !ours {
			p.add(value, s)
		}
	}
	return p
}

// identity is what an object is told apart by: without its place.
func identity(o *bundle.Object) diag.Object {
	ref := o.Ref
	ref.Index = 0
	switch o.Value.(type) {
	case *role.ClusterRole, *role.ClusterRoleBinding:
		ref.Namespace = ""
	default:
		ref.Namespace = cmp.Or(ref.Namespace, defaultNamespace)
	}
	return ref
}

func (p *Policy) add(value any, s *Source) {
	switch v := value.(type) {
	case *role.Role:
		p.role(named{s.Ref.Namespace, s.Ref.Name}, &holder{source: s, own: v.Rules})
	case *role.ClusterRole:
		p.role(named{"", s.Ref.Name}, &holder{source: s, own: v.Rules, labels: v.Metadata.Labels, sum: v.AggregationRule})
	case *role.RoleBinding:
		p.local[s.Ref.Namespace] = append(p.local[s.Ref.Namespace], &binding{s, v.Subjects, v.RoleRef})
	case *role.ClusterRoleBinding:
		p.cluster = append(p.cluster, &binding{s, v.Subjects, v.RoleRef})
	}
}

func (p *Policy) role(n named, h *holder) {
	p.roles[n] = h
	p.order = append(p.order, n)
}

// refers finds the role of a binding; nil where there is none. A binding
// without a namespace is a ClusterRoleBinding, which can name no Role.
func (p *Policy) refers(b *binding) *holder {
	switch {
	case b.ref.Kind == "ClusterRole":
		return p.roles[named{"", b.ref.Name}]
	case b.ref.Kind == "Role" && b.source.Ref.Namespace != "":
		return p.roles[named{b.source.Ref.Namespace, b.ref.Name}]
	}
	return nil
}

// names tells whether there is an object of that kind and name.
func (p *Policy) names(kind, namespace, name string) bool {
	switch kind {
	case "Role", "ClusterRole":
		return p.roles[named{namespace, name}] != nil
	}
	list := p.cluster
	if namespace != "" {
		list = p.local[namespace]
	}
	for _, b := range list {
		if b.source.Ref.Name == name {
			return true
		}
	}
	return false
}
