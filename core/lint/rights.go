package lint

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/rights"
	"github.com/drawbridge-dra/drawbridge/core/role"
)

// grants is a role with its rules.
type grants struct {
	object *bundle.Object
	name   roleName
	rules  []role.Rule
}

// roleName is what roles are told apart by: ClusterRoles have no namespace.
type roleName struct{ namespace, name string }

// granting gives a role to subjects.
type granting struct {
	object    *bundle.Object
	namespace string // of a RoleBinding
	to        []role.Subject
	ref       role.Ref
}

// target is the role that is given.
func (g granting) target() roleName {
	if g.ref.Kind == "Role" {
		return roleName{g.namespace, g.ref.Name}
	}
	return roleName{"", g.ref.Name}
}

// addRights keeps roles and bindings, except for those that API servers make
// for themselves.
func (c *cluster) addRights(o *bundle.Object) {
	own := func(labels map[string]string) bool {
		return labels["kubernetes.io/bootstrapping"] == "rbac-defaults" || strings.HasPrefix(o.Ref.Name, "system:")
	}
	switch v := o.Value.(type) {
	case *role.Role:
		if !own(v.Metadata.Labels) {
			n := named(o.Ref.Namespace, o.Ref.Name)
			c.roles = append(c.roles, grants{o, roleName(n), v.Rules})
		}
	case *role.ClusterRole:
		if !own(v.Metadata.Labels) {
			c.roles = append(c.roles, grants{o, roleName{"", o.Ref.Name}, v.Rules})
		}
	case *role.RoleBinding:
		c.bindings = append(c.bindings, granting{o, named(o.Ref.Namespace, "").namespace, v.Subjects, v.RoleRef})
	case *role.ClusterRoleBinding:
		c.bindings = append(c.bindings, granting{o, "", v.Subjects, v.RoleRef})
	}
}

// parted tells whether there is anything to say about rights: the API server
// looks at the parts of a status, and the bundle has roles.
func (c *cluster) parted() bool { return len(c.roles) > 0 && rights.Granular(c.set) }

// at is the place of a rule.
func (g grants) at(rule int, parts ...any) place {
	return place{g.object, at(append([]any{"rules", rule}, parts...)...)}
}

func (g grants) called() string { return g.object.Ref.Kind + " " + g.object.Ref.Name }

// says tells whether a rule names a resource itself, and not by a wildcard.
func says(r *role.Rule, resource string) bool {
	return slices.Contains(r.APIGroups, rights.APIGroup) && slices.Contains(r.Resources, resource)
}

// statusRightAlone is about roles from before 1.36. Whoever has such a role
// may have the rest from another one.
func statusRightAlone(c *cluster, r *reporter) {
	if !c.parted() {
		return
	}
	parts, holders := c.partsHeld()
	for _, g := range c.roles {
		var lacking []string
		first := -1
		for _, verb := range rights.StatusVerbs {
			at := slices.IndexFunc(g.rules, func(rule role.Rule) bool { return rights.MayStatus(&rule, verb) })
			if at < 0 || parts[g.name][verb] || served(parts, holders, g.name, verb) {
				continue
			}
			if lacking = append(lacking, verb); first < 0 {
				first = at
			}
		}
		if first < 0 {
			continue
		}
		verbs := strings.Join(lacking, " and ")
		r.report(finding{
			at:    g.at(first),
			value: verbs,
			message: fmt.Sprintf("%s allows %s on resourceclaims/status and on none of its parts, so from Kubernetes 1.36 on each such request that changes anything is refused; a driver needs resourceclaims/driver with %s%s, a scheduler resourceclaims/binding with %s",
				g.called(), verbs, rights.OwnNodeVerb, strings.Join(lacking, " and "+rights.OwnNodeVerb), verbs),
		})
	}
}

// verbSet has the verbs for which a role grants some part of a status.
type verbSet map[string]bool

// partsHeld finds which roles grant parts of a status, and which roles each
// subject has.
func (c *cluster) partsHeld() (map[roleName]verbSet, map[roleName][]map[roleName]bool) {
	parts := map[roleName]verbSet{}
	for _, g := range c.roles {
		verbs := verbSet{}
		for i := range g.rules {
			for _, verb := range rights.StatusVerbs {
				own, everywhere := rights.MayDriver(&g.rules[i], verb)
				verbs[verb] = verbs[verb] || own || everywhere || rights.MayBind(&g.rules[i], verb)
			}
		}
		parts[g.name] = verbs
	}
	of := map[role.Subject]map[roleName]bool{}
	var order []role.Subject
	for _, b := range c.bindings {
		for _, s := range b.to {
			if s.Kind == role.ServiceAccount && s.Namespace == "" {
				s.Namespace = b.namespace
			}
			s.APIGroup = ""
			if of[s] == nil {
				of[s] = map[roleName]bool{}
				order = append(order, s)
			}
			of[s][b.target()] = true
		}
	}
	holders := map[roleName][]map[roleName]bool{}
	for _, s := range order {
		for n := range of[s] {
			holders[n] = append(holders[n], of[s])
		}
	}
	return parts, holders
}

// served tells whether everybody who has a role has a part of a status from
// another role; where nobody has it, whoever gets it may.
func served(parts map[roleName]verbSet, holders map[roleName][]map[roleName]bool, n roleName, verb string) bool {
	if len(holders[n]) == 0 {
		return false
	}
	const most = 20 // holders, and roles of each, that are looked at
	for i, has := range holders[n] {
		if i == most || len(has) > most {
			return true
		}
		any := false
		for other := range has {
			_, known := parts[other]
			any = any || parts[other][verb] || !known // which is not in the bundle
		}
		if !any {
			return false
		}
	}
	return true
}

// bindingRightUseless is about rights that are asked for in no namespace and
// without a name.
func bindingRightUseless(c *cluster, r *reporter) {
	if !c.parted() {
		return
	}
	binds := map[roleName]bool{}
	for _, g := range c.roles {
		for i := range g.rules {
			rule := &g.rules[i]
			if !says(rule, rights.BindingResource) {
				continue
			}
			switch {
			case g.name.namespace != "":
				r.report(finding{at: g.at(i), message: fmt.Sprintf("%s allows resourceclaims/binding in namespace %s, and Kubernetes asks for it in all namespaces at once, so this never counts; make it a ClusterRole with a ClusterRoleBinding", g.called(), g.name.namespace)})
			case len(rule.ResourceNames) > 0:
				r.report(finding{at: g.at(i, "resourceNames"), message: fmt.Sprintf("%s allows resourceclaims/binding for some names, and Kubernetes asks for it without a name, so this never counts; leave resourceNames out", g.called())})
			default:
				binds[g.name] = true
			}
		}
	}
	everywhere := map[string]bool{}
	for _, b := range c.bindings {
		if b.namespace == "" {
			everywhere[b.ref.Name] = true
		}
	}
	for _, b := range c.bindings {
		if b.namespace != "" && b.ref.Kind == "ClusterRole" && binds[b.target()] && !everywhere[b.ref.Name] {
			r.report(finding{at: place{b.object, "roleRef"}, value: b.ref.Name, message: fmt.Sprintf("RoleBinding %s gives resourceclaims/binding of ClusterRole %s in namespace %s, and Kubernetes asks for it in all namespaces at once, so this never counts; make it a ClusterRoleBinding", b.object.Ref.Name, b.ref.Name, b.namespace)})
		}
	}
}

// partVerbUnknown is about verbs that are never asked for.
func partVerbUnknown(c *cluster, r *reporter) {
	if !c.parted() {
		return
	}
	for _, g := range c.roles {
		for i := range g.rules {
			rule := &g.rules[i]
			for j, verb := range rule.Verbs {
				_, bare, prefixed := strings.Cut(verb, ":")
				f := finding{at: g.at(i, "verbs", j), value: verb}
				switch {
				case verb == "*":
					continue
				case says(rule, rights.DriverResource) && (!prefixed || !strings.HasPrefix(verb, rights.OwnNodeVerb) && !strings.HasPrefix(verb, rights.AnyNodeVerb)):
					f.message = fmt.Sprintf("nobody asks for the verb %s on resourceclaims/driver; write %supdate or %spatch for a driver that writes on its own node, %supdate or %spatch for one that writes for all",
						verb, rights.OwnNodeVerb, rights.OwnNodeVerb, rights.AnyNodeVerb, rights.AnyNodeVerb)
					if len(rule.Resources) == 1 && slices.Contains(rights.StatusVerbs, verb) {
						f.fix = replace(f.at, `"`+rights.OwnNodeVerb+verb+`"`, "allow it on the driver's own node")
					}
				case says(rule, rights.DriverResource) && !slices.Contains(rights.StatusVerbs, bare):
					f.message = fmt.Sprintf("nobody asks for the verb %s on resourceclaims/driver; what stands behind the colon is update or patch", verb)
				case says(rule, rights.BindingResource) && !says(rule, rights.DriverResource) && !slices.Contains(rights.StatusVerbs, verb):
					f.message = fmt.Sprintf("nobody asks for the verb %s on resourceclaims/binding; it is update or patch", verb)
				default:
					continue
				}
				r.report(f)
			}
		}
	}
}

// driverRightNames is about names that no driver can have, or nearly has.
func driverRightNames(c *cluster, r *reporter) {
	if !c.parted() {
		return
	}
	for _, g := range c.roles {
		for i := range g.rules {
			rule := &g.rules[i]
			if !says(rule, rights.DriverResource) {
				continue
			}
			for j, name := range rule.ResourceNames {
				f := finding{at: g.at(i, "resourceNames", j), value: name}
				if len(name) > resourceapi.DriverNameMaxLength || len(validation.IsDNS1123Subdomain(name)) > 0 {
					f.message = fmt.Sprintf("%q is the name of no driver, and for resourceclaims/driver the names are those of drivers: at most %d lower-case letters, digits, - and dots; write the driver's name", name, resourceapi.DriverNameMaxLength)
				} else if c.drivers[name] != nil {
					continue
				} else if near := c.guess(name, c.driverList); near != "" {
					f.message = fmt.Sprintf("no slice is of driver %s, and for resourceclaims/driver the names are those of drivers; did you mean %s?", name, near)
					f.fix = replace(f.at, near, "write "+near)
				} else {
					continue
				}
				r.report(f)
			}
		}
	}
}

// driverRightAnyNode is about rights for all nodes where those for one do.
func driverRightAnyNode(c *cluster, r *reporter) {
	if !c.parted() {
		return
	}
	for _, g := range c.roles {
		for i := range g.rules {
			rule := &g.rules[i]
			j := slices.IndexFunc(rule.Verbs, func(v string) bool { return strings.HasPrefix(v, rights.AnyNodeVerb) })
			if j < 0 || !says(rule, rights.DriverResource) {
				continue
			}
			verb := rule.Verbs[j]
			own := rights.OwnNodeVerb + strings.TrimPrefix(verb, rights.AnyNodeVerb)
			f := finding{at: g.at(i, "verbs", j), value: verb}
			switch {
			case slices.Contains(rule.Verbs, own):
				f.message = fmt.Sprintf("%s allows %s beside %s, which then makes no difference: with one broken node all claims of the driver can be written; leave %s out if the driver runs on every node", g.called(), verb, own, verb)
			case c.onlyLocal(rule.ResourceNames):
				f.message = fmt.Sprintf("%s allows %s for a driver whose slices are all of one node each: with one broken node all its claims can be written; %s does if each node's driver writes its own", g.called(), verb, own)
			default:
				continue
			}
			r.report(f)
		}
	}
}

// onlyLocal tells whether all these drivers have slices here, and each slice
// is of one node.
func (c *cluster) onlyLocal(drivers []string) bool {
	if c.localDrivers == nil {
		c.localDrivers = map[string]bool{}
		for _, s := range c.slices {
			local, known := c.localDrivers[s.value.Spec.Driver]
			c.localDrivers[s.value.Spec.Driver] = (local || !known) && s.value.Spec.NodeName != nil
		}
	}
	for _, name := range drivers {
		if !c.localDrivers[name] {
			return false
		}
	}
	return len(drivers) > 0
}

// statusRightWide is about rights that somebody has by the way, or for more
// drivers than their own.
func statusRightWide(c *cluster, r *reporter) {
	if !c.parted() {
		return
	}
	for _, g := range c.roles {
		for i := range g.rules {
			rule := &g.rules[i]
			what := wide(rule)
			if what == "" {
				continue
			}
			if says(rule, rights.DriverResource) {
				r.report(finding{at: g.at(i), message: fmt.Sprintf("%s allows entries of every driver in status.devices, as the rule has no resourceNames; name the driver there", g.called())})
				continue
			}
			r.report(finding{at: g.at(i), message: fmt.Sprintf("%s allows %s by a wildcard; list the resources and verbs that are needed", g.called(), what)})
		}
	}
}

// wide says what of a status a rule allows without naming it.
func wide(rule *role.Rule) string {
	if len(rule.ResourceNames) > 0 {
		return ""
	}
	binds, writes := false, false
	for _, verb := range rights.StatusVerbs {
		own, everywhere := rights.MayDriver(rule, verb)
		writes = writes || own || everywhere
		binds = binds || rights.MayBind(rule, verb) && !says(rule, rights.BindingResource)
	}
	switch {
	case binds && writes:
		return "all of the status of claims, status.allocation and the entries of every driver,"
	case binds:
		return "status.allocation and status.reservedFor of claims"
	case writes:
		return "the entries of every driver in status.devices"
	}
	return ""
}
