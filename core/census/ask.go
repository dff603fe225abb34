package census

import (
	"cmp"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

func compare(a, b string) int { return cmp.Compare(a, b) }

// NodeLabels are the labels of a node; false where it is not known.
func (c *Census) NodeLabels(name string) (map[string]string, bool) {
	n := c.nodes[name]
	if n == nil {
		return nil, false
	}
	return n.Labels, true
}

// NamespaceLabels are the labels of a namespace; false where it is not known.
func (c *Census) NamespaceLabels(name string) (map[string]string, bool) {
	n := c.namespaces[name]
	if n == nil {
		return nil, false
	}
	return n.Labels, true
}

// ClassFor is the DeviceClass that serves an extended resource: of several
// that name it the newest, then the first by name.
func (c *Census) ClassFor(resource string) (string, bool) {
	if name, implicit := strings.CutPrefix(resource, resourceapi.ResourceDeviceClassPrefix); implicit {
		_, known := c.classes[name]
		return name, known
	}
	var best *resourceapi.DeviceClass
	for _, o := range c.resources[resource] {
		if best == nil || best.CreationTimestamp.Before(&o.CreationTimestamp) {
			best = o
		}
	}
	if best == nil {
		return "", false
	}
	return best.Name, true
}

// UsersOfClass counts the claims and templates that name a DeviceClass.
func (c *Census) UsersOfClass(name string) Users {
	var u Users
	u.ClaimCount, u.Claims = len(c.claimsOf[name]), first(c.claimsOf[name])
	u.TemplateCount, u.Templates = len(c.templatesOf[name]), first(c.templatesOf[name])
	for n := range c.claimsOf[name] {
		if c.claims[n].Status.Allocation != nil {
			u.AllocatedCount++
		}
	}
	return u
}

// UsersOfTemplate counts the pods that name a template and are not done.
func (c *Census) UsersOfTemplate(namespace, name string) Users {
	pods := c.podsOf[Name{Namespace: namespace, Name: name}]
	return Users{PodCount: len(pods), Pods: first(pods)}
}

// Freshness is that of a census which nobody feeds: all is known.
func (c *Census) Freshness() Freshness { return Freshness{} }

// Count is how many objects of each kind there are.
func (c *Census) Count() map[string]int {
	return map[string]int{
		"ResourceSlice": len(c.slices), "DeviceClass": len(c.classes), "ResourceClaim": len(c.claims),
		"ResourceClaimTemplate": len(c.templates), "Node": len(c.nodes), "Namespace": len(c.namespaces), "Pod": len(c.pods),
	}
}

// first are up to MostUsers members of a set, in order.
func first(s set) []string {
	var list []string
	for _, n := range sorted(s) {
		if len(list) == MostUsers {
			break
		}
		list = append(list, n.String())
	}
	return list
}
