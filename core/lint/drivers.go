package lint

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// driver is what the slices of one driver publish, all pools together.
type driver struct {
	// name is empty for the sum of all drivers.
	name    string
	devices int
	// pools and deviceNames hold what a taint rule could name.
	pools       map[string]bool
	deviceNames map[string]bool
	// attributes are by fully qualified name, capacities by the name exactly
	// as published, because requests name them so.
	attributes map[string]*published
	capacities map[string]*published
	// qualifiedCapacities are the same by the names that selectors write.
	qualifiedCapacities map[string]*published
	shareable           bool
}

// published is an attribute or a capacity that some device has.
type published struct {
	// devices is how many have it, kinds how many by the type of value.
	devices int
	kinds   map[string]int
	// values are different values of an attribute that are no lists; open is
	// set where there are others.
	values map[string]bool
	open   bool
	// largest is the largest value of a capacity.
	largest resource.Quantity
	// most is the most that a request may ask of one device; ranged tells
	// that some device rounds requests to steps.
	most   resource.Quantity
	ranged bool
	// texts are values of a string attribute, to recognise the same thing
	// under another name.
	texts map[string]bool
}

// mostTexts bounds the values that are kept for an attribute. A value beyond
// them merely goes without a hint.
const mostTexts = 64

func newDriver(name string) *driver {
	return &driver{
		name: name, pools: map[string]bool{}, deviceNames: map[string]bool{},
		attributes: map[string]*published{}, capacities: map[string]*published{},
		qualifiedCapacities: map[string]*published{},
	}
}

// groupDrivers indexes the devices of the pools by driver.
func groupDrivers(pools []*pool) (drivers map[string]*driver, names []string) {
	drivers = map[string]*driver{}
	for _, p := range pools {
		d := drivers[p.driver]
		if d == nil {
			d = newDriver(p.driver)
			drivers[p.driver] = d
			names = append(names, p.driver)
		}
		d.add(p)
	}
	return drivers, names
}

// allDrivers is the sum of all drivers. It is only built when something asks
// for it.
func (c *cluster) allDrivers() *driver {
	if c.sum == nil {
		c.sum = newDriver("")
		for _, p := range c.pools {
			c.sum.add(p)
		}
	}
	return c.sum
}

func (d *driver) add(p *pool) {
	d.pools[p.pool] = true
	names := &fullNames{driver: p.driver}
	p.devices(func(dev device) {
		v := dev.value()
		d.devices++
		d.deviceNames[v.Name] = true
		d.shareable = d.shareable || isTrue(v.AllowMultipleAllocations)
		twins := hasTwins(p.driver, v)
		for k, attribute := range v.Attributes {
			if twins && !counts(p.driver, k, v) {
				continue
			}
			full := names.of(k)
			known := d.attributes[full]
			if known == nil {
				known = &published{texts: map[string]bool{}, kinds: map[string]int{}, values: map[string]bool{}}
				d.attributes[full] = known
			}
			known.devices++
			known.count(attribute)
			if len(known.texts) < mostTexts && attribute.StringValue != nil {
				known.texts[*attribute.StringValue] = true
			}
		}
		for k, capacity := range v.Capacity {
			known := d.capacities[string(k)]
			if known == nil {
				known = &published{largest: capacity.Value, most: mostOf(capacity)}
				d.capacities[string(k)] = known
			}
			d.qualifiedCapacities[names.of(k)] = known
			known.devices++
			if capacity.Value.Cmp(known.largest) > 0 {
				known.largest = capacity.Value
			}
			if most := mostOf(capacity); most.Cmp(known.most) > 0 {
				known.most = most
			}
			known.ranged = known.ranged || capacity.RequestPolicy != nil && capacity.RequestPolicy.ValidRange != nil
		}
	})
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

// count notes the type and the value of an attribute.
func (p *published) count(a resourceapi.DeviceAttribute) {
	kind := kindOf(&a)
	p.kinds[kind]++
	switch {
	case p.open:
	case strings.HasSuffix(kind, "s"), kind == "", len(p.values) >= mostTexts:
		p.open = true
	default:
		p.values[kind+" "+textOf(a)] = true
	}
}

// qualified gives a name without a domain the driver's.
func qualified(driver string, k resourceapi.QualifiedName) string {
	if strings.Contains(string(k), "/") {
		return string(k)
	}
	return driver + "/" + string(k)
}

// counts tells whether an attribute counts: where a device has a name with its
// domain as well, only that does, as for constraints.
func counts(driver string, k resourceapi.QualifiedName, d *resourceapi.Device) bool {
	if strings.Contains(string(k), "/") {
		return true
	}
	_, both := d.Attributes[resourceapi.QualifiedName(qualified(driver, k))]
	return !both
}

// hasTwins tells whether any attribute of a device is there with the driver's
// domain and without, which is rare.
func hasTwins(driver string, d *resourceapi.Device) bool {
	for k := range d.Attributes {
		domain, id, found := strings.Cut(string(k), "/")
		if !found || domain != driver {
			continue
		}
		if _, both := d.Attributes[resourceapi.QualifiedName(id)]; both && !strings.Contains(id, "/") {
			return true
		}
	}
	return false
}

// fullNames remembers the full names of what a driver publishes, which are the
// same in most of its devices.
type fullNames struct {
	driver string
	known  map[resourceapi.QualifiedName]string
}

func (f *fullNames) of(k resourceapi.QualifiedName) string {
	if full, ok := f.known[k]; ok {
		return full
	}
	if f.known == nil {
		f.known = map[resourceapi.QualifiedName]string{}
	}
	full := qualified(f.driver, k)
	f.known[k] = full
	return full
}

// smallest returns the smallest key that suits. It spares the sorting of maps
// of which nearly all hold nothing of interest.
func smallest[K ~string, V any](m map[K]V, suits func(K, V) bool) (K, bool) {
	var found K
	ok := false
	for k, v := range m {
		if (!ok || k < found) && suits(k, v) {
			found, ok = k, true
		}
	}
	return found, ok
}
