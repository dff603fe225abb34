package core

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/kubelet"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// healthReports are what drivers say of their devices, to all kubelets or to
// one.
type healthReports struct {
	all    *kubelet.Health
	byNode map[string]*kubelet.Health
	// known are the reports that each kubelet has, without those of drivers
	// that are not registered with it.
	known      map[string]*kubelet.Health
	registered func(driver, node string) bool
	// places are where reports stand, for all nodes under the empty name.
	places map[reportKey]inventory.Place
	// order holds the devices in the order in which they were first reported.
	order         []inventory.DeviceID
	unhealthy     map[inventory.DeviceID]string
	fromCondition map[inventory.DeviceID]bool
	ignored       map[string]int
	any           bool
}

type reportKey struct {
	node string
	id   inventory.DeviceID
}

// on are the reports that the kubelet of a node has.
func (r *healthReports) on(node string) *kubelet.Health {
	h := r.known[node]
	if h == nil {
		h = &kubelet.Health{Base: cmp.Or(r.byNode[node], r.all), Gone: func(driver string) bool { return !r.registered(driver, node) }}
		r.known[node] = h
	}
	return h
}

func (r *healthReports) place(node string, id inventory.DeviceID) inventory.Place {
	if at, known := r.places[reportKey{node, id}]; known {
		return at
	}
	return r.places[reportKey{"", id}]
}

// take notes a report.
func (r *healthReports) take(node string, id inventory.DeviceID, report kubelet.Report, at inventory.Place) {
	h := r.all
	if node != "" {
		if h = r.byNode[node]; h == nil {
			h = &kubelet.Health{Base: r.all}
			r.byNode[node] = h
		}
	}
	h.Report(id.Driver, report)
	if h.Ignored[id.Driver] > 0 {
		r.ignored[id.Driver] = h.Ignored[id.Driver]
	}
	r.places[reportKey{node, id}] = at
	if _, known := r.unhealthy[id]; !known {
		r.order = append(r.order, id)
		r.unhealthy[id] = ""
	}
	if report.Health == corev1.ResourceHealthStatusUnhealthy && !report.Stale() {
		r.unhealthy[id] = "is reported unhealthy"
		if report.Message != "" {
			r.unhealthy[id] += ": " + report.Message
		}
	} else if node == "" {
		r.unhealthy[id] = ""
	}
	r.any = true
}

// reports collects what the text tells: reports of drivers, and for devices
// without one what a condition in the status of a claim says.
func (s *nodeSide) reports() *healthReports {
	out := &healthReports{
		all: &kubelet.Health{}, byNode: map[string]*kubelet.Health{}, known: map[string]*kubelet.Health{}, registered: s.registered, places: map[reportKey]inventory.Place{},
		unhealthy: map[inventory.DeviceID]string{}, fromCondition: map[inventory.DeviceID]bool{}, ignored: map[string]int{},
	}
	for _, o := range s.bundle.Objects {
		report, ok := o.Value.(*bundle.DeviceHealth)
		if !ok || o.Invalid {
			continue
		}
		s.where.objects[report] = o
		for i := range report.Spec.Devices {
			d := &report.Spec.Devices[i]
			id := inventory.DeviceID{Driver: report.Spec.Driver, Pool: d.Pool, Device: d.Device}
			out.take(report.Spec.NodeName, id, kubelet.Report{
				Pool: d.Pool, Device: d.Device, Health: corev1.ResourceHealthStatus(d.Health), Message: d.Message, Age: d.AgeSeconds, Timeout: d.TimeoutSeconds,
			}, inventory.Place{Object: report, Field: fmt.Sprintf("spec.devices[%d]", i)})
		}
	}
	s.conditions(out)
	return out
}

// healthConditions are the types of conditions that say how a device is, and
// whether True is good. Drivers choose the types; these are common.
var healthConditions = map[string]bool{"Ready": true, "Healthy": true, "Available": true, "Unhealthy": false, "Failed": false, "Degraded": false}

func (s *nodeSide) conditions(out *healthReports) {
	reported := map[inventory.DeviceID]bool{}
	for _, id := range out.order {
		reported[id] = true
	}
	for _, name := range slices.Sorted(maps.Keys(s.handed.Claims)) {
		c := s.handed.Claims[name]
		for i := range c.Status.Devices {
			d := &c.Status.Devices[i]
			id := inventory.DeviceID{Driver: d.Driver, Pool: d.Pool, Device: d.Device}
			at, health := healthOf(d.Conditions)
			if reported[id] || at < 0 || out.fromCondition[id] && out.unhealthy[id] != "" {
				continue
			}
			place := inventory.Place{}
			if of := s.handed.Of[c]; of != nil && of.Outcome == schedule.Before {
				place = inventory.Place{Object: of.Origin, Field: fmt.Sprintf("status.devices[%d].conditions[%d]", i, at)}
			}
			message := d.Conditions[at].Message
			if message == "" {
				message = d.Conditions[at].Reason
			}
			out.fromCondition[id] = true
			out.take("", id, kubelet.Report{Pool: d.Pool, Device: d.Device, Health: health, Message: message}, place)
		}
	}
}

// healthOf reads conditions: one that says unhealthy counts before one that
// says unknown, and that before one that says healthy. The index is -1 if none
// says anything of it.
func healthOf(conditions []metav1.Condition) (at int, health corev1.ResourceHealthStatus) {
	at = -1
	rank := map[corev1.ResourceHealthStatus]int{corev1.ResourceHealthStatusHealthy: 1, corev1.ResourceHealthStatusUnknown: 2, corev1.ResourceHealthStatusUnhealthy: 3}
	for i, c := range conditions {
		good, known := healthConditions[c.Type]
		if !known {
			continue
		}
		says := corev1.ResourceHealthStatusUnknown
		switch {
		case c.Status == metav1.ConditionTrue && good, c.Status == metav1.ConditionFalse && !good:
			says = corev1.ResourceHealthStatusHealthy
		case c.Status == metav1.ConditionTrue || c.Status == metav1.ConditionFalse:
			says = corev1.ResourceHealthStatusUnhealthy
		}
		if rank[says] > rank[health] {
			at, health = i, says
		}
	}
	return at, health
}

// cdiDevices are the CDI devices that the text's reports name.
func cdiDevices(b *bundle.Bundle) map[inventory.DeviceID][]string {
	out := map[inventory.DeviceID][]string{}
	for _, o := range b.Objects {
		report, ok := o.Value.(*bundle.DeviceHealth)
		if !ok || o.Invalid {
			continue
		}
		for i := range report.Spec.Devices {
			if d := &report.Spec.Devices[i]; len(d.CDIDevices) > 0 {
				out[inventory.DeviceID{Driver: report.Spec.Driver, Pool: d.Pool, Device: d.Device}] = d.CDIDevices
			}
		}
	}
	return out
}
