package validate

import (
	"cmp"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/role"
)

// The rules for roles and their bindings. They are the same in all versions,
// and no gate touches them; so there is one pass, and nothing is dropped.

// ofRole checks an object of rbac.authorization.k8s.io, which takes the place of
// another unless that is nil; false if it is of another group.
func ofRole(was, obj *bundle.Object, features *feature.Set, env Env) (Result, bool) {
	if obj == nil {
		return Result{}, false
	}
	c := &checker{minor: env.code(features), on: features.Enabled, running: byHand, dropped: &droppedFields{}}
	root := (*path)(nil)
	switch v := obj.Value.(type) {
	case *role.Role:
		c.roleMetadata(v.Metadata, v.Kind, namespaced)
		c.roleRules(v.Rules, namespaced)
	case *role.ClusterRole:
		c.roleMetadata(v.Metadata, v.Kind, clusterScoped)
		c.roleRules(v.Rules, clusterScoped)
		if v.AggregationRule != nil {
			c.aggregation(v.AggregationRule.ClusterRoleSelectors, root.child("aggregationRule").child("clusterRoleSelectors"))
		}
	case *role.RoleBinding:
		c.roleMetadata(v.Metadata, v.Kind, namespaced)
		c.roleRef(v.RoleRef, "Role", "ClusterRole")
		if was, ok := valueOf(was).(*role.RoleBinding); ok {
			c.roleStays(was.RoleRef, v.RoleRef)
		}
		c.subjects(v.Subjects, namespaced)
	case *role.ClusterRoleBinding:
		c.roleMetadata(v.Metadata, v.Kind, clusterScoped)
		c.roleRef(v.RoleRef, "ClusterRole")
		if was, ok := valueOf(was).(*role.ClusterRoleBinding); ok {
			c.roleStays(was.RoleRef, v.RoleRef)
		}
		c.subjects(v.Subjects, clusterScoped)
	default:
		return Result{}, false
	}
	c.once()
	r := reporter{obj: obj, features: features}
	r.api(c.found, c.more)
	return Result{Diagnostics: r.out}, true
}

func valueOf(o *bundle.Object) any {
	if o == nil {
		return nil
	}
	return o.Value
}

// roleStays refuses another role for a binding.
func (c *checker) roleStays(was, is role.Ref) {
	was.APIGroup, is.APIGroup = cmp.Or(was.APIGroup, role.Group), cmp.Or(is.APIGroup, role.Group)
	c.fixed(byHand, "role-ref", "the role of a binding", was, is, (*path)(nil).child("roleRef"), "delete the binding, and create another")
}

// roleMetadata checks metadata. A name need only be one that a URL can hold.
func (c *checker) roleMetadata(m metav1.ObjectMeta, kind string, where scope) {
	at := (*path)(nil).child("metadata")
	if where == clusterScoped {
		c.namespaceIgnored(&m, kind, at)
	}
	if m.GenerateName != "" {
		c.pathName("generateName", m.GenerateName, at.child("generateName"))
		if m.Name == "" {
			m.Name = generatedName(m.GenerateName)
		}
	}
	if m.Name == "" {
		c.hand(at.child("name"), required("role-name", "the object has no name; give it metadata.name, or metadata.generateName"))
	} else {
		c.pathName("object name", m.Name, at.child("name"))
	}
	c.metadataBesideName(&m, where, at)
}

// pathName checks a name that is to be part of a URL.
func (c *checker) pathName(noun, value string, at *path) {
	if value == "." || value == ".." {
		c.hand(at, invalid("role-name", value, noun+" "+quote(value)+" means something else in a URL; write another name"))
		return
	}
	c.noSigns("role-name", noun, value, at)
}

func (c *checker) roleRules(rules []role.Rule, where scope) {
	for i := range rules {
		r, at, noun := &rules[i], (*path)(nil).child("rules").at(i), "rule "+strconv.Itoa(i+1)
		if len(r.Verbs) == 0 {
			c.hand(at.child("verbs"), required("role-verbs", noun+" has no verbs; list what it allows, such as get, or * for everything"))
		}
		if len(r.NonResourceURLs) > 0 {
			urls := at.child("nonResourceURLs")
			if where == namespaced {
				c.hand(urls, invalid("role-urls", r.NonResourceURLs[0], noun+" names paths such as "+quote(r.NonResourceURLs[0])+", which are in no namespace; move it to a ClusterRole"))
			}
			if len(r.APIGroups)+len(r.Resources)+len(r.ResourceNames) > 0 {
				c.hand(urls, invalid("role-urls", r.NonResourceURLs[0], noun+" names paths and resources; make two rules of it"))
			}
			continue
		}
		if len(r.APIGroups) == 0 {
			c.hand(at.child("apiGroups"), required("role-resources", noun+` has no apiGroups; list those of its resources, "" for that of pods`))
		}
		if len(r.Resources) == 0 {
			c.hand(at.child("resources"), required("role-resources", noun+" has no resources; list what its verbs are for"))
		}
	}
}

func (c *checker) roleRef(ref role.Ref, kinds ...string) {
	at := (*path)(nil).child("roleRef")
	if ref.APIGroup != "" && ref.APIGroup != role.Group { // left out, it is filled in
		c.hand(at.child("apiGroup"), notOnly("role-ref", ref.APIGroup, "the group of roles", role.Group))
	}
	switch {
	case len(kinds) == 1 && ref.Kind != kinds[0]:
		c.hand(at.child("kind"), notOnly("role-ref", ref.Kind, "the kind that is bound everywhere", kinds[0]))
	case len(kinds) > 1 && ref.Kind != kinds[0] && ref.Kind != kinds[1]:
		c.hand(at.child("kind"), oneOf("role-ref", ref.Kind, "kind", kinds...))
	}
	if ref.Name == "" {
		c.hand(at.child("name"), required("role-ref", "the binding names no role; write the name of one"))
		return
	}
	before := len(c.found)
	c.pathName("the name of the role", ref.Name, at.child("name"))
	for i := range c.found[before:] {
		c.found[before+i].rule = "role-ref"
	}
}

// notOnly is the problem of a value where there is one choice.
func notOnly(rule, value, noun, only string) problem {
	p := problem{rule: rule, kind: field.ErrorTypeNotSupported, value: short(value), hint: "write " + only, replacement: only}
	p.message = noun + " is " + only + ", not " + quote(value) + "; write " + only
	return p
}

func (c *checker) subjects(list []role.Subject, where scope) {
	const rule = "role-subject"
	for i, s := range list {
		at, noun := (*path)(nil).child("subjects").at(i), "subject "+strconv.Itoa(i+1)
		if s.Name == "" {
			c.hand(at.child("name"), required(rule, noun+" has no name; write whom the role is for"))
		}
		group := at.child("apiGroup")
		switch s.Kind {
		case role.ServiceAccount:
			if s.Name != "" {
				c.hand(at.child("name"), subdomain(rule, "the name of the service account", s.Name)...)
			}
			if s.APIGroup != "" {
				c.hand(group, problem{rule: rule, kind: field.ErrorTypeNotSupported, value: short(s.APIGroup), message: "service accounts are in no API group, and " + noun + " names " + quote(s.APIGroup) + "; remove apiGroup"})
			}
			if where == clusterScoped && s.Namespace == "" {
				c.hand(at.child("namespace"), required(rule, "the service account of "+noun+" has no namespace, and a ClusterRoleBinding is in none; write it"))
			}
		case role.User, role.UserGroup:
			if s.APIGroup != "" && s.APIGroup != role.Group {
				c.hand(group, notOnly(rule, s.APIGroup, "the group of users and groups", role.Group))
			}
		default:
			c.hand(at.child("kind"), oneOf(rule, s.Kind, "kind", role.ServiceAccount, role.User, role.UserGroup))
		}
	}
}

// aggregation checks which ClusterRoles are gathered into one.
func (c *checker) aggregation(list []metav1.LabelSelector, at *path) {
	const rule = "role-aggregation"
	if len(list) == 0 {
		c.hand(at, required(rule, "the aggregationRule selects no ClusterRoles; add a selector, or remove it"))
	}
	for i := range list {
		before, item := len(c.found), at.at(i)
		labels := item.child("matchLabels")
		for _, k := range sortedKeys(list[i].MatchLabels) {
			for _, p := range append(labelKey(rule, "label key", k), labelValue(rule, "the value of label "+short(k), list[i].MatchLabels[k])...) {
				p.focus = labels.key(k)
				c.hand(labels, p)
			}
		}
		for j := range list[i].MatchExpressions {
			c.requirement(rule, &list[i].MatchExpressions[j], item.child("matchExpressions").at(j))
		}
		if len(c.found) > before {
			c.hand(item, invalid(rule, "", "selector "+strconv.Itoa(i+1)+" of the aggregationRule cannot be read with these faults; mend them"))
		}
	}
}

func (c *checker) requirement(rule string, r *metav1.LabelSelectorRequirement, at *path) {
	switch r.Operator {
	case metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn:
		if len(r.Values) == 0 {
			c.hand(at.child("values"), required(rule, "operator "+string(r.Operator)+" compares with values, and there are none; list some"))
		}
	case metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist:
		if len(r.Values) > 0 {
			c.hand(at.child("values"), forbidden(rule, "", "operator "+string(r.Operator)+" looks at the key only; remove the values"))
		}
	default:
		p := oneOf(rule, string(r.Operator), "operator", "In", "NotIn", "Exists", "DoesNotExist")
		p.kind = field.ErrorTypeInvalid
		c.hand(at.child("operator"), p)
	}
	c.hand(at.child("key"), labelKey(rule, "label key", r.Key)...)
	for i, v := range r.Values {
		c.hand(at.child("values").at(i), labelValue(rule, "the value of label "+short(r.Key), v)...)
	}
}
