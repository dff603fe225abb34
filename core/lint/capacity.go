package lint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// capacityRequests calls f for every capacity that the bundle's claims and
// templates ask for, unless the API server drops them all.
func (c *cluster) capacityRequests(f func(s *claimSpec, q request, k resourceapi.QualifiedName, wanted resource.Quantity)) {
	if !c.on("DRAConsumableCapacity") {
		return
	}
	for _, s := range c.specs {
		for _, q := range s.requests {
			if q.Capacity == nil {
				continue
			}
			for _, k := range sortedKeys(q.Capacity.Requests) {
				f(s, q, k, q.Capacity.Requests[k])
			}
		}
	}
}

func (s *claimSpec) capacityPlace(q request, k resourceapi.QualifiedName) place {
	return s.under(q, "capacity.requests", key(k))
}

// capacityUnpublished compares names exactly, as the scheduler does: a name
// with the driver's domain and one without are two names here, unlike with
// attributes.
func capacityUnpublished(c *cluster, r *reporter) {
	c.capacityRequests(func(s *claimSpec, q request, k resourceapi.QualifiedName, _ resource.Quantity) {
		d := c.offered(q)
		if d == nil || d.Capacities[string(k)] != nil {
			return
		}
		var names []string
		if c.visits.spend(len(d.Capacities)) {
			names = sortedKeys(d.Capacities)
		}
		f := finding{
			at:    s.capacityPlace(q, k),
			value: string(k),
			message: fmt.Sprintf("no device of the %s that request %s can get has a capacity named exactly %s, so it gets none",
				c.where(), q.full, k),
		}
		meant := otherForm(string(k), names)
		if meant == "" {
			meant = c.guess(string(k), names)
		}
		switch {
		case meant != "":
			f.message += "; did you mean " + meant + "?"
		case len(names) > 0:
			f.message += "; published are " + few(names)
		}
		r.report(f)
	})
}

// otherForm finds the name with or without a domain.
func otherForm(name string, names []string) string {
	_, bare, qualified := strings.Cut(name, "/")
	i := slices.IndexFunc(names, func(n string) bool {
		if qualified {
			return n == bare
		}
		_, id, ok := strings.Cut(n, "/")
		return ok && id == name
	})
	if i < 0 {
		return ""
	}
	return names[i]
}

func capacityTooLarge(c *cluster, r *reporter) {
	c.capacityRequests(func(s *claimSpec, q request, k resourceapi.QualifiedName, wanted resource.Quantity) {
		d := c.offered(q)
		if d == nil || d.Capacities[string(k)] == nil {
			return
		}
		largest, most := d.Capacities[string(k)].Largest, d.Capacities[string(k)].Most
		if wanted.Cmp(most) <= 0 {
			return
		}
		if wanted.Cmp(largest) <= 0 {
			r.report(finding{
				at:    s.capacityPlace(q, k),
				value: wanted.String(),
				message: fmt.Sprintf("request %s wants %s of %s, and the request policies of the devices of the %s that it can get allow %s at the most; ask for no more than that",
					q.full, wanted.String(), k, c.where(), most.String()),
			})
			return
		}
		r.report(finding{
			at:    s.capacityPlace(q, k),
			value: wanted.String(),
			message: fmt.Sprintf("request %s wants %s of %s, and the largest device of the %s that it can get has %s; ask for no more than that",
				q.full, wanted.String(), k, c.where(), largest.String()),
		})
	})
}

func capacityNegative(c *cluster, r *reporter) {
	c.capacityRequests(func(s *claimSpec, q request, k resourceapi.QualifiedName, wanted resource.Quantity) {
		if wanted.Sign() >= 0 {
			return
		}
		r.report(finding{
			at:    s.capacityPlace(q, k),
			value: wanted.String(),
			message: fmt.Sprintf("request %s wants %s of %s: a device without a request policy makes the scheduler give up on the pod, one with a policy raises it to its least; ask for zero or more",
				q.full, wanted.String(), k),
		})
	})
}

// capacityNotRepresentable is about amounts that overflow when they are
// counted in thousandths, as the scheduler does with ranges that have steps.
func capacityNotRepresentable(c *cluster, r *reporter) {
	if !c.on("DRAFractionalCapacityRange") {
		return
	}
	limit := resource.NewQuantity(math.MaxInt64/1000, resource.DecimalSI)
	c.capacityRequests(func(s *claimSpec, q request, k resourceapi.QualifiedName, wanted resource.Quantity) {
		d := c.offered(q)
		if d == nil || d.Capacities[string(k)] == nil || !d.Capacities[string(k)].Ranged || wanted.Cmp(*limit) <= 0 {
			return
		}
		r.report(finding{
			at:    s.capacityPlace(q, k),
			value: wanted.String(),
			message: fmt.Sprintf("request %s wants %s of %s, which cannot be counted in thousandths, as DRAFractionalCapacityRange has it for ranges: the scheduler gives up on the whole pod; ask for at most %s",
				q.full, wanted.String(), k, limit.String()),
		})
	})
}
