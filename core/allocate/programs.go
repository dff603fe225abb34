package allocate

import (
	"context"
	"strconv"
	"strings"

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
	// numbers gives equal texts, be they expressions, looks of devices or
	// lists of selectors, the same number.
	numbers map[string]int
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
		numbers:     map[string]int{},
	}
}

func (p *Programs) number(text string) int {
	n, ok := p.numbers[text]
	if !ok {
		n = len(p.numbers) + 1
		p.numbers[text] = n
	}
	return n
}

// look numbers what an expression can see of a device.
func (p *Programs) look(d *device) int {
	if d.look == 0 {
		d.look = p.number(lookOf(d))
	}
	return d.look
}

func lookOf(d *device) string {
	var b strings.Builder
	b.WriteString("look\x00" + d.id.Driver)
	if d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations {
		b.WriteString("\x00shared")
	}
	for _, name := range sortedNames(d.Attributes) {
		a := d.Attributes[name]
		b.WriteString("\x00a" + string(name))
		member(&b, 'i', one(a.IntValue), func(v int64) string { return strconv.FormatInt(v, 10) })
		member(&b, 'b', one(a.BoolValue), strconv.FormatBool)
		member(&b, 's', one(a.StringValue), strconv.Quote)
		member(&b, 'v', one(a.VersionValue), strconv.Quote)
		member(&b, 'I', a.IntValues, func(v int64) string { return strconv.FormatInt(v, 10) })
		member(&b, 'B', a.BoolValues, strconv.FormatBool)
		member(&b, 'S', a.StringValues, strconv.Quote)
		member(&b, 'V', a.VersionValues, strconv.Quote)
	}
	for _, name := range sortedNames(d.Capacity) {
		q := d.Capacity[name].Value
		b.WriteString("\x00c" + string(name) + "\x00" + q.String())
	}
	return b.String()
}

// member spells out one member of an attribute. One that is there and empty
// is not the same as one that is missing.
func member[T any](b *strings.Builder, kind byte, values []T, text func(T) string) {
	if values == nil {
		return
	}
	b.WriteByte(0)
	b.WriteByte(kind)
	for _, v := range values {
		b.WriteString(text(v))
		b.WriteByte(',')
	}
}

func one[T any](p *T) []T {
	if p == nil {
		return nil
	}
	return []T{*p}
}

func (p *Programs) match(ctx context.Context, expression string, d *device) (bool, error) {
	key := evaluation{p.number(expression), p.look(d)}
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
	key := evaluation{p.number(expression), p.look(d)}
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
