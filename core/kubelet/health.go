package kubelet

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Limits of what a kubelet keeps of reports about the health of devices.
const (
	// MostDevices is how many devices of a driver it keeps; it takes no new
	// ones beyond them.
	MostDevices = 16384
	// DefaultTimeout is how many seconds a report counts that does not say so
	// itself.
	DefaultTimeout = 30
	// MostMessage is how many bytes of a message it keeps.
	MostMessage = corev1.ResourceHealthMessageMaxLength
)

// Report is what a driver said about a device.
type Report struct {
	Pool, Device string
	Health       corev1.ResourceHealthStatus
	Message      string
	// Age is how many seconds ago the kubelet received it, Timeout for how
	// many it counts; 0 or less for the default.
	Age, Timeout int64
}

// Stale tells whether the report counts no more.
func (r *Report) Stale() bool { return r.Age > r.CountsFor() }

// CountsFor is for how many seconds the report counts.
func (r *Report) CountsFor() int64 {
	if r.Timeout <= 0 {
		return DefaultTimeout
	}
	return r.Timeout
}

// Message as the kubelet keeps it: cut at a number of bytes, even inside a
// character.
func cut(message string) string {
	if len(message) <= MostMessage {
		return message
	}
	return message[:MostMessage-3] + "..."
}

type deviceKey struct{ driver, pool, device string }

// Health is what a kubelet knows of the health of devices.
type Health struct {
	// Base are reports that count for devices of which this knows nothing; nil
	// for none.
	Base *Health
	// Gone are the drivers whose plugin is not there: with the connection ends
	// what a kubelet knows of their devices. Nil for none.
	Gone    func(driver string) bool
	reports map[deviceKey]Report
	count   map[string]int
	// Ignored counts the reports about devices beyond the limit, by driver.
	Ignored map[string]int
}

// Report takes what a driver says, in the order in which it says it.
func (h *Health) Report(driver string, r Report) {
	if h.reports == nil {
		h.reports, h.count, h.Ignored = map[deviceKey]Report{}, map[string]int{}, map[string]int{}
	}
	at := deviceKey{driver, r.Pool, r.Device}
	if _, known := h.reports[at]; !known {
		if h.count[driver] >= MostDevices {
			h.Ignored[driver]++
			return
		}
		h.count[driver]++
	}
	r.Message = cut(r.Message)
	h.reports[at] = r
}

// Of is what the kubelet tells of a device. Reported is false for one of which
// it has no report that counts.
func (h *Health) Of(driver, pool, device string) (health corev1.ResourceHealthStatus, message string, reported bool) {
	r, known := h.Last(driver, pool, device)
	if !known || r.Stale() {
		return corev1.ResourceHealthStatusUnknown, "", false
	}
	switch r.Health {
	case corev1.ResourceHealthStatusHealthy, corev1.ResourceHealthStatusUnhealthy:
		return r.Health, r.Message, true
	}
	return corev1.ResourceHealthStatusUnknown, r.Message, true
}

// Last is the last report about a device, stale or not; false for none.
func (h *Health) Last(driver, pool, device string) (Report, bool) {
	if h.Gone != nil && h.Gone(driver) {
		return Report{}, false
	}
	r, known := h.reports[deviceKey{driver, pool, device}]
	if !known && h.Base != nil {
		return h.Base.Last(driver, pool, device)
	}
	return r, known
}

// ContainerHealth is what the kubelet writes into the status of a container.
type ContainerHealth struct {
	Container string
	Status    []corev1.ResourceStatus
}

// Statuses is what the kubelet writes into the statuses of the pod's
// containers about the claims that it has prepared for it. Init containers and
// extended resources are left out, and a driver that was not asked to prepare
// anything has no devices here. The kubelet writes them in no particular
// order; here it is that of the container's claims, and of the names of the
// drivers.
func (k *Kubelet) Statuses(pod *corev1.Pod, h *Health) []ContainerHealth {
	if !k.Gates.Health {
		return nil
	}
	var out []ContainerHealth
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		one := ContainerHealth{Container: c.Name}
		for _, claim := range c.Resources.Claims {
			of := k.usedBy(pod, claim.Name)
			if of == nil {
				continue
			}
			name := corev1.ResourceName("claim:" + claim.Name)
			if claim.Request != "" {
				name += corev1.ResourceName("/" + claim.Request)
			}
			resources := k.resources(of, claim.Request, h)
			if len(resources) == 0 {
				continue
			}
			if at := slices.IndexFunc(one.Status, func(s corev1.ResourceStatus) bool { return s.Name == name }); at >= 0 {
				one.Status[at].Resources = resources
				continue
			}
			one.Status = append(one.Status, corev1.ResourceStatus{Name: name, Resources: resources})
		}
		if len(one.Status) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// usedBy finds what was prepared for an entry of the pod.
func (k *Kubelet) usedBy(pod *corev1.Pod, entry string) *prepared {
	name := ""
	for _, s := range pod.Status.ResourceClaimStatuses {
		if s.Name == entry && s.ResourceClaimName != nil {
			name = *s.ResourceClaimName
		}
	}
	for i := range pod.Spec.ResourceClaims {
		if e := &pod.Spec.ResourceClaims[i]; name == "" && e.Name == entry {
			name, _, _ = nameOf(pod, e)
			break
		}
	}
	if name == "" {
		return nil
	}
	return k.prepared[types.NamespacedName{Namespace: pod.Namespace, Name: name}]
}

// resources are the devices of a claim, or of one of its requests.
func (k *Kubelet) resources(of *prepared, request string, h *Health) []corev1.ResourceHealth {
	var out []corev1.ResourceHealth
	seen := map[corev1.ResourceID]bool{}
	for i := range of.drivers {
		driver := &of.drivers[i]
		for _, d := range driver.Devices {
			if request != "" && len(d.Requests) > 0 && !slices.Contains(d.Requests, base(request)) {
				continue
			}
			id := ResourceID(driver.Name, d)
			if seen[id] {
				continue
			}
			seen[id] = true
			health, message, _ := h.Of(driver.Name, d.Pool, d.Device)
			one := corev1.ResourceHealth{ResourceID: id, Health: health}
			if k.Gates.HealthMessage && message != "" {
				one.Message = &message
			}
			out = append(out, one)
		}
	}
	return out
}

// ResourceID is how a device is called in the status of a pod: by its first
// CDI device, or by itself if it has none.
func ResourceID(driver string, d Device) corev1.ResourceID {
	if len(d.CDI) > 0 {
		return corev1.ResourceID(d.CDI[0])
	}
	return corev1.ResourceID(fmt.Sprintf("%s/%s/%s", driver, d.Pool, d.Device))
}
