package validate

import (
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// then is a time that is not now.
func then(hours int) metav1.Time {
	return metav1.NewTime(time.Date(2026, 1, 1, hours, 0, 0, 0, time.UTC))
}

// status fills the status of an object that has one, now and then with
// nothing.
func (r *random) status(obj runtime.Object) {
	switch o := obj.(type) {
	case *resourceapi.ResourceClaim:
		o.Status = resourceapi.ResourceClaimStatus{}
		if !r.chance(3) {
			o.Status.Allocation = r.allocation(&o.Spec.Devices)
		}
		if o.Status.Allocation != nil || r.faulty() {
			o.Status.ReservedFor = long(r, 256, func(i int) resourceapi.ResourceClaimConsumerReference {
				return resourceapi.ResourceClaimConsumerReference{APIGroup: "", Resource: r.text("pods"), Name: r.text("pod" + digits(i)), UID: types.UID(r.name(i))}
			})
		}
		if o.Status.Allocation != nil && !r.chance(3) || r.faulty() {
			o.Status.Devices = r.deviceStatuses(o.Status.Allocation)
		}
	case *resourceapi.DeviceTaintRule:
		o.Status.Conditions = list(r, 8, r.statusCondition)
	case *alphaapi.ResourcePoolStatusRequest:
		o.Status = nil
		if !r.chance(3) {
			o.Status = r.poolAnswer()
		}
	}
}

func (r *random) allocation(d *resourceapi.DeviceClaim) *resourceapi.AllocationResult {
	a := &resourceapi.AllocationResult{}
	a.Devices.Results = long(r, 32, func(i int) resourceapi.DeviceRequestAllocationResult { return r.result(d, i) })
	if r := r.boost(); r.chance(2) {
		a.Devices.Config = long(r, 64, func(int) resourceapi.DeviceAllocationConfiguration {
			source := pick(r, resourceapi.AllocationConfigSourceClass, resourceapi.AllocationConfigSourceClaim)
			if r.faulty() {
				source = pick[resourceapi.AllocationConfigSource](r, "", "fromclass", "Class")
			}
			return resourceapi.DeviceAllocationConfiguration{Source: source, Requests: r.references(d), DeviceConfiguration: r.config()}
		})
	}
	if r.chance(3) {
		a.NodeSelector = r.nodeSelector()
	}
	if r.chance(3) {
		a.AllocationTimestamp = ptr(then(r.IntN(3)))
	}
	return a
}

func (r *random) result(d *resourceapi.DeviceClaim, i int) resourceapi.DeviceRequestAllocationResult {
	e := resourceapi.DeviceRequestAllocationResult{Driver: r.driver(), Pool: r.poolName(), Device: r.name(i)}
	if refs := r.references(d); len(refs) > 0 {
		e.Request = refs[0]
	} else if len(d.Requests) > 0 {
		e.Request = d.Requests[0].Name
	}
	if r.chance(4) {
		e.AdminAccess = ptr(r.chance(2))
	}
	if r.chance(3) {
		e.Tolerations = r.exactly().Tolerations
	}
	if r := r.boost(); r.chance(3) {
		e.BindingConditions, e.BindingFailureConditions = []string{r.labelKey(0)}, []string{r.labelKey(1)}
		if r.faulty() {
			e.BindingConditions, e.BindingFailureConditions = list(r, 4, r.condition), list(r, 4, r.condition)
		}
	}
	if r.chance(3) {
		e.ShareID = maybe(r, 4, types.UID(r.share()))
	}
	if r.chance(3) {
		e.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"memory": r.quantity()}
	}
	if r := r.boost(); r.chance(3) {
		e.SkipNodeOperations = list(r, 3, func(int) resourceapi.SkipNodeOperation {
			if r.faulty() {
				return resourceapi.SkipNodeOperation(r.oddText())
			}
			return pick(r, resourceapi.SkipNodeOperationAll, resourceapi.SkipNodeOperationNodePrepareResources, resourceapi.SkipNodeOperationNodeUnprepareResources)
		})
	}
	return e
}

func (r *random) share() string {
	if r.faulty() {
		return pick(r, "", "0A1b2c3d-0000-4000-8000-0123456789ab", "0a1b2c3d000040008000-0123456789ab", "{0a1b2c3d-0000-4000-8000-0123456789ab}", "urn:uuid:0a1b2c3d-0000-4000-8000-0123456789ab", "0a1b2c3d-0000-4000-8000-0123456789ag", r.oddText())
	}
	return pick(r, "0a1b2c3d-0000-4000-8000-0123456789ab", "0a1b2c3d-0000-4000-8000-0123456789ac")
}

func (r *random) deviceStatuses(a *resourceapi.AllocationResult) []resourceapi.AllocatedDeviceStatus {
	var out []resourceapi.AllocatedDeviceStatus
	add := func(driver, pool, device string, share *string) {
		out = append(out, resourceapi.AllocatedDeviceStatus{Driver: driver, Pool: pool, Device: device, ShareID: share,
			Conditions: list(r, 8, r.statusCondition), Data: r.data(), NetworkData: r.network()})
	}
	if a != nil {
		for _, e := range a.Devices.Results {
			if !r.chance(4) || r.faulty() {
				add(e.Driver, e.Pool, e.Device, (*string)(e.ShareID))
			}
			if r.faulty() {
				add(e.Driver, e.Pool, e.Device, pick(r, nil, ptr(""), ptr(r.share())))
			}
		}
	}
	if r.faulty() {
		add(r.driver(), r.poolName(), r.name(0), nil)
	}
	return out
}

func (r *random) data() *runtime.RawExtension {
	r = r.boost()
	if r.chance(2) {
		return nil
	}
	d := &runtime.RawExtension{Raw: []byte(`{"a":1}`)}
	if r.faulty() {
		d.Raw = []byte(pick(r, "{}", "[]", "null", "1", `"text"`, `{"a":"`+strings.Repeat("x", 10*1024-8)+`"}`, `{"a":"`+strings.Repeat("x", 10*1024-7)+`"}`))
		if r.chance(4) {
			d.Raw = nil
		}
	}
	return d
}

func (r *random) network() *resourceapi.NetworkDeviceData {
	r = r.boost()
	if r.chance(2) {
		return nil
	}
	n := &resourceapi.NetworkDeviceData{InterfaceName: "eth0", HardwareAddress: "00:11:22:33:44:55"}
	if r.faulty() {
		n.InterfaceName, n.HardwareAddress = strings.Repeat("i", 255+r.IntN(3)), strings.Repeat("h", 127+r.IntN(3))
	}
	n.IPs = long(r, 16, func(i int) string {
		if r.faulty() {
			return pick(r, "", "10.0.0.1", "10.0.0.1/33", "010.0.0.1/24", "10.0.0.1/024", "10.0.0.1/0", "2001:DB8::1/64", "2001:db8:0::1/64", "::ffff:10.0.0.1/120", "::ffff:10.0.0.1/90",
				"fe80::1%eth0/64", "::/0", "::1/128", "::ffff:0:0/96", "1::2:3/64", "1:0:0:2::3/64", " 10.0.0.1/24", "10.0.0/24", "10.0.0.1/+8", "10.0.0.1/-1", "::1.2.3.4/64", "64:ff9b::1.2.3.4/96")
		}
		return "10.0.0." + pick(r, "1", "2", "3", "4", "5", "6", "7", "8", "9") + "/2" + string(rune('0'+i%10))
	})
	return n
}

func (r *random) statusCondition(i int) metav1.Condition {
	e := metav1.Condition{Type: r.labelKey(i), Status: pick(r, metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown), LastTransitionTime: then(i % 24), Reason: "Reason"}
	if r.faulty() {
		e.Type = r.text(r.labelKey(0))
	}
	if r.faulty() {
		e.Status = pick[metav1.ConditionStatus](r, "", "true", "Yes")
	}
	if r.faulty() {
		e.ObservedGeneration = pick[int64](r, -1, 0, 1)
	}
	if r.faulty() {
		e.LastTransitionTime = metav1.Time{}
	}
	if r.faulty() {
		e.Reason = pick(r, "", "a", "a:", "a,b", "A_", "1a", "a-b", "Ä", "a:b,c_D", strings.Repeat("r", 1023+r.IntN(3)), strings.Repeat("-", 1025), r.oddText())
	}
	if r.faulty() {
		e.Message = strings.Repeat("m", 32<<10-1+r.IntN(3))
	}
	return e
}

func (r *random) poolRequest() *alphaapi.ResourcePoolStatusRequest {
	q := &alphaapi.ResourcePoolStatusRequest{ObjectMeta: r.metadata(false)}
	r = r.boost()
	q.Spec.Driver = r.driver()
	q.Spec.PoolName = maybe(r, 2, r.poolName())
	q.Spec.Limit = maybe(r, 2, int32(1+r.IntN(1000)))
	if r.faulty() {
		q.Spec.Limit = ptr(pick[int32](r, -1, 0, 1, 1000, 1001))
	}
	q.Spec.DefaultPartitionTypeAttribute = maybe(r, 2, r.attributeName())
	return q
}

func (r *random) poolAnswer() *alphaapi.ResourcePoolStatusRequestStatus {
	r = r.boost()
	s := &alphaapi.ResourcePoolStatusRequestStatus{PoolCount: r.number(0), Conditions: list(r, 10, r.statusCondition)}
	s.Pools = list(r, 3, func(i int) alphaapi.PoolStatus { return r.poolState() })
	if r.chance(10) {
		s.Pools = nil
		for range 1000 + r.IntN(2) {
			s.Pools = append(s.Pools, alphaapi.PoolStatus{Driver: "d", PoolName: "p", Generation: 1})
		}
	}
	return s
}

// number is a count that may be missing where it must not.
func (r *random) number(least int32) *int32 {
	if r.faulty() {
		return pick(r, nil, ptr[int32](-1), ptr[int32](0), ptr[int32](1))
	}
	return ptr(least + int32(r.IntN(3)))
}

func (r *random) poolState() alphaapi.PoolStatus {
	r = r.boost()
	p := alphaapi.PoolStatus{Driver: r.driver(), PoolName: r.poolName(), Generation: 1, ResourceSliceCount: r.number(1), TotalDevices: r.number(0),
		AllocatedDevices: r.number(0), AvailableDevices: r.number(0), UnavailableDevices: r.number(0), NodeName: maybe(r, 2, r.text("node-1"))}
	if r.faulty() {
		p.Generation = pick[int64](r, -1, 0, 1<<40)
	}
	if r.faulty() {
		p.ValidationError = ptr(strings.Repeat("e", 255+r.IntN(3)))
	}
	if r.chance(2) {
		p.PartitionSummary = list(r, 32, func(i int) alphaapi.PartitionTypeStatus {
			e := alphaapi.PartitionTypeStatus{Attribute: "gpu.example.com/profile", Type: "t" + digits(i), Total: r.number(0), Allocatable: r.number(0)}
			if r.faulty() {
				e.Attribute, e.Type = pick(r, "", "a"), pick(r, "", "t")
			}
			return e
		})
	}
	if r.chance(2) {
		p.ShareableSummary = &alphaapi.ShareableSummaryStatus{FullyAvailableDevices: r.number(0), PartiallyAvailableDevices: r.number(0)}
		p.ShareableSummary.Capacity = list(r, 32, func(i int) alphaapi.ShareableCapacityStatus {
			e := alphaapi.ShareableCapacityStatus{Name: "c" + digits(i), Total: ptr(r.quantity()), Consumed: ptr(r.quantity()), Available: ptr(r.quantity())}
			if r.faulty() {
				e = alphaapi.ShareableCapacityStatus{Name: pick(r, "", "c"), Total: maybe(r, 2, r.quantity()), Consumed: maybe(r, 2, r.quantity()), Available: maybe(r, 2, r.quantity())}
			}
			return e
		})
	}
	return p
}
