package census

import (
	"maps"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Driver is what the slices of one driver publish, all pools together.
type Driver struct {
	// Name is empty for the sum of all drivers.
	Name    string
	Devices int
	// Pools and DeviceNames count the slices of a pool, and the devices of a
	// name.
	Pools, DeviceNames map[string]int
	// Attributes are by fully qualified name, Capacities by the name exactly
	// as published, because requests name them so.
	Attributes, Capacities map[string]*Published
	// QualifiedCapacities are capacities by the names that selectors write.
	QualifiedCapacities map[string]*Published
	// Crowded is set where there were more names than are kept, so that one
	// that is not there may be published all the same.
	Crowded bool

	shareable int
	// most bounds the names that are kept; 0 for no bound.
	most int
}

// Published is an attribute or a capacity that some device has.
type Published struct {
	// Devices is how many have it, Kinds how many by the type of value.
	Devices int
	Kinds   map[string]int
	// Values count the different values of an attribute that are no lists;
	// Open is set where there are others.
	Values map[string]int
	Open   bool
	// Texts count values of a string attribute, to recognise the same thing
	// under another name.
	Texts map[string]int
	// Largest is the largest value of a capacity. A device that is gone does
	// not make it smaller.
	Largest resource.Quantity
	// Most is the most that a request may ask of one device; Ranged tells
	// that some device rounds requests to steps.
	Most   resource.Quantity
	Ranged bool
}

// mostTexts bounds the values that are kept for an attribute. A value beyond
// them merely goes without a hint.
const mostTexts = 64

// NewDriver starts with nothing published.
func NewDriver(name string) *Driver {
	return &Driver{
		Name: name, Pools: map[string]int{}, DeviceNames: map[string]int{},
		Attributes: map[string]*Published{}, Capacities: map[string]*Published{},
		QualifiedCapacities: map[string]*Published{},
	}
}

// Shareable tells whether some device allows multiple allocations.
func (d *Driver) Shareable() bool { return d.shareable > 0 }

// Add counts the devices of a slice. Devices beside counter sets are left
// out, as Kubernetes does.
func (d *Driver) Add(slice *resourceapi.ResourceSlice) { d.count(slice, 1) }

// Remove takes back what Add counted for the same slice.
func (d *Driver) Remove(slice *resourceapi.ResourceSlice) { d.count(slice, -1) }

func (d *Driver) count(slice *resourceapi.ResourceSlice, by int) {
	bump(d.Pools, slice.Spec.Pool.Name, by)
	if len(slice.Spec.SharedCounters) > 0 {
		return
	}
	names := &FullNames{Driver: slice.Spec.Driver}
	for i := range slice.Spec.Devices {
		d.device(&slice.Spec.Devices[i], names, by)
	}
}

func (d *Driver) device(v *resourceapi.Device, names *FullNames, by int) {
	d.Devices += by
	bump(d.DeviceNames, v.Name, by)
	if v.AllowMultipleAllocations != nil && *v.AllowMultipleAllocations {
		d.shareable += by
	}
	twins := HasTwins(names.Driver, v)
	for k, attribute := range v.Attributes {
		if twins && !Counts(names.Driver, k, v) {
			continue
		}
		if p := d.published(d.Attributes, names.Of(k), by); p != nil {
			p.attribute(attribute, by)
		}
	}
	for k, capacity := range v.Capacity {
		for _, p := range []*Published{
			d.published(d.Capacities, string(k), by),
			d.published(d.QualifiedCapacities, names.Of(k), by),
		} {
			if p != nil && by > 0 {
				p.capacity(capacity)
			}
		}
	}
}

// published counts one more, or one less, device with a name; nil where the
// name is not kept, or not any more.
func (d *Driver) published(list map[string]*Published, name string, by int) *Published {
	p := list[name]
	switch {
	case p == nil && by < 0:
		return nil
	case p == nil && d.most > 0 && len(list) >= d.most:
		d.Crowded = true
		return nil
	case p == nil:
		p = &Published{}
		list[name] = p
	}
	if p.Devices += by; p.Devices <= 0 {
		delete(list, name)
		return nil
	}
	return p
}

// attribute notes the type and the value of an attribute.
func (p *Published) attribute(a resourceapi.DeviceAttribute, by int) {
	if p.Kinds == nil {
		p.Kinds, p.Values, p.Texts = map[string]int{}, map[string]int{}, map[string]int{}
	}
	kind := KindOf(&a)
	bump(p.Kinds, kind, by)
	if a.StringValue != nil {
		some(p.Texts, *a.StringValue, by)
	}
	if p.Open {
		return
	}
	if strings.HasSuffix(kind, "s") || kind == "" {
		p.Open = true
	} else if !some(p.Values, kind+" "+TextOf(a), by) {
		p.Open = true
	}
}

func (p *Published) capacity(c resourceapi.DeviceCapacity) {
	first := p.Devices == 1
	if first || c.Value.Cmp(p.Largest) > 0 {
		p.Largest = c.Value
	}
	if most := mostOf(c); first || most.Cmp(p.Most) > 0 {
		p.Most = most
	}
	p.Ranged = p.Ranged || c.RequestPolicy != nil && c.RequestPolicy.ValidRange != nil
}

// bump counts, and forgets what is counted no more.
func bump(m map[string]int, k string, by int) {
	if n := m[k] + by; n != 0 {
		m[k] = n
	} else {
		delete(m, k)
	}
}

// some counts up to mostTexts different values; false where that is exceeded.
func some(m map[string]int, k string, by int) bool {
	if _, known := m[k]; !known && (by < 0 || len(m) >= mostTexts) {
		return by < 0
	}
	bump(m, k, by)
	return true
}

// snapshot copies what can change. Pools and DeviceNames are left out, which
// can be many and which few ask for.
func (d *Driver) snapshot() *Driver {
	out := *d
	out.Pools, out.DeviceNames = nil, nil
	out.Attributes, out.Capacities = copies(d.Attributes), copies(d.Capacities)
	out.QualifiedCapacities = copies(d.QualifiedCapacities)
	return &out
}

func copies(m map[string]*Published) map[string]*Published {
	out := make(map[string]*Published, len(m))
	for k, p := range m {
		q := *p
		q.Kinds, q.Values, q.Texts = maps.Clone(p.Kinds), maps.Clone(p.Values), maps.Clone(p.Texts)
		out[k] = &q
	}
	return out
}

// mostOf is the most of a capacity that its policy lets a request have.
func mostOf(capacity resourceapi.DeviceCapacity) resource.Quantity {
	most := capacity.Value
	policy := capacity.RequestPolicy
	if policy == nil {
		return most
	}
	if policy.ValidRange != nil && policy.ValidRange.Max != nil && policy.ValidRange.Max.Cmp(most) < 0 {
		most = *policy.ValidRange.Max
	}
	if n := len(policy.ValidValues); n > 0 {
		largest := policy.ValidValues[0]
		for _, v := range policy.ValidValues[1:] {
			if v.Cmp(largest) > 0 {
				largest = v
			}
		}
		if largest.Cmp(most) < 0 {
			most = largest
		}
	}
	return most
}
