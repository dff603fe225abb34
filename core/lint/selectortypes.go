package lint

import (
	"fmt"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/census"
	"github.com/drawbridge-dra/drawbridge/core/selector"
)

// selectorTypeMismatch looks for comparisons that no value which devices
// publish can ever satisfy, because it is of another type. Most of them are
// no error for CEL: they are false.
func selectorTypeMismatch(c *cluster, r *reporter) {
	c.expressions(func(e expression) {
		for _, read := range e.program.Reads {
			if read.Capacity || !possible(read) || read.Wants == "" && !read.List {
				continue
			}
			d := c.evaluatedOn(e, read)
			if d == nil {
				continue
			}
			have := d.Attributes[read.Name()]
			if have == nil || fits(have, read) {
				continue
			}
			if f, ok := c.mismatch(e, read, d, have); ok {
				r.report(f)
				return
			}
		}
	})
}

// fits tells whether some device publishes the attribute as what is wanted.
func fits(p *published, read selector.Read) bool {
	for kind := range p.Kinds {
		list := strings.HasSuffix(kind, "s")
		if list == read.List && (read.Wants == "" || strings.TrimSuffix(kind, "s") == string(read.Wants)) {
			return true
		}
	}
	return false
}

// mismatch tries the expression on a device that publishes the attribute, to
// tell an error from a comparison that is merely never true.
func (c *cluster) mismatch(e expression, read selector.Read, d *driver, have *published) (finding, bool) {
	kind := sortedKeys(have.Kinds)[0]
	first, ok := c.firstWith(d, read, kind)
	if !ok {
		return finding{}, false
	}
	f := finding{at: e.at, value: read.Name(), related: related("published as "+article(kind), first.at("attributes", keyOfAttribute(first, read.Name())))}
	wants := "a list"
	if !read.List {
		wants = article(string(read.Wants))
	}
	f.message = fmt.Sprintf("%s takes attribute %s for %s, and all %s that have it publish %s",
		e.noun(), read.Name(), wants, count(have.Devices, "device"), article(kind))
	if read.List {
		f.message = strings.Replace(f.message, wants, strings.TrimSpace("a list "+plural(read.Wants)), 1)
	}
	verdict, _ := c.evaluate(e, first)
	switch {
	case verdict == failed:
		f.message += fmt.Sprintf(": on %s it fails, and %s", first, givesUp)
	case verdict == unknown || verdict == failedBefore:
		return finding{}, false
	case read.Compared == "==" || read.List && read.Wants != "":
		f.message += ": the two are never equal, so it holds for no device"
	case read.Compared == "!=":
		f.message += ": the two always differ, so it leaves out no device"
	default:
		return finding{}, false
	}
	list := strings.HasSuffix(kind, "s")
	if text, ok := e.program.Convert(read, selector.Kind(strings.TrimSuffix(kind, "s")), list); ok {
		after := e
		if after.program = c.program(text, e.derived); after.program != nil {
			if verdict, _ := c.evaluate(after, first); verdict == accepted || verdict == refused {
				f.fix = instead(e.at, text, true)
				f.message += "; compare it as that: " + shorten(text, 200)
				return f, true
			}
		}
	}
	f.message += "; compare it with " + article(kind)
	if read.Wants == selector.Quantity {
		f.message += ", or read device.capacity, which alone holds quantities"
	}
	return f, true
}

func plural(kind selector.Kind) string {
	if kind == "" {
		return ""
	}
	return "(" + string(kind) + "s)"
}

// firstWith finds a device that publishes the attribute with this type.
func (c *cluster) firstWith(d *driver, read selector.Read, kind string) (device, bool) {
	var first device
	found := false
	if !c.visits.spend(c.reach(d)) {
		return first, false
	}
	c.devicesOf(d, func(dev device) bool {
		if a := dev.attribute(read.Name()); census.KindOf(&a) == kind {
			first, found = dev, true
		}
		return !found
	})
	return first, found
}

// keyOfAttribute is how the device writes the name.
func keyOfAttribute(d device, full string) key {
	for k := range d.value().Attributes {
		if string(k) == full {
			return key(full)
		}
	}
	_, id, _ := strings.Cut(full, "/")
	return key(id)
}
