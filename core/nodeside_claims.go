package core

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/kubelet"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// claim tells what is asked of the drivers of a claim.
func (n *onNode) claim(c *kubelet.Claim) ClaimOperations {
	out := ClaimOperations{Location: n.locateClaim(c)}
	if c.Entry < len(n.pod.Spec.ResourceClaims) {
		out.Entry = n.pod.Spec.ResourceClaims[c.Entry].Name
	}
	if c.Name != "" {
		out.Claim = n.pod.Namespace + "/" + c.Name
	}
	leave := n.leaving(c.Name)
	if leave != nil {
		for _, uid := range leave.Others {
			out.Shared = append(out.Shared, n.names[uid])
		}
	}
	switch {
	case c.Problem != nil:
		out.Code, out.Message = string(c.Problem.Code), n.explain(c.Problem)
	case c.Claim == nil:
		out.Message = "no claim is needed for this entry"
	case n.had(c):
		out.Message = "it was prepared for the pod when that started"
	case n.out.State == PodTerminating:
		out.Message = "nothing is prepared for a pod that is being deleted"
	case c.Done:
		out.Message = "it was prepared before, so that no driver is asked again"
	case n.out.State == PodIsRefused:
		out.Message = "nothing is done about it, because the kubelet refuses the pod before"
	case n.start.Problem != nil:
		out.Message = "it could be prepared, and the kubelet does nothing before all claims of the pod can be"
	default:
		out.Message = "it is prepared for the pod"
	}
	for i := range c.Drivers {
		out.Drivers = append(out.Drivers, n.driver(c, &c.Drivers[i], leave))
	}
	return out
}

// had tells whether a claim was prepared for the pod before now.
func (n *onNode) had(c *kubelet.Claim) bool {
	return n.out.State == PodRuns && c.Problem == nil || n.out.State == PodTerminating && n.leaving(c.Name) != nil
}

func (n *onNode) leaving(name string) *kubelet.Leave {
	for i := range n.stop.Claims {
		if n.stop.Claims[i].Name == name {
			return &n.stop.Claims[i]
		}
	}
	return nil
}

// driver tells what is asked of a driver for a claim.
func (n *onNode) driver(c *kubelet.Claim, d *kubelet.Driver, leave *kubelet.Leave) DriverOperations {
	out := DriverOperations{Driver: d.Name, Prepare: n.preparing(c, d), Unprepare: n.unpreparing(d, leave), Devices: []OperationDevice{}}
	skipping := 0
	for _, i := range d.Results {
		r := &c.Claim.Status.Allocation.Devices.Results[i]
		one := OperationDevice{Request: r.Request, Pool: r.Pool, Device: r.Device, Location: n.locateResult(c.Claim, i)}
		for _, op := range r.SkipNodeOperations {
			one.SkipNodeOperations = append(one.SkipNodeOperations, string(op))
		}
		if len(r.SkipNodeOperations) > 0 {
			skipping++
		}
		out.Devices = append(out.Devices, one)
	}
	out.Message = n.why(d, skipping, &out)
	return out
}

func (n *onNode) preparing(c *kubelet.Claim, d *kubelet.Driver) string {
	switch {
	case d.Skip(kubelet.Prepare):
		return "Skipped"
	case c.Done || n.out.State == PodRuns || n.had(c):
		return "Prepared"
	case n.out.State == PodTerminating:
		return "NotReached"
	case c.Problem != nil && c.Problem.Code == kubelet.Absent && !n.registered(d.Name, n.pod.Spec.NodeName):
		return "Waits"
	case n.start.Problem != nil || n.out.State == PodIsRefused:
		return "NotReached"
	}
	return "Called"
}

func (n *onNode) unpreparing(d *kubelet.Driver, leave *kubelet.Leave) string {
	switch {
	case leave == nil:
		return "NotReached"
	case d.Skip(kubelet.Unprepare):
		return "Skipped"
	case len(leave.Others) > 0:
		return "Kept"
	case !n.registered(d.Name, n.pod.Spec.NodeName):
		return "Waits"
	}
	return "Called"
}

// why says why a driver is called, or is not.
func (n *onNode) why(d *kubelet.Driver, skipping int, out *DriverOperations) string {
	devices := count(len(d.Results), "device", "devices")
	all := "all its " + devices
	if len(d.Results) == 1 {
		all = "its device"
	}
	var text string
	switch {
	case d.Skip(kubelet.Prepare) && d.Skip(kubelet.Unprepare):
		text = fmt.Sprintf("%s of the claim can do without the driver, so neither operation is asked for", all)
	case d.Skip(kubelet.Unprepare):
		text = fmt.Sprintf("%s of the claim must be prepared, and nothing must be undone", all)
	case d.Skip(kubelet.Prepare):
		text = fmt.Sprintf("%s of the claim can do without being prepared, and what was not done must be undone", all)
	case skipping > 0:
		text = fmt.Sprintf("%d of %s of the claim can do without the driver, and it is asked for all of them as long as one cannot", skipping, devices)
	default:
		text = "the driver prepares what it has in the claim, and undoes that"
	}
	if out.Prepare == "Waits" || out.Unprepare == "Waits" {
		text += fmt.Sprintf("; its plugin is absent on %s", n.node())
	}
	return text
}

// locateClaim finds the claim, its template, or what names it.
func (n *onNode) locateClaim(c *kubelet.Claim) *diag.Location {
	if of := n.planned(c.Claim); of != nil {
		if at := n.where.locate(inventory.Place{Object: of.Origin, Field: "metadata.name"}); at != nil {
			return at
		}
	}
	return n.where.locate(inventory.Place{Object: n.plan.Pod, Field: fmt.Sprintf("spec.resourceClaims[%d]", c.Entry)})
}

func (s *nodeSide) planned(c *resourceapi.ResourceClaim) *schedule.Claim {
	if c == nil {
		return nil
	}
	return s.handed.Of[c]
}

// locateResult finds a result in the status of its claim, or the device that
// the plan chose.
func (s *nodeSide) locateResult(c *resourceapi.ResourceClaim, i int) *diag.Location {
	of := s.planned(c)
	if of != nil && of.Outcome == schedule.Before {
		if origin, ok := of.Origin.(*resourceapi.ResourceClaim); ok && origin.Status.Allocation != nil {
			if at := s.where.locate(inventory.Place{Object: origin, Field: fmt.Sprintf("status.allocation.devices.results[%d]", i)}); at != nil {
				return at
			}
		}
	}
	r := &c.Status.Allocation.Devices.Results[i]
	place, known := s.devices[inventory.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}]
	if !known {
		return nil
	}
	return s.where.locate(place)
}

// reservedFor are the consumers of a claim, in words.
func reservedFor(c *resourceapi.ResourceClaim) string {
	var names []string
	for _, r := range c.Status.ReservedFor {
		names = append(names, r.Name)
	}
	return some(names)
}
