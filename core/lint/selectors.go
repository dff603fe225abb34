package lint

import (
	"fmt"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/census"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/selector"
)

const givesUp = "the scheduler then gives up on the whole pod, whatever other devices and nodes offer"

// kindOfRead names what is read.
func kindOfRead(read selector.Read) string {
	if read.Capacity {
		return "capacity"
	}
	return "attribute"
}

// noun names the expression.
func (e expression) noun() string {
	if e.derived {
		return "the derived attribute"
	}
	return "the selector"
}

// instead suggests another text for an expression. The new text is in the
// message, and in its place where that is one line.
func instead(at place, text string, ok bool) *diag.Suggestion {
	if !ok {
		return nil
	}
	s := &diag.Suggestion{Message: "write " + text}
	n := at.object.At(writtenPath(at.object, at.path))
	if n == nil || n.Kind() != bundle.String || strings.ContainsAny(text, "\n\r") {
		return s
	}
	location, written := n.Location(), n.Written()
	if location == nil || location.Line != location.EndLine || strings.HasPrefix(written, "|") || strings.HasPrefix(written, ">") {
		return s
	}
	s.Location = location
	if strings.HasPrefix(written, `"`) {
		s.Replacement = strconv.Quote(text)
	} else {
		s.Replacement = "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return s
}

// evaluatedOn returns the devices that an expression is evaluated on where it
// reads a name, as far as the expressions are plain about drivers.
func (c *cluster) evaluatedOn(e expression, read selector.Read) *driver {
	d := c.allDrivers()
	switch {
	case read.Driver != "":
		d = c.drivers[read.Driver]
	case e.request != nil:
		d = c.offered(*e.request)
	case e.program.Driver != "":
		// Every other driver's devices are refused, even where it fails.
		d = c.drivers[e.program.Driver]
	}
	if d == nil || d.Devices == 0 || d.Crowded {
		return nil
	}
	return d
}

// names are the attributes, or the capacities, by the names that expressions
// write.
func names(d *driver, capacity bool) map[string]*published {
	if capacity {
		return d.QualifiedCapacities
	}
	return d.Attributes
}

// selectorImpossibleName looks at the names alone: no slice with such a one
// would be accepted, whatever the bundle holds.
func selectorImpossibleName(c *cluster, r *reporter) {
	c.expressions(func(e expression) {
		for _, read := range e.program.Reads {
			name, why := read.Domain, impossibleDomain(read.Domain)
			if why == "" && read.ID != "" {
				name, why = read.ID, impossibleID(read.ID)
			}
			if why == "" {
				continue
			}
			f := finding{
				at:    e.at,
				value: name,
				message: fmt.Sprintf("%q %s, so no driver can publish an %s of that name, and %s never matches; write the name that the driver publishes",
					shorten(name, 80), why, kindOfRead(read), e.noun()),
			}
			domain, id := read.Domain, read.ID
			if name == read.Domain {
				domain = c.guess(read.Domain, c.driverList)
			} else if d := c.drivers[read.Domain]; d != nil && c.visits.spend(len(names(d, read.Capacity))) {
				full := c.guess(read.Name(), sortedKeys(names(d, read.Capacity)))
				_, id, _ = strings.Cut(full, "/")
			}
			if domain != "" && (id != "" || read.ID == "") {
				text, ok := e.program.Rename(read, read.Capacity, domain, id)
				f.fix = instead(e.at, text, ok)
			}
			r.report(f)
			return
		}
	})
}

func impossibleDomain(domain string) string {
	switch {
	case len(domain) > resourceapi.DriverNameMaxLength:
		return fmt.Sprintf("has more than the %d characters of a domain", resourceapi.DriverNameMaxLength)
	case len(validation.IsDNS1123Subdomain(strings.ToLower(domain))) > 0:
		return "is not a DNS subdomain"
	}
	return ""
}

func impossibleID(id string) string {
	switch {
	case len(id) > resourceapi.DeviceMaxIDLength:
		return fmt.Sprintf("has more than the %d characters of a name", resourceapi.DeviceMaxIDLength)
	case len(validation.IsCIdentifier(id)) > 0:
		return "is not a C identifier"
	}
	return ""
}

func possible(read selector.Read) bool {
	return read.ID != "" && impossibleDomain(read.Domain)+impossibleID(read.ID) == ""
}

// selectorNameUnpublished informs about a name that none of the devices at
// hand has. Only what is nearly a published name is worth a warning: other
// devices may be elsewhere, and an expression may ask for several drivers'
// names in turn.
func selectorNameUnpublished(c *cluster, r *reporter) {
	c.expressions(func(e expression) {
		for _, read := range e.program.Reads {
			if !possible(read) || read.Guarded {
				continue
			}
			d := c.evaluatedOn(e, read)
			if d == nil || names(d, read.Capacity)[read.Name()] != nil {
				continue
			}
			f := finding{
				at: e.at, severity: c.remark(), value: read.Name(),
				message: fmt.Sprintf("%s reads %s %s, which 0 of %s have that it is evaluated on: there it is an error, and %s",
					e.noun(), kindOfRead(read), read.Name(), count(d.Devices, "device"), givesUp),
			}
			c.hintName(&f, e, read, d)
			r.report(f)
			return
		}
	})
}

// hintName says which name is likely meant, and which there are.
func (c *cluster) hintName(f *finding, e expression, read selector.Read, d *driver) {
	if other := names(d, !read.Capacity)[read.Name()]; other != nil {
		f.severity = diag.Warning
		is, not := "an attribute", "capacity"
		if !read.Capacity {
			is, not = "a capacity", "attributes"
		}
		f.message += fmt.Sprintf("; it is published as %s, and device.%s does not hold it", is, not)
		text, ok := e.program.Rename(read, !read.Capacity, read.Domain, read.ID)
		f.fix = instead(f.at, text, ok)
		return
	}
	names := names(d, read.Capacity)
	var known []string
	if c.visits.spend(len(names)) {
		known = sortedKeys(names)
	}
	if meant := c.guess(read.Name(), known); meant != "" {
		f.severity = diag.Warning
		f.message += "; did you mean " + meant + "?"
		domain, id, _ := strings.Cut(meant, "/")
		text, ok := e.program.Rename(read, read.Capacity, domain, id)
		f.fix = instead(f.at, text, ok)
		return
	}
	domains := map[string]bool{}
	for _, n := range known {
		domain, _, _ := strings.Cut(n, "/")
		domains[domain] = true
	}
	switch {
	case len(known) == 0:
	case !domains[read.Domain]:
		f.message += fmt.Sprintf("; nothing is published under domain %s, only under %s", read.Domain, few(sortedKeys(domains)))
	default:
		f.message += "; published are " + few(known)
	}
}

// unsafe is a read that fails on some of the devices that an expression is
// evaluated on.
type unsafe struct {
	expression
	read    selector.Read
	among   *driver
	lack    int
	witness device
	// foreign is set where all devices of the driver that the name belongs to
	// have it, so that only the devices of others are the trouble.
	foreign bool
}

// unsafeReads tries the expressions on devices that lack what they read. A
// test of something else may keep them from getting that far.
func (c *cluster) unsafeReads(f func(unsafe)) {
	known := map[[2]string]*device{}
	c.expressions(func(e expression) {
		for _, read := range e.program.Reads {
			if !possible(read) || read.Guarded {
				continue
			}
			d := c.evaluatedOn(e, read)
			if d == nil {
				continue
			}
			have := names(d, read.Capacity)[read.Name()]
			if have == nil || have.Devices == d.Devices {
				continue
			}
			var texts strings.Builder
			for _, p := range append(e.before, e.program) {
				texts.WriteString(strconv.Quote(p.Expression))
			}
			k := [2]string{texts.String(), d.Name + " " + kindOfRead(read) + " " + read.Name()}
			witness, seen := known[k]
			if !seen {
				witness = c.failsOn(e, read, d)
				known[k] = witness
			}
			if witness == nil {
				continue
			}
			own := c.drivers[read.Domain]
			f(unsafe{
				expression: e, read: read, among: d, lack: d.Devices - have.Devices, witness: *witness,
				foreign: d.Name == "" && own != nil && names(own, read.Capacity)[read.Name()] != nil && names(own, read.Capacity)[read.Name()].Devices == own.Devices,
			})
			return
		}
	})
}

// failsOn finds a device without the name on which the expression fails.
func (c *cluster) failsOn(e expression, read selector.Read, d *driver) *device {
	if !c.visits.spend(c.reach(d)) {
		return nil
	}
	var witness *device
	tried := 0
	c.devicesOf(d, func(dev device) bool {
		if dev.has(read) {
			return true
		}
		tried++
		verdict, _ := c.evaluate(e, dev)
		if verdict == failed {
			witness = &dev
		}
		return verdict != failed && verdict != unknown && tried < mostWitnesses
	})
	return witness
}

// has tells whether a device publishes what an expression reads.
func (d device) has(read selector.Read) bool {
	if !read.Capacity {
		a := d.attribute(read.Name())
		return census.KindOf(&a) != ""
	}
	v := d.value().Capacity
	if _, ok := v[resourceapi.QualifiedName(read.Name())]; ok {
		return true
	}
	_, ok := v[resourceapi.QualifiedName(read.ID)]
	return ok && read.Domain == d.slice.value.Spec.Driver
}

func selectorMissingGuard(c *cluster, r *reporter) {
	c.unsafeReads(func(u unsafe) {
		if u.foreign {
			return
		}
		text, ok := u.program.Guard(u.read)
		f := finding{
			at: u.at, value: u.read.Name(),
			message: fmt.Sprintf("%s reads %s %s, which %d of %s it is evaluated on do not have: on %s it fails, and %s; test that it is there: %s && …, or read it as %s",
				u.noun(), kindOfRead(u.read), u.read.Name(), u.lack, count(u.among.Devices, "device"), u.witness, givesUp, hasText(u.read), optionalText(u.read)),
			related: related("a device without it", u.witness.at("name")),
		}
		if !u.derived {
			f.fix = instead(u.at, text, ok)
		}
		r.report(f)
	})
}

func selectorAnyDriver(c *cluster, r *reporter) {
	c.unsafeReads(func(u unsafe) {
		if !u.foreign {
			return
		}
		whose := "class"
		if u.request != nil {
			whose = "class and the request"
		}
		text, ok := u.program.ForDriver(u.read.Domain)
		f := finding{
			at: u.at, value: u.read.Name(),
			message: fmt.Sprintf("%s is evaluated on the devices of every driver, because the %s ask for none: on %s, which driver %s publishes, %s %s is missing, it fails, and %s; test device.driver == %q first",
				u.noun(), whose, u.witness, u.witness.slice.value.Spec.Driver, kindOfRead(u.read), u.read.Name(), givesUp, u.read.Domain),
			related: related("a device of another driver", u.witness.at("name")),
		}
		if !u.derived {
			f.fix = instead(u.at, text, ok)
		}
		r.report(f)
	})
}

func mapText(read selector.Read) string {
	if read.Capacity {
		return fmt.Sprintf("device.capacity[%q]", read.Domain)
	}
	return fmt.Sprintf("device.attributes[%q]", read.Domain)
}

func hasText(read selector.Read) string { return fmt.Sprintf("has(%s.%s)", mapText(read), read.ID) }

func optionalText(read selector.Read) string {
	return fmt.Sprintf("%s.?%s.orValue(…)", mapText(read), read.ID)
}

// selectorInvalidConstant is about constants that cannot be what they are
// turned into. No API server evaluates them.
func selectorInvalidConstant(c *cluster, r *reporter) {
	form := map[string]string{
		"semver":   "a semantic version has three numbers and no v in front, such as 1.2.0",
		"quantity": "a quantity is a number with a suffix such as Gi, G or m, or none",
	}
	c.expressions(func(e expression) {
		for _, constant := range e.program.Invalid {
			f := finding{
				at: e.at, value: constant.Text,
				message: fmt.Sprintf("%s fails on each device that gets as far as %s(%q), and %s: %s",
					e.noun(), constant.Function, shorten(constant.Text, 80), givesUp, form[constant.Function]),
			}
			if meant := selector.Nearest(constant.Function, constant.Text); meant != "" {
				f.message += "; write " + meant
				text, ok := e.program.Replace(constant, meant)
				f.fix = instead(e.at, text, ok)
			}
			r.report(f)
		}
	})
}
