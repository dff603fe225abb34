// Package podresources gives the answers of the kubelet's PodResources API for
// what the drivers of a node have prepared. The types print as the JSON of
// Kubernetes' protocol buffers, so that clients of either can read them.
package podresources

// ListPodResources is the answer to a call of List.
type ListPodResources struct {
	PodResources []PodResources `json:"podResources,omitempty" doc:"The pods of the node, in the bundle's order; the kubelet's own is chance."`
}

// PodResources is what a pod has.
type PodResources struct {
	Name       string               `json:"name,omitempty"`
	Namespace  string               `json:"namespace,omitempty"`
	Containers []ContainerResources `json:"containers,omitempty" doc:"First the init containers that keep running, then the others."`
}

// ContainerResources is what a container has.
type ContainerResources struct {
	Name             string            `json:"name,omitempty"`
	DynamicResources []DynamicResource `json:"dynamicResources,omitempty" doc:"One for each claim that the container uses."`
}

// DynamicResource is a claim.
type DynamicResource struct {
	ClaimName      string          `json:"claimName,omitempty"`
	ClaimNamespace string          `json:"claimNamespace,omitempty"`
	ClaimResources []ClaimResource `json:"claimResources,omitempty" doc:"All devices of the claim, whichever requests the container names."`
}

// ClaimResource is a device.
type ClaimResource struct {
	CDIDevices []CDIDevice `json:"cdiDevices,omitempty" doc:"As the kubelet prints them: those of the device, behind those of all devices of the same driver before it."`
	DriverName string      `json:"driverName,omitempty"`
	PoolName   string      `json:"poolName,omitempty"`
	DeviceName string      `json:"deviceName,omitempty"`
	ShareID    *string     `json:"shareId,omitempty"`
}

// CDIDevice is a device of the Container Device Interface.
type CDIDevice struct {
	Name string `json:"name,omitempty"`
}

// AllocatableResources is the answer to a call of GetAllocatableResources. It tells of
// devices of device plugins, CPUs and memory; nothing of claims is in it.
type AllocatableResources struct{}
