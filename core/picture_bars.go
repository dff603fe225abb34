package core

import (
	"maps"
	"math/big"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// counterID names a counter of a pool.
type counterID struct{ set, name string }

// totals are what the counters of a pool have in all.
type totals map[counterID]resource.Quantity

// counters draws the counters of a pool, with those who draw from them.
func (d *picturing) counters(p *inventory.WholePool, out *PicturePool) totals {
	all := totals{}
	bars := map[counterID]*PictureBar{}
	used := map[counterID]*resource.Quantity{}
	for _, s := range p.Slices {
		for i := range s.Spec.SharedCounters {
			set := &s.Spec.SharedCounters[i]
			drawn := PictureCounterSet{Name: set.Name, Location: d.in.locate(s.SharedCounterAt(i)), Counters: make([]PictureBar, 0, len(set.Counters))}
			for _, name := range slices.Sorted(maps.Keys(set.Counters)) {
				total := set.Counters[name].Value
				drawn.Counters = append(drawn.Counters, PictureBar{Name: name, Total: total.String()})
				id := counterID{set.Name, name}
				all[id], bars[id], used[id] = total, &drawn.Counters[len(drawn.Counters)-1], &resource.Quantity{Format: total.Format}
			}
			out.Counters = append(out.Counters, drawn)
		}
	}
	if len(bars) == 0 {
		return all
	}
	for _, s := range p.Slices {
		for i := range s.Spec.Devices {
			claims := d.takers(s.DeviceID(i))
			if len(claims) == 0 {
				continue
			}
			for _, consumption := range s.Spec.Devices[i].ConsumesCounters {
				for _, name := range slices.Sorted(maps.Keys(consumption.Counters)) {
					id, amount := counterID{consumption.CounterSet, name}, consumption.Counters[name].Value
					bar := bars[id]
					if bar == nil {
						continue
					}
					used[id].Add(amount)
					bar.Parts = append(bar.Parts, PicturePart{Device: s.Spec.Devices[i].Name, Claims: claims, Amount: amount.String(), Permille: permille(amount, all[id])})
				}
			}
		}
	}
	for id, bar := range bars { // the order does not matter: each is finished by itself
		bar.finish(all[id], *used[id])
	}
	return all
}

// takers are the claims that hold a device, each once.
func (d *picturing) takers(id inventory.DeviceID) []string {
	var claims []string
	for _, h := range d.holders[id] {
		if !h.admin() && !slices.Contains(claims, h.claim) {
			claims = append(claims, h.claim)
		}
	}
	return claims
}

// capacity draws a capacity of a device, and what shares of it are given out.
func (d *picturing) capacity(id inventory.DeviceID, name resourceapi.QualifiedName, total resource.Quantity, shared bool) PictureBar {
	bar := PictureBar{Name: string(name), Total: total.String()}
	used := resource.Quantity{Format: total.Format}
	if shared {
		for _, h := range d.holders[id] {
			amount, takes := h.result.ConsumedCapacity[name]
			if !takes || h.admin() {
				continue
			}
			used.Add(amount)
			bar.Parts = append(bar.Parts, PicturePart{Claims: []string{h.claim}, Amount: amount.String(), Permille: permille(amount, total)})
		}
	}
	bar.finish(total, used)
	return bar
}

// finish works out what is left.
func (b *PictureBar) finish(total, used resource.Quantity) {
	left := total.DeepCopy()
	left.Sub(used)
	b.Used, b.Left, b.Permille = used.String(), left.String(), permille(used, total)
}

// mostPermille bounds what is far more than there is.
const mostPermille = 100_000

// permille is a part in thousandths of a total, rounded to the nearest, and at
// least one of what is more than nothing.
func permille(part, total resource.Quantity) int {
	if total.Sign() <= 0 || part.Sign() <= 0 {
		return 0
	}
	a, b := rational(part), rational(total)
	thousandths := new(big.Rat).Mul(new(big.Rat).Quo(a, b), big.NewRat(1000, 1))
	if thousandths.Cmp(big.NewRat(mostPermille, 1)) > 0 {
		return mostPermille
	}
	half := new(big.Rat).Add(thousandths, big.NewRat(1, 2))
	n := new(big.Int).Quo(half.Num(), half.Denom())
	return max(1, int(n.Int64()))
}

// rational is the exact value of a quantity.
func rational(q resource.Quantity) *big.Rat {
	d := q.AsDec()
	r := new(big.Rat).SetInt(d.UnscaledBig())
	scale := int64(d.Scale())
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(scale, -scale)), nil)
	if scale > 0 {
		return r.Quo(r, new(big.Rat).SetInt(power))
	}
	return r.Mul(r, new(big.Rat).SetInt(power))
}
