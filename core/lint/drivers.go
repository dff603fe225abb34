package lint

import "github.com/drawbridge-dra/drawbridge/core/census"

// driver is what the slices of one driver publish, published an attribute or
// a capacity of them.
type (
	driver    = census.Driver
	published = census.Published
)

// groupDrivers indexes the devices of the pools by driver.
func groupDrivers(pools []*pool) (drivers map[string]*driver, names []string) {
	drivers = map[string]*driver{}
	for _, p := range pools {
		d := drivers[p.driver]
		if d == nil {
			d = census.NewDriver(p.driver)
			drivers[p.driver] = d
			names = append(names, p.driver)
		}
		addPool(d, p)
	}
	return drivers, names
}

func addPool(d *driver, p *pool) {
	for _, s := range p.slices {
		d.Add(s.value)
	}
}

// allDrivers is the sum of all drivers. It is only built when something asks
// for it.
func (c *cluster) allDrivers() *driver {
	if c.sum == nil {
		c.sum = census.NewDriver("")
		for _, p := range c.pools {
			addPool(c.sum, p)
		}
	}
	return c.sum
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
