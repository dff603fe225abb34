package bundle

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// These are the shapes in which v1beta1 and v1alpha3 differ from v1. What
// they share with v1 is v1's own type, so that only the difference stands
// here. v1beta2 has v1's shape throughout.

// claimShape is a claim of v1beta1 (Request is betaRequest) or v1alpha3.
type claimShape[Spec, Status any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec   `json:"spec"`
	Status            Status `json:"status,omitempty"`
}

type templateShape[Spec any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Spec              Spec `json:"spec"`
	} `json:"spec"`
}

type sliceShape[Device any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              sliceSpec[Device] `json:"spec"`
}

type betaClaim = claimShape[betaClaimSpec, resourceapi.ResourceClaimStatus]

type betaTemplate = templateShape[betaClaimSpec]

type betaSlice = sliceShape[betaDevice]

type betaClaimSpec struct {
	Devices betaDeviceClaim `json:"devices"`
}

type betaDeviceClaim struct {
	Requests    []betaRequest                          `json:"requests"`
	Constraints []resourceapi.DeviceConstraint         `json:"constraints,omitempty"`
	Config      []resourceapi.DeviceClaimConfiguration `json:"config,omitempty"`
}

// betaRequest holds in one level what v1 has under exactly.
type betaRequest struct {
	Name string `json:"name"`

	resourceapi.ExactDeviceRequest `json:",inline"`

	FirstAvailable []resourceapi.DeviceSubRequest `json:"firstAvailable,omitempty"`
}

type sliceSpec[Device any] struct {
	Driver                 string                          `json:"driver"`
	Pool                   resourceapi.ResourcePool        `json:"pool"`
	NodeName               string                          `json:"nodeName,omitempty"`
	NodeSelector           *corev1.NodeSelector            `json:"nodeSelector,omitempty"`
	AllNodes               bool                            `json:"allNodes,omitempty"`
	Devices                []Device                        `json:"devices,omitempty"`
	PerDeviceNodeSelection *bool                           `json:"perDeviceNodeSelection,omitempty"`
	SharedCounters         []resourceapi.CounterSet        `json:"sharedCounters,omitempty"`
	PartitionTypeAttribute *resourceapi.FullyQualifiedName `json:"partitionTypeAttribute,omitempty"`
	SkipNodeOperations     []resourceapi.SkipNodeOperation `json:"skipNodeOperations,omitempty"`
}

type betaDevice struct {
	Name  string                                   `json:"name"`
	Basic *basicDevice[resourceapi.DeviceCapacity] `json:"basic,omitempty"`
}

type basicDevice[Capacity any] struct {
	Attributes               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute   `json:"attributes,omitempty"`
	Capacity                 map[resourceapi.QualifiedName]Capacity                      `json:"capacity,omitempty"`
	ConsumesCounters         []resourceapi.DeviceCounterConsumption                      `json:"consumesCounters,omitempty"`
	NodeName                 *string                                                     `json:"nodeName,omitempty"`
	NodeSelector             *corev1.NodeSelector                                        `json:"nodeSelector,omitempty"`
	AllNodes                 *bool                                                       `json:"allNodes,omitempty"`
	Taints                   []resourceapi.DeviceTaint                                   `json:"taints,omitempty"`
	BindsToNode              *bool                                                       `json:"bindsToNode,omitempty"`
	BindingConditions        []string                                                    `json:"bindingConditions,omitempty"`
	BindingFailureConditions []string                                                    `json:"bindingFailureConditions,omitempty"`
	AllowMultipleAllocations *bool                                                       `json:"allowMultipleAllocations,omitempty"`
	NodeAllocatableResources map[corev1.ResourceName]resourceapi.NodeAllocatableResource `json:"nodeAllocatableResources,omitempty"`
}

// v1alpha3 has v1beta1's shape, with capacities as plain quantities. In
// Kubernetes 1.31 it had fields for allocation by a driver's own controller,
// which mean nothing since; package past says what they were for.

type alphaClaim = claimShape[alphaClaimSpec, alphaClaimStatus]

type alphaTemplate = templateShape[alphaClaimSpec]

type alphaSlice = sliceShape[alphaDevice]

type alphaClaimSpec struct {
	betaClaimSpec `json:",inline"`
	Controller    string `json:"controller,omitempty"`
}

type alphaClaimStatus struct {
	Allocation *struct {
		resourceapi.AllocationResult `json:",inline"`
		Controller                   string `json:"controller,omitempty"`
	} `json:"allocation,omitempty"`
	ReservedFor           []resourceapi.ResourceClaimConsumerReference `json:"reservedFor,omitempty"`
	DeallocationRequested bool                                         `json:"deallocationRequested,omitempty"`
	Devices               []resourceapi.AllocatedDeviceStatus          `json:"devices,omitempty"`
}

type alphaDevice struct {
	Name  string                          `json:"name"`
	Basic *basicDevice[resource.Quantity] `json:"basic,omitempty"`
}

type alphaClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		resourceapi.DeviceClassSpec `json:",inline"`
		SuitableNodes               *corev1.NodeSelector `json:"suitableNodes,omitempty"`
	} `json:"spec"`
}
