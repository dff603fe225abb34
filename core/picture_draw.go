package core

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

const (
	// mostPictured is how many devices a picture holds: nobody looks at more.
	mostPictured = 20_000
	// mostTaints is how many taints of a device are shown: rules can give
	// every taint to every device.
	mostTaints = 16
)

// picturing draws a picture.
type picturing struct {
	in      *positions
	inv     *inventory.Inventory
	holders map[inventory.DeviceID][]holding
	left    int // devices that may still be drawn
	out     Picture
}

// holding is a claim that has a device, as its allocation says.
type holding struct {
	claim  string
	result *resourceapi.DeviceRequestAllocationResult
}

func (h holding) admin() bool { return h.result.AdminAccess != nil && *h.result.AdminAccess }

// picture draws what a plan ends in.
func picture(o *outlook) *Picture {
	d := &picturing{
		in: o.where, inv: inventory.New(o.input.Slices, o.input.Rules, o.input.Features), left: mostPictured,
		holders: map[inventory.DeviceID][]holding{},
		out:     Picture{Nodes: []PictureNode{}, Pools: []PicturePool{}, Links: []PictureLink{}},
	}
	published := map[inventory.DeviceID]*resourceapi.Device{}
	for _, pool := range d.inv.Whole() {
		for _, s := range pool.Slices {
			for i := range s.Spec.Devices {
				published[s.DeviceID(i)] = &s.Spec.Devices[i]
			}
		}
	}
	for _, claim := range o.plan.Known() {
		d.hold(claim, published)
	}
	for _, pool := range d.inv.Whole() {
		d.pool(pool)
	}
	d.nodes(o.input.Nodes, o.plan.NodeNames())
	return &d.out
}

// hold notes what a claim has, and what its constraints tie together.
func (d *picturing) hold(claim *schedule.Claim, published map[inventory.DeviceID]*resourceapi.Device) {
	allocation := claim.Claim.Status.Allocation
	if allocation == nil {
		return
	}
	results := allocation.Devices.Results
	for i := range results {
		id := inventory.DeviceID{Driver: results[i].Driver, Pool: results[i].Pool, Device: results[i].Device}
		d.holders[id] = append(d.holders[id], holding{claim.Name(), &results[i]})
	}
	for _, constraint := range claim.Claim.Spec.Devices.Constraints {
		link := PictureLink{Claim: claim.Name(), Devices: []string{}, Values: []string{}}
		switch {
		case constraint.MatchAttribute != nil:
			link.Kind, link.Attribute = "matchAttribute", string(*constraint.MatchAttribute)
		case constraint.DistinctAttribute != nil:
			link.Kind, link.Attribute = "distinctAttribute", string(*constraint.DistinctAttribute)
		default:
			continue
		}
		for i := range results {
			r := &results[i]
			request, _, _ := strings.Cut(r.Request, "/")
			if len(constraint.Requests) > 0 && !slices.Contains(constraint.Requests, r.Request) && !slices.Contains(constraint.Requests, request) {
				continue
			}
			id := inventory.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}
			value := ""
			if device := published[id]; device != nil {
				value = allocate.AttributeText(r.Driver, device, resourceapi.FullyQualifiedName(link.Attribute))
			}
			link.Devices, link.Values = append(link.Devices, id.String()), append(link.Values, value)
		}
		if len(link.Devices) > 1 {
			d.out.Links = append(d.out.Links, link)
		}
	}
}

// pool draws a pool.
func (d *picturing) pool(p *inventory.WholePool) {
	first := p.Slices[0]
	out := PicturePool{
		Driver: p.ID.Driver, Name: p.ID.Pool, Generation: p.Generation, Slices: len(p.Slices), Outdated: p.Outdated,
		Announced: first.Spec.Pool.ResourceSliceCount, Problem: p.Problem, Location: d.in.locate(first.At("spec.pool.name")), Devices: []PictureDevice{},
	}
	if p.Problem != "" {
		out.Location = d.in.locate(p.At)
	}
	out.Node, out.For = usedBy(p.Slices)
	totals := d.counters(p, &out)
	for _, s := range p.Slices {
		for i := range s.Spec.Devices {
			if d.left == 0 {
				d.out.Omitted++
				continue
			}
			d.left--
			out.Devices = append(out.Devices, d.device(s, i, totals))
		}
	}
	d.out.Pools = append(d.out.Pools, out)
}

// usedBy says which nodes can use the devices of slices: one, or some in words.
func usedBy(list []*inventory.Slice) (node, words string) {
	for i, s := range list {
		name, text := "", ""
		switch spec := &s.Spec; {
		case spec.NodeName != nil && *spec.NodeName != "":
			name = *spec.NodeName
		case spec.AllNodes != nil && *spec.AllNodes:
			text = "all nodes"
		case spec.NodeSelector != nil:
			text = "nodes that its selector chooses"
		case spec.PerDeviceNodeSelection != nil && *spec.PerDeviceNodeSelection:
			text = "the nodes that each device names"
		case len(spec.SharedCounters) > 0 && len(spec.Devices) == 0:
			continue // counters are for whoever has the devices
		}
		if i > 0 && node+words != "" && (name != node || text != words) {
			return "", "several nodes, as its slices say"
		}
		node, words = name, text
	}
	return node, words
}

// device draws the device at an index of a slice.
func (d *picturing) device(s *inventory.Slice, i int, totals totals) PictureDevice {
	device, id := &s.Spec.Devices[i], s.DeviceID(i)
	out := PictureDevice{Name: device.Name, Location: d.in.locate(s.DeviceAt(i, "")), For: usedByDevice(device)}
	out.Shared = device.AllowMultipleAllocations != nil && *device.AllowMultipleAllocations
	for _, h := range d.holders[id] {
		holder := PictureHolder{Claim: h.claim, Request: h.result.Request, Admin: h.admin()}
		if h.result.ShareID != nil {
			holder.Share = string(*h.result.ShareID)
		}
		out.Holders = append(out.Holders, holder)
	}
	for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
		out.Capacity = append(out.Capacity, d.capacity(id, name, device.Capacity[name].Value, out.Shared))
	}
	for _, consumption := range device.ConsumesCounters {
		draw := PictureDraw{Set: consumption.CounterSet, Groups: consumption.CompatibilityGroups, Counters: []PictureTaken{}}
		for _, name := range slices.Sorted(maps.Keys(consumption.Counters)) {
			amount := consumption.Counters[name].Value
			draw.Counters = append(draw.Counters, PictureTaken{Name: name, Amount: amount.String(), Permille: permille(amount, totals[counterID{draw.Set, name}])})
		}
		out.Draws = append(out.Draws, draw)
	}
	for t := range device.Taints[:min(len(device.Taints), mostTaints)] {
		taint := &device.Taints[t]
		out.Taints = append(out.Taints, PictureTaint{Taint: taintText(taint), Location: d.in.locate(s.TaintAt(i, taint))})
	}
	return out
}

func usedByDevice(device *resourceapi.Device) string {
	switch {
	case device.NodeName != nil && *device.NodeName != "":
		return "node " + *device.NodeName
	case device.AllNodes != nil && *device.AllNodes:
		return "all nodes"
	case device.NodeSelector != nil:
		return "nodes that its selector chooses"
	}
	return ""
}

// nodes lists the nodes, and which look alike.
func (d *picturing) nodes(known []*corev1.Node, names []string) {
	objects := map[string]*corev1.Node{}
	for _, n := range known {
		objects[n.Name] = n
	}
	own := map[string][]*PicturePool{}
	for i := range d.out.Pools {
		if pool := &d.out.Pools[i]; pool.Node != "" {
			own[pool.Node] = append(own[pool.Node], pool)
		}
	}
	first := map[string]string{}
	for _, name := range names {
		out := PictureNode{Name: name}
		if o := objects[name]; o != nil {
			out.Location = d.in.locate(inventory.Place{Object: o, Field: "metadata.name"})
		}
		pools := own[name]
		slices.SortStableFunc(pools, func(a, b *PicturePool) int {
			return cmp.Or(cmp.Compare(a.Driver, b.Driver), cmp.Compare(a.Name, b.Name))
		})
		var look strings.Builder
		for _, pool := range pools {
			describe(&look, pool)
		}
		if other, seen := first[look.String()]; seen {
			out.Like = other
		} else {
			first[look.String()] = name
		}
		d.out.Nodes = append(d.out.Nodes, out)
	}
}

// describe writes how a pool looks, without its name and those of claims.
func describe(w *strings.Builder, pool *PicturePool) {
	fmt.Fprintf(w, "%q %d/%d %q", pool.Driver, pool.Slices, pool.Announced, pool.Problem)
	for _, set := range pool.Counters {
		fmt.Fprintf(w, " %q", set.Name)
		for _, bar := range set.Counters {
			fmt.Fprintf(w, "%q %s of %s", bar.Name, bar.Used, bar.Total)
		}
	}
	for i := range pool.Devices {
		device := &pool.Devices[i]
		fmt.Fprintf(w, "\n%q %d %t", device.Name, len(device.Holders), device.Shared)
		for _, bar := range device.Capacity {
			fmt.Fprintf(w, " %q %s of %s", bar.Name, bar.Used, bar.Total)
		}
		for _, draw := range device.Draws {
			fmt.Fprintf(w, " %q %q %v", draw.Set, draw.Groups, draw.Counters)
		}
		for _, taint := range device.Taints {
			fmt.Fprintf(w, " %q", taint.Taint)
		}
	}
	w.WriteByte('\n')
}
