package census

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drawbridge-dra/drawbridge/core/selector"
)

// Name is the full name of an object; without a namespace for kinds that have
// none.
type Name = types.NamespacedName

// Census is the index. It is not safe for concurrent use, not even for asking
// alone. Objects that were put into it must not be changed any more.
type Census struct {
	slices  map[string]*resourceapi.ResourceSlice
	pools   map[PoolID]*pool
	drivers map[string]*offer
	// driverNames are sorted, as are all lists of names here.
	driverNames []string
	all         *offer

	classes    map[string]*resourceapi.DeviceClass
	classNames []string
	claims     map[Name]*resourceapi.ResourceClaim
	templates  map[Name]*resourceapi.ResourceClaimTemplate
	// claimNames and templateNames are by namespace; the namespaces of a name
	// are in the others.
	claimNames, templateNames           map[string][]string
	claimNamespaces, templateNamespaces map[string][]string
	// claimsOf and templatesOf are the users of a class, holders the claims
	// that hold devices of a pool, podsOf the pods that name a template.
	claimsOf, templatesOf map[string]set
	holders               map[PoolID]set
	podsOf                map[Name]set
	pods                  map[Name][]Name
	// resources are the classes that name an extended resource.
	resources map[string][]*resourceapi.DeviceClass

	nodes      map[string]*corev1.Node
	nodeNames  []string
	nodeList   []*corev1.Node // nil when it must be made anew
	namespaces map[string]*corev1.Namespace
	programs   *selector.Shared
}

type set map[Name]struct{}

// PoolID tells pools apart.
type PoolID struct{ Driver, Pool string }

// New makes an empty census.
func New() *Census {
	return &Census{
		slices: map[string]*resourceapi.ResourceSlice{}, pools: map[PoolID]*pool{}, drivers: map[string]*offer{},
		all:     newOffer(""),
		classes: map[string]*resourceapi.DeviceClass{}, claims: map[Name]*resourceapi.ResourceClaim{},
		templates:  map[Name]*resourceapi.ResourceClaimTemplate{},
		claimNames: map[string][]string{}, templateNames: map[string][]string{},
		claimNamespaces: map[string][]string{}, templateNamespaces: map[string][]string{},
		claimsOf: map[string]set{}, templatesOf: map[string]set{}, holders: map[PoolID]set{},
		podsOf: map[Name]set{}, pods: map[Name][]Name{}, resources: map[string][]*resourceapi.DeviceClass{},
		nodes: map[string]*corev1.Node{}, namespaces: map[string]*corev1.Namespace{}, programs: &selector.Shared{},
	}
}

// Put adds an object, or replaces the one of its name. Kinds that do not
// matter are ignored.
func (c *Census) Put(object any) {
	switch o := object.(type) {
	case *resourceapi.ResourceSlice:
		c.putSlice(o)
	case *resourceapi.DeviceClass:
		c.removeClass(o.Name)
		c.putClass(o)
	case *resourceapi.ResourceClaim:
		c.removeClaim(nameOf(o))
		c.putClaim(o)
	case *resourceapi.ResourceClaimTemplate:
		c.removeTemplate(nameOf(o))
		c.putTemplate(o)
	case *corev1.Pod:
		c.removePod(nameOf(o))
		c.putPod(o)
	case *corev1.Node:
		if c.nodes[o.Name] == nil {
			c.nodeNames = insert(c.nodeNames, o.Name)
		}
		c.nodes[o.Name] = o
		c.nodeList = nil
	case *corev1.Namespace:
		c.namespaces[o.Name] = o
	}
}

// Remove forgets the object of that kind and name.
func (c *Census) Remove(object any) {
	switch o := object.(type) {
	case *resourceapi.ResourceSlice:
		c.removeSlice(o.Name)
	case *resourceapi.DeviceClass:
		c.removeClass(o.Name)
	case *resourceapi.ResourceClaim:
		c.removeClaim(nameOf(o))
	case *resourceapi.ResourceClaimTemplate:
		c.removeTemplate(nameOf(o))
	case *corev1.Pod:
		c.removePod(nameOf(o))
	case *corev1.Node:
		if c.nodes[o.Name] != nil {
			c.nodeNames = without(c.nodeNames, o.Name)
			c.nodeList = nil
		}
		delete(c.nodes, o.Name)
	case *corev1.Namespace:
		delete(c.namespaces, o.Name)
	}
}

func nameOf(o interface {
	GetNamespace() string
	GetName() string
}) Name {
	return Name{Namespace: o.GetNamespace(), Name: o.GetName()}
}

func (c *Census) putClass(o *resourceapi.DeviceClass) {
	c.classes[o.Name] = o
	c.classNames = insert(c.classNames, o.Name)
	if n := o.Spec.ExtendedResourceName; n != nil && *n != "" {
		list := append(slices.Clone(c.resources[*n]), o)
		slices.SortFunc(list, func(a, b *resourceapi.DeviceClass) int { return cmp.Compare(a.Name, b.Name) })
		c.resources[*n] = list
	}
}

func (c *Census) removeClass(name string) {
	o := c.classes[name]
	if o == nil {
		return
	}
	delete(c.classes, name)
	c.classNames = without(c.classNames, name)
	if n := o.Spec.ExtendedResourceName; n != nil {
		list := slices.DeleteFunc(slices.Clone(c.resources[*n]), func(other *resourceapi.DeviceClass) bool { return other == o })
		keep(c.resources, *n, list)
	}
}

func (c *Census) putClaim(o *resourceapi.ResourceClaim) {
	n := nameOf(o)
	c.claims[n] = o
	c.claimNames[n.Namespace] = insert(c.claimNames[n.Namespace], n.Name)
	c.claimNamespaces[n.Name] = insert(c.claimNamespaces[n.Name], n.Namespace)
	for class := range classesOf(o.Spec) {
		join(c.claimsOf, class, n)
	}
	for id := range poolsOf(o) {
		join(c.holders, id, n)
	}
}

func (c *Census) removeClaim(n Name) {
	o := c.claims[n]
	if o == nil {
		return
	}
	delete(c.claims, n)
	keep(c.claimNames, n.Namespace, without(c.claimNames[n.Namespace], n.Name))
	keep(c.claimNamespaces, n.Name, without(c.claimNamespaces[n.Name], n.Namespace))
	for class := range classesOf(o.Spec) {
		leave(c.claimsOf, class, n)
	}
	for id := range poolsOf(o) {
		leave(c.holders, id, n)
	}
}

func (c *Census) putTemplate(o *resourceapi.ResourceClaimTemplate) {
	n := nameOf(o)
	c.templates[n] = o
	c.templateNames[n.Namespace] = insert(c.templateNames[n.Namespace], n.Name)
	c.templateNamespaces[n.Name] = insert(c.templateNamespaces[n.Name], n.Namespace)
	for class := range classesOf(o.Spec.Spec) {
		join(c.templatesOf, class, n)
	}
}

func (c *Census) removeTemplate(n Name) {
	o := c.templates[n]
	if o == nil {
		return
	}
	delete(c.templates, n)
	keep(c.templateNames, n.Namespace, without(c.templateNames[n.Namespace], n.Name))
	keep(c.templateNamespaces, n.Name, without(c.templateNamespaces[n.Name], n.Namespace))
	for class := range classesOf(o.Spec.Spec) {
		leave(c.templatesOf, class, n)
	}
}

// putPod keeps of a pod which templates it names, while it is not done.
func (c *Census) putPod(o *corev1.Pod) {
	if o.Status.Phase == corev1.PodSucceeded || o.Status.Phase == corev1.PodFailed {
		return
	}
	n := nameOf(o)
	for _, entry := range o.Spec.ResourceClaims {
		if entry.ResourceClaimTemplateName != nil {
			template := Name{Namespace: n.Namespace, Name: *entry.ResourceClaimTemplateName}
			c.pods[n] = append(c.pods[n], template)
			join(c.podsOf, template, n)
		}
	}
}

func (c *Census) removePod(n Name) {
	for _, template := range c.pods[n] {
		leave(c.podsOf, template, n)
	}
	delete(c.pods, n)
}

// classesOf are the classes that the requests of a claim name.
func classesOf(spec resourceapi.ResourceClaimSpec) map[string]bool {
	found := map[string]bool{}
	for _, r := range spec.Devices.Requests {
		if r.Exactly != nil {
			found[r.Exactly.DeviceClassName] = true
		}
		for _, sub := range r.FirstAvailable {
			found[sub.DeviceClassName] = true
		}
	}
	delete(found, "")
	return found
}

// poolsOf are the pools of which a claim holds devices.
func poolsOf(o *resourceapi.ResourceClaim) map[PoolID]bool {
	found := map[PoolID]bool{}
	if o.Status.Allocation != nil {
		for _, r := range o.Status.Allocation.Devices.Results {
			found[PoolID{r.Driver, r.Pool}] = true
		}
	}
	return found
}

// insert adds a name to a sorted list that does not have it.
func insert(list []string, name string) []string {
	i, found := slices.BinarySearch(list, name)
	if found {
		return list
	}
	return slices.Insert(list, i, name)
}

// without removes a name from a sorted list.
func without(list []string, name string) []string {
	if i, found := slices.BinarySearch(list, name); found {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// keep stores a list unless it is empty.
func keep[K comparable, V any](m map[K][]V, k K, list []V) {
	if len(list) == 0 {
		delete(m, k)
		return
	}
	m[k] = list
}

func join[K comparable](m map[K]set, k K, n Name) {
	if m[k] == nil {
		m[k] = set{}
	}
	m[k][n] = struct{}{}
}

func leave[K comparable](m map[K]set, k K, n Name) {
	if delete(m[k], n); len(m[k]) == 0 {
		delete(m, k)
	}
}
