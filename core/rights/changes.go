package rights

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// Changes are what an update does to the status of a claim, as far as rights
// for it are asked.
type Changes struct {
	Allocation, ReservedFor bool
	// Drivers are those of the entries of status.devices that are added,
	// changed or removed, sorted.
	Drivers []string
	// Allocated tells whether the claim is allocated after the update.
	Allocated bool
	// Node is the one node that it is allocated to then, by name; empty if
	// there is no such node.
	Node string
}

// Compare finds the changes from one status to another, both as the API server
// stores them.
func Compare(old, now *resourceapi.ResourceClaimStatus) Changes {
	return Changes{
		Allocation:  !equality.Semantic.DeepEqual(old.Allocation, now.Allocation),
		ReservedFor: !equality.Semantic.DeepEqual(old.ReservedFor, now.ReservedFor),
		Drivers:     changedDrivers(old.Devices, now.Devices),
		Allocated:   now.Allocation != nil,
		Node:        nodeOf(now.Allocation),
	}
}

// entry is what the entries of status.devices are told apart by.
type entry struct{ driver, pool, device, share string }

func entryOf(d *resourceapi.AllocatedDeviceStatus) entry {
	e := entry{d.Driver, d.Pool, d.Device, ""}
	if d.ShareID != nil {
		e.share = *d.ShareID
	}
	return e
}

func changedDrivers(old, now []resourceapi.AllocatedDeviceStatus) []string {
	was := map[entry]*resourceapi.AllocatedDeviceStatus{}
	for i := range old {
		was[entryOf(&old[i])] = &old[i]
	}
	drivers := map[string]bool{}
	for i := range now {
		key := entryOf(&now[i])
		before := was[key]
		delete(was, key) // of two new entries for one the second is an addition
		if before == nil || !equality.Semantic.DeepEqual(*before, now[i]) {
			drivers[now[i].Driver] = true
		}
	}
	for key := range was {
		drivers[key.driver] = true
	}
	out := make([]string, 0, len(drivers))
	for driver := range drivers {
		out = append(out, driver)
	}
	slices.Sort(out)
	return out
}

// nodeOf is the one node that an allocation names; empty if it is for several,
// or selects its nodes by anything but the name.
func nodeOf(a *resourceapi.AllocationResult) string {
	if a == nil || a.NodeSelector == nil || len(a.NodeSelector.NodeSelectorTerms) != 1 {
		return ""
	}
	term := a.NodeSelector.NodeSelectorTerms[0]
	if len(term.MatchExpressions) > 0 || len(term.MatchFields) != 1 {
		return ""
	}
	f := term.MatchFields[0]
	if f.Key != "metadata.name" || f.Operator != corev1.NodeSelectorOpIn || len(f.Values) != 1 {
		return ""
	}
	return f.Values[0]
}
