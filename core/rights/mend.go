package rights

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/role"
)

// Mend writes the smallest role, with its binding, that allows a subject what
// is lacking, and tries it; empty if that does not help.
func Mend(objects []*bundle.Object, s Subject, lacking []Demand, set *feature.Set, builtIn []any) string {
	if len(lacking) == 0 || s.User == "" {
		return ""
	}
	m := mend{policy: NewPolicy(objects, builtIn), subject: s}
	text := m.text(lacking)
	added := bundle.Parse([]byte(text), bundle.Options{Features: set})
	if len(added.Diagnostics) > 0 {
		return ""
	}
	asker := NewPolicy(append(slices.Clone(objects), added.Objects...), builtIn).Asks(s)
	for _, d := range lacking {
		if !slices.ContainsFunc(d.Any, func(at Attributes) bool { return asker.May(at) != nil }) {
			return ""
		}
	}
	return text
}

type mend struct {
	policy  *Policy
	subject Subject
}

// text has a ClusterRole for what is asked for all namespaces, and a Role for
// each namespace that something is asked in.
func (m mend) text(lacking []Demand) string {
	rules := map[string][]role.Rule{}
	for _, d := range lacking {
		at := d.Any[0] // of two that would do, the first is the narrower
		r := allow(at.APIGroup, at.operation().full(), at.Verb)
		if at.Name != "" && d.Driver != "" {
			r.ResourceNames = []string{at.Name}
		}
		rules[at.Namespace] = join(rules[at.Namespace], r)
	}
	namespaces := make([]string, 0, len(rules))
	for n := range rules {
		namespaces = append(namespaces, n)
	}
	slices.Sort(namespaces)
	var out []string
	for _, n := range namespaces {
		out = append(out, manifest{Name: m.free(n), Namespace: n, Rules: rules[n], Subject: m.subject.asRole()}.text())
	}
	return strings.Join(out, "---\n")
}

// join adds a rule, to one that differs in the names or the verbs alone where
// there is one.
func join(list []role.Rule, r role.Rule) []role.Rule {
	for i := range list {
		have := &list[i]
		switch {
		case !slices.Equal(have.Resources, r.Resources):
		case slices.Equal(have.Verbs, r.Verbs) && len(have.ResourceNames) > 0 && len(r.ResourceNames) > 0:
			have.ResourceNames = union(have.ResourceNames, r.ResourceNames)
			return list
		case slices.Equal(have.ResourceNames, r.ResourceNames):
			have.Verbs = union(have.Verbs, r.Verbs)
			return list
		}
	}
	return append(list, r)
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// free is a name that no role and no binding has.
func (m mend) free(namespace string) string {
	kind := "ClusterRole"
	if namespace != "" {
		kind = "Role"
	}
	for i := 1; ; i++ {
		name := "claim-status"
		if _, account, ok := m.subject.ServiceAccount(); ok {
			name = account + "-claim-status"
		}
		if i > 1 {
			name += "-" + strconv.Itoa(i)
		}
		if !m.policy.names(kind, namespace, name) && !m.policy.names(kind+"Binding", namespace, name) {
			return name
		}
	}
}

// asRole is the subject as bindings name it.
func (s Subject) asRole() role.Subject {
	if namespace, name, ok := s.ServiceAccount(); ok {
		return role.Subject{Kind: role.ServiceAccount, Namespace: namespace, Name: name}
	}
	return role.Subject{Kind: role.User, APIGroup: role.Group, Name: s.User}
}

// allow makes a rule of lists with spaces between.
func allow(group, resources, verbs string) role.Rule {
	return role.Rule{APIGroups: []string{group}, Resources: strings.Fields(resources), Verbs: strings.Fields(verbs)}
}

// manifest is a role with its binding, as YAML.
type manifest struct {
	Name, Namespace string // without a namespace a ClusterRole
	Comment         []string
	Rules           []role.Rule
	// Why stands above the rule of the same place.
	Why     []string
	Subject role.Subject
}

func (m manifest) text() string {
	kind := "ClusterRole"
	if m.Namespace != "" {
		kind = "Role"
	}
	var b strings.Builder
	line := func(parts ...string) { b.WriteString(strings.Join(parts, "") + "\n") }
	head := func(kind string) {
		line("apiVersion: ", role.APIVersion)
		line("kind: ", kind)
		line("metadata:")
		line("  name: ", scalar(m.Name))
		if m.Namespace != "" {
			line("  namespace: ", scalar(m.Namespace))
		}
	}
	for _, c := range m.Comment {
		line("# ", c)
	}
	head(kind)
	line("rules:")
	for i, r := range m.Rules {
		if i < len(m.Why) && m.Why[i] != "" {
			line("# ", m.Why[i])
		}
		line("- apiGroups: ", flow(r.APIGroups))
		line("  resources: ", flow(r.Resources))
		if len(r.ResourceNames) > 0 {
			line("  resourceNames: ", flow(r.ResourceNames))
		}
		line("  verbs: ", flow(r.Verbs))
	}
	line("---")
	head(kind + "Binding")
	line("subjects:")
	line("- kind: ", m.Subject.Kind)
	line("  name: ", scalar(m.Subject.Name))
	switch {
	case m.Subject.Namespace != "":
		line("  namespace: ", scalar(m.Subject.Namespace))
	case m.Subject.APIGroup != "":
		line("  apiGroup: ", m.Subject.APIGroup)
	}
	line("roleRef:")
	line("  apiGroup: ", role.Group)
	line("  kind: ", kind)
	line("  name: ", scalar(m.Name))
	return b.String()
}

func flow(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		// What is plain in a line need not be so between brackets.
		if out[i] = scalar(s); strings.ContainsAny(out[i], "[]{},*:") && !strings.HasPrefix(out[i], `"`) && !strings.HasPrefix(out[i], "'") {
			out[i] = strconv.Quote(s)
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// scalar writes a text as a value of YAML, in one line.
func scalar(s string) string {
	written, err := yaml.Marshal(s)
	out := strings.TrimSuffix(string(written), "\n")
	return cmp.Or(map[bool]string{true: strconv.Quote(s)}[err != nil || strings.Contains(out, "\n")], out)
}
