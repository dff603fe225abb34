package cluster

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// State is what became of a pod in the cluster.
type State string

// The states. A pod that waits is one that the scheduler has not looked at,
// because a claim that it needs is not there.
const (
	Bound         State = "Bound"
	Unschedulable State = "Unschedulable"
	Failed        State = "Failed"
	Gated         State = "Gated"
	Waiting       State = "Waiting"
	// Preparing is a pod whose devices have binding conditions that are not
	// met yet: it has devices and a node, and is not bound.
	Preparing State = "Preparing"
)

// Observed is what a cluster made of a scenario.
type Observed struct {
	// Before is what kubectl would have printed right before the scheduler
	// began, and After what it prints now: a List in JSON.
	Before, After []byte
	Pods          []ObservedPod
	// Claims are those of all namespaces, as namespace/name.
	Claims map[string]*resourceapi.ResourceClaim
	// Nodes are those of the scenario.
	Nodes int
}

// ObservedPod is one of the scenario's pods, in its order.
type ObservedPod struct {
	Name  string
	UID   types.UID
	State State
	Node  string
	// Forced tells that the pod's author chose the node.
	Forced bool
	// Message is what the scheduler said of a pod that it could not place.
	Message string
	// Events are the reasons of the events about the pod.
	Events map[string]string
}

// Run applies a scenario and looks at what has become of it. At the end the
// cluster is empty again.
func (r *Runner) Run(ctx context.Context, s *Scenario) (out *Observed, err error) {
	err = r.With(ctx, s, func() (err error) {
		out, err = r.observe(ctx, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// With applies a scenario to an empty cluster, lets the scheduler handle its
// pods one after the other, and does something while all of that is there. The
// objects of the scenario then hold what the API server has stored. At the end
// the cluster is empty again.
func (r *Runner) With(ctx context.Context, s *Scenario, do func() error) (err error) {
	defer func() {
		if failed := r.clear(ctx); err == nil {
			err = failed
		}
	}()
	if err := r.apply(ctx, s); err != nil {
		return err
	}
	if err := r.barrier(ctx); err != nil {
		return err
	}
	for _, o := range s.of("Pod") {
		if !o.forNode() {
			if err := r.create(ctx, o); err != nil {
				return err
			}
			if o.Refused == nil {
				if err := r.settle(ctx, o); err != nil {
					return err
				}
			}
		}
	}
	return do()
}

// settle waits until the scheduler has said yes or no to a pod, or it is
// certain that it will not look at it.
func (r *Runner) settle(ctx context.Context, o *Object) error {
	missing, err := r.missing(ctx, o)
	if err != nil || missing {
		return err
	}
	return r.untilPod(ctx, "the scheduler to decide on "+o.name(), o.name(), func(p *corev1.Pod) bool {
		return p.UID == o.Stored.GetUID() && r.state(p) != ""
	})
}

// missing tells whether a claim or the group that the pod names does not exist
// or is being deleted.
func (r *Runner) missing(ctx context.Context, o *Object) (bool, error) {
	pod, err := r.client.CoreV1().Pods(o.Written.GetNamespace()).Get(ctx, o.Written.GetName(), metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	if group := pod.Spec.SchedulingGroup; group != nil && group.PodGroupName != nil {
		_, err := r.client.SchedulingV1beta1().PodGroups(pod.Namespace).Get(ctx, *group.PodGroupName, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		} else if err != nil {
			return false, err
		}
	}
	for _, entry := range pod.Spec.ResourceClaims {
		if entry.ResourceClaimName == nil {
			continue
		}
		claim, err := r.client.ResourceV1().ResourceClaims(pod.Namespace).Get(ctx, *entry.ResourceClaimName, metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && claim.DeletionTimestamp != nil {
			return true, nil
		} else if err != nil {
			return false, err
		}
	}
	return false, nil
}

// state is empty for a pod that is still on its way.
func (r *Runner) state(p *corev1.Pod) State {
	if p.Spec.NodeName != "" {
		return Bound
	}
	events := r.eventsOf(p.UID)
	for _, c := range p.Status.Conditions {
		if c.Type != corev1.PodScheduled || c.Status != corev1.ConditionFalse {
			continue
		}
		switch {
		case c.Reason == corev1.PodReasonSchedulingGated:
			return Gated
		case c.Reason == corev1.PodReasonSchedulerError && events["FailedScheduling"] != nil:
			return Failed
		case c.Reason == corev1.PodReasonUnschedulable && events["FailedScheduling"] != nil && !again(c.Message):
			return Unschedulable
		}
	}
	switch {
	case events["BindingConditionsPending"] != nil:
		return Preparing
	case events["FailedResourceClaimCreation"] != nil:
		return Waiting
	}
	return ""
}

// again tells whether the scheduler has made room and will try once more.
func again(message string) bool {
	return strings.Contains(message, "deallocation of ResourceClaim completed") || strings.Contains(message, "deletion of ResourceClaim completed")
}

// observe collects what there is in the end.
func (r *Runner) observe(ctx context.Context, s *Scenario) (*Observed, error) {
	out := &Observed{Claims: map[string]*resourceapi.ResourceClaim{}}
	var err error
	if out.Before, err = s.list(); err != nil {
		return nil, err
	}
	for _, o := range s.of("Node") {
		if o.Stored != nil {
			out.Nodes++
		}
	}
	claims, err := r.client.ResourceV1().ResourceClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range claims.Items {
		c := &claims.Items[i]
		out.Claims[c.Namespace+"/"+c.Name] = c
	}
	for _, o := range s.of("Pod") {
		if o.Stored == nil {
			continue
		}
		pod, err := r.observePod(ctx, o)
		if err != nil {
			return nil, err
		}
		out.Pods = append(out.Pods, pod)
	}
	out.After, err = r.after(ctx, s, claims)
	return out, err
}

func (r *Runner) observePod(ctx context.Context, o *Object) (ObservedPod, error) {
	pod, err := r.client.CoreV1().Pods(o.Written.GetNamespace()).Get(ctx, o.Written.GetName(), metav1.GetOptions{})
	if err != nil {
		return ObservedPod{}, err
	}
	out := ObservedPod{Name: o.name(), UID: pod.UID, Node: pod.Spec.NodeName, State: r.state(pod), Forced: o.forNode(), Events: map[string]string{}}
	if out.State == "" {
		out.State = Waiting
	}
	if !out.Forced {
		// Events are written on the side and may come after what they tell of.
		if event := wantedEvent[out.State]; event != "" {
			err := r.wait(ctx, "the event "+event+" of "+out.Name, func() bool { return r.eventsOf(pod.UID)[event] != nil })
			if err != nil {
				return out, err
			}
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			out.Message = c.Message
		}
	}
	for reason, e := range r.eventsOf(pod.UID) {
		out.Events[reason] = e.Message
	}
	if failed := out.Events["FailedScheduling"]; failed != "" && out.Message != "" && !strings.HasPrefix(out.Message, strings.TrimSuffix(failed, "...")) {
		return out, fmt.Errorf("pod %s: the event says %q and the condition %q", out.Name, failed, out.Message)
	}
	return out, nil
}

// wantedEvent is what the scheduler says when it has come to a state.
var wantedEvent = map[State]string{Bound: "Scheduled", Unschedulable: "FailedScheduling", Failed: "FailedScheduling", Preparing: "BindingConditionsPending"}

// after is Before once more, as things are now: pods have nodes, and the claims
// that controllers have made are there.
func (r *Runner) after(ctx context.Context, s *Scenario, claims *resourceapi.ResourceClaimList) ([]byte, error) {
	end := &Scenario{}
	for _, o := range s.Objects {
		switch {
		case o.Stored == nil || o.Written.GetKind() == "ResourceClaim":
			continue
		case o.Written.GetKind() == "Pod":
			pod, err := r.client.CoreV1().Pods(o.Written.GetNamespace()).Get(ctx, o.Written.GetName(), metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			end.Objects = append(end.Objects, &Object{Stored: toUnstructured(pod, "v1", "Pod")})
		default:
			end.Objects = append(end.Objects, o)
		}
	}
	for i := range claims.Items {
		end.Objects = append(end.Objects, &Object{Stored: toUnstructured(&claims.Items[i], resourceapi.SchemeGroupVersion.String(), "ResourceClaim")})
	}
	return end.list()
}
