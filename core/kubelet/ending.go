package kubelet

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Leave is what becomes of a claim when one of its pods has ended.
type Leave struct {
	Name    string
	UID     types.UID
	Drivers []Driver
	// Others are the pods for which it stays prepared; nobody for a claim that
	// is given up.
	Others []types.UID
	// Hangs is the driver whose plugin is needed and absent; empty for none.
	Hangs string
}

// Ending is what the kubelet does once the containers of a pod have ended.
type Ending struct {
	Claims []Leave
	// Problem keeps the pod in Terminating; nil for none.
	Problem *Problem
	// Calls are the calls of NodeUnprepareResources, by driver. If there is a
	// problem, some of them may have been made and all will be made again.
	Calls []Call
}

// Ending tells what Stop would do.
func (k *Kubelet) Ending(pod *corev1.Pod) *Ending {
	out := &Ending{}
	names, problem := k.namesOf(pod)
	if problem != nil {
		out.Problem = problem
		return out
	}
	seen := map[string]bool{}
	for _, name := range names {
		of := k.prepared[types.NamespacedName{Namespace: pod.Namespace, Name: name}]
		if of == nil || !slices.Contains(of.pods, pod.UID) || seen[name] {
			continue
		}
		seen[name] = true
		leave := Leave{Name: name, UID: of.uid, Drivers: of.drivers}
		if len(of.pods) > 1 {
			for _, uid := range of.pods {
				if uid != pod.UID {
					leave.Others = append(leave.Others, uid)
				}
			}
			out.Claims = append(out.Claims, leave)
			continue
		}
		for i := range of.drivers {
			d := &of.drivers[i]
			if d.Skip(Unprepare) {
				continue
			}
			call(&out.Calls, d.Name, of.uid)
			if leave.Hangs == "" && !k.Registered(d.Name) {
				leave.Hangs = d.Name
				if out.Problem == nil {
					out.Problem = absent(name, d.Name)
				}
			}
		}
		out.Claims = append(out.Claims, leave)
	}
	return out
}

// Stop does what the kubelet does once the containers of a pod have ended.
func (k *Kubelet) Stop(pod *corev1.Pod) *Ending {
	out := k.Ending(pod)
	for _, c := range out.Claims {
		at := types.NamespacedName{Namespace: pod.Namespace, Name: c.Name}
		if len(c.Others) == 0 && out.Problem != nil {
			k.prepared[at].leaving = true
			continue
		}
		k.release(pod.UID, at)
	}
	return out
}

// namesOf are the claims to give up: those that were prepared for the pod, or
// if there are none, those that it names. A claim that was never made for the
// pod stops the kubelet even here.
func (k *Kubelet) namesOf(pod *corev1.Pod) ([]string, *Problem) {
	var names []string
	for _, at := range k.uses[pod.UID] {
		names = append(names, at.Name)
	}
	if len(names) > 0 {
		return names, nil
	}
	for i := range pod.Spec.ResourceClaims {
		name, _, problem := nameOf(pod, &pod.Spec.ResourceClaims[i])
		if problem != nil {
			return nil, problem
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}
