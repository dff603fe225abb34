package schedule

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/extended"
	"github.com/drawbridge-dra/drawbridge/core/fit"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

func (p *planner) index() {
	var slices []*resourceapi.ResourceSlice
	for _, s := range p.Slices {
		if !p.Invalid[s] {
			slices = append(slices, s)
		}
	}
	var rules []*resourceapi.DeviceTaintRule
	for _, r := range p.Rules {
		if !p.Invalid[r] {
			rules = append(rules, r)
		}
	}
	p.inventory = inventory.New(slices, rules, p.Features)
	for _, c := range p.Classes {
		if !p.Invalid[c] {
			p.classes[c.Name] = c
		}
	}
	for _, t := range p.Templates {
		p.templates[namespace(t.Namespace)+"/"+t.Name] = t
	}
	for _, pod := range p.Pods {
		name := namespace(pod.Namespace) + "/" + pod.Name
		if p.pods[name] == nil {
			p.pods[name] = pod
		}
		p.ready = append(p.ready, fit.NewPod(pod, fit.Options{
			NodeAllocatable: p.Gates.NodeAllocatable, DeclaredFeatures: p.Gates.DeclaredFeatures, Version: p.Gates.Version,
		}))
	}
	for _, g := range p.Groups {
		p.groups[namespace(g.Namespace)+"/"+g.Name] = g
	}
	if p.Gates.ExtendedResource {
		var classes []*resourceapi.DeviceClass
		for _, c := range p.Classes {
			if !p.Invalid[c] {
				classes = append(classes, c)
			}
		}
		p.extended = extended.NewClasses(classes)
	}
	p.devices = newDevices(slices, p.Gates.NodeAllocatable)
	p.indexClaims()
}

func (p *planner) indexClaims() {
	release := p.releaser()
	for _, origin := range p.Claims {
		c := &Claim{Claim: origin.DeepCopy(), Origin: origin, Outcome: Unfit}
		c.Claim.Namespace = namespace(origin.Namespace)
		p.claims = append(p.claims, c)
		p.noteGenerated(c)
		if p.Invalid[origin] {
			c.Outcome = Invalid
			c.Message = "the API server refuses the claim; see the findings"
		} else if release.claim(c); c.Claim.Status.Allocation != nil {
			c.Outcome = Before
			p.held.Add(c.Claim, p.Features)
		}
		if c.gone != "" {
			c.Message = fmt.Sprintf("%s %s", c.Name(), c.gone)
		}
		if _, twice := p.byName[c.Name()]; !twice {
			p.byName[c.Name()] = c
		}
	}
	release.tell()
}

func namespace(s string) string {
	if s == "" {
		return "default"
	}
	return s
}

// chooseNodes takes the nodes of the input, or else assumes those that the
// slices name, or else one without a name.
func (p *planner) chooseNodes() {
	if len(p.Nodes) > 0 {
		for _, n := range p.Nodes {
			p.addNode(n)
		}
		return
	}
	seen := map[string]bool{}
	add := func(name *string) {
		if name != nil && *name != "" && !seen[*name] {
			seen[*name] = true
			p.addNode(p.assumedNode(*name))
		}
	}
	for _, s := range p.Slices {
		if p.Invalid[s] {
			continue
		}
		add(s.Spec.NodeName)
		for i := range s.Spec.Devices {
			add(s.Spec.Devices[i].NodeName)
		}
	}
	switch len(p.nodes) {
	case 0:
		p.addNode(p.assumedNode(""))
		p.assume("no Node is known, and no slice names one: one node without name and labels assumed")
	case 1:
		p.assume(fmt.Sprintf("no Node is known: %s assumed from the slices", p.nodes[0].Name))
	default:
		p.assume(fmt.Sprintf("no Node is known: %d nodes assumed from the slices, with no label but kubernetes.io/hostname", len(p.nodes)))
	}
}

func (p *planner) addNode(node *corev1.Node) {
	n := fit.NewNode(node)
	p.nodes = append(p.nodes, n)
	if p.nodeByName[node.Name] == nil {
		p.nodeByName[node.Name] = n
	}
}

// settle puts the pods that have a node onto it.
func (p *planner) settle() {
	for _, ready := range p.ready {
		if n := p.nodeByName[ready.Spec.NodeName]; n != nil && ready.Spec.NodeName != "" && !fit.Ended(ready.Pod) {
			n.Add(ready)
		}
	}
}

func (p *planner) assume(text string) { p.plan.Assumptions = append(p.plan.Assumptions, text) }

func (p *planner) assumedNode(name string) *corev1.Node {
	node := &corev1.Node{}
	node.Name = name
	if name != "" {
		node.Labels = map[string]string{corev1.LabelHostname: name}
	}
	if p.Features.OptionalNodeOperations {
		node.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"}
	}
	return node
}
