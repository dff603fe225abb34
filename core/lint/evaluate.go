package lint

import (
	"context"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/selector"
)

const (
	// mostExpressions is how many different expressions are compiled for one
	// bundle. Compiling takes long beside everything else here.
	mostExpressions = 1_000
	// mostCost is what all evaluations for one bundle may cost, in CEL's
	// units. A usual selector takes a few of them.
	mostCost budget = 5_000_000
	// mostCostAmong is the same for one object among those of a cluster, where
	// somebody waits for the answer: some 2,000 evaluations.
	mostCostAmong budget = 500_000
	// costOfOne is what an evaluation costs beside that: making a device
	// known to CEL.
	costOfOne = 200
	// mostWitnesses is how many devices an expression is tried on to find one
	// that it fails on.
	mostWitnesses = 64
)

// expression is a selector, or what a derived attribute follows from, with
// its place. The devices it is evaluated on are those that request can get,
// or all for a class.
type expression struct {
	at      place
	program *selector.Program
	// before are the selectors that a device must pass to get here.
	before  []*selector.Program
	request *request
	derived bool
}

// program compiles an expression as the scheduler does; nil where it is not
// worth it. Whether it compiles for a new object is the API server's matter.
func (c *cluster) program(text string, derived bool) *selector.Program {
	k := programKey{text, derived}
	p, known := c.programs[k]
	if !known {
		if len(c.programs) >= mostExpressions || len(text) > selector.MaxLength {
			return nil
		}
		p = c.shared.Stored(text, derived)
		c.programs[k] = p
	}
	return p
}

type programKey struct {
	text    string
	derived bool
}

// selectorPrograms compiles selectors, as far as they can be.
func (c *cluster) selectorPrograms(list []resourceapi.DeviceSelector) []*selector.Program {
	var out []*selector.Program
	for _, s := range list {
		if s.CEL == nil {
			continue
		}
		if p := c.program(s.CEL.Expression, false); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// expressions calls f for every expression of classes, claims and templates
// that compiles.
func (c *cluster) expressions(f func(expression)) {
	visit := func(list []resourceapi.DeviceSelector, before []*selector.Program, q *request, at func(i int) place) []*selector.Program {
		for i, s := range list {
			if s.CEL == nil {
				continue
			}
			p := c.program(s.CEL.Expression, false)
			if p == nil || p.Err != nil {
				continue
			}
			f(expression{at: at(i), program: p, before: before, request: q})
			before = append(before[:len(before):len(before)], p)
		}
		return before
	}
	for _, cl := range c.classes {
		visit(cl.value.Spec.Selectors, nil, nil, func(i int) place { return cl.at("spec.selectors", i, "cel.expression") })
	}
	for _, spec := range c.specs {
		for j := range spec.requests {
			q := &spec.requests[j]
			before := c.selectorPrograms(selectorsOf(c.classByID[q.DeviceClassName]))
			before = visit(q.Selectors, before, q, func(i int) place { return spec.under(*q, "selectors", i, "cel.expression") })
			if !c.on("DRADerivedAttributes") {
				continue
			}
			for i, a := range q.DerivedAttributes {
				if p := c.program(a.Expression, true); p != nil && p.Err == nil {
					f(expression{spec.under(*q, "derivedAttributes", i, "expression"), p, before, q, true})
				}
			}
		}
	}
}

// evaluated is what became of a device.
type evaluated int

const (
	// refused: a selector before this one, or this one, is false for it.
	refused evaluated = iota
	// accepted: all are true.
	accepted
	// failed: this expression fails on it.
	failed
	// failedBefore: one before it does.
	failedBefore
	// unknown: the budget is spent.
	unknown
)

// evaluate tries an expression on a device, behind those before it.
func (c *cluster) evaluate(e expression, d device) (evaluated, error) {
	for _, p := range e.before {
		if verdict, err := c.try(p, d, false); verdict != accepted {
			if verdict == failed {
				verdict = failedBefore
			}
			return verdict, err
		}
	}
	return c.try(e.program, d, e.derived)
}

func (c *cluster) try(p *selector.Program, d device, derived bool) (evaluated, error) {
	if p.Err != nil {
		return unknown, nil
	}
	if !c.evaluations.spend(costOfOne) {
		c.spent = true
		return unknown, nil
	}
	seen := selector.Device{Driver: d.slice.value.Spec.Driver, Device: d.value()}
	if derived {
		c.evaluations.spend(costOfOne)
		if _, err := p.Derive(context.Background(), seen); err != nil {
			return failed, err
		}
		return accepted, nil
	}
	ok, cost, err := p.Try(context.Background(), seen)
	c.evaluations.spend(int(cost))
	switch {
	case err != nil:
		return failed, err
	case ok:
		return accepted, nil
	}
	return refused, nil
}

// devicesOf calls f for each device of a driver, or of all of them for the
// sum, until f returns false.
func (c *cluster) devicesOf(d *driver, f func(device) bool) {
	for _, p := range c.poolsOf(d) {
		if d.Name != "" && p.driver != d.Name {
			continue
		}
		more := true
		p.devices(func(dev device) { more = more && f(dev) })
		if !more {
			return
		}
	}
}

// candidates are the devices that a request can get, by all its selectors;
// false where the bundle is too large to try them, or a selector fails. Many
// requests are alike, so the answer is kept.
func (c *cluster) candidates(q request) ([]device, bool) {
	texts := []string{q.DeviceClassName}
	for _, s := range q.Selectors {
		if s.CEL == nil {
			return nil, false
		}
		texts = append(texts, strconv.Quote(s.CEL.Expression))
	}
	k := strings.Join(texts, " ")
	known, ok := c.suits[k]
	if !ok {
		known.devices, known.complete = c.findCandidates(q)
		c.suits[k] = known
	}
	return known.devices, known.complete
}

type suitable struct {
	devices  []device
	complete bool
}

func (c *cluster) findCandidates(q request) ([]device, bool) {
	d := c.offered(q)
	if d == nil || c.classByID[q.DeviceClassName].value == nil || !c.whole(d) || !c.visits.spend(c.reach(d)) {
		return nil, false
	}
	class := selectorsOf(c.classByID[q.DeviceClassName])
	programs := append(c.selectorPrograms(class), c.selectorPrograms(q.Selectors)...)
	if len(programs) != len(class)+len(q.Selectors) {
		return nil, false
	}
	var out []device
	complete := true
	c.devicesOf(d, func(dev device) bool {
		for _, p := range programs {
			if d.Name != "" && p.OnlyDriver() && p.Driver == d.Name {
				continue // That is how the devices were chosen.
			}
			switch verdict, _ := c.try(p, dev, false); verdict {
			case refused:
				return true
			case accepted:
			default:
				complete = false
				return false
			}
		}
		out = append(out, dev)
		return true
	})
	return out, complete
}
