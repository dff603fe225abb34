package prepared

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Container is a container of a pod.
type Container struct {
	*corev1.Container
	Init bool
}

// Restarts tells whether an init container keeps running beside the others.
func (c Container) Restarts() bool {
	return c.Init && c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// Containers are the init containers of the pod and then the others. Of two
// with one name, which the API server refuses, the first counts.
func (p *Pod) Containers() []Container {
	out := make([]Container, 0, len(p.Pod.Spec.InitContainers)+len(p.Pod.Spec.Containers))
	seen := map[string]bool{}
	add := func(list []corev1.Container, init bool) {
		for i := range list {
			if !seen[list[i].Name] {
				seen[list[i].Name] = true
				out = append(out, Container{&list[i], init})
			}
		}
	}
	add(p.Pod.Spec.InitContainers, true)
	add(p.Pod.Spec.Containers, false)
	return out
}

// Use is what a container is given of a claim.
type Use struct {
	// Claim is the place among the claims of the pod.
	Claim int
	// Request is the only request of which it gets devices; empty for all.
	Request string
	// Why says what of the pod makes it so.
	Why string
}

// Uses lists what a container is given, in the order of the claims of the pod.
// What it lists twice it is given twice.
func (p *Pod) Uses(c Container) []Use {
	var out []Use
	for _, r := range c.Resources.Claims {
		i, known := p.entries[r.Name]
		if !known || r.Name == "" {
			continue
		}
		why := fmt.Sprintf("resources.claims lists %s, with all of its requests", r.Name)
		if r.Request != "" {
			why = fmt.Sprintf("resources.claims lists request %s of %s", r.Request, r.Name)
		}
		out = append(out, Use{i, r.Request, why})
	}
	for _, m := range p.mappings[c.Name] {
		asked := c.Resources.Requests[corev1.ResourceName(m.ResourceName)]
		if asked.IsZero() {
			// The API server fills a request in from the limit.
			asked = c.Resources.Limits[corev1.ResourceName(m.ResourceName)]
		}
		if !asked.IsZero() {
			out = append(out, Use{p.entries[""], m.RequestName, fmt.Sprintf("it asks for the extended resource %s", m.ResourceName)})
		}
	}
	slices.SortStableFunc(out, func(a, b Use) int { return cmp.Compare(a.Claim, b.Claim) })
	return out
}

// Lists tells of which claims of the pod a container has any part, each once
// and in the order of the pod, whichever requests it names.
func (p *Pod) Lists(c Container) []int {
	var out []int
	for _, r := range c.Resources.Claims {
		if i, known := p.entries[r.Name]; known && r.Name != "" {
			out = append(out, i)
		}
	}
	if len(p.mappings[c.Name]) > 0 {
		out = append(out, p.entries[""])
	}
	slices.Sort(out)
	return slices.Compact(out)
}
