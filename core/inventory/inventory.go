// Package inventory is an index of ResourceSlices: which pools and devices a
// node can use, and what allocated claims hold of them.
package inventory

import (
	"cmp"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// PoolID names a pool.
type PoolID struct{ Driver, Pool string }

func (id PoolID) compare(other PoolID) int {
	return cmp.Or(cmp.Compare(id.Driver, other.Driver), cmp.Compare(id.Pool, other.Pool))
}

// DeviceID names a device.
type DeviceID struct{ Driver, Pool, Device string }

func (id DeviceID) String() string { return id.Driver + "/" + id.Pool + "/" + id.Device }

// Slice is a ResourceSlice whose node selectors have been parsed once.
type Slice struct {
	*resourceapi.ResourceSlice

	// origin is the slice without the taints of rules; rules, by the index of
	// a device, are those whose taints it has besides its own.
	origin      *resourceapi.ResourceSlice
	rules       map[int][]*resourceapi.DeviceTaintRule
	selector    *parsedSelector
	perDevice   []*parsedSelector
	usesGroups  bool
	hasCounters bool
	// repeats is true if two of its devices have the same name.
	repeats bool
	// order is the position among all slices.
	order int
}

// parsedSelector keeps the error of a selector until a node asks for it: an
// unusable selector only matters to who comes across it.
type parsedSelector struct {
	selector *nodeaffinity.NodeSelector
	err      error
}

func parseSelector(s *corev1.NodeSelector) *parsedSelector {
	if s == nil {
		return nil
	}
	selector, err := nodeaffinity.NewNodeSelector(s)
	return &parsedSelector{selector, reworded(err)}
}

// reworded says what is wrong with a selector in words of ours. Of several
// errors the first must do.
func reworded(err error) error {
	if list, several := err.(utilerrors.Aggregate); several && len(list.Errors()) > 0 {
		err = list.Errors()[0]
	}
	var at *field.Error
	if !errors.As(err, &at) {
		return err
	}
	return fmt.Errorf("%s is %v; %s", at.Field, at.BadValue, at.Detail)
}

func newSlice(s *resourceapi.ResourceSlice) *Slice {
	slice := &Slice{
		ResourceSlice: s,
		selector:      parseSelector(s.Spec.NodeSelector),
		hasCounters:   len(s.Spec.SharedCounters) > 0,
	}
	perDevice := isTrue(s.Spec.PerDeviceNodeSelection)
	if perDevice {
		slice.perDevice = make([]*parsedSelector, len(s.Spec.Devices))
	}
	names := make(map[string]struct{}, len(s.Spec.Devices))
	for i := range s.Spec.Devices {
		device := &s.Spec.Devices[i]
		names[device.Name] = struct{}{}
		if perDevice {
			slice.perDevice[i] = parseSelector(device.NodeSelector)
		}
		for j := range device.ConsumesCounters {
			if len(device.ConsumesCounters[j].CompatibilityGroups) > 0 {
				slice.usesGroups = true
			}
		}
	}
	slice.repeats = len(names) < len(s.Spec.Devices)
	return slice
}

// PoolID names the pool that the slice belongs to.
func (s *Slice) PoolID() PoolID { return PoolID{s.Spec.Driver, s.Spec.Pool.Name} }

// DeviceID names the device at an index of the slice.
func (s *Slice) DeviceID(i int) DeviceID {
	return DeviceID{s.Spec.Driver, s.Spec.Pool.Name, s.Spec.Devices[i].Name}
}

// DeviceOnNode tells whether the node can use the device at an index, as far
// as the device itself says; it is true where the slice decides for all.
func (s *Slice) DeviceOnNode(i int, node *corev1.Node) (bool, error) {
	if s.perDevice == nil {
		return true, nil
	}
	device := &s.Spec.Devices[i]
	return onNode(node, value(device.NodeName), isTrue(device.AllNodes), s.perDevice[i])
}

// onNode follows NodeMatches of the allocator: the name decides first, then
// allNodes, then the selector.
func onNode(node *corev1.Node, name string, all bool, selector *parsedSelector) (bool, error) {
	switch {
	case name != "":
		return node.Name == name, nil
	case all:
		return true, nil
	case selector != nil:
		if selector.err != nil {
			return false, selector.err
		}
		return selector.selector.Match(node), nil
	}
	return false, nil
}

// relevant tells whether any device of the slice may be used on the node.
func (s *Slice) relevant(node *corev1.Node) (bool, error) {
	name, all := value(s.Spec.NodeName), isTrue(s.Spec.AllNodes)
	if name != "" || all || s.selector != nil {
		return onNode(node, name, all, s.selector)
	}
	for i := range s.perDevice {
		if ok, err := s.DeviceOnNode(i, node); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// Inventory is an immutable set of slices.
type Inventory struct {
	features Features
	onNode   map[string][]*Slice
	shared   []*Slice
	counters []*Slice
	byPool   map[PoolID][]*Slice
	total    int
}

// New indexes slices. Taints of the rules are added to the devices that they
// select, as the scheduler's tracker does; the order of the slices matters
// where slices of a pool contradict each other.
func New(slices []*resourceapi.ResourceSlice, rules []*resourceapi.DeviceTaintRule, features Features) *Inventory {
	inv := &Inventory{features: features, onNode: map[string][]*Slice{}, byPool: map[PoolID][]*Slice{}, total: len(slices)}
	for i, s := range slices {
		var from map[int][]*resourceapi.DeviceTaintRule
		origin := s
		if features.DeviceTaintRules {
			s, from = withTaints(s, rules)
		}
		slice := newSlice(s)
		slice.origin, slice.rules = origin, from
		slice.order = i
		if slice.hasCounters {
			inv.counters = append(inv.counters, slice)
		}
		if name := value(s.Spec.NodeName); name != "" {
			inv.onNode[name] = append(inv.onNode[name], slice)
		} else {
			inv.shared = append(inv.shared, slice)
		}
		inv.byPool[slice.PoolID()] = append(inv.byPool[slice.PoolID()], slice)
	}
	return inv
}

// Len is the number of slices.
func (inv *Inventory) Len() int { return inv.total }

// Features are the features that the inventory was made for.
func (inv *Inventory) Features() Features { return inv.features }

// withTaints adds the taints of rules to the devices that they select, and
// tells for each device which these were.
func withTaints(s *resourceapi.ResourceSlice, rules []*resourceapi.DeviceTaintRule) (*resourceapi.ResourceSlice, map[int][]*resourceapi.DeviceTaintRule) {
	tainted := s
	var from map[int][]*resourceapi.DeviceTaintRule
	for _, rule := range rules {
		selector := rule.Spec.DeviceSelector
		if selector == nil ||
			selector.Driver != nil && *selector.Driver != s.Spec.Driver ||
			selector.Pool != nil && *selector.Pool != s.Spec.Pool.Name {
			continue
		}
		for i := range s.Spec.Devices {
			if selector.Device != nil && *selector.Device != s.Spec.Devices[i].Name {
				continue
			}
			if tainted == s {
				tainted, from = s.DeepCopy(), map[int][]*resourceapi.DeviceTaintRule{}
			}
			device := &tainted.Spec.Devices[i]
			device.Taints = append(device.Taints, rule.Spec.Taint)
			from[i] = append(from[i], rule)
		}
	}
	return tainted, from
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func isTrue(b *bool) bool { return b != nil && *b }
