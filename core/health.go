package core

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/kubelet"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// ResourceHealthResult answers ResourceHealth.
type ResourceHealthResult struct {
	KubernetesVersion string            `json:"kubernetesVersion" doc:"The version whose rules were applied, such as 1.37."`
	Pods              []PodHealth       `json:"pods" doc:"Every pod that has devices on a node, in the bundle's order."`
	TaintRules        []TaintRule       `json:"taintRules,omitempty" doc:"For each device that is reported unhealthy, the DeviceTaintRule that would take it out of service."`
	OmittedPods       int               `json:"omittedPods,omitempty" doc:"How many pods are left out, because there are more devices than one answer holds."`
	OmittedRules      int               `json:"omittedRules,omitempty" doc:"How many more rules there would be than one answer holds."`
	Diagnostics       []diag.Diagnostic `json:"diagnostics"`
	Assumptions       []string          `json:"assumptions" doc:"What was taken for granted because the bundle does not say."`
}

// PodHealth is the health of the devices of a pod.
type PodHealth struct {
	Namespace         string                  `json:"namespace"`
	Name              string                  `json:"name"`
	Node              string                  `json:"node"`
	Health            string                  `json:"health" enum:"Healthy,Unhealthy,Unknown" doc:"That of its worst device: Unhealthy before Unknown before Healthy."`
	Message           string                  `json:"message" doc:"All of it in a sentence."`
	Location          *diag.Location          `json:"location,omitempty" doc:"Where in the submitted text the name of the pod stands."`
	ContainerStatuses []ContainerHealthStatus `json:"containerStatuses,omitempty" doc:"What the kubelet writes into status.containerStatuses of the pod about claims. It writes them in any order."`
	Devices           []PodDeviceHealth       `json:"devices" doc:"Every device of the pod, whether or not the kubelet writes about it."`
}

// ContainerHealthStatus is a part of the status of a container.
type ContainerHealthStatus struct {
	Name                     string                  `json:"name" doc:"Name of the container."`
	AllocatedResourcesStatus []corev1.ResourceStatus `json:"allocatedResourcesStatus"`
}

// PodDeviceHealth is the health of a device of a pod.
type PodDeviceHealth struct {
	Claim    string         `json:"claim" doc:"Namespace and name of the claim."`
	Request  string         `json:"request"`
	Driver   string         `json:"driver"`
	Pool     string         `json:"pool"`
	Device   string         `json:"device"`
	Health   string         `json:"health" enum:"Healthy,Unhealthy,Unknown"`
	Told     bool           `json:"told" doc:"True if the status of the pod tells it."`
	Message  string         `json:"message" doc:"Where that comes from, and why the status does not tell it."`
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the report stands, or else the device."`
}

// ResourceHealth answers what kubelets tell of the health of devices, which
// pods use an unhealthy one, and how to take that out of service. Reports of
// drivers are objects of kind DeviceHealth in the text; for a device without
// one, conditions in the status of a claim count. The error is an
// *OptionError, or the context's own.
func ResourceHealth(ctx context.Context, text []byte, opts Options) (*ResourceHealthResult, error) {
	side, err := planNodeSide(ctx, text, opts)
	if err != nil {
		return nil, err
	}
	reports := side.reports()
	out := &ResourceHealthResult{
		KubernetesVersion: side.set.Version().String(),
		Pods:              []PodHealth{},
		Diagnostics:       side.findings(opts),
	}
	for _, p := range side.plan.Pods {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if pod := side.handed.Pods[p]; pod != nil && turnOf(p) >= 0 {
			if !side.hold(side.healthWeight(p, pod)) {
				out.OmittedPods++
				continue
			}
			if one := side.podHealth(p, pod, reports); one != nil {
				out.Pods = append(out.Pods, *one)
			}
		}
	}
	out.Assumptions = append(side.presumed(), side.assumed()...)
	out.Assumptions = append(out.Assumptions, side.assumedHealth(reports)...)
	return out, side.taintRules(ctx, reports, out)
}

// healthWeight is how many devices the answer lists for a pod: once for each of
// its claims, and again for each container that names one.
func (s *nodeSide) healthWeight(p *schedule.Pod, pod *corev1.Pod) int {
	weight, devices := 0, map[string]int{}
	for _, c := range s.started[p].Claims {
		if c.Claim == nil || c.Claim.Status.Allocation == nil {
			continue
		}
		n := len(c.Claim.Status.Allocation.Devices.Results)
		weight += n
		if c.Entry < len(pod.Spec.ResourceClaims) {
			devices[pod.Spec.ResourceClaims[c.Entry].Name] = n
		}
	}
	for i := range pod.Spec.Containers {
		for _, c := range pod.Spec.Containers[i].Resources.Claims {
			weight += devices[c.Name]
		}
	}
	return weight
}

// podHealth tells of the devices of a pod; nil for a pod that has none.
func (s *nodeSide) podHealth(p *schedule.Pod, pod *corev1.Pod, reports *healthReports) *PodHealth {
	k := s.kubelet(pod.Spec.NodeName)
	out := &PodHealth{
		Namespace: pod.Namespace, Name: pod.Name, Node: pod.Spec.NodeName, Devices: []PodDeviceHealth{},
		Location: s.where.locate(inventory.Place{Object: p.Pod, Field: "metadata.name"}),
	}
	told := map[corev1.ResourceID]bool{}
	for _, c := range k.Statuses(pod, reports.on(pod.Spec.NodeName)) {
		out.ContainerStatuses = append(out.ContainerStatuses, ContainerHealthStatus{Name: c.Container, AllocatedResourcesStatus: c.Status})
		for _, status := range c.Status {
			for _, r := range status.Resources {
				told[r.ResourceID] = true
			}
		}
	}
	start := s.started[p]
	for i := range start.Claims {
		c := &start.Claims[i]
		if c.Claim == nil || c.Claim.Status.Allocation == nil {
			continue
		}
		for j := range c.Claim.Status.Allocation.Devices.Results {
			out.Devices = append(out.Devices, s.deviceHealth(p, pod, c, j, reports, told))
		}
	}
	if len(out.Devices) == 0 {
		return nil
	}
	out.Health, out.Message = summedUp(podName(p), out.Devices)
	return out
}

// summedUp sums up the health of devices.
func summedUp(pod string, devices []PodDeviceHealth) (health, message string) {
	names := map[string][]string{}
	for _, d := range devices {
		if !slices.Contains(names[d.Health], d.Device) {
			names[d.Health] = append(names[d.Health], d.Device)
		}
	}
	uses := fmt.Sprintf("%s uses %s", pod, count(len(devices), "device", "devices"))
	if bad := names["Unhealthy"]; len(bad) > 0 {
		return "Unhealthy", fmt.Sprintf("%s: %s reported unhealthy", uses, some(bad)+map[bool]string{true: " is", false: " are"}[len(bad) == 1])
	}
	if silent := names["Unknown"]; len(silent) > 0 {
		return "Unknown", fmt.Sprintf("%s: there is no report that counts about %s", uses, some(silent))
	}
	return "Healthy", uses + ": all reported healthy"
}

// deviceHealth tells of one device of a claim.
func (s *nodeSide) deviceHealth(p *schedule.Pod, pod *corev1.Pod, c *kubelet.Claim, i int, reports *healthReports, told map[corev1.ResourceID]bool) PodDeviceHealth {
	r := &c.Claim.Status.Allocation.Devices.Results[i]
	id := inventory.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}
	out := PodDeviceHealth{
		Claim: pod.Namespace + "/" + c.Name, Request: r.Request, Driver: r.Driver, Pool: r.Pool, Device: r.Device,
		Location: s.locateResult(c.Claim, i),
	}
	known := reports.on(pod.Spec.NodeName)
	health, said, _ := known.Of(r.Driver, r.Pool, r.Device)
	out.Health = string(health)
	last, any := known.Last(r.Driver, r.Pool, r.Device)
	if at := s.where.locate(reports.place(pod.Spec.NodeName, id)); any && at != nil {
		out.Location = at
	}
	switch {
	case !s.registered(r.Driver, pod.Spec.NodeName):
		out.Message = fmt.Sprintf("the plugin of %s is not registered with the kubelet of %s, which forgets with it what it knows of %s", r.Driver, pod.Spec.NodeName, r.Device)
	case !any:
		out.Message = fmt.Sprintf("%s has not reported %s", r.Driver, r.Device)
	case last.Stale():
		out.Message = fmt.Sprintf("the report is %d s old and counts for %d s", last.Age, last.CountsFor())
	case said != "":
		out.Message = fmt.Sprintf("reported %s: %s", health, brief(said))
	default:
		out.Message = fmt.Sprintf("reported %s", health)
	}
	if reports.fromCondition[id] {
		out.Message += ", in a condition of the claim"
	}
	if out.Told = told[kubelet.ResourceID(r.Driver, kubelet.Device{Pool: r.Pool, Device: r.Device, CDI: s.cdi[id]})]; !out.Told {
		out.Message += "; the pod's status does not tell it: " + s.untold(p, c, r)
	}
	return out
}

// untold says why the status of a pod says nothing of a device.
func (s *nodeSide) untold(p *schedule.Pod, c *kubelet.Claim, r *resourceapi.DeviceRequestAllocationResult) string {
	for i := range c.Drivers {
		if d := &c.Drivers[i]; d.Name == r.Driver && d.Skip(kubelet.Prepare) {
			return fmt.Sprintf("%s is not asked to prepare it, so the kubelet does not know it", r.Driver)
		}
	}
	switch {
	case !s.set.Enabled(feature.ResourceHealthStatus):
		return fmt.Sprintf("%s is off", feature.ResourceHealthStatus)
	case s.started[p].Problem != nil:
		return "the pod has not started"
	}
	return "no container that keeps running names the claim, or this request of it"
}

// assumedHealth says what was taken for granted about reports.
func (s *nodeSide) assumedHealth(reports *healthReports) []string {
	var out []string
	if !s.set.Enabled(feature.ResourceHealthStatus) {
		out = append(out, fmt.Sprintf("%s is off in %s, so kubelets write nothing about the health of devices", feature.ResourceHealthStatus, s.set.Version()))
	}
	if len(s.cdi) == 0 && reports.any {
		out = append(out, "drivers are taken to name no CDI devices; a status calls a device by its first CDI device where there is one (cdiDevices of the DeviceHealth)")
	}
	if list := slices.Sorted(maps.Keys(reports.ignored)); len(list) > 0 {
		out = append(out, fmt.Sprintf("kubelets keep the health of %d devices for each driver, and %s reported more", kubelet.MostDevices, some(list)))
	}
	var names []string
	for id := range reports.fromCondition {
		names = append(names, id.String())
	}
	if slices.Sort(names); len(names) > 0 {
		out = append(out, fmt.Sprintf("kubelets do not read conditions of claims; what they say is taken for what the driver reports as well (%s)", some(names)))
	}
	return out
}

// brief keeps messages readable, whatever a driver says.
func brief(s string) string {
	const most = 120
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
