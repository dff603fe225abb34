package core

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// releaseDevice frees a device, or for counters and groups the devices of its
// pool, from claims that hold them.
func releaseDevice(p *probe, _ *schedule.Reason, d *allocate.DeviceReason) {
	wholePool := d.Code == allocate.Counters || d.Code == allocate.Groups
	p.free(func(id inventory.DeviceID) bool {
		return id == d.ID || wholePool && id.Driver == d.ID.Driver && id.Pool == d.ID.Pool
	})
}

// releaseAll frees the devices of the pools that a reason is about, or any.
func releaseAll(p *probe, _ string, r *schedule.Reason) {
	p.free(func(id inventory.DeviceID) bool {
		if len(r.Devices) == 0 {
			return true
		}
		return slices.ContainsFunc(r.Devices, func(d allocate.DeviceReason) bool { return d.ID.Driver == id.Driver && d.ID.Pool == id.Pool })
	})
}

// maxHolders is how many claims are tried to be freed for one reason.
const maxHolders = 6

// free proposes to release each claim that holds one of the devices, or to
// let the pod wait that gets them in this plan.
func (p *probe) free(holds func(inventory.DeviceID) bool) {
	var holders []*schedule.Claim
	p.results(func(c *schedule.Claim, result *resourceapi.DeviceRequestAllocationResult) {
		id := inventory.DeviceID{Driver: result.Driver, Pool: result.Pool, Device: result.Device}
		if holds(id) && !slices.Contains(holders, c) && len(holders) < maxHolders {
			holders = append(holders, c)
		}
	})
	for _, c := range holders {
		switch {
		case c.Outcome == schedule.Before:
			p.releaseOrDelete(c)
		case c.Pod != nil && c.Pod != p.pod():
			gates := append(slices.Clone(c.Pod.Spec.SchedulingGates), corev1.PodSchedulingGate{Name: "example.com/wait"})
			p.set(wait, fmt.Sprintf("pod %s waits, which comes first", fullName(c.Pod.Namespace, c.Pod.Name)), c.Pod, "spec", "schedulingGates", gates)
		}
	}
}

// releaseOrDelete proposes to take an allocation back. A claim that nobody uses
// would get it again, so it has to go.
func (p *probe) releaseOrDelete(c *schedule.Claim) {
	series := "hold " + c.Name()
	p.setIn(series, release, c.Name()+" is released", c.Origin, "", "status", map[string]any{})
	o := lookUp(p.cluster.objects, c.Origin)
	if o == nil {
		return
	}
	status, ok := o.Put("", "status", map[string]any{})
	deleted, also := o.Put("metadata", "deletionTimestamp", "2026-01-01T00:00:00Z")
	if !ok || !also {
		return
	}
	edits := []bundle.Edit{status, deleted}
	if len(c.Claim.Finalizers) > 0 {
		if e, ok := o.Put("metadata", "finalizers", []any{}); ok {
			edits = append(edits, e)
		}
	}
	p.add(release, series, c.Name()+" is deleted", o, "metadata.deletionTimestamp", edits)
}

// releaseClaim takes the allocation of the pod's own claim back.
func releaseClaim(p *probe, _ string, r *schedule.Reason) {
	for _, c := range p.claims(r) {
		if c.Claim.Status.Allocation != nil {
			p.set(release, c.Name()+" is released", c.Origin, "", "status", map[string]any{})
		}
	}
}

func unreserve(p *probe, _ string, r *schedule.Reason) {
	for _, c := range p.claims(r) {
		if len(c.Claim.Status.ReservedFor) > 0 {
			p.set(release, c.Name()+" is reserved for nobody else", c.Origin, "status", "reservedFor", []any{})
		}
	}
}

func keepClaim(p *probe, _ string, r *schedule.Reason) {
	if r.Claim != nil && r.Claim.Claim.DeletionTimestamp != nil {
		p.set(recreate, r.Claim.Name()+" is created anew", r.Claim.Origin, "metadata", "deletionTimestamp", nil)
	}
}

// declare lets a node say that it can do without preparing devices.
func declare(p *probe, node string, _ *schedule.Reason) {
	const optional = "DRAOptionalNodeOperations"
	n := p.nodeNamed(node)
	if n == nil || slices.Contains(n.Status.DeclaredFeatures, optional) {
		return
	}
	features := append(slices.Clone(n.Status.DeclaredFeatures), optional)
	slices.Sort(features)
	p.set(nodeChange, fmt.Sprintf("node %s declares %s", node, optional), n, "status", "declaredFeatures", features)
}

// completePool lets the slices of a pool say how many of them there are.
func completePool(p *probe, _ string, r *schedule.Reason) {
	slice, ok := r.At.Object.(*resourceapi.ResourceSlice)
	if !ok {
		return
	}
	pool := slice.Spec.Pool
	var edits []bundle.Edit
	var members []*resourceapi.ResourceSlice
	for _, s := range p.cluster.input.Slices {
		if s.Spec.Driver == slice.Spec.Driver && s.Spec.Pool.Name == pool.Name && s.Spec.Pool.Generation == pool.Generation {
			members = append(members, s)
		}
	}
	for _, s := range members {
		o := lookUp(p.cluster.objects, any(s))
		if o == nil {
			return
		}
		e, ok := o.Put("spec.pool", "resourceSliceCount", len(members))
		if !ok {
			return
		}
		edits = append(edits, e)
	}
	p.add(sliceOf, "", fmt.Sprintf("resourceSliceCount of pool %s is %d, as many slices as there are", pool.Name, len(members)),
		lookUp(p.cluster.objects, any(slice)), "spec.pool.resourceSliceCount", edits)
}

// taintOf is the taint that refused a device.
func (p *probe) taintOf(d *allocate.DeviceReason) *resourceapi.DeviceTaint {
	switch o := d.At.Object.(type) {
	case *resourceapi.ResourceSlice:
		for i := range o.Spec.Devices {
			for j := range o.Spec.Devices[i].Taints {
				if d.At.Field == fmt.Sprintf("spec.devices[%d].taints[%d]", i, j) {
					return &o.Spec.Devices[i].Taints[j]
				}
			}
		}
	case *resourceapi.DeviceTaintRule:
		t := o.Spec.Taint
		return &t
	}
	return nil
}

func tolerateDevice(p *probe, r *schedule.Reason, d *allocate.DeviceReason) {
	taint := p.taintOf(d)
	if taint == nil {
		return
	}
	t := resourceapi.DeviceToleration{Key: taint.Key, Operator: resourceapi.DeviceTolerationOpExists, Effect: taint.Effect}
	text := taint.Key
	if taint.Value != "" {
		t.Operator, t.Value = resourceapi.DeviceTolerationOpEqual, taint.Value
		text += "=" + taint.Value
	}
	for _, a := range p.asks(r) {
		p.set(toleration, fmt.Sprintf("%s tolerates %s:%s", a.who(), text, taint.Effect), a.claim.Origin, a.path, "tolerations", append(slices.Clone(a.Tolerations), t))
	}
}

func untaintDevice(p *probe, _ *schedule.Reason, d *allocate.DeviceReason) {
	switch o := d.At.Object.(type) {
	case *resourceapi.ResourceSlice:
		if at := p.taintOf(d); at != nil {
			for i := range o.Spec.Devices {
				if o.Spec.Devices[i].Name == d.ID.Device {
					p.set(sliceOf, fmt.Sprintf("device %s has no taint", d.ID.Device), o, fmt.Sprintf("spec.devices[%d]", i), "taints", []any{})
				}
			}
		}
	case *resourceapi.DeviceTaintRule:
		p.set(sliceOf, fmt.Sprintf("DeviceTaintRule %s has effect None", o.Name), o, "spec.taint", "effect", resourceapi.DeviceTaintEffectNone)
	}
}
