package classic

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/fit"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// world is the cluster while it is played in.
type world struct {
	opts      Options
	pods      []*pod
	named     map[string]*pod
	nodes     []*fit.Node
	claims    map[string]*claim
	templates map[string]*template
	classes   map[string]*class
	contexts  map[string]*talk
	// answers are what the controllers say of the claims of a pod, by the name
	// that the pod gives them.
	answers     map[string][]past.ClaimScheduling
	assumptions []string

	made, looks, bytes int
}

type pod struct {
	*corev1.Pod
	key     string
	uid     string
	object  *bundle.Object
	fit     *fit.Pod
	written *document
	// made are the claims that its status names.
	made []corev1.PodResourceClaimStatus
}

// document is an object as it is stored now.
type document struct {
	tree map[string]any
	from *bundle.Object
}

// claim is a claim with what counts of it.
type claim struct {
	document
	key string
	// driver is whose controller allocates; empty for the scheduler.
	driver string
	// old is set for claims of before 1.31, which ask one class.
	old, immediate, shareable bool
	classes                   []string
	// by is whose controller has allocated.
	by           string
	allocated    bool
	nodes        *corev1.NodeSelector
	reserved     []string // UIDs
	deallocation bool
	deleted      bool
	finalizers   []string
	// vague is set once the scheduler has allocated: devices are not chosen here.
	vague bool
}

type template struct {
	tree   map[string]any
	driver string
	old    bool
}

type class struct {
	driver     string
	nodes      *corev1.NodeSelector
	structured bool
}

// talk is a PodSchedulingContext.
type talk struct {
	document
	selected  string
	potential []string
	claims    []past.ClaimScheduling
	owned     bool
}

func inNamespace(namespace, name string) string {
	if namespace == "" {
		namespace = "default"
	}
	return namespace + "/" + name
}

func (w *world) assume(text string) {
	if !slices.Contains(w.assumptions, text) {
		w.assumptions = append(w.assumptions, text)
	}
}

func newWorld(b *bundle.Bundle, invalid map[int]bool, opts Options) *world {
	w := &world{
		opts: opts, named: map[string]*pod{}, claims: map[string]*claim{}, templates: map[string]*template{}, classes: map[string]*class{},
		contexts: map[string]*talk{}, answers: map[string][]past.ClaimScheduling{},
	}
	var claims []*bundle.Object
	for _, o := range b.Objects {
		if invalid[o.Ref.Index] || o.Value == nil {
			continue
		}
		switch v := o.Value.(type) {
		case *corev1.Node:
			w.nodes = append(w.nodes, fit.NewNode(v))
		case *corev1.Pod:
			p := &pod{Pod: v, key: inNamespace(v.Namespace, v.Name), uid: string(v.UID), object: o, fit: fit.NewPod(v, fit.Options{}), made: v.Status.ResourceClaimStatuses}
			w.pods = append(w.pods, p)
			if w.named[p.key] == nil {
				w.named[p.key] = p
			}
			if p.uid == "" {
				p.uid = "uid-of-" + p.Name
				w.assume("pods without metadata.uid get one that is made of their name")
			}
		case *resourceapi.DeviceClass:
			w.classes[v.Name] = &class{nodes: selectorAt(o, "spec.suitableNodes")}
		case *past.ResourceClass:
			w.classes[v.Name] = &class{driver: v.DriverName, nodes: v.SuitableNodes, structured: v.StructuredParameters != nil && *v.StructuredParameters}
		case *resourceapi.ResourceClaim, *past.ResourceClaim:
			claims = append(claims, o)
		case *resourceapi.ResourceClaimTemplate, *past.ResourceClaimTemplate:
			w.addTemplate(o)
		case *past.PodSchedulingContext:
			w.addTalk(v, o)
		}
	}
	for _, o := range claims {
		c := w.read(treeOf(o.Raw), o)
		w.claims[c.key] = c
	}
	for _, t := range w.templates {
		if t.old {
			t.driver = w.classDriver(text(t.tree, "spec", "spec", "resourceClassName"))
		}
	}
	w.settle()
	return w
}

// settle gives pods their contexts, and puts those that have a node onto it.
func (w *world) settle() {
	for _, p := range w.pods {
		if t := w.contexts[p.key]; t != nil && w.named[p.key] == p {
			t.owned = w.owns(p, t)
		}
		for _, n := range w.nodes {
			if n.Name == p.Spec.NodeName && p.Spec.NodeName != "" && !fit.Ended(p.Pod) {
				n.Add(p.fit)
				break
			}
		}
	}
	w.assume("of the nodes that fit, the scheduler takes the first of the text; a cluster would take the one with the highest score")
}

func selectorAt(o *bundle.Object, path string) *corev1.NodeSelector {
	n := o.At(path)
	if n.Kind() != bundle.Map {
		return nil
	}
	var out corev1.NodeSelector
	if json.Unmarshal(n.JSON(), &out) != nil {
		return nil
	}
	return &out
}

func (w *world) addTemplate(o *bundle.Object) {
	t := &template{tree: treeOf(o.Raw)}
	if _, old := o.Value.(*past.ResourceClaimTemplate); old {
		t.old = true
	} else {
		t.driver = text(t.tree, "spec", "spec", "controller")
	}
	w.templates[inNamespace(o.Ref.Namespace, o.Ref.Name)] = t
}

func (w *world) addTalk(v *past.PodSchedulingContext, o *bundle.Object) {
	key := inNamespace(v.Namespace, v.Name)
	w.answers[key] = v.Status.ResourceClaims
	if w.opts.Fresh {
		return
	}
	w.contexts[key] = &talk{document: document{treeOf(o.Raw), o}, selected: v.Spec.SelectedNode, potential: v.Spec.PotentialNodes, claims: v.Status.ResourceClaims}
}

// owns tells whether the pod is the controller of its context.
func (w *world) owns(p *pod, t *talk) bool {
	if owner := controllerOf(t.tree); owner != nil {
		return p.UID == "" || text(owner, "uid") == p.uid
	}
	if len(items(t.tree, "metadata", "ownerReferences")) == 0 {
		w.assume("a PodSchedulingContext without metadata.ownerReferences belongs to the pod of its name")
		return true
	}
	return false
}

// classDriver is whose controller allocates for a class of before 1.31.
func (w *world) classDriver(name string) string {
	if c := w.classes[name]; c != nil && !c.structured {
		return c.driver
	}
	return ""
}

// structuredFinalizer marks claims of 1.30 that the scheduler has allocated.
const structuredFinalizer = "dra.k8s.io/delete-protection"

// read takes from a claim's tree what counts.
func (w *world) read(tree map[string]any, from *bundle.Object) *claim {
	c := &claim{document: document{tree, from}, key: inNamespace(text(tree, "metadata", "namespace"), text(tree, "metadata", "name"))}
	c.deleted = text(tree, "metadata", "deletionTimestamp") != ""
	for _, f := range items(tree, "metadata", "finalizers") {
		if name, ok := f.(string); ok {
			c.finalizers = append(c.finalizers, name)
		}
	}
	for _, r := range items(tree, "status", "reservedFor") {
		if consumer, ok := r.(map[string]any); ok {
			c.reserved = append(c.reserved, text(consumer, "uid"))
		}
	}
	c.deallocation, _ = get(tree, "status", "deallocationRequested").(bool)
	allocation, allocated := get(tree, "status", "allocation").(map[string]any)
	c.allocated = allocated
	nodes := "nodeSelector"
	if name := text(tree, "spec", "resourceClassName"); name != "" {
		c.old, c.classes, c.driver = true, []string{name}, w.classDriver(name)
		c.immediate = text(tree, "spec", "allocationMode") == past.Immediate
		nodes = "availableOnNodes"
		if c.shareable, _ = allocation["shareable"].(bool); allocated && !slices.Contains(c.finalizers, structuredFinalizer) {
			c.by = text(tree, "status", "driverName")
		}
	} else {
		c.driver, c.by = text(tree, "spec", "controller"), text(allocation, "controller")
		for _, r := range items(tree, "spec", "devices", "requests") {
			request, _ := r.(map[string]any)
			name := text(request, "deviceClassName")
			if exactly, ok := request["exactly"].(map[string]any); ok {
				name = text(exactly, "deviceClassName")
			}
			c.classes = append(c.classes, name)
		}
	}
	if selector, ok := allocation[nodes].(map[string]any); ok {
		if raw, err := json.Marshal(selector); err == nil {
			c.nodes = &corev1.NodeSelector{}
			if json.Unmarshal(raw, c.nodes) != nil {
				c.nodes = nil
			}
		}
	}
	return c
}

// onNode tells whether a selector takes a node. One that cannot be read takes
// none.
func onNode(s *corev1.NodeSelector, n *corev1.Node) bool {
	if s == nil {
		return true
	}
	parsed, err := nodeaffinity.NewNodeSelector(s)
	return err == nil && parsed.Match(n)
}

// contextKind is what the object is called in the version.
func (w *world) contextKind() (apiVersion, kind string) {
	switch {
	case w.opts.Minor <= 26:
		return past.V1alpha1, "PodScheduling"
	case w.opts.Minor <= 30:
		return past.V1alpha2, "PodSchedulingContext"
	}
	return past.V1alpha3, "PodSchedulingContext"
}

func (w *world) contextName(key string) string {
	_, kind := w.contextKind()
	return kind + " " + key
}

func claimName(c *claim) string { return "ResourceClaim " + c.key }

func quantity(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
