package validate

import (
	"strconv"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/drawbridge-dra/drawbridge/core/past"
)

// pastChange applies the rules for updates of kinds that are gone. Apart from
// their metadata, and from what may not change, they were checked as if they
// were new.
func (c *checker) pastChange(is, was runtime.Object, status bool) {
	m, before, where := metadataOf(is), metadataOf(was), namespaced
	switch is.(type) {
	case *past.ResourceClass, *past.ResourceSlice:
		where = clusterScoped
	}
	if status {
		c.updatedMetadata(m, before, where, anyName, true)
		c.pastStatus(is, was)
		return
	}
	c.updatedMetadata(m, before, where, wholeName, true)
	root := (*path)(nil)
	const rule, advice = "spec-immutable", "create another one instead"
	switch v := is.(type) {
	case *past.ResourceClaim:
		c.fixed(byHand, rule, "the spec of a claim", was.(*past.ResourceClaim).Spec, v.Spec, root.child("spec"), advice)
	case *past.ResourceClaimTemplate:
		c.fixed(byHand, rule, "the spec of a template", was.(*past.ResourceClaimTemplate).Spec, v.Spec, root.child("spec"), advice)
	case *past.ResourceSlice:
		old := was.(*past.ResourceSlice)
		c.fixed(byHand, "slice-immutable", "nodeName", old.NodeName, v.NodeName, root.child("nodeName"), advice)
		c.fixed(byHand, "slice-immutable", "driverName", old.DriverName, v.DriverName, root.child("driverName"), advice)
	case *past.ResourceClaimParameters:
		c.storedSelectors = equality.Semantic.DeepEqual(was.(*past.ResourceClaimParameters).DriverRequests, v.DriverRequests)
	}
	c.pastBody(is)
}

// pastStatus checks what the scheduler and controllers write.
func (c *checker) pastStatus(is, was runtime.Object) {
	at := (*path)(nil).child("status")
	switch v := is.(type) {
	case *past.PodSchedulingContext:
		before, list := len(c.found), at.child("resourceClaims")
		for i := range v.Status.ResourceClaims {
			c.schedulingNodes(v.Status.ResourceClaims[i].UnsuitableNodes, list.at(i).child("unsuitableNodes"))
		}
		unique(v.Status.ResourceClaims, func(e past.ClaimScheduling) string { return e.Name }, func(i int) {
			c.hand(list.at(i), duplicate("past-scheduling-nodes", v.Status.ResourceClaims[i].Name, "claim"))
		})
		c.reportAt(before, list, at.child("claims")) // so the API server called it
	case *past.ResourceClaim:
		c.pastClaimStatus(v, &was.(*past.ResourceClaim).Status, at)
	}
}

// reportAt reports what was found since then at another path than that of the
// text.
func (c *checker) reportAt(since int, text, reported *path) {
	for i := range c.found[since:] {
		f := &c.found[since+i]
		if f.focus == nil {
			f.focus = f.at
		}
		f.at = moved(f.at, text, reported)
	}
}

// moved puts what is below one path below another.
func moved(p, from, to *path) *path {
	if p == from || p == nil {
		return to
	}
	out := *p
	out.parent = moved(p.parent, from, to)
	return &out
}

const allocationRule = "past-allocation"

func (c *checker) pastClaimStatus(r *past.ResourceClaim, was *past.ClaimStatus, at *path) {
	s := &r.Status
	if s.DriverName != "" {
		c.hand(at.child("driverName"), c.driverName("driver-name", "driver name", s.DriverName)...)
	} else if s.Allocation != nil {
		c.hand(at.child("driverName"), required(allocationRule, "the claim is allocated and nobody says by which driver; write driverName"))
	}
	c.consumers(consumersOf(s.ReservedFor), consumersOf(was.ReservedFor), s.Allocation != nil, closing(r.DeletionTimestamp != nil, s.DeallocationRequested), at.child("reservedFor"))
	if a := s.Allocation; a != nil {
		place := at.child("allocation")
		c.pastAllocation(a, place)
		if n := len(s.ReservedFor); n > 1 && !a.Shareable {
			c.hand(at.child("reservedFor"), forbidden(allocationRule, strconv.Itoa(n), "the claim is reserved for "+plural(n, "consumer")+", and its allocation is not shareable; keep one of them"))
		}
		if was.Allocation != nil {
			c.fixed(byHand, "allocation-immutable", "an allocation", was.Allocation, a, place, "deallocate the claim first")
		}
	}
	c.deallocation(was.DeallocationRequested, s.DeallocationRequested, s.Allocation != nil, len(s.ReservedFor), at)
}

func consumersOf(list []past.Consumer) []resourceapi.ResourceClaimConsumerReference {
	out := make([]resourceapi.ResourceClaimConsumerReference, len(list))
	for i, e := range list {
		out[i] = resourceapi.ResourceClaimConsumerReference(e)
	}
	return out
}

func (c *checker) pastAllocation(a *past.Allocation, at *path) {
	if a.AvailableOnNodes != nil {
		c.nodeSelector(a.AvailableOnNodes, at.child("availableOnNodes"))
	}
	c.handleData(a.ResourceHandle, at.child("resourceHandle"))
	handles := at.child("resourceHandles")
	if n := len(a.ResourceHandles); n > past.MostHandles {
		p := tooMany(allocationRule, n, past.MostHandles, "handle", "put what belongs together into one")
		p.kind = field.ErrorTypeTooLong
		c.hand(handles, p)
	}
	for i := range a.ResourceHandles {
		h, place := &a.ResourceHandles[i], handles.at(i)
		c.hand(place.child("driverName"), c.driverName("driver-name", "driver name", h.DriverName)...)
		c.handleData(h.Data, place.child("data"))
		s := h.StructuredData
		if s == nil {
			continue
		}
		if h.Data != "" {
			c.hand(place, invalid(allocationRule, "", "the handle has data and structuredData, one of them is allowed; keep the one that the driver reads"))
		}
		inside := place.child("structuredData")
		if s.NodeName != "" {
			c.hand(inside.child("nodeName"), subdomain("node-name", "nodeName", s.NodeName)...)
		}
		for j, e := range s.Results {
			if result := inside.child("results").at(j); e.NamedResources == nil {
				c.hand(result, noModel())
			} else {
				c.hand(result.child("namedResources").child("name"), subdomain("device-name", "instance name", e.NamedResources.Name)...)
			}
		}
	}
}

func (c *checker) handleData(data string, at *path) {
	if len(data) > past.MostHandleData {
		c.hand(at, tooLong(allocationRule, data, "what the driver keeps of an allocation", past.MostHandleData))
	}
}

// deallocation checks how a claim is given back to a driver's controller.
func (c *checker) deallocation(was, is, allocated bool, consumers int, at *path) {
	const rule = "past-deallocation"
	requested := at.child("deallocationRequested")
	if is && !was && consumers > 0 {
		c.hand(requested, forbidden(rule, "true", "the claim is to be deallocated while it is reserved; remove reservedFor first"))
	}
	if is && !allocated {
		p := forbidden(rule, "true", "the claim is to be deallocated and has no allocation; remove deallocationRequested together with allocation")
		p.focus = requested
		c.hand(at, p)
	}
	if was && !is && allocated {
		c.hand(requested, forbidden(rule, "false", "deallocation cannot be called off once the controller may have begun; leave deallocationRequested until allocation is gone"))
	}
}
