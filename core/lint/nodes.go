package lint

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// sliceNodeMissing speaks once for all slices, because a bundle with some of
// the nodes of a cluster and all of its slices is a common thing to have.
func sliceNodeMissing(c *cluster, r *reporter) {
	if c.nodeCount() == 0 {
		return
	}
	var first *slice
	n := 0
	for _, s := range c.slices {
		if s.node() == "" || !c.mine(s.object) {
			continue
		}
		if _, ok := c.nodeByName[s.node()]; ok {
			continue
		}
		if n++; n == 1 {
			first = s
		}
	}
	if n == 0 {
		return
	}
	r.report(finding{
		at:    first.at("spec.nodeName"),
		value: first.node(),
		message: fmt.Sprintf("ResourceSlice %s%s is for a node (%s) that is not among the %s of the %s, so its devices are never used there",
			first.object.Ref.Name, andMore(n-1, "slice"), first.node(), count(c.nodeCount(), "node"), c.where()),
	})
}

func sliceSelectsNoNode(c *cluster, r *reporter) {
	if len(c.nodes) == 0 || c.nodeCount() != len(c.nodes) {
		return
	}
	// Drivers repeat one selector over many slices and devices.
	known := map[string]bool{}
	none := func(selector *corev1.NodeSelector) bool {
		if selector == nil {
			return false
		}
		text := fmt.Sprintf("%#v", selector)
		matched, seen := known[text]
		if !seen {
			matched = c.matchesAny(selector)
			known[text] = matched
		}
		return !matched
	}
	for _, s := range c.slices {
		if c.mine(s.object) && none(s.value.Spec.NodeSelector) {
			r.report(finding{
				at:      s.at("spec.nodeSelector"),
				message: fmt.Sprintf("the node selector of ResourceSlice %s matches none of the %s of the %s, so its devices are never used there", s.object.Ref.Name, count(len(c.nodes), "node"), c.where()),
			})
		}
	}
	perSlice(c, r, func(d device) bool {
		return none(d.value().NodeSelector)
	}, func(d device, more string) finding {
		return finding{at: d.at("nodeSelector"), message: fmt.Sprintf("the node selector of device %s%s matches none of the %s of the %s, so it is never used there", d.value().Name, more, count(len(c.nodes), "node"), c.where())}
	})
}

// matchesAny tells whether some node matches. A selector that cannot be
// parsed counts as matching, because the API server has a say on it, and so
// does one for which the budget does not last.
func (c *cluster) matchesAny(selector *corev1.NodeSelector) bool {
	parsed, err := nodeaffinity.NewNodeSelector(selector)
	if err != nil {
		return true
	}
	for _, n := range c.nodes {
		if !c.visits.spend(1) || parsed.Match(n.value) {
			return true
		}
	}
	return false
}

// optionalNodeOperations is what a node declares when its kubelet can leave
// out the driver's calls.
const optionalNodeOperations = "DRAOptionalNodeOperations"

// skipNodeOperationsUndeclared asks of a slice for one node that this node
// declares the feature, and of any other slice that some node does.
func skipNodeOperationsUndeclared(c *cluster, r *reporter) {
	if c.nodeCount() == 0 || !c.on(optionalNodeOperations) {
		return
	}
	declares := func(n node) bool {
		return slices.Contains(n.value.Status.DeclaredFeatures, optionalNodeOperations)
	}
	some := slices.ContainsFunc(c.nodes, declares)
	for _, s := range c.slices {
		if len(s.value.Spec.SkipNodeOperations) == 0 || !c.mine(s.object) {
			continue
		}
		f := finding{at: s.at("spec.skipNodeOperations")}
		if target, ok := c.nodeByName[s.node()]; ok {
			if declares(target) {
				continue
			}
			f.message = fmt.Sprintf("node %s does not declare %s in status.declaredFeatures, so no device of ResourceSlice %s is allocated there; enable the feature gate in its kubelet",
				s.node(), optionalNodeOperations, s.object.Ref.Name)
			f.related = related("the node", target.at("metadata.name"))
		} else {
			if some || s.node() != "" || c.nodeCount() != len(c.nodes) {
				continue
			}
			f.message = fmt.Sprintf("none of the %s of the %s declares %s in status.declaredFeatures, so no device of ResourceSlice %s is allocated; enable the feature gate in the kubelets",
				count(len(c.nodes), "node"), c.where(), optionalNodeOperations, s.object.Ref.Name)
		}
		r.report(f)
	}
}

// nodeAllocatableResources is what a node declares when its kubelet can count
// devices against its own resources.
const nodeAllocatableResources = "DRANodeAllocatableResources"

// nodeAllocatableUndeclared does what an admission plugin of the API server
// does: each node that such a device is for must exist and declare the
// feature. Where the bundle lacks the node nobody knows, and it is a warning.
func nodeAllocatableUndeclared(c *cluster, r *reporter) {
	if !c.on(nodeAllocatableResources) || !c.on("NodeDeclaredFeatures") || !c.knows("Node") {
		return
	}
	for _, s := range c.slices {
		if !c.mine(s.object) {
			continue
		}
		for i := range s.value.Spec.Devices {
			d := device{s, i}
			if len(d.value().NodeAllocatableResources) == 0 {
				continue
			}
			if f, ok := c.undeclared(d); ok {
				f.at = d.at("nodeAllocatableResources")
				r.report(f)
				break
			}
		}
	}
}

func (c *cluster) undeclared(d device) (finding, bool) {
	name, selector, all := d.slice.node(), d.slice.value.Spec.NodeSelector, isTrue(d.slice.value.Spec.AllNodes)
	if isTrue(d.slice.value.Spec.PerDeviceNodeSelection) {
		name, selector, all = d.node(), d.value().NodeSelector, isTrue(d.value().AllNodes)
	}
	declares := func(n node) bool {
		return slices.Contains(n.value.Status.DeclaredFeatures, nodeAllocatableResources)
	}
	refused := func(n node) (finding, bool) {
		return finding{
			message: fmt.Sprintf("device %s counts against the resources of node %s, which does not declare %s in status.declaredFeatures: the API server refuses the slice; enable the feature gate in its kubelet",
				d.value().Name, n.value.Name, nodeAllocatableResources),
			related: related("the node", n.at("metadata.name")),
		}, true
	}
	switch {
	case name == "" && selector == nil && !all:
		return finding{message: fmt.Sprintf("device %s counts against the resources of a node and is for none: the API server refuses the slice; name its node", d.value().Name)}, true
	case name != "":
		n, ok := c.nodeByName[name]
		if ok && declares(n) {
			return finding{}, false
		}
		if ok {
			return refused(n)
		}
		severity := diag.Warning
		if c.nodeCount() == 0 {
			severity = diag.Info // A slice by itself, while somebody writes it.
		}
		return finding{
			severity: severity, value: name,
			message: fmt.Sprintf("device %s counts against the resources of node %s, which is not in the %s: the API server refuses the slice unless the node exists and declares %s in status.declaredFeatures; apply the slice once it does",
				d.value().Name, name, c.where(), nodeAllocatableResources),
		}, true
	}
	var parsed *nodeaffinity.NodeSelector
	if !all {
		var err error
		if parsed, err = nodeaffinity.NewNodeSelector(selector); err != nil {
			return finding{}, false
		}
	}
	for _, n := range c.nodes {
		if !c.visits.spend(1) {
			return finding{}, false
		}
		if (all || parsed.Match(n.value)) && !declares(n) {
			return refused(n)
		}
	}
	return finding{}, false
}

// advertised is an extended resource that nodes offer through a device plugin
// although a driver publishes devices for them.
type advertised struct {
	resource corev1.ResourceName
	driver   string
	// node is the first of the nodes, with what it offers on both ways.
	node      node
	quantity  resource.Quantity
	published onNode
	nodes     int
	// class serves the resource, if mapped is true.
	class  class
	mapped bool
}

// advertisedTwice finds extended resources whose domain is a driver's name or
// a domain above it, such as gpu.example.com and example.com/gpu: by the
// custom of vendors that is the same hardware.
func (c *cluster) advertisedTwice() []*advertised {
	byDomain := map[string][]*driver{}
	for _, n := range c.driverList {
		for domain := n; strings.Contains(domain, ".") && len(n) <= resourceapi.DriverNameMaxLength; {
			byDomain[domain] = append(byDomain[domain], c.drivers[n])
			_, domain, _ = strings.Cut(domain, ".")
		}
	}
	published := c.publishedByNode()
	classes := c.classesByResource()
	var list []*advertised
	found := map[[2]string]*advertised{}
	for _, n := range c.nodes {
		for _, offered := range sortedKeys(n.value.Status.Allocatable) {
			domain, _, ok := strings.Cut(string(offered), "/")
			quantity := n.value.Status.Allocatable[offered]
			if !ok || quantity.Sign() <= 0 {
				continue
			}
			for _, d := range byDomain[domain] {
				here, ok := published[[2]string{d.Name, n.value.Name}]
				if !ok {
					continue
				}
				k := [2]string{string(offered), d.Name}
				if found[k] == nil {
					found[k] = &advertised{resource: offered, quantity: quantity, driver: d.Name, node: n, published: here}
					found[k].class, found[k].mapped = classes[string(offered)]
					list = append(list, found[k])
				}
				found[k].nodes++
			}
		}
	}
	return list
}

// onNode is what a driver publishes for one node.
type onNode struct {
	devices int
	first   *slice
}

// publishedByNode counts devices by driver and node.
func (c *cluster) publishedByNode() map[[2]string]onNode {
	m := map[[2]string]onNode{}
	for _, p := range c.pools {
		p.devices(func(d device) {
			if d.node() == "" {
				return
			}
			k := [2]string{p.driver, d.node()}
			o := m[k]
			if o.first == nil {
				o.first = d.slice
			}
			o.devices++
			m[k] = o
		})
	}
	return m
}

// classesByResource maps extended resources to the classes that serve them.
func (c *cluster) classesByResource() map[string]class {
	m := map[string]class{}
	if !c.on("DRAExtendedResource") {
		return m
	}
	for _, cl := range c.classes {
		m[resourceapi.ResourceDeviceClassPrefix+cl.value.Name] = cl
		if n := cl.value.Spec.ExtendedResourceName; n != nil {
			m[*n] = cl
		}
	}
	return m
}

func devicePluginAndDRA(c *cluster, r *reporter) {
	for _, a := range c.advertisedTwice() {
		if a.mapped {
			continue
		}
		r.report(finding{
			at:    a.node.at("status.allocatable", key(a.resource)),
			value: a.quantity.String(),
			message: fmt.Sprintf("node %s%s advertises %s: %s through a device plugin while driver %s publishes %s for it and no DeviceClass maps that extended resource; the same hardware may be handed out twice, so run one of the two",
				a.node.value.Name, andMore(a.nodes-1, "node"), a.resource, a.quantity.String(), a.driver, count(a.published.devices, "device")),
			related: related("published here", a.published.first.at("spec.driver")),
		})
	}
}

func extendedResourceShadowed(c *cluster, r *reporter) {
	for _, a := range c.advertisedTwice() {
		if !a.mapped {
			continue
		}
		r.report(finding{
			at:    a.node.at("status.allocatable", key(a.resource)),
			value: a.quantity.String(),
			message: fmt.Sprintf("node %s%s advertises %s: %s through a device plugin, so DeviceClass %s serves that resource only on other nodes; stop the device plugin there",
				a.node.value.Name, andMore(a.nodes-1, "node"), a.resource, a.quantity.String(), a.class.value.Name),
			related: related("the class", a.class.at("metadata.name")),
		})
	}
}

func extendedResourceDuplicate(c *cluster, r *reporter) {
	if !c.on("DRAExtendedResource") {
		return
	}
	first := map[string]class{}
	for _, cl := range c.classes {
		n := cl.value.Spec.ExtendedResourceName
		if n == nil || *n == "" {
			continue
		}
		other, seen := first[*n]
		if !seen {
			first[*n] = cl
			continue
		}
		r.report(finding{
			at:    cl.at("spec.extendedResourceName"),
			value: *n,
			message: fmt.Sprintf("DeviceClass %s and DeviceClass %s both claim extended resource %s: the newer one gets it, and the other may lose deviceclass.resource.kubernetes.io/%s as well; let one class have it",
				other.value.Name, cl.value.Name, *n, other.value.Name),
			related: related("claimed here too", other.at("spec.extendedResourceName")),
		})
	}
}
