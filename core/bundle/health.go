package bundle

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Own is the API version of the kinds that no cluster has: what a text tells
// that only drivers know.
const Own = "drawbridge-dra.github.io/v1"

// DeviceHealth is what a driver reports about its devices. A cluster keeps
// that between the driver and the kubelet, so it has no object for it.
type DeviceHealth struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              DeviceHealthSpec `json:"spec"`
}

// DeviceHealthSpec is one report.
type DeviceHealthSpec struct {
	Driver string `json:"driver"`
	// NodeName is the node whose kubelet gets the report; empty for all.
	NodeName string           `json:"nodeName,omitempty"`
	Devices  []ReportedDevice `json:"devices"`
}

// ReportedDevice is the health of a device.
type ReportedDevice struct {
	Pool   string `json:"pool"`
	Device string `json:"device"`
	// Health is Healthy, Unhealthy or Unknown.
	Health  string `json:"health"`
	Message string `json:"message,omitempty"`
	// AgeSeconds is how long ago the kubelet received the report, and
	// TimeoutSeconds for how long it counts: 30 if not set.
	AgeSeconds     int64 `json:"ageSeconds,omitempty"`
	TimeoutSeconds int64 `json:"timeoutSeconds,omitempty"`
	// CDIDevices are the CDI devices that the driver names for the device when
	// it prepares it. The first is how a pod's status calls the device.
	CDIDevices []string `json:"cdiDevices,omitempty"`
}
