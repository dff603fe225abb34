package allocate

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/selector"
)

// Programs compiles each expression once, and evaluates it once for all
// devices that look the same to it. It serves any number of attempts, one
// after the other.
type Programs struct {
	selectors, derived *selector.Cache
	matches            map[evaluation]verdict
	attributes         map[evaluation]derivation
	expressions        map[string]int
	// numbers gives equal keys, be they looks of devices, lists of selectors
	// or shapes of claims, the same number; scratch is where a key is built.
	numbers map[string]int
	scratch []byte
	// hideSharing: the stable allocator does not tell expressions which
	// devices can be shared.
	hideSharing bool
}

// evaluation is an expression on a look, both as numbers.
type evaluation struct{ expression, look int }

type verdict struct {
	matches bool
	err     error
}

type derivation struct {
	attribute *resourceapi.DeviceAttribute
	err       error
}

// NewPrograms returns an empty memory.
func NewPrograms(features inventory.Features) *Programs {
	return &Programs{
		hideSharing: features.Implementation() == inventory.Stable,
		selectors:   selector.NewCache(selector.Options{Stored: true}),
		derived:     selector.NewCache(selector.Options{Stored: true, Derived: true}),
		matches:     map[evaluation]verdict{},
		attributes:  map[evaluation]derivation{},
		expressions: map[string]int{},
		numbers:     map[string]int{},
	}
}

// expression numbers the text of an expression.
func (p *Programs) expression(text string) int {
	n, ok := p.expressions[text]
	if !ok {
		n = len(p.expressions) + 1
		p.expressions[text] = n
	}
	return n
}

// look numbers what an expression can see of a device.
func (p *Programs) look(d *device) int {
	if d.look == 0 {
		d.look = p.lookOf(d)
	}
	return d.look
}

func (p *Programs) lookOf(d *device) int {
	k := p.spell('l')
	k.text(d.id.Driver)
	k.flag(d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations)
	var buffer [16]resourceapi.QualifiedName
	for _, name := range appendSorted(buffer[:0], d.Attributes) {
		a := d.Attributes[name]
		k.text(string(name))
		scalar(&k, 'i', a.IntValue, k.int)
		scalar(&k, 'b', a.BoolValue, k.flag)
		scalar(&k, 's', a.StringValue, k.text)
		scalar(&k, 'v', a.VersionValue, k.text)
		list(&k, 'I', a.IntValues, k.int)
		list(&k, 'B', a.BoolValues, k.flag)
		list(&k, 'S', a.StringValues, k.text)
		list(&k, 'V', a.VersionValues, k.text)
		k.key = append(k.key, '.')
	}
	k.key = append(k.key, 'c')
	for _, name := range appendSorted(buffer[:0], d.Capacity) {
		k.text(string(name))
		k.text(text(d.Capacity[name].Value))
	}
	return k.number()
}

// scalar and list spell out one member of an attribute. One that is there and
// empty is not the same as one that is missing.
func scalar[T any](k *spelling, kind byte, value *T, write func(T)) {
	if value != nil {
		k.key = append(k.key, kind)
		write(*value)
	}
}

func list[T any](k *spelling, kind byte, values []T, write func(T)) {
	if values == nil {
		return
	}
	k.key = append(k.key, kind)
	k.int(int64(len(values)))
	for _, v := range values {
		write(v)
	}
}

func (p *Programs) match(ctx context.Context, expression string, d *device) (bool, error) {
	key := evaluation{p.expression(expression), p.look(d)}
	v, ok := p.matches[key]
	if !ok {
		seen := d.Device
		if p.hideSharing && seen.AllowMultipleAllocations != nil {
			exclusive := *seen
			exclusive.AllowMultipleAllocations = nil
			seen = &exclusive
		}
		v.matches, v.err = p.selectors.Get(expression).Matches(ctx, selector.Device{Driver: d.id.Driver, Device: seen})
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		p.matches[key] = v
	}
	return v.matches, v.err
}

func (p *Programs) derive(ctx context.Context, expression string, d *device) (*resourceapi.DeviceAttribute, error) {
	key := evaluation{p.expression(expression), p.look(d)}
	v, ok := p.attributes[key]
	if !ok {
		v.attribute, v.err = p.derived.Get(expression).Derive(ctx, selector.Device{Driver: d.id.Driver, Device: d.Device})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.attributes[key] = v
	}
	return v.attribute, v.err
}
