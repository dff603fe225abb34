package allocate

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// room is what a request takes of a device's capacities, and whether the
// device can give that at all. It is the same whatever has been given out.
type room struct {
	// err is an amount that the arithmetic cannot hold.
	err *capacityError
	// refusal says which rule forbids it; its code is empty for none.
	refusal capacityShortage
	// taken is in the order of device.capacities.
	taken []resource.Quantity
	total []resource.Quantity
}

// exceeds tells whether more is taken than the device has when nothing of it
// is given out.
func (r *room) exceeds() bool {
	for j := range r.taken {
		if r.total[j].Cmp(r.taken[j]) < 0 {
			return true
		}
	}
	return false
}

// capacityShortage says which capacity refuses a request.
type capacityShortage struct {
	code        Code
	name        resourceapi.QualifiedName
	asked, left resource.Quantity
}

// amountsOf numbers the amounts of capacity that an ask wants.
func amountsOf(a *ask, programs *Programs) int {
	k := programs.spell('c')
	asked := a.amounts()
	for _, name := range sortedNames(asked) {
		k.text(string(name))
		k.text(text(asked[name]))
	}
	return k.number()
}

// room works out, once, what an ask takes of a device.
func (v *View) room(a *ask, i int) *room {
	list := v.rooms[a.amountsNumber]
	if list == nil {
		list = make([]*room, len(v.devices))
		if v.rooms == nil {
			v.rooms = map[int][]*room{}
		}
		v.rooms[a.amountsNumber] = list
	}
	if list[i] == nil {
		list[i] = newRoom(a.amounts(), &v.devices[i], v.features.FractionalCapacityRange)
	}
	return list[i]
}

func newRoom(asked quantities, d *device, fractional bool) *room {
	for _, name := range sortedNames(asked) {
		if _, ok := d.Capacity[name]; !ok {
			return &room{refusal: capacityShortage{code: CapacityMissing, name: name, asked: asked[name]}}
		}
	}
	taken, err := consumption(asked, d.Capacity, fractional)
	if err != nil {
		return &room{err: err}
	}
	r := &room{}
	for _, name := range d.capacities {
		if r.refusal.code == "" && refusedByPolicy(taken[name], d.Capacity[name].RequestPolicy, fractional) {
			r.refusal = capacityShortage{code: CapacityPolicy, name: name, asked: taken[name]}
		}
		r.taken = append(r.taken, taken[name])
		r.total = append(r.total, d.Capacity[name].Value.DeepCopy())
	}
	return r
}

// consumed is what a share takes, for the result.
func (r *room) consumed(d *device) quantities {
	if len(r.taken) == 0 {
		return nil
	}
	out := make(quantities, len(r.taken))
	for j, name := range d.capacities {
		out[name] = r.taken[j].DeepCopy()
	}
	return out
}

// hasRoom tells whether a request fits into what held claims and the attempt
// leave of a device.
func (s *search) hasRoom(a *ask, i int) (bool, *Failure) {
	d := &s.devices[i]
	if !s.view.features.ConsumableCapacity || d.roomy && !d.shared && a.capacity == nil {
		return true, nil
	}
	short, failure := s.lacking(a, i)
	return short.code == "" || s.relaxed[short.code], failure
}

// lacking says which capacity refuses a request, if one does.
func (s *search) lacking(a *ask, i int) (capacityShortage, *Failure) {
	r := s.view.room(a, i)
	if r.err != nil {
		return capacityShortage{}, s.capacityFailure(a, i, r.err)
	}
	if r.refusal.code != "" {
		return r.refusal, nil
	}
	d, st := &s.devices[i], &s.state[i]
	for j := range r.taken {
		left := &d.left[j]
		if st.shares > 0 {
			rest := left.DeepCopy()
			rest.Sub(st.sum[j])
			left = &rest
		}
		if left.Cmp(r.taken[j]) < 0 {
			return capacityShortage{Capacity, d.capacities[j], r.taken[j], *left}, nil
		}
	}
	return capacityShortage{}, nil
}

func (s *search) capacityFailure(a *ask, i int, err *capacityError) *Failure {
	d := &s.devices[i]
	return podWide(Reason{Code: CapacityError, Claim: a.claim, Request: a.name, Field: amountField(a, err.name),
		Devices: []DeviceReason{{ID: d.id, Code: CapacityError, Message: "gives no amount for the request: " + err.Error(), At: d.at(fmt.Sprintf(".capacity[%s]", err.name))}},
		Message: fmt.Sprintf("%s does not work out on device %s: %v; Kubernetes gives up on the pod", s.who(a), d.id, err)})
}

// share gives a share of a device out, unshare takes it back.
func (st *deviceState) share(r *room) {
	if st.sum == nil && len(r.taken) > 0 {
		st.sum = make([]resource.Quantity, len(r.taken))
	}
	for j := range r.taken {
		st.sum[j].Add(r.taken[j])
	}
	st.shares++
}

func (st *deviceState) unshare(r *room) {
	st.shares--
	for j := range r.taken {
		st.sum[j].Sub(r.taken[j])
	}
}
