package bundle

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The conversions to v1 follow Kubernetes: what it makes of an older shape is
// what its validation and its scheduler see.

func v1Meta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: resourceapi.SchemeGroupVersion.String(), Kind: kind}
}

func convertBetaClaim(in *betaClaim) any {
	return &resourceapi.ResourceClaim{
		TypeMeta:   v1Meta("ResourceClaim"),
		ObjectMeta: in.ObjectMeta,
		Spec:       convertClaimSpec(in.Spec),
		Status:     in.Status,
	}
}

func convertBetaTemplate(in *betaTemplate) any {
	return &resourceapi.ResourceClaimTemplate{
		TypeMeta:   v1Meta("ResourceClaimTemplate"),
		ObjectMeta: in.ObjectMeta,
		Spec:       resourceapi.ResourceClaimTemplateSpec{ObjectMeta: in.Spec.ObjectMeta, Spec: convertClaimSpec(in.Spec.Spec)},
	}
}

func convertAlphaClaim(in *alphaClaim) any {
	out := &resourceapi.ResourceClaim{
		TypeMeta:   v1Meta("ResourceClaim"),
		ObjectMeta: in.ObjectMeta,
		Spec:       convertClaimSpec(in.Spec.betaClaimSpec),
		Status: resourceapi.ResourceClaimStatus{
			ReservedFor: in.Status.ReservedFor,
			Devices:     in.Status.Devices,
		},
	}
	if in.Status.Allocation != nil {
		out.Status.Allocation = &in.Status.Allocation.AllocationResult
	}
	return out
}

func convertAlphaTemplate(in *alphaTemplate) any {
	return &resourceapi.ResourceClaimTemplate{
		TypeMeta:   v1Meta("ResourceClaimTemplate"),
		ObjectMeta: in.ObjectMeta,
		Spec:       resourceapi.ResourceClaimTemplateSpec{ObjectMeta: in.Spec.ObjectMeta, Spec: convertClaimSpec(in.Spec.Spec.betaClaimSpec)},
	}
}

func convertAlphaClass(in *alphaClass) any {
	return &resourceapi.DeviceClass{TypeMeta: v1Meta("DeviceClass"), ObjectMeta: in.ObjectMeta, Spec: in.Spec.DeviceClassSpec}
}

func convertClaimSpec(in betaClaimSpec) resourceapi.ResourceClaimSpec {
	out := resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{
		Constraints: in.Devices.Constraints,
		Config:      in.Devices.Config,
	}}
	if in.Devices.Requests != nil {
		out.Devices.Requests = []resourceapi.DeviceRequest{}
	}
	for _, request := range in.Devices.Requests {
		converted := resourceapi.DeviceRequest{Name: request.Name, FirstAvailable: request.FirstAvailable}
		if exact := request.ExactDeviceRequest; setsAnything(exact) {
			converted.Exactly = &exact
		}
		out.Devices.Requests = append(out.Devices.Requests, converted)
	}
	return out
}

// setsAnything decides whether a request gets the part exactly. With a part
// firstAvailable beside it the request is then invalid, as in Kubernetes.
func setsAnything(r resourceapi.ExactDeviceRequest) bool {
	return r.DeviceClassName != "" || r.Selectors != nil || r.AllocationMode != "" || r.Count != 0 ||
		r.AdminAccess != nil || r.Tolerations != nil || r.Capacity != nil || r.DerivedAttributes != nil
}

func convertBetaSlice(in *betaSlice) any {
	out := convertSlice(in)
	for _, device := range in.Spec.Devices {
		converted := resourceapi.Device{Name: device.Name}
		if device.Basic != nil {
			flatten(device.Basic, &converted)
			if len(device.Basic.Capacity) > 0 {
				converted.Capacity = device.Basic.Capacity
			}
		}
		out.Spec.Devices = append(out.Spec.Devices, converted)
	}
	return out
}

func convertAlphaSlice(in *alphaSlice) any {
	out := convertSlice(in)
	for _, device := range in.Spec.Devices {
		converted := resourceapi.Device{Name: device.Name}
		if device.Basic != nil {
			flatten(device.Basic, &converted)
			if len(device.Basic.Capacity) > 0 {
				converted.Capacity = withValues(device.Basic.Capacity)
			}
		}
		out.Spec.Devices = append(out.Spec.Devices, converted)
	}
	return out
}

func withValues(in map[resourceapi.QualifiedName]resource.Quantity) map[resourceapi.QualifiedName]resourceapi.DeviceCapacity {
	out := make(map[resourceapi.QualifiedName]resourceapi.DeviceCapacity, len(in))
	for name, quantity := range in {
		out[name] = resourceapi.DeviceCapacity{Value: quantity}
	}
	return out
}

// convertSlice converts all but the devices.
func convertSlice[Device any](in *sliceShape[Device]) *resourceapi.ResourceSlice {
	out := &resourceapi.ResourceSlice{
		TypeMeta:   v1Meta("ResourceSlice"),
		ObjectMeta: in.ObjectMeta,
		Spec: resourceapi.ResourceSliceSpec{
			Driver:                 in.Spec.Driver,
			Pool:                   in.Spec.Pool,
			NodeSelector:           in.Spec.NodeSelector,
			PerDeviceNodeSelection: in.Spec.PerDeviceNodeSelection,
			SharedCounters:         in.Spec.SharedCounters,
			PartitionTypeAttribute: in.Spec.PartitionTypeAttribute,
			SkipNodeOperations:     in.Spec.SkipNodeOperations,
		},
	}
	// The older shape cannot tell an empty name from none, nor false.
	if in.Spec.NodeName != "" {
		out.Spec.NodeName = &in.Spec.NodeName
	}
	if in.Spec.AllNodes {
		out.Spec.AllNodes = &in.Spec.AllNodes
	}
	if in.Spec.Devices != nil {
		out.Spec.Devices = []resourceapi.Device{}
	}
	return out
}

// flatten moves what stands under basic into the device; capacities are left
// to the caller.
func flatten[Capacity any](in *basicDevice[Capacity], out *resourceapi.Device) {
	if len(in.Attributes) > 0 {
		out.Attributes = in.Attributes
	}
	if len(in.ConsumesCounters) > 0 {
		out.ConsumesCounters = in.ConsumesCounters
	}
	out.NodeName = in.NodeName
	out.NodeSelector = in.NodeSelector
	out.AllNodes = in.AllNodes
	if len(in.Taints) > 0 {
		out.Taints = in.Taints
	}
	out.BindsToNode = in.BindsToNode
	out.BindingConditions = in.BindingConditions
	out.BindingFailureConditions = in.BindingFailureConditions
	out.AllowMultipleAllocations = in.AllowMultipleAllocations
	out.NodeAllocatableResources = in.NodeAllocatableResources
}
