package lint

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/census"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// subjects are the kinds of objects that a rule has something to say about.
type subjects uint8

const (
	onSlice subjects = 1 << iota
	// onPool is a slice together with all others of its pool.
	onPool
	onClass
	onClaim // a claim or a template
	onPod
	onTaintRule
	// onNone is for rules about a whole bundle, or about what nobody reviews.
	onNone subjects = 0
)

// Among looks at one object among those of its cluster, and reports what
// concerns this one. The others have no place in any text: what is related
// names them. The notes say what was not looked at.
//
// A cluster is never seen at a standstill. Slices of a pool come one by one,
// so what a pool lacks is held against the slice that makes it complete, and
// an incomplete pool against none; what there is too much of, or what
// disagrees, is held against the slice that brings it.
func Among(o *bundle.Object, around *census.Around, set *feature.Set) (found []diag.Diagnostic, notes []string) {
	on := subjectsOf(o.Value)
	if on == onNone {
		return nil, nil
	}
	if s, ok := o.Value.(*resourceapi.ResourceSlice); ok {
		switch {
		case !around.Freshness.Knows("ResourceSlice"):
			on &^= onPool
		case around.PoolTooLarge:
			on &^= onPool
			notes = append(notes, fmt.Sprintf("pool %s/%s has too many devices to compare each slice with all others: counter sets, names and counts of slices were not looked at across its slices",
				s.Spec.Driver, s.Spec.Pool.Name))
		}
	}
	c := amongOthers(o, around, set)
	for _, r := range rules {
		if r.on&on == 0 {
			continue
		}
		doc, _ := diag.Lookup(diag.Bundle, r.id)
		rep := &reporter{rule: r.id, severity: doc.Severity}
		r.check(c, rep)
		for _, d := range rep.found {
			if d.Object.Index == o.Ref.Index {
				found = append(found, d)
			}
		}
	}
	diag.Sort(found)
	if c.spent {
		notes = append(notes, "some selectors were not tried: there are too many expressions and devices to look at in one review")
	}
	return found, notes
}

func subjectsOf(value any) subjects {
	switch value.(type) {
	case *resourceapi.ResourceSlice:
		return onSlice | onPool
	case *resourceapi.DeviceClass:
		return onClass
	case *resourceapi.ResourceClaim, *resourceapi.ResourceClaimTemplate:
		return onClaim
	case *corev1.Pod:
		return onPod
	case *resourceapi.DeviceTaintRule:
		return onTaintRule
	}
	return onNone
}

// amongOthers makes a cluster of what is around an object. The object is the
// last, so that of two that do not fit each other it is the one to report.
func amongOthers(o *bundle.Object, around *census.Around, set *feature.Set) *cluster {
	b := &bundle.Bundle{}
	add := func(kind, namespace, name string, value any) {
		ref := diag.Object{APIVersion: resourceapi.SchemeGroupVersion.String(), Kind: kind, Namespace: namespace, Name: name}
		if kind == "Node" {
			ref.APIVersion = "v1"
		}
		b.Objects = append(b.Objects, &bundle.Object{Ref: ref, Value: value})
	}
	for _, v := range around.Classes {
		add("DeviceClass", "", v.Name, v)
	}
	for _, v := range around.Claims {
		add("ResourceClaim", v.Namespace, v.Name, v)
	}
	for _, v := range around.Templates {
		add("ResourceClaimTemplate", v.Namespace, v.Name, v)
	}
	for _, v := range around.Nodes {
		add("Node", "", v.Name, v)
	}
	if s, ok := o.Value.(*resourceapi.ResourceSlice); ok {
		for _, list := range [][]*resourceapi.ResourceSlice{around.Samples[s.Spec.Driver], around.Pool} {
			for _, v := range list {
				add("ResourceSlice", "", v.Name, v)
			}
		}
	}
	for i, other := range b.Objects {
		other.Ref.Index = o.Ref.Index - len(b.Objects) + i
	}
	b.Objects = append(b.Objects, o)
	c := newCluster(b, set)
	c.subject, c.around, c.evaluations, c.shared = o, around, mostCostAmong, around.Programs
	if around.Drivers != nil {
		c.drivers, c.driverList, c.sum = around.Drivers, around.DriverNames, around.All
	}
	c.classNames = around.ClassNames
	ns := named(o.Ref.Namespace, "").namespace
	c.specNames[specGroup{"ResourceClaim", ns}] = around.ClaimNames
	c.specNames[specGroup{"ResourceClaimTemplate", ns}] = around.TemplateNames
	return c
}

// where is what the objects stand in.
func (c *cluster) where() string {
	if c.around != nil {
		return "cluster"
	}
	return "bundle"
}

// mine tells whether findings about an object are wanted.
func (c *cluster) mine(o *bundle.Object) bool { return c.subject == nil || c.subject == o }

// knows tells whether what is not there does not exist. A bundle can always
// be asked; what it lacks is a matter of severity.
func (c *cluster) knows(kind string) bool { return c.around == nil || c.around.Freshness.Knows(kind) }

// remark is the severity of what a bundle may lack because it is elsewhere. In
// a cluster there is no elsewhere.
func (c *cluster) remark() diag.Severity {
	if c.around != nil {
		return diag.Warning
	}
	return diag.Info
}

// nodeCount is how many nodes there are; 0 where nobody knows.
func (c *cluster) nodeCount() int {
	switch {
	case c.around == nil:
		return len(c.nodes)
	case !c.knows("Node"):
		return 0
	}
	return c.around.NodeCount
}

// reach is how many devices of a driver there are to walk over.
func (c *cluster) reach(d *driver) int {
	if c.around == nil {
		return d.Devices + len(c.pools)
	}
	n := 0
	for _, p := range c.poolsOf(d) {
		for _, s := range p.slices {
			n += 1 + len(s.value.Spec.Devices)
		}
	}
	return n
}

// whole tells whether a walk over the devices of a driver meets all of them.
func (c *cluster) whole(d *driver) bool {
	if c.around == nil {
		return true
	}
	if d.Name != "" {
		return !c.around.Sampled[d.Name]
	}
	return len(c.around.Sampled) == 0
}

// poolsOf are the pools that may hold devices of a driver, or of all for the
// sum: those of the bundle, or samples of those of the cluster.
func (c *cluster) poolsOf(d *driver) []*pool {
	if c.around == nil || c.around.Drivers == nil {
		return c.pools
	}
	if pools, known := c.samples[d.Name]; known {
		return pools
	}
	var list []*slice
	for _, n := range c.driverList {
		if d.Name != "" && d.Name != n {
			continue
		}
		for _, v := range c.around.Samples[n] {
			ref := diag.Object{Index: c.subject.Ref.Index - 1, APIVersion: resourceapi.SchemeGroupVersion.String(), Kind: "ResourceSlice", Name: v.Name}
			list = append(list, &slice{typed[resourceapi.ResourceSlice]{&bundle.Object{Ref: ref, Value: v}, v}})
		}
	}
	if c.samples == nil {
		c.samples = map[string][]*pool{}
	}
	c.samples[d.Name] = groupPools(list)
	return c.samples[d.Name]
}
