package schedule

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// Copies ask how many more of something find a place, one after the other,
// once everything else has its own.
type Copies struct {
	// Pod, Claim or Template is what is copied.
	Pod      *corev1.Pod
	Claim    *resourceapi.ResourceClaim
	Template *resourceapi.ResourceClaimTemplate
	// Progress is told how many have been placed; nil for nobody.
	Progress func(done, total int)
}

// Copied is how many copies found a place.
type Copied struct {
	Count int
	// Nodes are how many of them each node got, by its name.
	Nodes map[string]int
	// Pod or Claim is the copy that found none; both are nil where the limit
	// ended the count.
	Pod   *Pod
	Claim *Claim
}

// How far copies are counted.
const (
	MaxCopies = 10_000
	// MaxCopyTries bounds how often a node is tried.
	MaxCopyTries = 3_000_000
)

// CopyLimit is how many copies are counted at most.
func CopyLimit(nodes int) int { return max(1, min(MaxCopies, MaxCopyTries/max(1, nodes))) }

// copies places copies until one finds no place.
func (p *planner) copies() (*Copied, error) {
	out := &Copied{Nodes: map[string]int{}}
	limit := CopyLimit(len(p.nodes))
	for i := range limit {
		if progress := p.Copies.Progress; progress != nil {
			progress(i, limit)
		}
		var node string
		if p.Copies.Pod != nil {
			pod, err := p.copyOfPod(i + 1)
			if err != nil {
				return nil, err
			}
			if pod.Outcome != Done {
				out.Pod = pod
				return out, nil
			}
			node = pod.Node
		} else {
			claim := p.copyOfClaim(i + 1)
			if err := p.alone(claim); err != nil {
				return nil, err
			}
			if claim.Outcome != Done {
				out.Claim = claim
				return out, nil
			}
			node = claim.Node
		}
		out.Count++
		out.Nodes[node]++
	}
	return out, nil
}

// copyName is the name of a copy, short enough for an API server.
func copyName(name string, i int) string {
	end := fmt.Sprintf("-copy-%d", i)
	const longest = 63
	return name[:min(len(name), longest-len(end))] + end
}

// copyOfPod places a pod like the given one that nobody has placed yet.
func (p *planner) copyOfPod(i int) (*Pod, error) {
	pod := p.Copies.Pod.DeepCopy()
	pod.Name, pod.GenerateName, pod.UID = copyName(pod.Name, i), "", ""
	pod.DeletionTimestamp, pod.Status, pod.Spec.NodeName = nil, corev1.PodStatus{}, ""
	ready := fit.NewPod(pod, fit.Options{NodeAllocatable: p.Gates.NodeAllocatable, DeclaredFeatures: p.Gates.DeclaredFeatures, Version: p.Gates.Version})
	if p.Invalid[p.Copies.Pod] {
		p.Invalid[pod] = true
	}
	out := &Pod{Pod: pod, fit: ready, Outcome: Unfit}
	return out, p.pod(out)
}

// copyOfClaim is a claim like the given one, or of the template, that is not
// allocated.
func (p *planner) copyOfClaim(i int) *Claim {
	c := &resourceapi.ResourceClaim{}
	var origin any
	if of := p.Copies.Claim; of != nil {
		origin = of
		c.Namespace, c.Name, c.Labels, c.Annotations, c.Spec = namespace(of.Namespace), of.Name, of.Labels, of.Annotations, *of.Spec.DeepCopy()
	} else {
		of := p.Copies.Template
		origin = of
		c.Namespace, c.Name, c.Labels, c.Annotations, c.Spec = namespace(of.Namespace), of.Name, of.Spec.Labels, of.Spec.Annotations, *of.Spec.Spec.DeepCopy()
	}
	c.Name = copyName(c.Name, i)
	out := &Claim{Claim: c, Origin: origin, Outcome: Unfit, used: true}
	p.claims = append(p.claims, out)
	return out
}
