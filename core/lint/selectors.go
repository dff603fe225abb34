package lint

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/selector"
)

// mostExpressions is how many different expressions are compiled for one
// bundle. Compiling takes long beside everything else here.
const mostExpressions = 1_000

// expression is a selector with its place. The devices it is evaluated on are
// those that request can get, or all for a class.
type expression struct {
	at      place
	text    string
	request *request
}

// expressions calls f for every selector of classes, claims and templates,
// with the names that it reads.
func (c *cluster) expressions(f func(expression, []selector.Read)) {
	visit := func(e expression) {
		reads, known := c.reads[e.text]
		if !known {
			if len(c.reads) >= mostExpressions || len(e.text) > selector.MaxLength {
				return
			}
			// Whether it compiles for a new object is the API server's matter.
			reads = selector.Compile(e.text, selector.Options{Stored: true}).Reads
			c.reads[e.text] = reads
		}
		f(e, reads)
	}
	for _, cl := range c.classes {
		for i, s := range cl.value.Spec.Selectors {
			if s.CEL != nil {
				visit(expression{cl.at("spec.selectors", i, "cel.expression"), s.CEL.Expression, nil})
			}
		}
	}
	for _, spec := range c.specs {
		for j := range spec.requests {
			q := &spec.requests[j]
			for i, s := range q.Selectors {
				if s.CEL != nil {
					visit(expression{spec.under(*q, "selectors", i, "cel.expression"), s.CEL.Expression, q})
				}
			}
		}
	}
}

// kindOfRead names what is read.
func kindOfRead(read selector.Read) string {
	if read.Capacity {
		return "capacity"
	}
	return "attribute"
}

// selectorImpossibleName looks at the names alone: no slice with such a one
// would be accepted, whatever the bundle holds.
func selectorImpossibleName(c *cluster, r *reporter) {
	c.expressions(func(e expression, reads []selector.Read) {
		for _, read := range reads {
			name, why := read.Domain, impossibleDomain(read.Domain)
			if why == "" && read.ID != "" {
				name, why = read.ID, impossibleID(read.ID)
			}
			if why == "" {
				continue
			}
			r.report(finding{
				at:    e.at,
				value: name,
				message: fmt.Sprintf("%q %s, so no driver can publish an %s of that name, and the selector never matches; write the name that the driver publishes",
					shorten(name, 80), why, kindOfRead(read)),
			})
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

// selectorNameUnpublished informs about a name that none of the devices at
// hand has. Only what is nearly a published name is worth a warning: other
// devices may be elsewhere, and an expression may ask for several drivers'
// names in turn.
func selectorNameUnpublished(c *cluster, r *reporter) {
	c.expressions(func(e expression, reads []selector.Read) {
		d := c.allDrivers()
		if e.request != nil {
			d = c.offered(*e.request)
		} else if n := driverIn([]resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: e.text}}}); n != "" {
			d = c.drivers[n]
		}
		if d == nil || d.devices == 0 {
			return
		}
		for _, read := range reads {
			if read.ID == "" || read.Guarded || impossibleDomain(read.Domain)+impossibleID(read.ID) != "" {
				continue
			}
			names := d.attributes
			if read.Capacity {
				names = d.qualifiedCapacities
			}
			if names[read.Name()] != nil {
				continue
			}
			f := finding{
				at: e.at, severity: diag.Info, value: read.Name(),
				message: fmt.Sprintf("the selector reads %s %s, which no device of the bundle that it is evaluated on has: on such a device it is an error, for which the scheduler gives up on the pod",
					kindOfRead(read), read.Name()),
			}
			var known []string
			if c.visits.spend(len(names)) {
				known = sortedKeys(names)
			}
			if meant := c.guess(read.Name(), known); meant != "" {
				f.severity = diag.Warning
				f.message += "; did you mean " + meant + "?"
			} else if len(known) > 0 {
				f.message += "; published are " + few(known)
			}
			r.report(f)
			return
		}
	})
}
