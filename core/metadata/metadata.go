// Package metadata knows the files through which containers learn about their
// devices (KEP-5304): what stands in them, where they lie, and how they get
// into a container. It writes them to the byte as Kubernetes' library for
// drivers does.
package metadata

import (
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind is the only kind of the API group.
const Kind = "DeviceMetadata"

// Group is the API group of the files. No API server has it.
const Group = "metadata.resource.k8s.io"

// The versions of the group. They have the same fields.
const (
	V1beta1  = "v1beta1"
	V1alpha1 = "v1alpha1"
)

// Versions are all versions, newest first.
var Versions = []string{V1beta1, V1alpha1}

// DeviceMetadata says which devices a request of a claim was given.
type DeviceMetadata struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// PodClaimName is the entry of the pod for which the claim was made; nil
	// for a claim that somebody wrote.
	PodClaimName *string                 `json:"podClaimName,omitempty"`
	Requests     []DeviceMetadataRequest `json:"requests,omitempty"`
}

// DeviceMetadataRequest is a request of the claim, as request/subrequest where it has a list
// of alternatives.
type DeviceMetadataRequest struct {
	Name    string            `json:"name"`
	Devices []AllocatedDevice `json:"devices,omitempty"`
}

// AllocatedDevice is a device with what its driver tells of it.
type AllocatedDevice struct {
	Driver      string                                                    `json:"driver"`
	Pool        string                                                    `json:"pool"`
	Name        string                                                    `json:"name"`
	Attributes  map[resourceapi.QualifiedName]resourceapi.DeviceAttribute `json:"attributes,omitempty"`
	NetworkData *resourceapi.NetworkDeviceData                            `json:"networkData,omitempty"`
}
