package lint

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/census"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/selector"
)

// name is the full name of an object inside its namespace.
type name struct{ namespace, name string }

func (n name) String() string { return n.namespace + "/" + n.name }

// named reads the name from an object. What names no namespace lands in the
// current one of whoever applies it, which is called default here.
func named(namespace, n string) name {
	if namespace == "" {
		namespace = "default"
	}
	return name{namespace, n}
}

// typed pairs an object of the bundle with its decoded value.
type typed[T any] struct {
	object *bundle.Object
	value  *T
}

func (t typed[T]) at(parts ...any) place { return place{t.object, at(parts...)} }

type (
	class     = typed[resourceapi.DeviceClass]
	pod       = typed[corev1.Pod]
	node      = typed[corev1.Node]
	taintRule = typed[resourceapi.DeviceTaintRule]
)

// cluster is the bundle by kind and name. Of several objects with one name
// only the last is in it, as it would replace the others.
type cluster struct {
	set     *feature.Set
	objects []*bundle.Object
	// subject is the one object that matters, and around what there is to
	// know besides; nil for a bundle, of which all objects do. samples are
	// pools of drivers then.
	subject *bundle.Object
	around  *census.Around
	samples map[string][]*pool
	// spent is set where a selector was not tried for want of budget.
	spent bool
	// last is the index of the last object with a kind and name.
	last map[objectKey]int
	// guesses and visits are what is left of the budgets.
	guesses, visits, evaluations budget
	// programs are the expressions that were compiled, shared where others look
	// for them besides and nil if nobody does, suits the devices that
	// requests with the same selectors can get.
	programs map[programKey]*selector.Program
	shared   *selector.Shared
	suits    map[string]suitable

	slices     []*slice
	pools      []*pool
	drivers    map[string]*driver
	driverList []string
	sum        *driver // see allDrivers
	classes    []class
	classByID  map[string]class
	classNames []string
	// namelessClass is set where a class lacks its name, which is an error of
	// its own, so that nobody knows which classes there are.
	namelessClass bool
	specs         []*claimSpec
	specNames     map[specGroup][]string
	claims        map[name]*claimSpec
	templates     map[name]*claimSpec
	pods          []pod
	nodes         []node
	nodeByName    map[string]node
	taintRules    []taintRule
	roles         []grants
	bindings      []granting
	// localDrivers tells of drivers with slices whether each is of one node.
	localDrivers map[string]bool
}

// specGroup is a kind, of claims or of templates, in a namespace.
type specGroup struct{ kind, namespace string }

type objectKey struct {
	kind string
	name
}

// groupKind tells kinds of different API groups apart, and not versions.
func groupKind(o *bundle.Object) string {
	group, _, found := strings.Cut(o.Ref.APIVersion, "/")
	if !found {
		group = ""
	}
	return group + "/" + o.Ref.Kind
}

func newCluster(b *bundle.Bundle, set *feature.Set) *cluster {
	c := &cluster{
		set:         set,
		objects:     b.Objects,
		last:        map[objectKey]int{},
		guesses:     mostGuesses,
		visits:      mostVisits,
		evaluations: mostCost,
		programs:    map[programKey]*selector.Program{},
		suits:       map[string]suitable{},
		classByID:   map[string]class{},
		specNames:   map[specGroup][]string{},
		claims:      map[name]*claimSpec{},
		templates:   map[name]*claimSpec{},
		nodeByName:  map[string]node{},
	}
	for i, o := range b.Objects {
		c.last[keyOf(o)] = i
	}
	for i, o := range b.Objects {
		if o.Value == nil || (!unnamed(o) && c.last[keyOf(o)] != i) {
			continue
		}
		c.add(o)
	}
	for _, o := range b.Objects {
		// Classes that could not be decoded have a name all the same.
		switch {
		case o.Ref.Kind != "DeviceClass":
		case o.Ref.Name == "":
			c.namelessClass = true
		default:
			c.classNames = append(c.classNames, o.Ref.Name)
		}
	}
	c.pools = groupPools(c.slices)
	c.drivers, c.driverList = groupDrivers(c.pools)
	return c
}

func keyOf(o *bundle.Object) objectKey {
	return objectKey{groupKind(o), named(o.Ref.Namespace, o.Ref.Name)}
}

// unnamed tells whether the API server will invent the name, so that no two
// of them are the same object. Their name in findings ends in "*".
func unnamed(o *bundle.Object) bool {
	return o.Ref.Name == "" || strings.HasSuffix(o.Ref.Name, "*")
}

func (c *cluster) add(o *bundle.Object) {
	switch v := o.Value.(type) {
	case *resourceapi.ResourceSlice:
		c.slices = append(c.slices, &slice{typed[resourceapi.ResourceSlice]{o, v}})
	case *resourceapi.DeviceClass:
		c.classes = append(c.classes, class{o, v})
		c.classByID[v.Name] = class{o, v}
	case *resourceapi.ResourceClaim:
		s := newClaimSpec(o, &v.Spec, "spec")
		s.claim = v
		c.addSpec(s)
		c.claims[s.name] = s
	case *resourceapi.ResourceClaimTemplate:
		s := newClaimSpec(o, &v.Spec.Spec, "spec.spec")
		c.addSpec(s)
		c.templates[s.name] = s
	case *resourceapi.DeviceTaintRule:
		c.taintRules = append(c.taintRules, taintRule{o, v})
	case *corev1.Pod:
		c.pods = append(c.pods, pod{o, v})
	case *corev1.Node:
		c.nodes = append(c.nodes, node{o, v})
		c.nodeByName[v.Name] = node{o, v}
	default:
		c.addRights(o)
	}
}

func (c *cluster) addSpec(s *claimSpec) {
	c.specs = append(c.specs, s)
	group := specGroup{s.object.Ref.Kind, s.name.namespace}
	c.specNames[group] = append(c.specNames[group], s.name.name)
}

// has tells whether the bundle holds an object of resource.k8s.io with this
// kind and name, be it readable or not.
func (c *cluster) has(kind string, n name) bool {
	_, ok := c.last[objectKey{resourceapi.GroupName + "/" + kind, n}]
	return ok
}

// on tells whether a feature gate is on.
func (c *cluster) on(gate string) bool { return c.set.Enabled(feature.Gate(gate)) }

// asks tells whether anything in the bundle wants devices.
func (c *cluster) asks() bool { return len(c.specs) > 0 || len(c.pods) > 0 }

func duplicateObject(c *cluster, r *reporter) {
	first := map[objectKey]*bundle.Object{}
	for _, o := range c.objects {
		if unnamed(o) || o.Ref.Kind == "" {
			continue
		}
		k := keyOf(o)
		earlier, seen := first[k]
		if !seen {
			first[k] = o
			continue
		}
		r.report(finding{
			at:      place{o, "metadata.name"},
			value:   o.Ref.Name,
			message: o.Ref.Kind + " " + o.Ref.Name + " stands in the bundle more than once; the last one replaces the others, so give each its own name",
			related: related("first written here", place{earlier, "metadata.name"}),
		})
	}
}
