// Package census keeps an index of what a cluster holds, object by object, so
// that one object can be judged among the others without a look at all of
// them.
package census

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/selector"
)

// The bounds of what is gathered around one object.
const (
	// mostPoolDevices is how many devices of its pool a slice is compared with.
	mostPoolDevices = 4096
	// mostPoolSlices is how many slices of its pool it is compared with.
	mostPoolSlices = 1024
	// mostSamples and mostSampled are how many slices, and devices, of a
	// driver selectors are tried on, mostDrivers the drivers that is done for.
	mostSamples = 64
	mostSampled = 1024
	mostDrivers = 16
	// mostListed is how many names, classes, nodes and the like are listed.
	mostListed = 5000
	// mostHolders is how many claims that hold devices of a pool are looked at.
	mostHolders = 1024
	// mostNamesakes is how many objects of one name in other namespaces are.
	mostNamesakes = 8
)

// Around is what matters for judging one object. Nobody changes it any more.
type Around struct {
	// Classes, Claims and Templates are those that the object names, or that
	// name the same thing; Nodes those that a slice may be for.
	Classes   []*resourceapi.DeviceClass
	Claims    []*resourceapi.ResourceClaim
	Templates []*resourceapi.ResourceClaimTemplate
	Nodes     []*corev1.Node
	NodeCount int
	// ClassNames, ClaimNames and TemplateNames are those that could have been
	// meant, the latter two in the namespace of the object.
	ClassNames, ClaimNames, TemplateNames []string
	// Pool are the slices of the object's pool. PoolTooLarge is set where
	// there are too many to look at; then there are none.
	Pool         []*resourceapi.ResourceSlice
	PoolTooLarge bool
	// Samples are slices by driver, of those that the object may be about, but
	// for those of Pool; Sampled are the drivers of which these are not all.
	Samples map[string][]*resourceapi.ResourceSlice
	Sampled map[string]bool
	// Drivers are what all slices of each driver publish, All the sum of them.
	// Both lack the pools and the names of devices, but for a DeviceTaintRule.
	Drivers     map[string]*Driver
	DriverNames []string
	All         *Driver
	// Namespace is that of the object; nil where it is not known.
	Namespace *corev1.Namespace
	Freshness Freshness
	// Programs are expressions that were compiled before.
	Programs *selector.Shared
}

// Around gathers what matters for judging an object. The work does not grow
// with the cluster beyond the bounds above. The object itself, as it is
// known, is left out.
func (c *Census) Around(object any) *Around {
	a := &Around{Programs: c.programs}
	switch o := object.(type) {
	case *resourceapi.ResourceSlice:
		c.aroundSlice(a, o)
	case *resourceapi.DeviceClass:
		c.aroundClass(a, o)
	case *resourceapi.ResourceClaim:
		c.aroundSpec(a, o.Namespace, o.Spec)
	case *resourceapi.ResourceClaimTemplate:
		c.aroundSpec(a, o.Namespace, o.Spec.Spec)
	case *resourceapi.DeviceTaintRule:
		c.aroundTaintRule(a, o)
	case *corev1.Pod:
		c.aroundPod(a, o)
	}
	return a
}

func (c *Census) aroundSlice(a *Around, o *resourceapi.ResourceSlice) {
	id := idOf(o)
	if p := c.pools[id]; p != nil {
		a.PoolTooLarge = p.devices > mostPoolDevices || len(p.slices) > mostPoolSlices
		if !a.PoolTooLarge {
			a.Pool = slices.DeleteFunc(slices.Clone(p.slices), func(s *resourceapi.ResourceSlice) bool { return s.Name == o.Name })
		}
	}
	if d := c.drivers[id.Driver]; d != nil {
		list, _ := d.sample(mostSamples, mostSampled, id)
		a.Samples = map[string][]*resourceapi.ResourceSlice{id.Driver: list}
	}
	a.NodeCount = len(c.nodes)
	if name := o.Spec.NodeName; name != nil && *name != "" {
		if n := c.nodes[*name]; n != nil {
			a.Nodes = []*corev1.Node{n}
		}
	} else {
		a.Nodes = c.allNodes()
	}
	held := 0
	for _, n := range sorted(c.holders[id]) {
		if held++; held > mostHolders {
			break
		}
		a.Claims = append(a.Claims, c.claims[n])
	}
}

// allNodes are the nodes by name. The list is shared and never changed.
func (c *Census) allNodes() []*corev1.Node {
	if c.nodeList == nil {
		names := c.nodeNames[:min(len(c.nodeNames), mostListed)]
		c.nodeList = make([]*corev1.Node, len(names))
		for i, n := range names {
			c.nodeList[i] = c.nodes[n]
		}
	}
	return c.nodeList
}

func (c *Census) aroundClass(a *Around, o *resourceapi.DeviceClass) {
	if n := o.Spec.ExtendedResourceName; n != nil {
		for _, other := range c.resources[*n] {
			if other.Name != o.Name {
				a.Classes = append(a.Classes, other)
			}
		}
	}
	c.offers(a)
}

func (c *Census) aroundSpec(a *Around, namespace string, spec resourceapi.ResourceClaimSpec) {
	names := classesOf(spec)
	a.ClassNames = slices.Clone(c.classNames[:min(len(c.classNames), mostListed)])
	for _, r := range spec.Devices.Requests {
		if r.Exactly != nil {
			c.class(a, names, r.Exactly.DeviceClassName)
		}
		for _, sub := range r.FirstAvailable {
			c.class(a, names, sub.DeviceClassName)
		}
	}
	a.Namespace = c.namespaces[namespace]
	c.offers(a)
}

// class takes a class along, once.
func (c *Census) class(a *Around, wanted map[string]bool, name string) {
	if o := c.classes[name]; o != nil && wanted[name] {
		a.Classes = append(a.Classes, o)
		wanted[name] = false
	}
}

// offers adds what drivers publish.
func (c *Census) offers(a *Around) {
	a.Drivers, a.Sampled, a.All = map[string]*Driver{}, map[string]bool{}, c.all.snapshot()
	a.Samples = map[string][]*resourceapi.ResourceSlice{}
	for i, n := range c.driverNames[:min(len(c.driverNames), mostListed)] {
		o := c.drivers[n]
		a.DriverNames = append(a.DriverNames, n)
		a.Drivers[n] = o.snapshot()
		if i >= mostDrivers {
			a.Sampled[n] = true
			continue
		}
		list, complete := o.sample(mostSamples, mostSampled, PoolID{})
		a.Samples[n] = list
		if !complete {
			a.Sampled[n] = true
		}
	}
}

func (c *Census) aroundTaintRule(a *Around, o *resourceapi.DeviceTaintRule) {
	c.offers(a)
	a.Samples = nil
	s := o.Spec.DeviceSelector
	if s == nil || s.Pool == nil && s.Device == nil {
		return
	}
	whole := func(of *Driver) *Driver {
		out := *of
		out.Pools, out.DeviceNames = prefix(of.Pools, s.Pool), prefix(of.DeviceNames, s.Device)
		return &out
	}
	if s.Driver == nil {
		a.All = whole(c.all.driver)
	} else if d := c.drivers[*s.Driver]; d != nil {
		a.Drivers[*s.Driver] = whole(d.driver)
	}
}

// prefix copies a map as far as is sensible, the wanted key in any case.
func prefix(m map[string]int, wanted *string) map[string]int {
	out := map[string]int{}
	if wanted == nil {
		return out
	}
	if n, ok := m[*wanted]; ok {
		out[*wanted] = n
		return out
	}
	if len(m) > mostListed {
		return out
	}
	for k, n := range m {
		out[k] = n
	}
	return out
}

func (c *Census) aroundPod(a *Around, o *corev1.Pod) {
	ns := o.Namespace
	claims, templates := map[Name]bool{}, map[Name]bool{}
	for _, entry := range o.Spec.ResourceClaims {
		if n := entry.ResourceClaimName; n != nil {
			for _, full := range candidates(ns, *n, c.claimNamespaces[*n]) {
				if claim := c.claims[full]; claim != nil && !claims[full] {
					claims[full] = true
					a.Claims = append(a.Claims, claim)
				}
			}
		}
		if n := entry.ResourceClaimTemplateName; n != nil {
			for _, full := range candidates(ns, *n, c.templateNamespaces[*n]) {
				if template := c.templates[full]; template != nil && !templates[full] {
					templates[full] = true
					a.Templates = append(a.Templates, template)
				}
			}
		}
	}
	a.ClaimNames = slices.Clone(c.claimNames[ns][:min(len(c.claimNames[ns]), mostListed)])
	a.TemplateNames = slices.Clone(c.templateNames[ns][:min(len(c.templateNames[ns]), mostListed)])
	a.Namespace = c.namespaces[ns]
}

// candidates are the name in its own namespace and in a few others.
func candidates(namespace, name string, others []string) []Name {
	list := []Name{{Namespace: namespace, Name: name}}
	for _, other := range others[:min(len(others), mostNamesakes)] {
		if other != namespace {
			list = append(list, Name{Namespace: other, Name: name})
		}
	}
	return list
}

// sorted are the members of a set in order.
func sorted(s set) []Name {
	list := make([]Name, 0, len(s))
	for n := range s {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b Name) int {
		if a.Namespace != b.Namespace {
			return compare(a.Namespace, b.Namespace)
		}
		return compare(a.Name, b.Name)
	})
	return list
}
