package validate

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// controlled is what v1alpha3 of Kubernetes 1.31 had for allocation by a
// driver's own controller. It stands in the text alone: the types of later
// versions have no place for it.
type controlled struct {
	controller  string               // of a claim or a template
	nodes       *corev1.NodeSelector // of a class
	allocatedBy string               // the controller of an allocation
	deallocate  bool                 // whether that is to give it back
}

// controlledOf reads it; nil where there is no such thing.
func controlledOf(o *bundle.Object, minor int) *controlled {
	if minor != 31 || o.Ref.APIVersion != past.V1alpha3 {
		return nil
	}
	x := &controlled{}
	switch o.Ref.Kind {
	case "ResourceClaimTemplate":
		x.controller, _ = o.At("spec.spec.controller").Str()
	case "ResourceClaim":
		x.controller, _ = o.At("spec.controller").Str()
		x.allocatedBy, _ = o.At("status.allocation.controller").Str()
		x.deallocate, _ = o.At("status.deallocationRequested").Bool()
	case "DeviceClass":
		n := o.At("spec.suitableNodes")
		var nodes corev1.NodeSelector
		if n.Kind() == bundle.Map && json.Unmarshal(n.JSON(), &nodes) == nil {
			x.nodes = &nodes
		}
	}
	return x
}

// prepare makes it what the API server looks at: with what the request cannot
// change taken from before, and without what the gate keeps away. It is made
// anew by every walk.
func (x *controlled) prepare(is, was runtime.Object, before *controlled, status, on bool, dropped *droppedFields) {
	if x == nil {
		return
	}
	spec := (*path)(nil).child("spec")
	drop := func(name, effect string) {
		dropped.add(droppedField{rule: "past-controller-dropped", gate: feature.DRAControlPlaneController, at: spec.child(name), name: name, effect: effect})
	}
	old := controlled{}
	if before != nil {
		if old = *before; status {
			x.controller = old.controller
		} else {
			x.allocatedBy, x.deallocate = old.allocatedBy, old.deallocate
		}
	}
	switch v := is.(type) {
	case *resourceapi.DeviceClass:
		if x.nodes != nil && old.nodes == nil && !on {
			drop("suitableNodes", "the scheduler then asks about every node")
			x.nodes = nil
		}
	case *resourceapi.ResourceClaim:
		if on {
			return
		}
		if x.controller != "" && old.controller == "" {
			drop("controller", "the scheduler then allocates the claim itself")
			x.controller = ""
		}
		if before == nil {
			return
		}
		if old.controller == "" && v.Status.Allocation != nil && was.(*resourceapi.ResourceClaim).Status.Allocation == nil {
			x.allocatedBy = ""
		}
		if !old.deallocate && (v.Status.Allocation == nil || x.allocatedBy == "") {
			x.deallocate = false
		}
	}
}

// countNodes counts a change of a class of which nothing else has changed.
func countNodes(is, was runtime.Object, x, before *controlled, on bool) {
	v, class := is.(*resourceapi.DeviceClass)
	if !class || x == nil || before == nil {
		return
	}
	x.prepare(is, was, before, false, on, &droppedFields{})
	if old := was.(*resourceapi.DeviceClass); v.Generation == old.Generation && !equality.Semantic.DeepEqual(x.nodes, before.nodes) {
		v.Generation++
	}
}

// controllerFields checks it.
func (c *checker) controllerFields(x *controlled, is runtime.Object) {
	if x == nil {
		return
	}
	root := (*path)(nil)
	spec := root.child("spec")
	switch is.(type) {
	case *resourceapi.ResourceClaimTemplate:
		spec = spec.child("spec")
	case *resourceapi.DeviceClass:
		if x.nodes != nil {
			before, at := len(c.found), spec.child("suitableNodes")
			c.nodeSelector(x.nodes, at)
			c.reportAt(before, at, root.child("suitableNodes")) // the API server of 1.31 left out spec
		}
	}
	if x.controller != "" {
		c.hand(spec.child("controller"), c.driverName("driver-name", "driver name", x.controller)...)
	}
}

// controllerChange checks it on an update. Where all else of a part stays as it
// was, it may be what has changed.
func (c *checker) controllerChange(x, was *controlled, is, before runtime.Object, status bool) {
	if x == nil || was == nil {
		return
	}
	spec := (*path)(nil).child("spec")
	const rule, advice = "spec-immutable", "create another one instead"
	switch v := is.(type) {
	case *resourceapi.ResourceClaimTemplate:
		if equality.Semantic.DeepEqual(v.Spec, before.(*resourceapi.ResourceClaimTemplate).Spec) {
			c.fixedText(rule, "the spec of a template", was.controller, x.controller, spec, spec.child("spec").child("controller"), advice)
		}
	case *resourceapi.ResourceClaim:
		old := before.(*resourceapi.ResourceClaim)
		if !status {
			if equality.Semantic.DeepEqual(v.Spec, old.Spec) {
				c.fixedText(rule, "the spec of a claim", was.controller, x.controller, spec, spec.child("controller"), advice)
			}
			break
		}
		at := (*path)(nil).child("status")
		allocation := at.child("allocation")
		if v.Status.Allocation != nil && x.allocatedBy != "" {
			c.hand(allocation.child("controller"), c.driverName("driver-name", "driver name", x.allocatedBy)...)
		}
		if v.Status.Allocation != nil && old.Status.Allocation != nil && equality.Semantic.DeepEqual(v.Status.Allocation, old.Status.Allocation) {
			c.fixedText("allocation-immutable", "an allocation", was.allocatedBy, x.allocatedBy, allocation, allocation.child("controller"), "deallocate the claim first")
		}
		c.deallocation(was.deallocate, x.deallocate, v.Status.Allocation != nil, len(v.Status.ReservedFor), at)
	}
	if !status {
		c.controllerFields(x, is)
	}
}

// fixedText reports a text inside of a part that may not change.
func (c *checker) fixedText(rule, noun, was, is string, at, focus *path, advice string) {
	before := len(c.found)
	c.fixed(byHand, rule, noun, was, is, focus, advice)
	c.reportAt(before, focus, at)
}

// deviceShapes checks that devices have the one shape that there was up to
// 1.32.
func (c *checker) deviceShapes(o *bundle.Object) {
	if c.does(insideAsV1) || o.Ref.Kind != "ResourceSlice" {
		return
	}
	at := (*path)(nil).child("spec").child("devices")
	for i, device := range o.At("spec.devices").Items() {
		if device.Kind() == bundle.Map && device.Get("basic").Kind() == bundle.Null {
			c.hand(at.at(i).child("basic"), required("past-basic", "the device has no basic, the only kind of device that there was; write basic: {} or what the device has in it"))
		}
	}
}
