package rights

import (
	"slices"

	"github.com/drawbridge-dra/drawbridge/core/role"
)

// The parts that somebody can play.
const (
	Scheduler  = "scheduler"
	NodeDriver = "node-driver"
	Controller = "controller"
)

// Parts lists them.
func Parts() []string { return []string{Scheduler, NodeDriver, Controller} }

// part says what one of them does with the objects of DRA.
type part struct {
	comment []string
	rules   []reason
	// prefix stands before the verbs for entries of status.devices; empty for
	// the right to bind.
	prefix string
}

type reason struct {
	resources, verbs, why string
	core                  bool // of the core API group
}

var parts = map[string]part{
	Scheduler: {
		comment: []string{"What a scheduler does with the objects of DRA; its rights for pods and nodes come beside these."},
		rules: []reason{
			{resources: "deviceclasses devicetaintrules resourceslices", verbs: "get list watch", why: "It looks for devices."},
			{resources: "resourceclaims", verbs: "get list watch create update patch delete", why: "It reads claims, sets their finalizer, and makes those for extended resources."},
		},
	},
	NodeDriver: {
		comment: []string{"A driver that runs on every node and writes the status of claims that are allocated to its own."},
		rules: []reason{
			{resources: "resourceslices", verbs: "get list watch create update patch delete", why: "It publishes the devices of its node."},
			{resources: "resourceclaims", verbs: "get", why: "It reads the claims that the kubelet asks it to prepare."},
			{resources: "nodes", verbs: "get", why: "Its slices are owned by its node.", core: true},
		},
		prefix: onOwnNode,
	},
	Controller: {
		comment: []string{"A driver that runs once for all nodes and writes the status of claims wherever they are allocated."},
		rules: []reason{
			{resources: "resourceslices", verbs: "get list watch create update patch delete", why: "It publishes devices for all nodes."},
			{resources: "resourceclaims", verbs: "get list watch", why: "It follows the claims that its devices are allocated to."},
		},
		prefix: onAnyNode,
	},
}

// Plan says for whom roles are made.
type Plan struct {
	Part   string
	Driver string
	// Namespace and Account are of the service account.
	Namespace, Account string
	Name               string
	// Verbs are those with which the status is written: update, patch or
	// both.
	Verbs []string
}

// Roles writes the ClusterRole with the fewest rights for a plan, and its
// ClusterRoleBinding.
func Roles(p Plan) string {
	does := parts[p.Part]
	m := manifest{Name: p.Name, Comment: does.comment, Subject: role.Subject{Kind: role.ServiceAccount, Namespace: p.Namespace, Name: p.Account}}
	add := func(why string, r role.Rule) { m.Rules, m.Why = append(m.Rules, r), append(m.Why, why) }
	for _, r := range does.rules {
		group := resourceGroup
		if r.core {
			group = ""
		}
		add(r.why, allow(group, r.resources, r.verbs))
	}
	status := allow(resourceGroup, claims+"/"+statusPart, "")
	status.Verbs = slices.Clone(p.Verbs)
	add("The request as such; from Kubernetes 1.36 on the next rule is asked for, too.", status)
	if does.prefix == "" {
		bind := allow(resourceGroup, claims+"/"+bindingPart, "")
		bind.Verbs = slices.Clone(p.Verbs)
		add("status.allocation and status.reservedFor; this is asked for all namespaces, so a RoleBinding would not do.", bind)
		return m.text()
	}
	own := allow(resourceGroup, claims+"/"+driverPart, "")
	own.ResourceNames = []string{p.Driver}
	for _, verb := range p.Verbs {
		own.Verbs = append(own.Verbs, does.prefix+verb)
	}
	why := "Entries of its own in status.devices, for claims that are allocated to the node that its token names."
	if does.prefix == onAnyNode {
		why = "Entries of its own in status.devices, on whichever node."
	}
	add(why, own)
	return m.text()
}

// Tries lists what a plan's roles must allow, and what they must not.
func (p Plan) Tries() (may, mayNot []Request) {
	const node = TriedOn
	for _, verb := range p.Verbs {
		r := Request{Verb: verb, Namespace: defaultNamespace, Name: "claim"}
		binds, writes, strays, meddles := r, r, r, r
		binds.Changes = Changes{Allocation: true, ReservedFor: true, Allocated: true, Node: node}
		writes.Changes = Changes{Drivers: []string{p.Driver}, Allocated: true, Node: node}
		strays.Changes = Changes{Drivers: []string{p.Driver}, Allocated: true, Node: "node-b"}
		meddles.Changes = Changes{Drivers: []string{"another." + p.Driver}, Allocated: true, Node: node}
		switch p.Part {
		case Scheduler:
			may = append(may, binds)
			writes.Changes.Drivers = []string{"driver.example.com"}
			mayNot = append(mayNot, writes)
		case NodeDriver:
			may, mayNot = append(may, writes), append(mayNot, strays, meddles, binds)
		case Controller:
			may, mayNot = append(may, writes, strays), append(mayNot, meddles, binds)
		}
	}
	return may, mayNot
}

// TriedOn is the node of the subject that Tries are for.
const TriedOn = "node-a"
