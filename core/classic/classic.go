// Package classic plays what the scheduler, the controllers of drivers and
// kube-controller-manager wrote to each other in Kubernetes 1.26 to 1.31 until
// a pod with claims for such controllers had a node, or nobody had anything
// more to say. Each write is a step, with the object as it is then.
package classic

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// Options say what the cluster is like.
type Options struct {
	// Minor is the version of Kubernetes, 26 to 31.
	Minor int
	// Controllers tells whether DRAControlPlaneController is on, a gate that
	// only 1.31 has.
	Controllers bool
	// Fresh takes the PodSchedulingContexts of the bundle for the answers that
	// controllers will give, rather than for what is there already.
	Fresh bool
}

// Outcome says how a play ends.
type Outcome string

// The outcomes of a play.
const (
	Scheduled        Outcome = "Scheduled"
	Stuck            Outcome = "Stuck"
	AlreadyScheduled Outcome = "AlreadyScheduled"
	Undecided        Outcome = "Undecided"
)

// The actors besides the controllers of drivers.
const (
	scheduler = "kube-scheduler"
	manager   = "kube-controller-manager"
	kubelet   = "kubelet"
)

// Step is one write, or the conclusion of an actor that writes nothing.
type Step struct {
	Actor string
	Reads []string
	// Writes names the object and the part of it; empty for a conclusion.
	Writes string
	Why    string
	// Object is the object after the write; nil where it is gone, or where the
	// write is not known in full.
	Object map[string]any
	// Like is where the object stands in the text; nil if it was made.
	Like *bundle.Object
}

// Play is what becomes of one pod.
type Play struct {
	Pod     *bundle.Object
	Outcome Outcome
	Node    string
	// Reason says why it is stuck or undecided.
	Reason string
	Steps  []Step
}

// Bounds on the work for one text.
const (
	mostTurns = 64
	mostSteps = 2_000
	mostLooks = 5_000_000 // claims looked at for a node
	mostBytes = 16 << 20  // of objects as they were in between
)

// Negotiate plays for each pod that uses a claim for a controller, one after
// the other in the order of the text. The assumptions say what the text leaves
// open. The error is the context's own.
func Negotiate(ctx context.Context, b *bundle.Bundle, invalid map[int]bool, opts Options) ([]Play, []string, error) {
	w := newWorld(b, invalid, opts)
	var plays []Play
	for _, pod := range w.pods {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if fit.Ended(pod.Pod) {
			continue
		}
		p := w.player(pod)
		if !p.classic() {
			continue
		}
		if len(plays) > 0 {
			w.assume("pods come one after the other, in the order of the text: while one is played, nobody acts for the others")
		}
		if !p.spent() {
			p.run()
		}
		plays = append(plays, Play{Pod: pod.object, Outcome: p.outcome, Node: p.node, Reason: p.reason, Steps: p.steps})
	}
	return plays, w.assumptions, nil
}

// player plays for one pod.
type player struct {
	*world
	pod     *pod
	steps   []Step
	outcome Outcome
	node    string
	reason  string
}

func (w *world) player(p *pod) *player { return &player{world: w, pod: p} }

// step notes a write.
func (p *player) step(actor, writes, why string, o *document, reads ...string) {
	s := Step{Actor: actor, Reads: reads, Writes: writes, Why: why}
	if o != nil {
		s.Object, s.Like = copyOf(o.tree).(map[string]any), o.from
		p.bytes += size(o.tree)
	}
	p.steps = append(p.steps, s)
	p.made++
}

func (p *player) end(o Outcome, reason string) {
	p.outcome, p.reason = o, reason
}

// run lets all act in turn until the pod has what it needs or nobody writes.
func (p *player) run() {
	if p.pod.Spec.NodeName != "" {
		p.prescheduled()
		return
	}
	was := ""
	for range mostTurns {
		before := len(p.steps)
		p.manage()
		if p.spent() {
			return
		}
		waits := p.attempt()
		if p.outcome != "" {
			return
		}
		for _, driver := range p.drivers() {
			p.controller(driver)
		}
		if len(p.steps) == before {
			p.step(scheduler, "", waits, nil)
			p.end(Stuck, waits)
			return
		}
		if p.spent() {
			return
		}
		now := p.standing()
		if now == was && now != "" {
			p.step(scheduler, "", "all is as before this attempt, and the next one comes to the same: "+waits, nil)
			p.end(Stuck, waits)
			return
		}
		was = now
	}
	p.end(Undecided, fmt.Sprintf("no end after %d attempts of the scheduler", mostTurns))
}

// standing is all that is written for the pod, as it is now.
func (p *player) standing() string {
	all := []any{p.pod.made}
	for _, u := range p.uses() {
		all = append(all, u.claim.tree, u.claim.allocated)
	}
	if t := p.contexts[p.pod.key]; t != nil {
		all = append(all, t.tree)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "" // then the turns are counted alone
	}
	p.bytes += len(text)
	return string(text)
}

// spent ends the play if the text has used up its budget.
func (p *player) spent() bool {
	if p.made <= mostSteps && p.looks <= mostLooks && p.bytes <= mostBytes {
		return false
	}
	p.end(Undecided, fmt.Sprintf("the budget of %d steps, or of what they write, ran out; ask about fewer pods at once", mostSteps))
	return true
}

// prescheduled plays for a pod that was created with a node.
func (p *player) prescheduled() {
	p.node = p.pod.Spec.NodeName
	for range mostTurns {
		before := len(p.steps)
		p.manage()
		if p.spent() {
			return
		}
		waits := p.unready()
		if waits == "" {
			if len(p.steps) > 0 {
				p.step(kubelet, "", "every claim of pod "+p.pod.key+" is allocated and reserved for it; the kubelet prepares the devices and starts it", nil, "Pod "+p.pod.key)
			}
			p.end(AlreadyScheduled, "")
			return
		}
		for _, driver := range p.drivers() {
			p.controller(driver)
		}
		if len(p.steps) == before {
			p.waits(waits)
			return
		}
		if p.spent() {
			return
		}
	}
	p.end(Undecided, fmt.Sprintf("no end after %d turns", mostTurns))
}

// waits ends the play of a pod that has a node and cannot start.
func (p *player) waits(why string) {
	p.step(kubelet, "", "the kubelet cannot start pod "+p.pod.key+" and looks again from time to time, while the pod keeps its cpu and memory: "+why, nil, "Pod "+p.pod.key)
	p.end(Stuck, why)
}

// drivers lists the controllers that have something to do with the pod.
func (p *player) drivers() []string {
	var out []string
	for _, u := range p.uses() {
		for _, name := range []string{u.claim.driver, u.claim.by} {
			if name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// classic tells whether the pod needs a controller.
func (p *player) classic() bool {
	for _, e := range p.entries() {
		if c := e.claim; c != nil && (c.driver != "" || c.by != "" || c.old) {
			return true
		}
		if t := p.templates[e.template]; t != nil && (t.driver != "" || t.old) {
			return true
		}
	}
	return p.contexts[p.pod.key] != nil
}
