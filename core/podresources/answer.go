package podresources

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/metadata"
	"github.com/drawbridge-dra/drawbridge/core/prepared"
)

// Placeholders are what the form of a CDI name may hold.
var Placeholders = []string{"driver", "pool", "device", "request", "namespace", "claim", "uid", "share"}

// Options are what the kubelet gets from drivers, and how it answers.
type Options struct {
	// CDI is the form of the name that drivers give to a device, with
	// placeholders in braces.
	CDI string
	// Metadata tells that drivers write files about their devices, which have
	// names of their own.
	Metadata bool
	// Claims tells that this version of the kubelet answers about claims.
	Claims bool
	// Left is how many more names of devices may be told.
	Left int
}

// Kubelet answers for a node.
type Kubelet struct {
	opts Options
	// there are the claims for which drivers have been called.
	there map[*resourceapi.ResourceClaim]bool
	facts map[*resourceapi.ResourceClaim]facts
}

// facts are what counts of a claim.
type facts struct {
	drivers  []*prepared.Driver
	requests int
}

// NewKubelet makes a kubelet that knows the claims for which drivers have been
// called on its node.
func NewKubelet(there map[*resourceapi.ResourceClaim]bool, opts Options) *Kubelet {
	return &Kubelet{opts: opts, there: there, facts: map[*resourceapi.ResourceClaim]facts{}}
}

func (k *Kubelet) factsOf(claim *resourceapi.ResourceClaim) facts {
	f, known := k.facts[claim]
	if !known {
		f = facts{prepared.Drivers(claim), requests(claim)}
		k.facts[claim] = f
	}
	return f
}

// Seen is what is worth telling about an answer.
type Seen struct {
	// Grows is set if a device lists the names of another one too.
	Grows bool
	// Whole is set if a container that names requests of a claim is told to
	// have all devices of it.
	Whole bool
	// Gap is the claim for lack of which a container is told to have none at
	// all, as the pod lists it.
	Gap string
	// Drivers is set if devices of several drivers stand in an order that is
	// chance in the kubelet.
	Drivers bool
	// Cut is set if there was no room for all.
	Cut bool
}

// Of is what a pod has, and what is worth telling about its containers.
func (k *Kubelet) Of(p *prepared.Pod) (PodResources, map[int]Seen) {
	namespace, name, _ := strings.Cut(p.Name(), "/")
	out := PodResources{Name: name, Namespace: namespace}
	seen := map[int]Seen{}
	for _, c := range p.Containers() {
		if c.Init && !c.Restarts() {
			continue
		}
		of := ContainerResources{Name: c.Name}
		if k.opts.Claims {
			var told Seen
			of.DynamicResources, told = k.resources(p, c)
			if told != (Seen{}) {
				seen[len(out.Containers)] = told
			}
		}
		out.Containers = append(out.Containers, of)
	}
	return out, seen
}

func (k *Kubelet) resources(p *prepared.Pod, c prepared.Container) ([]DynamicResource, Seen) {
	var out []DynamicResource
	var seen Seen
	partly := map[int]bool{}
	for _, u := range p.Uses(c) {
		before, listed := partly[u.Claim]
		partly[u.Claim] = u.Request != "" && (before || !listed)
	}
	for _, i := range p.Lists(c) {
		claim := p.Claims[i].Claim
		if claim == nil || !k.there[claim] {
			// One that is missing makes the kubelet tell of none.
			return nil, Seen{Gap: p.Claims[i].Entry}
		}
		of := DynamicResource{ClaimName: claim.Name, ClaimNamespace: claim.Namespace}
		f := k.factsOf(claim)
		for _, d := range f.drivers {
			of.ClaimResources = append(of.ClaimResources, k.devices(claim, d, &seen)...)
		}
		seen.Drivers = seen.Drivers || len(f.drivers) > 1
		seen.Whole = seen.Whole || partly[i] && f.requests > 1
		out = append(out, of)
	}
	return out, seen
}

// devices are those of a driver, as it answers when it is called.
func (k *Kubelet) devices(claim *resourceapi.ResourceClaim, d *prepared.Driver, seen *Seen) []ClaimResource {
	if d.Skipped || k.opts.Left < 0 {
		seen.Cut = seen.Cut || !d.Skipped
		return nil
	}
	var out []ClaimResource
	// The kubelet goes on adding to one list, so that each device lists the
	// names of those before it.
	var names []CDIDevice
	described := map[string]bool{}
	for _, i := range d.Results {
		r := &claim.Status.Allocation.Devices.Results[i]
		before := len(names)
		if name := cdiName(k.opts.CDI, claim, r); name != "" {
			names = append(names, CDIDevice{name})
		}
		if base := metadata.BaseRequest(r.Request); k.opts.Metadata && !described[base] {
			described[base] = true
			names = append(names, CDIDevice{metadata.CDIID(r.Driver, string(claim.UID), base)})
		}
		if k.opts.Left -= len(names) + 1; k.opts.Left < 0 {
			seen.Cut = true
			return out
		}
		seen.Grows = seen.Grows || before > 0
		out = append(out, ClaimResource{
			CDIDevices: names[:len(names):len(names)], DriverName: r.Driver, PoolName: r.Pool, DeviceName: r.Device, ShareID: (*string)(r.ShareID),
		})
	}
	return out
}

func cdiName(form string, claim *resourceapi.ResourceClaim, r *resourceapi.DeviceRequestAllocationResult) string {
	share := ""
	if r.ShareID != nil {
		share = string(*r.ShareID)
	}
	values := []string{r.Driver, r.Pool, r.Device, metadata.BaseRequest(r.Request), claim.Namespace, claim.Name, string(claim.UID), share}
	var pairs []string
	for i, name := range Placeholders {
		pairs = append(pairs, "{"+name+"}", values[i])
	}
	return strings.NewReplacer(pairs...).Replace(form)
}

// requests counts the requests of a claim that have devices, up to two.
func requests(claim *resourceapi.ResourceClaim) int {
	first := ""
	for i := range claim.Status.Allocation.Devices.Results {
		switch base := metadata.BaseRequest(claim.Status.Allocation.Devices.Results[i].Request); {
		case i == 0:
			first = base
		case base != first:
			return 2
		}
	}
	return 1
}
