package rights

import (
	"fmt"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/role"
)

// Text says what is asked: "update on resourceclaims/status named train in
// namespace default".
func (a Attributes) Text() string {
	out := a.Verb + " on " + a.operation().full()
	if a.Name != "" {
		out += " named " + a.Name
	}
	if a.Namespace != "" {
		return out + " in namespace " + a.Namespace
	}
	return out + " in all namespaces"
}

// Text says who a subject of a binding is.
func subjectText(s role.Subject) string {
	if s.Kind == role.ServiceAccount {
		return s.Kind + " " + s.Namespace + "/" + s.Name
	}
	return s.Kind + " " + s.Name
}

// Message says what allows something.
func (g *Grant) Message() string {
	if g.Superuser {
		return "group system:masters may do everything, whatever roles say"
	}
	out := fmt.Sprintf("rule %d of %s allows it", g.Rule+1, g.Role.Named())
	if g.Into != nil {
		out += ", which is a part of " + g.Into.Named()
	}
	return out + fmt.Sprintf("; %s gives it to %s", g.Binding.Named(), subjectText(g.Subject))
}

// Denied says that nothing allows something, and what comes near to it.
func (a *Asker) Denied(d Demand, at Attributes) string {
	out := "no rule gives " + a.subject.Called() + " the verb " + at.Text()
	if near := a.near(d, at); near != "" {
		out += ": " + near
	}
	return out
}

// misses are ways to be nearly allowed, the likeliest first.
var misses = []func(*Asker, Demand, Attributes) string{
	bareVerb, otherNames, localBinding, ownNodeOnly, otherNamespace, otherVerb, notBound,
}

// near says what nearly allows it; empty for nothing.
func (a *Asker) near(d Demand, at Attributes) string {
	for _, miss := range misses {
		if text := miss(a, d, at); text != "" {
			return text
		}
	}
	return ""
}

// bareVerb is about rules that were written as for any other resource.
func bareVerb(a *Asker, _ Demand, at Attributes) string {
	prefix, verb, prefixed := strings.Cut(at.Verb, ":")
	if !prefixed {
		return ""
	}
	bare := at
	bare.Verb = verb
	if g := a.May(bare); g != nil {
		return fmt.Sprintf("rule %d of %s has the verb %s, which nobody asks for there; it must be %s:%s", g.Rule+1, g.Role.Named(), verb, prefix, verb)
	}
	return ""
}

// otherNames is about rules for some names only.
func otherNames(a *Asker, d Demand, at Attributes) string {
	for _, list := range [][]applied{a.cluster, a.in(at.Namespace)} {
		for _, b := range list {
			t := a.policy.table(b.role, at.operation())
			if len(t.names) == 0 {
				continue
			}
			g := t.first()
			names := strings.Join(g.rule.ResourceNames[:min(3, len(g.rule.ResourceNames))], ", ")
			if d.Driver == "" && at.Name == "" {
				return fmt.Sprintf("rule %d of %s is for the name %s, and this is asked without a name; leave resourceNames out", g.index+1, g.in.Named(), names)
			}
			what := "claims named "
			if d.Driver != "" {
				what = "drivers named "
			}
			return fmt.Sprintf("rule %d of %s is for %s%s", g.index+1, g.in.Named(), what, names)
		}
	}
	return ""
}

// first is the first rule for some names.
func (t *table) first() *granted {
	var out *granted
	for _, g := range t.names {
		if out == nil || g.in.Ref.Name < out.in.Ref.Name || g.in == out.in && g.index < out.index {
			out = g
		}
	}
	return out
}

// localBinding is about rights for all namespaces that a RoleBinding gives.
func localBinding(a *Asker, _ Demand, at Attributes) string {
	if at.Namespace != "" {
		return ""
	}
	if g, namespace := a.anywhere(at); g != nil {
		return fmt.Sprintf("%s gives it in namespace %s, and this is asked for all namespaces; it takes a ClusterRoleBinding", g.Binding.Named(), namespace)
	}
	return ""
}

// ownNodeOnly is about drivers that may write on the node that they are on.
func ownNodeOnly(a *Asker, d Demand, at Attributes) string {
	verb, found := strings.CutPrefix(at.Verb, onAnyNode)
	if d.Apart == "" || !found {
		return ""
	}
	own := at
	own.Verb = onOwnNode + verb
	if g := a.May(own); g != nil {
		return fmt.Sprintf("rule %d of %s allows it on the node of the driver only, and %s", g.Rule+1, g.Role.Named(), d.Apart)
	}
	return ""
}

// otherNamespace is about RoleBindings elsewhere.
func otherNamespace(a *Asker, _ Demand, at Attributes) string {
	if at.Namespace == "" {
		return ""
	}
	if g, namespace := a.anywhere(at); g != nil {
		return fmt.Sprintf("%s gives it in namespace %s only", g.Binding.Named(), namespace)
	}
	return ""
}

// otherVerb is about rules for update without patch, or the other way round.
func otherVerb(a *Asker, _ Demand, at Attributes) string {
	others := strings.NewReplacer("update", "patch", "patch", "update")
	other := at
	if other.Verb = others.Replace(at.Verb); other.Verb == at.Verb {
		return ""
	}
	if g := a.May(other); g != nil {
		return fmt.Sprintf("rule %d of %s has the verb %s only", g.Rule+1, g.Role.Named(), other.Verb)
	}
	return ""
}

// notBound is about roles of the text that nobody gave to the subject.
func notBound(a *Asker, _ Demand, at Attributes) string {
	for _, n := range a.policy.order {
		h := a.policy.roles[n]
		if h.source.BuiltIn() || n.namespace != "" && n.namespace != at.Namespace {
			continue
		}
		if g := a.policy.table(h, at.operation()).find(at.Name); g != nil {
			return fmt.Sprintf("%s would, and no binding gives it to %s", h.source.Named(), a.subject.Called())
		}
	}
	return ""
}

// anywhere finds a RoleBinding of any namespace that allows it there.
func (a *Asker) anywhere(at Attributes) (*Grant, string) {
	best := ""
	var found *Grant
	for namespace := range a.policy.local {
		if found != nil && namespace > best {
			continue
		}
		for _, b := range a.in(namespace) {
			if g := a.policy.table(b.role, at.operation()).find(at.Name); g != nil {
				found, best = b.grant(g), namespace
				break
			}
		}
	}
	return found, best
}
