package census

import (
	"cmp"
	"hash/fnv"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// pool are the slices of one pool, by name, and the newest generation of them:
// only the devices of that one count.
type pool struct {
	slices  []*resourceapi.ResourceSlice
	newest  int64
	counted int // how many slices are of the newest generation
	devices int
}

// offer is what the slices of a driver publish, and the slices by what kinds
// of devices they have, for samples.
type offer struct {
	driver *Driver
	taken  *Driver // a copy for those who ask; nil when it must be made anew
	shapes map[uint64][]*resourceapi.ResourceSlice
	order  []uint64
	slices int
}

// mostNames bounds the names of attributes, and of capacities, that are kept
// of one driver.
const mostNames = 4096

func newOffer(name string) *offer {
	d := NewDriver(name)
	d.most = mostNames
	return &offer{driver: d, shapes: map[uint64][]*resourceapi.ResourceSlice{}}
}

func idOf(s *resourceapi.ResourceSlice) PoolID { return PoolID{s.Spec.Driver, s.Spec.Pool.Name} }

func (c *Census) putSlice(s *resourceapi.ResourceSlice) {
	c.removeSlice(s.Name)
	c.slices[s.Name] = s
	p := c.pools[idOf(s)]
	if p == nil {
		p = &pool{newest: s.Spec.Pool.Generation}
		c.pools[idOf(s)] = p
	}
	if s.Spec.Pool.Generation > p.newest {
		c.uncount(p.current())
		p.newest, p.counted = s.Spec.Pool.Generation, 0
	}
	p.slices = place(p.slices, s)
	p.devices += len(s.Spec.Devices)
	if s.Spec.Pool.Generation == p.newest {
		c.count([]*resourceapi.ResourceSlice{s})
		p.counted++
	}
}

func (c *Census) removeSlice(name string) {
	s := c.slices[name]
	if s == nil {
		return
	}
	delete(c.slices, name)
	p := c.pools[idOf(s)]
	p.slices = displace(p.slices, s)
	p.devices -= len(s.Spec.Devices)
	if s.Spec.Pool.Generation == p.newest {
		c.uncount([]*resourceapi.ResourceSlice{s})
		p.counted--
	}
	if len(p.slices) == 0 {
		delete(c.pools, idOf(s))
		return
	}
	if p.counted > 0 {
		return
	}
	p.newest = p.slices[0].Spec.Pool.Generation
	for _, other := range p.slices {
		p.newest = max(p.newest, other.Spec.Pool.Generation)
	}
	c.count(p.current())
	p.counted = len(p.current())
}

// current are the slices of the newest generation.
func (p *pool) current() []*resourceapi.ResourceSlice {
	var list []*resourceapi.ResourceSlice
	for _, s := range p.slices {
		if s.Spec.Pool.Generation == p.newest {
			list = append(list, s)
		}
	}
	return list
}

func (c *Census) count(list []*resourceapi.ResourceSlice) {
	for _, s := range list {
		o := c.drivers[s.Spec.Driver]
		if o == nil {
			o = newOffer(s.Spec.Driver)
			c.drivers[s.Spec.Driver] = o
			c.driverNames = insert(c.driverNames, s.Spec.Driver)
		}
		o.add(s)
		c.all.driver.Add(s)
		c.all.taken = nil
	}
}

func (c *Census) uncount(list []*resourceapi.ResourceSlice) {
	for _, s := range list {
		o := c.drivers[s.Spec.Driver]
		if o.remove(s); o.slices == 0 {
			delete(c.drivers, s.Spec.Driver)
			c.driverNames = without(c.driverNames, s.Spec.Driver)
		}
		c.all.driver.Remove(s)
		c.all.taken = nil
	}
}

func (o *offer) add(s *resourceapi.ResourceSlice) {
	o.driver.Add(s)
	o.taken = nil
	o.slices++
	k := shapeOf(s)
	if o.shapes[k] == nil {
		i, _ := slices.BinarySearch(o.order, k)
		o.order = slices.Insert(o.order, i, k)
	}
	o.shapes[k] = place(o.shapes[k], s)
}

func (o *offer) remove(s *resourceapi.ResourceSlice) {
	o.driver.Remove(s)
	o.taken = nil
	o.slices--
	k := shapeOf(s)
	if o.shapes[k] = displace(o.shapes[k], s); len(o.shapes[k]) == 0 {
		delete(o.shapes, k)
		i, _ := slices.BinarySearch(o.order, k)
		o.order = slices.Delete(o.order, i, i+1)
	}
}

// snapshot is what the driver publishes, as nobody changes it.
func (o *offer) snapshot() *Driver {
	if o.taken == nil {
		o.taken = o.driver.snapshot()
	}
	return o.taken
}

// sample picks up to so many slices and devices, of each shape in turn, so
// that what is rare is among them. It tells whether those are all.
func (o *offer) sample(mostSlices, mostDevices int, skip PoolID) (list []*resourceapi.ResourceSlice, complete bool) {
	devices, seen := 0, 0
	for round := 0; seen < o.slices; round++ {
		for _, k := range o.order {
			if round >= len(o.shapes[k]) {
				continue
			}
			if seen++; seen > 8*mostSlices {
				return list, false
			}
			s := o.shapes[k][round]
			if idOf(s) == skip {
				continue
			}
			if devices += len(s.Spec.Devices); len(list) >= mostSlices || devices > mostDevices && len(list) > 0 {
				return list, false
			}
			list = append(list, s)
		}
	}
	return list, true
}

// shapeOf is the same for slices whose devices have the same names of
// attributes, with the same types, and of capacities.
func shapeOf(s *resourceapi.ResourceSlice) uint64 {
	seen := map[uint64]bool{}
	var shape uint64
	for i := range s.Spec.Devices {
		d := &s.Spec.Devices[i]
		var sum uint64
		for k, a := range d.Attributes {
			sum += hash("a", KindOf(&a), string(k))
		}
		for k := range d.Capacity {
			sum += hash("c", "", string(k))
		}
		if !seen[sum] {
			seen[sum] = true
			shape += sum*31 + 1
		}
	}
	return shape
}

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

func byName(a *resourceapi.ResourceSlice, name string) int { return cmp.Compare(a.Name, name) }

// place puts a slice where its name belongs.
func place(list []*resourceapi.ResourceSlice, s *resourceapi.ResourceSlice) []*resourceapi.ResourceSlice {
	i, _ := slices.BinarySearchFunc(list, s.Name, byName)
	return slices.Insert(list, i, s)
}

func displace(list []*resourceapi.ResourceSlice, s *resourceapi.ResourceSlice) []*resourceapi.ResourceSlice {
	if i, found := slices.BinarySearchFunc(list, s.Name, byName); found {
		return slices.Delete(list, i, i+1)
	}
	return list
}
