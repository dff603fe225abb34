package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// play lets everybody act for one pod after the other. What belongs to the
// other pods alone rests.
type play struct {
	*cluster
	scheduler *scheduler
	manager   *manager
	drivers   []*driver
	turns     int
}

// decide plays as often as is asked for and keeps what differs.
func decide(r request) (*answer, error) {
	if err := utilfeature.DefaultMutableFeatureGate.Set(r.Gates); err != nil {
		return nil, err
	}
	a := &answer{}
	seen := map[string]bool{}
	for range r.Runs {
		h, err := playOnce(r, nil)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(h)
		if err != nil {
			return nil, err
		}
		if !seen[string(text)] {
			seen[string(text)] = true
			a.Histories = append(a.Histories, *h)
		}
	}
	sort.Slice(a.Histories, func(i, j int) bool {
		x, _ := json.Marshal(a.Histories[i])
		y, _ := json.Marshal(a.Histories[j])
		return string(x) < string(y)
	})
	ends := map[string][]end{}
	for i := range r.Shuffles {
		h, err := playOnce(r, rand.New(rand.NewPCG(uint64(i), 31)))
		if err != nil {
			return nil, err
		}
		for i := range h.Ends {
			h.Ends[i].Reason = ""
		}
		text, err := json.Marshal(h.Ends)
		if err != nil {
			return nil, err
		}
		ends[string(text)] = h.Ends
	}
	keys := make([]string, 0, len(ends))
	for k := range ends {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		a.Ends = append(a.Ends, ends[k])
	}
	return a, nil
}

// playOnce plays a text; with a lot the actors act in an order that it decides.
func playOnce(r request, lot *rand.Rand) (*history, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b, err := parse(r.Text)
	if err != nil {
		return nil, err
	}
	p, err := newPlay(ctx, b, r)
	if err != nil {
		return nil, err
	}
	defer p.close()
	h := &history{Writes: []write{}, Ends: []end{}}
	for _, pod := range b.pods {
		if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed || !p.classic(b, pod) {
			continue
		}
		e, err := p.one(ctx, pod, lot)
		if err != nil {
			return nil, err
		}
		h.Ends = append(h.Ends, e)
	}
	h.Writes = append(h.Writes, p.log...)
	return h, nil
}

func newPlay(ctx context.Context, b *bundle, r request) (*play, error) {
	p := &play{cluster: newCluster(), turns: r.Turns}
	var err error
	if p.scheduler, err = newScheduler(ctx, p.cluster, b.nodes); err != nil {
		return nil, err
	}
	if p.manager, err = newManager(ctx, p.cluster); err != nil {
		return nil, err
	}
	answers, names := map[string]map[string][]string{}, map[string]bool{}
	for _, c := range b.contexts {
		key := c.Namespace + "/" + c.Name
		answers[key] = map[string][]string{}
		for _, s := range c.Status.ResourceClaims {
			answers[key][s.Name] = s.UnsuitableNodes
		}
		if !r.Fresh {
			if err := p.put(c); err != nil {
				return nil, err
			}
		}
	}
	for _, o := range b.others {
		switch v := o.(type) {
		case *resourceapi.ResourceClaim:
			names[v.Spec.Controller] = true
			if v.Status.Allocation != nil {
				names[v.Status.Allocation.Controller] = true
			}
		case *resourceapi.ResourceClaimTemplate:
			names[v.Spec.Spec.Controller] = true
		}
		if err := p.put(o); err != nil {
			return nil, err
		}
	}
	for _, pod := range append(b.strangers(), b.pods...) {
		if err := p.put(pod.DeepCopy()); err != nil {
			return nil, err
		}
	}
	delete(names, "")
	sorted := make([]string, 0, len(names))
	for n := range names {
		sorted = append(sorted, n)
	}
	sort.Strings(sorted)
	for _, n := range sorted {
		p.drivers = append(p.drivers, newDriver(ctx, p.cluster, n, answers))
	}
	return p, nil
}

// close ends the queues, which nothing was taken from.
func (p *play) close() {
	shutDown(p.manager.controller)
	for _, d := range p.drivers {
		shutDown(d.made)
	}
}

func (p *play) podNow(pod *corev1.Pod) *corev1.Pod {
	obj, err := p.find(corev1.SchemeGroupVersion.WithResource("pods"), pod.Namespace, pod.Name)
	if err != nil {
		return pod
	}
	return obj.(*corev1.Pod)
}

func (p *play) claim(key string) *resourceapi.ResourceClaim {
	obj, exists, err := p.indexers["resourceclaims"].GetByKey(key)
	if err != nil || !exists {
		return nil
	}
	return obj.(*resourceapi.ResourceClaim)
}

// keys are the claims of a pod, under the names that it knows.
func keys(pod *corev1.Pod) []string {
	var out []string
	for i := range pod.Spec.ResourceClaims {
		if name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i]); err == nil && name != nil {
			out = append(out, pod.Namespace+"/"+*name)
		}
	}
	return out
}

// classic tells whether the pod needs a controller.
func (p *play) classic(b *bundle, pod *corev1.Pod) bool {
	for _, key := range keys(p.podNow(pod)) {
		if c := p.claim(key); c != nil && (c.Spec.Controller != "" || c.Status.Allocation != nil && c.Status.Allocation.Controller != "") {
			return true
		}
	}
	for _, r := range pod.Spec.ResourceClaims {
		for _, o := range b.others {
			if t, ok := o.(*resourceapi.ResourceClaimTemplate); ok && r.ResourceClaimTemplateName != nil && t.Name == *r.ResourceClaimTemplateName && t.Namespace == pod.Namespace && t.Spec.Spec.Controller != "" {
				return true
			}
		}
	}
	_, err := p.find(resourceapi.SchemeGroupVersion.WithResource("podschedulingcontexts"), pod.Namespace, pod.Name)
	return err == nil
}

// one lets all act until the pod has what it needs, or nobody writes.
func (p *play) one(ctx context.Context, pod *corev1.Pod, lot *rand.Rand) (end, error) {
	key := pod.Namespace + "/" + pod.Name
	p.pod = key
	given := pod.Spec.NodeName != ""
	e := end{Pod: key}
	done := func() bool {
		now := p.podNow(pod)
		if e.Node = now.Spec.NodeName; e.Node == "" {
			return false
		}
		e.Outcome = "Scheduled"
		if given {
			e.Outcome = "AlreadyScheduled"
			for i := range now.Spec.ResourceClaims {
				name, _, err := resourceclaim.Name(now, &now.Spec.ResourceClaims[i])
				if err == nil && name == nil {
					continue
				}
				if err != nil {
					return false
				}
				c := p.claim(now.Namespace + "/" + *name)
				if c == nil || c.Status.Allocation == nil || !resourceclaim.IsReservedForPod(now, c) {
					return false
				}
			}
		}
		return true
	}
	was := ""
	for range p.turns {
		before, made := len(p.log), p.version
		for _, act := range p.acts(ctx, pod, lot, &e) {
			if err := act(); err != nil {
				return e, err
			}
			if done() {
				return e, nil
			}
		}
		if len(p.log) == before && p.version == made {
			e.Outcome = "Stuck"
			return e, nil
		}
		now := p.standing()
		if now == was {
			e.Outcome = "Stuck" // what was written was taken back
			return e, nil
		}
		was = now
	}
	e.Outcome, e.Reason = "Undecided", ""
	return e, nil
}

// standing is all that there is, without versions.
func (p *play) standing() string {
	var lines []string
	for _, resource := range []string{"pods", "resourceclaims", "podschedulingcontexts"} {
		for _, o := range p.indexers[resource].List() {
			text, err := json.Marshal(stateOf(o.(runtime.Object)))
			if err != nil {
				panic(err)
			}
			lines = append(lines, nameOf(o.(runtime.Object))+" "+string(text))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// acts are what everybody does in one turn.
func (p *play) acts(ctx context.Context, pod *corev1.Pod, lot *rand.Rand, e *end) []func() error {
	as := func(actor string, act func()) func() error {
		return func() error {
			p.actor = actor
			act()
			return nil
		}
	}
	key := pod.Namespace + "/" + pod.Name
	var out []func() error
	out = append(out, func() error {
		p.actor = "kube-controller-manager"
		for _, key := range keys(p.podNow(pod)) {
			_ = p.manager.syncClaim(ctx, key) // it is tried again, and nothing is written
		}
		if err := p.manager.syncPod(ctx, p.podNow(pod)); err != nil && pod.Spec.NodeName == "" {
			e.Reason = err.Error()
		}
		return nil
	})
	if pod.Spec.NodeName == "" {
		out = append(out, func() error {
			p.actor = "kube-scheduler"
			why, err := p.scheduler.attempt(ctx, p.podNow(pod))
			if why != "" {
				e.Reason = why
			}
			return err
		})
	}
	for _, d := range p.drivers {
		actor := "controller of " + d.name
		claims := as(actor, func() {
			for _, key := range keys(p.podNow(pod)) {
				_ = d.sync(ctx, "claim:"+key)
			}
		})
		talk := as(actor, func() {
			d.pod = key
			_ = d.sync(ctx, "schedulingCtx:"+key)
		})
		out = append(out, claims, talk)
	}
	if lot != nil {
		lot.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}
