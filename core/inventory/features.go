package inventory

import (
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// Features are the parts of the scheduler's allocator that feature gates turn
// on and off.
type Features struct {
	AdminAccess             bool
	PrioritizedList         bool
	PartitionableDevices    bool
	DeviceTaints            bool
	DeviceTaintRules        bool
	BindingConditions       bool
	ConsumableCapacity      bool
	FractionalCapacityRange bool
	ListTypeAttributes      bool
	OptionalNodeOperations  bool
	DerivedAttributes       bool
	CompatibilityGroups     bool
	// NoBinding says in words which gates BindingConditions lacks.
	NoBinding string
	// Only is the implementation to follow whatever the features are; empty
	// means the one that Kubernetes would run.
	Only Implementation
}

// FeaturesOf reads the features from the gates, as the scheduler does.
// Binding conditions need the claim's device status as well.
func FeaturesOf(set *feature.Set) Features {
	return Features{
		AdminAccess:             set.Enabled("DRAAdminAccess"),
		PrioritizedList:         set.Enabled("DRAPrioritizedList"),
		PartitionableDevices:    set.Enabled("DRAPartitionableDevices"),
		DeviceTaints:            set.Enabled("DRADeviceTaints"),
		DeviceTaintRules:        set.Enabled("DRADeviceTaints") && set.Enabled("DRADeviceTaintRules"),
		BindingConditions:       set.Enabled("DRADeviceBindingConditions") && set.Enabled("DRAResourceClaimDeviceStatus"),
		ConsumableCapacity:      set.Enabled("DRAConsumableCapacity"),
		FractionalCapacityRange: set.Enabled("DRAFractionalCapacityRange"),
		ListTypeAttributes:      set.Enabled("DRAListTypeAttributes"),
		OptionalNodeOperations:  set.Enabled("DRAOptionalNodeOperations"),
		DerivedAttributes:       set.Enabled("DRADerivedAttributes"),
		CompatibilityGroups:     set.Enabled("DRADeviceCompatibilityGroups"),
		NoBinding:               lacking(set, "DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"),
	}
}

// lacking says which of the gates are off.
func lacking(set *feature.Set, gates ...feature.Gate) string {
	var off []string
	for _, gate := range gates {
		if !set.Enabled(gate) {
			off = append(off, string(gate))
		}
	}
	switch len(off) {
	case 0:
		return ""
	case 1:
		return off[0] + " is off"
	}
	return strings.Join(off, " and ") + " are off"
}

// Implementation is one of the three allocators that Kubernetes ships. It
// runs the first that knows every enabled feature, and their answers differ
// in places.
type Implementation string

// The implementations, in the order in which Kubernetes tries them.
const (
	Stable       Implementation = "stable"
	Incubating   Implementation = "incubating"
	Experimental Implementation = "experimental"
)

// Implementation tells which allocator Kubernetes runs with these features.
func (f Features) Implementation() Implementation {
	switch {
	case f.Only != "":
		return f.Only
	case f.ListTypeAttributes || f.OptionalNodeOperations || f.DerivedAttributes || f.CompatibilityGroups:
		return Experimental
	case f.BindingConditions || f.ConsumableCapacity || f.FractionalCapacityRange:
		return Incubating
	}
	return Stable
}
