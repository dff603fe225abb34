package allocate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// device is a device of a usable pool, as a view knows it.
type device struct {
	*resourceapi.Device
	id    inventory.DeviceID
	slice *inventory.Slice
	index int // in the slice
	pool  int // in View.pools
	// shareable devices can be given out many times.
	shareable bool
	// roomy devices have room for every request that asks for no capacity,
	// as long as nobody holds a share.
	roomy bool
	// demands are what the device takes of the pool's counters.
	demands []demand
	// groups are its compatibility groups for each counter set it draws from.
	groups []groupDemand
	// look numbers what expressions see of it; 0 until one looks.
	look int
	// exclusive and shared say what claims hold of it.
	exclusive, shared bool
	// capacities are the names of its capacities, left what held claims leave
	// of each.
	capacities []resourceapi.QualifiedName
	left       []resource.Quantity
}

// elsewhere is a device of a pool that other nodes use. It matters because
// what is held of it draws from the same counters.
type elsewhere struct {
	*resourceapi.Device
	pool int
	held bool
	// next is one more of the same name, -1 for none.
	next int
}

// View is what one node offers, prepared once for any number of attempts, one
// after the other. It follows what is held.
type View struct {
	node     *corev1.Node
	raw      []*inventory.Pool
	features inventory.Features
	held     *inventory.Held
	programs *Programs

	devices []device
	others  []elsewhere
	pools   []poolView
	// known finds devices, knownElsewhere the last of the others with a name.
	known, knownElsewhere map[inventory.DeviceID]int
	// seen is the count of held up to which changes have been taken in.
	seen int
	// rows remember for a list of selectors, by its number, which devices it
	// admits.
	rows map[int][]int8
	// values remember what the devices have of an attribute.
	values map[resourceapi.FullyQualifiedName][]value
	// keys remember by what values devices can be alike.
	keys map[resourceapi.FullyQualifiedName][][]string
	// rooms remember for amounts, by their number, what they take of the
	// devices.
	rooms map[int][]*room
	// failed are the claims that are known not to fit on the node, with what
	// was said about that, as long as nothing more is given out there.
	failed map[attemptKey][]Reason
	// fitting are the shapes of claims that are known to fit on the node, with
	// nothing to be said about that, as long as nothing more is given out there.
	fitting map[int]bool
	// spare is the memory of an attempt that has ended.
	spare *search
}

// value is an attribute of a device, if it has it.
type value struct {
	attribute
	found bool
}

// What a row says of a device.
const (
	unknown int8 = iota
	admitted
	refused
)

// NewView prepares the pools of a node.
func NewView(node *corev1.Node, pools []*inventory.Pool, held *inventory.Held, features inventory.Features, programs *Programs) *View {
	v := &View{node: node, raw: pools, features: features, held: held, programs: programs}
	n := 0
	for _, pool := range pools {
		for _, slice := range pool.Slices {
			n += len(slice.Spec.Devices)
		}
	}
	v.devices = make([]device, 0, n)
	v.pools = make([]poolView, len(pools))
	for i, pool := range pools {
		first := len(v.devices)
		for _, slice := range pool.Slices {
			for j := range slice.Spec.Devices {
				v.devices = append(v.devices, newDevice(slice, j, i, features))
			}
		}
		v.pools[i].init(v, pool, v.devices[first:], i)
	}
	v.catchUp()
	return v
}

// index finds devices by their names. It is made when somebody holds one.
func (v *View) index() map[inventory.DeviceID]int {
	if v.known == nil {
		v.known = make(map[inventory.DeviceID]int, len(v.devices))
		for i := range v.devices {
			v.known[v.devices[i].id] = i
		}
	}
	return v.known
}

func newDevice(slice *inventory.Slice, j, pool int, features inventory.Features) device {
	d := &slice.Spec.Devices[j]
	out := device{Device: d, id: slice.DeviceID(j), slice: slice, index: j, pool: pool,
		shareable: features.ConsumableCapacity && d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations}
	out.roomy = !out.shareable
	for _, c := range d.Capacity {
		if c.RequestPolicy != nil || c.Value.Sign() < 0 {
			out.roomy = false
		}
	}
	if features.ConsumableCapacity {
		out.capacities = sortedNames(d.Capacity)
		out.left = make([]resource.Quantity, len(out.capacities))
		for j, name := range out.capacities {
			out.left[j] = d.Capacity[name].Value.DeepCopy()
		}
	}
	return out
}

// hold works out what the held claims leave of the capacities.
func (d *device) hold(capacity map[resourceapi.QualifiedName]resource.Quantity) {
	for j, name := range d.capacities {
		d.left[j] = d.Capacity[name].Value.DeepCopy()
		d.left[j].Sub(capacity[name])
	}
}

// catchUp takes in what has been given out since the last time.
func (v *View) catchUp() {
	if v.seen == v.held.Count() {
		return
	}
	v.seen = v.held.Count()
	more := false
	for i := range v.pools {
		p := &v.pools[i]
		if p.changes == nil {
			p.changes = v.held.Changes(p.ID)
		}
		if p.seen == len(p.changes.Devices) {
			continue
		}
		for _, id := range p.changes.Devices[p.seen:] {
			v.update(id)
		}
		p.seen = len(p.changes.Devices)
		more = true
	}
	if more {
		clear(v.fitting)
		clear(v.failed)
		v.settle()
	}
}

// maxFailed bounds how many shapes of claims a view remembers as failed.
const maxFailed = 64

// attemptKey is all that an answer depends on besides the view: the shape of
// the claims or, with an explanation, their wording and how far it may search.
type attemptKey struct {
	claims, steps int
	explained     bool
	pruneAtOnce   bool
}

func keyOf(p Problem) attemptKey {
	if !p.Explain {
		return attemptKey{claims: p.Claims.shape}
	}
	if p.Claims.wording == 0 {
		p.Claims.wording = p.Claims.wordingOf(p.Claims.programs)
	}
	return attemptKey{p.Claims.wording, p.Steps, true, p.PruneAtOnce}
}

// knownToFail is the answer to claims that are known to fail, nil for others.
func (v *View) knownToFail(p Problem) *Answer {
	if len(v.failed) == 0 {
		return nil
	}
	switch reasons, ok := v.failed[keyOf(p)]; {
	case !ok:
		return nil
	case !p.Explain:
		return notHere
	default:
		return p.Claims.failed(&Failure{Kind: NotHere, Reasons: reasons})
	}
}

// fail remembers that claims fail, and why.
func (v *View) fail(p Problem, reasons []Reason) {
	if v.failed == nil {
		v.failed = map[attemptKey][]Reason{}
	}
	if len(v.failed) == maxFailed {
		clear(v.failed)
	}
	v.failed[keyOf(p)] = reasons
}

// fit remembers that claims fit.
func (v *View) fit(p Problem) {
	if v.fitting == nil {
		v.fitting = map[int]bool{}
	}
	if len(v.fitting) == maxFailed {
		clear(v.fitting)
	}
	v.fitting[p.Claims.shape] = true
}

// settle works out, for the pools of which more is held than before, what
// depends on all held devices together. For groups their order matters where
// they contradict each other, which slices that were edited can bring about:
// it is that of the slices, not that in which they were given out.
func (v *View) settle() {
	for i := range v.pools {
		p := &v.pools[i]
		if !p.changed {
			continue
		}
		p.changed = false
		p.overdrawn = slices.IndexFunc(p.counters, func(c counter) bool { return c.left.Sign() < 0 })
		if !v.features.CompatibilityGroups {
			continue
		}
		clear(p.groups)
		for j := range v.devices {
			if d := &v.devices[j]; d.pool == i && (d.exclusive || d.shared) {
				p.joinGroups(d.Device)
			}
		}
		for j := range v.others {
			if other := &v.others[j]; other.pool == i && other.held {
				p.joinGroups(other.Device)
			}
		}
	}
}

// update looks up again what is held of a device. Where slices of several
// nodes publish it, each counts, as in Kubernetes.
func (v *View) update(id inventory.DeviceID) {
	if i, ok := v.index()[id]; ok {
		d := &v.devices[i]
		before := d.exclusive || d.shared
		d.exclusive, d.shared = len(v.held.Exclusive[id]) > 0, len(v.held.Shared[id]) > 0
		if d.exclusive || d.shared {
			d.hold(v.held.Capacity[id])
		}
		if !before && (d.exclusive || d.shared) {
			v.pools[d.pool].charge(d.Device)
		}
	}
	i, ok := v.knownElsewhere[id]
	if !ok || !v.held.Any(id) {
		return
	}
	for ; i >= 0; i = v.others[i].next {
		if other := &v.others[i]; !other.held {
			other.held = true
			v.pools[other.pool].charge(other.Device)
		}
	}
}

// value looks an attribute of a device up, once.
func (v *View) value(i int, name resourceapi.FullyQualifiedName) value { return v.column(name)[i] }

// column is what each device has of an attribute.
func (v *View) column(name resourceapi.FullyQualifiedName) []value {
	list, ok := v.values[name]
	if !ok {
		list = make([]value, len(v.devices))
		for j := range v.devices {
			d := &v.devices[j]
			if a := find(d.id.Driver, d.Device, name); a != nil {
				list[j] = value{attributeOf(a), true}
			}
		}
		if v.values == nil {
			v.values = map[resourceapi.FullyQualifiedName][]value{}
		}
		v.values[name] = list
	}
	return list
}
