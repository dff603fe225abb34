package feature

// The gates that matter to DRA.
const (
	DynamicResourceAllocation                   Gate = "DynamicResourceAllocation"
	DRAControlPlaneController                   Gate = "DRAControlPlaneController"
	DRAAdminAccess                              Gate = "DRAAdminAccess"
	DRAPrioritizedList                          Gate = "DRAPrioritizedList"
	DRAResourceClaimDeviceStatus                Gate = "DRAResourceClaimDeviceStatus"
	DRAResourceClaimGranularStatusAuthorization Gate = "DRAResourceClaimGranularStatusAuthorization"
	DRASchedulerFilterTimeout                   Gate = "DRASchedulerFilterTimeout"
	DRAExtendedResource                         Gate = "DRAExtendedResource"
	DRADeviceTaints                             Gate = "DRADeviceTaints"
	DRADeviceTaintRules                         Gate = "DRADeviceTaintRules"
	DRAPartitionableDevices                     Gate = "DRAPartitionableDevices"
	DRAPartitionableDevicesType                 Gate = "DRAPartitionableDevicesType"
	DRAConsumableCapacity                       Gate = "DRAConsumableCapacity"
	DRAFractionalCapacityRange                  Gate = "DRAFractionalCapacityRange"
	DRADeviceBindingConditions                  Gate = "DRADeviceBindingConditions"
	DRADeviceCompatibilityGroups                Gate = "DRADeviceCompatibilityGroups"
	DRADerivedAttributes                        Gate = "DRADerivedAttributes"
	DRAListTypeAttributes                       Gate = "DRAListTypeAttributes"
	DRANodeAllocatableResources                 Gate = "DRANodeAllocatableResources"
	DRAOptionalNodeOperations                   Gate = "DRAOptionalNodeOperations"
	DRAResourcePoolStatus                       Gate = "DRAResourcePoolStatus"
	DRAWorkloadResourceClaims                   Gate = "DRAWorkloadResourceClaims"
	GenericWorkload                             Gate = "GenericWorkload"
	NodeDeclaredFeatures                        Gate = "NodeDeclaredFeatures"
	ResourceHealthStatus                        Gate = "ResourceHealthStatus"
	ResourceHealthStatusMessage                 Gate = "ResourceHealthStatusMessage"
	KubeletPodResourcesDynamicResources         Gate = "KubeletPodResourcesDynamicResources"
	KubeletPodResourcesGet                      Gate = "KubeletPodResourcesGet"
	DeclarativeValidation                       Gate = "DeclarativeValidation"
	DeclarativeValidationBeta                   Gate = "DeclarativeValidationBeta"
	DeclarativeValidationTakeover               Gate = "DeclarativeValidationTakeover"
)

// The gates that stand for all gates of a stage.
const (
	AllAlpha Gate = "AllAlpha"
	AllBeta  Gate = "AllBeta"
)

// spec is what a gate is from the minor version Since on.
type spec struct {
	Since   int
	Stage   Stage
	Default bool
	Locked  bool
}

// gate is one row of the table.
type gate struct {
	Name Gate
	// Specs in ascending order of Since. Those before 1.31 tell since when
	// the gate exists. Stage Absent ends a gate that was removed.
	Specs []spec
	// Needs are the gates that must be on for this one to be on.
	Needs []Gate
}

const (
	off = false
	on  = true
)

// table holds every known gate.
//
// DRAFractionalCapacityRange is on in 1.37 only for an API server that was
// started with --min-compatibility-version=1.37; by default it emulates one
// version further back, and there the gate is off.
var table = []gate{
	{DynamicResourceAllocation, []spec{{26, Alpha, off, false}, {32, Beta, off, false}, {34, GA, on, false}, {35, GA, on, true}}, nil},
	{DRAControlPlaneController, []spec{{31, Alpha, off, false}, {Since: 32}}, []Gate{DynamicResourceAllocation}},
	{DRAAdminAccess, []spec{{32, Alpha, off, false}, {34, Beta, on, false}, {36, GA, on, true}}, []Gate{DynamicResourceAllocation}},
	{DRAPrioritizedList, []spec{{33, Alpha, off, false}, {34, Beta, on, false}, {36, GA, on, false}, {37, GA, on, true}}, []Gate{DynamicResourceAllocation}},
	// On by default before DynamicResourceAllocation was, so it cannot need it.
	{DRAResourceClaimDeviceStatus, []spec{{32, Alpha, off, false}, {33, Beta, on, false}, {37, GA, on, true}}, nil},
	{DRAResourceClaimGranularStatusAuthorization, []spec{{36, Beta, on, false}}, []Gate{DynamicResourceAllocation, DRAResourceClaimDeviceStatus}},
	{DRASchedulerFilterTimeout, []spec{{34, Beta, on, false}}, []Gate{DynamicResourceAllocation}},
	{DRAExtendedResource, []spec{{34, Alpha, off, false}, {36, Beta, on, false}, {37, GA, on, true}}, []Gate{DynamicResourceAllocation}},
	{DRADeviceTaints, []spec{{33, Alpha, off, false}, {36, Beta, on, false}, {37, GA, on, false}}, []Gate{DynamicResourceAllocation}},
	{DRADeviceTaintRules, []spec{{35, Alpha, off, false}, {36, Beta, off, false}, {37, GA, on, false}}, []Gate{DRADeviceTaints}},
	{DRAPartitionableDevices, []spec{{33, Alpha, off, false}, {36, Beta, on, false}}, []Gate{DynamicResourceAllocation}},
	{DRAPartitionableDevicesType, []spec{{37, Alpha, off, false}}, []Gate{DynamicResourceAllocation, DRAPartitionableDevices, DRAResourcePoolStatus}},
	{DRAConsumableCapacity, []spec{{34, Alpha, off, false}, {36, Beta, on, false}}, []Gate{DynamicResourceAllocation}},
	{DRAFractionalCapacityRange, []spec{{37, Beta, off, false}}, []Gate{DRAConsumableCapacity}},
	{DRADeviceBindingConditions, []spec{{34, Alpha, off, false}, {36, Beta, on, false}}, []Gate{DynamicResourceAllocation, DRAResourceClaimDeviceStatus}},
	{DRADeviceCompatibilityGroups, []spec{{37, Alpha, off, false}}, []Gate{DynamicResourceAllocation, DRAPartitionableDevices}},
	{DRADerivedAttributes, []spec{{37, Alpha, off, false}}, []Gate{DynamicResourceAllocation}},
	{DRAListTypeAttributes, []spec{{36, Alpha, off, false}}, []Gate{DynamicResourceAllocation}},
	{DRANodeAllocatableResources, []spec{{36, Alpha, off, false}}, []Gate{DynamicResourceAllocation}},
	{DRAOptionalNodeOperations, []spec{{37, Alpha, off, false}}, []Gate{DynamicResourceAllocation, NodeDeclaredFeatures}},
	{DRAResourcePoolStatus, []spec{{36, Alpha, off, false}}, []Gate{DynamicResourceAllocation}},
	{DRAWorkloadResourceClaims, []spec{{36, Alpha, off, false}, {37, Beta, off, false}}, []Gate{DynamicResourceAllocation, GenericWorkload}},
	{GenericWorkload, []spec{{35, Alpha, off, false}, {37, Beta, off, false}}, nil},
	{NodeDeclaredFeatures, []spec{{35, Alpha, off, false}, {36, Beta, on, false}, {37, GA, on, true}}, nil},
	{ResourceHealthStatus, []spec{{31, Alpha, off, false}, {36, Beta, on, false}}, []Gate{DynamicResourceAllocation}},
	{ResourceHealthStatusMessage, []spec{{36, Beta, on, false}}, []Gate{ResourceHealthStatus}},
	{KubeletPodResourcesDynamicResources, []spec{{27, Alpha, off, false}, {34, Beta, on, false}, {36, GA, on, true}}, nil},
	{KubeletPodResourcesGet, []spec{{27, Alpha, off, false}, {34, Beta, on, false}, {36, GA, on, true}}, nil},
	{DeclarativeValidation, []spec{{33, Beta, on, false}, {36, GA, on, true}}, nil},
	{DeclarativeValidationBeta, []spec{{36, Beta, on, false}}, []Gate{DeclarativeValidation}},
	{DeclarativeValidationTakeover, []spec{{33, Beta, off, false}, {36, Deprecated, off, false}, {37, Deprecated, off, true}}, []Gate{DeclarativeValidation}},
}

func lookup(name Gate) (gate, bool) {
	for _, g := range table {
		if g.Name == name {
			return g, true
		}
	}
	return gate{}, false
}

// specAt finds what the gate is at the version; false if it does not exist
// there.
func specAt(name Gate, v Version) (spec, bool) {
	g, ok := lookup(name)
	if !ok {
		return spec{}, false
	}
	var found spec
	for _, s := range g.Specs {
		if s.Since <= v.Minor {
			found = s
		}
	}
	return found, found.Stage != Absent
}
