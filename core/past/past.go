// Package past holds what the API of Kubernetes 1.26 to 1.31 had and no later
// one has: the kinds of classic DRA, in which a driver's own controller
// allocates, and the first structured parameters. It says of each kind and
// field what it was for, when it went, and what replaces it.
package past

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// The API versions that hold such kinds.
const (
	V1alpha1 = "resource.k8s.io/v1alpha1" // Kubernetes 1.26
	V1alpha2 = "resource.k8s.io/v1alpha2" // Kubernetes 1.27 to 1.30
	V1alpha3 = "resource.k8s.io/v1alpha3" // Kubernetes 1.31, of which later ones kept a part
)

// Limits that the API of that time had.
const (
	MostSchedulingNodes = 128
	MostConsumers       = 32
	MostHandles         = 32
	MostHandleData      = 16 * 1024
)

// Modes of allocation of a claim.
const (
	WaitForFirstConsumer = "WaitForFirstConsumer"
	Immediate            = "Immediate"
)

// PodSchedulingContext is what the scheduler and the drivers' controllers
// wrote to each other about one pod. In v1alpha1 it was called PodScheduling.
type PodSchedulingContext struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PodSchedulingSpec   `json:"spec"`
	Status            PodSchedulingStatus `json:"status,omitempty"`
}

// PodSchedulingSpec is the scheduler's part.
type PodSchedulingSpec struct {
	SelectedNode   string   `json:"selectedNode,omitempty"`
	PotentialNodes []string `json:"potentialNodes,omitempty"`
}

// PodSchedulingStatus is the part of the drivers' controllers.
type PodSchedulingStatus struct {
	ResourceClaims []ClaimScheduling `json:"resourceClaims,omitempty"`
}

// ClaimScheduling is what a controller said of one claim of the pod. Its name
// is the one in the pod's spec.resourceClaims.
type ClaimScheduling struct {
	Name            string   `json:"name,omitempty"`
	UnsuitableNodes []string `json:"unsuitableNodes,omitempty"`
}

// ResourceClaim is a claim of v1alpha1 and v1alpha2.
type ResourceClaim struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ClaimSpec   `json:"spec"`
	Status            ClaimStatus `json:"status,omitempty"`
}

// ClaimSpec asks one class for the whole claim.
type ClaimSpec struct {
	ResourceClassName string               `json:"resourceClassName"`
	ParametersRef     *ParametersReference `json:"parametersRef,omitempty"`
	AllocationMode    string               `json:"allocationMode,omitempty"`
}

// ParametersReference names the object with a claim's parameters.
type ParametersReference struct {
	APIGroup string `json:"apiGroup,omitempty"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}

// ClassParametersReference names the object with a class's parameters.
type ClassParametersReference struct {
	APIGroup  string `json:"apiGroup,omitempty"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
}

// ClaimStatus says who allocated the claim, what, and for whom.
type ClaimStatus struct {
	DriverName            string      `json:"driverName,omitempty"`
	Allocation            *Allocation `json:"allocation,omitempty"`
	ReservedFor           []Consumer  `json:"reservedFor,omitempty"`
	DeallocationRequested bool        `json:"deallocationRequested,omitempty"`
}

// Allocation is what was allocated. ResourceHandle is v1alpha1's.
type Allocation struct {
	ResourceHandle   string               `json:"resourceHandle,omitempty"`
	ResourceHandles  []Handle             `json:"resourceHandles,omitempty"`
	AvailableOnNodes *corev1.NodeSelector `json:"availableOnNodes,omitempty"`
	Shareable        bool                 `json:"shareable,omitempty"`
}

// Handle is what one driver allocated, in words of its own or by names.
type Handle struct {
	DriverName     string            `json:"driverName,omitempty"`
	Data           string            `json:"data,omitempty"`
	StructuredData *StructuredHandle `json:"structuredData,omitempty"`
}

// StructuredHandle is what the scheduler allocated for a driver.
type StructuredHandle struct {
	VendorClassParameters runtime.RawExtension `json:"vendorClassParameters,omitempty"`
	VendorClaimParameters runtime.RawExtension `json:"vendorClaimParameters,omitempty"`
	NodeName              string               `json:"nodeName,omitempty"`
	Results               []HandleResult       `json:"results"`
}

// HandleResult is one allocated instance.
type HandleResult struct {
	VendorRequestParameters runtime.RawExtension `json:"vendorRequestParameters,omitempty"`
	NamedResources          *NamedResult         `json:"namedResources,omitempty"`
}

// NamedResult names an instance.
type NamedResult struct {
	Name string `json:"name"`
}

// Consumer is who a claim is reserved for.
type Consumer struct {
	APIGroup string    `json:"apiGroup,omitempty"`
	Resource string    `json:"resource"`
	Name     string    `json:"name"`
	UID      types.UID `json:"uid"`
}

// ResourceClaimTemplate is a template of v1alpha1 and v1alpha2.
type ResourceClaimTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              TemplateSpec `json:"spec"`
}

// TemplateSpec holds the claim to make.
type TemplateSpec struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ClaimSpec `json:"spec"`
}

// ResourceClass named the driver of claims.
type ResourceClass struct {
	metav1.TypeMeta      `json:",inline"`
	metav1.ObjectMeta    `json:"metadata,omitempty"`
	DriverName           string                    `json:"driverName"`
	ParametersRef        *ClassParametersReference `json:"parametersRef,omitempty"`
	SuitableNodes        *corev1.NodeSelector      `json:"suitableNodes,omitempty"`
	StructuredParameters *bool                     `json:"structuredParameters,omitempty"`
}

// ResourceSlice is what one node had of one driver, in Kubernetes 1.30.
type ResourceSlice struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	NodeName          string          `json:"nodeName,omitempty"`
	DriverName        string          `json:"driverName"`
	NamedResources    *NamedResources `json:"namedResources,omitempty"`
}

// NamedResources are the instances of a slice.
type NamedResources struct {
	Instances []Instance `json:"instances"`
}

// Instance is what became a device.
type Instance struct {
	Name       string      `json:"name"`
	Attributes []Attribute `json:"attributes,omitempty"`
}

// Attribute has exactly one value.
type Attribute struct {
	Name             string             `json:"name"`
	QuantityValue    *resource.Quantity `json:"quantity,omitempty"`
	BoolValue        *bool              `json:"bool,omitempty"`
	IntValue         *int64             `json:"int,omitempty"`
	IntSliceValue    *IntSlice          `json:"intSlice,omitempty"`
	StringValue      *string            `json:"string,omitempty"`
	StringSliceValue *StringSlice       `json:"stringSlice,omitempty"`
	VersionValue     *string            `json:"version,omitempty"`
}

// IntSlice is a list of whole numbers.
type IntSlice struct {
	Ints []int64 `json:"ints"`
}

// StringSlice is a list of strings.
type StringSlice struct {
	Strings []string `json:"strings"`
}

// ResourceClaimParameters are the structured parameters of a claim.
type ResourceClaimParameters struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	GeneratedFrom     *ParametersReference `json:"generatedFrom,omitempty"`
	Shareable         bool                 `json:"shareable,omitempty"`
	DriverRequests    []DriverRequests     `json:"driverRequests,omitempty"`
}

// DriverRequests are the requests to one driver.
type DriverRequests struct {
	DriverName       string               `json:"driverName,omitempty"`
	VendorParameters runtime.RawExtension `json:"vendorParameters,omitempty"`
	Requests         []Request            `json:"requests,omitempty"`
}

// Request asks for one instance.
type Request struct {
	VendorParameters runtime.RawExtension `json:"vendorParameters,omitempty"`
	NamedResources   *NamedSelector       `json:"namedResources,omitempty"`
}

// NamedSelector is a CEL expression over the attributes of an instance.
type NamedSelector struct {
	Selector string `json:"selector"`
}

// ResourceClassParameters are the structured parameters of a class.
type ResourceClassParameters struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	GeneratedFrom     *ClassParametersReference `json:"generatedFrom,omitempty"`
	VendorParameters  []VendorParameters        `json:"vendorParameters,omitempty"`
	Filters           []Filter                  `json:"filters,omitempty"`
}

// VendorParameters are what one driver gets.
type VendorParameters struct {
	DriverName string               `json:"driverName,omitempty"`
	Parameters runtime.RawExtension `json:"parameters,omitempty"`
}

// Filter limits the instances of one driver.
type Filter struct {
	DriverName     string         `json:"driverName,omitempty"`
	NamedResources *NamedSelector `json:"namedResources,omitempty"`
}

// copied copies an object through its JSON. Objects of this age are few.
func copied[T any](in *T) *T {
	out := new(T)
	if text, err := json.Marshal(in); err == nil {
		if json.Unmarshal(text, out) == nil {
			return out
		}
	}
	*out = *in
	return out
}

// DeepCopyObject implements runtime.Object.
func (o *PodSchedulingContext) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject implements runtime.Object.
func (o *ResourceClaim) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject implements runtime.Object.
func (o *ResourceClaimTemplate) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject implements runtime.Object.
func (o *ResourceClass) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject implements runtime.Object.
func (o *ResourceSlice) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject implements runtime.Object.
func (o *ResourceClaimParameters) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject implements runtime.Object.
func (o *ResourceClassParameters) DeepCopyObject() runtime.Object { return copied(o) }

// Values lists the names of the values that are set, in order.
func (a *Attribute) Values() []string {
	var out []string
	for _, v := range []struct {
		name string
		set  bool
	}{
		{"bool", a.BoolValue != nil}, {"int", a.IntValue != nil}, {"intSlice", a.IntSliceValue != nil}, {"quantity", a.QuantityValue != nil},
		{"string", a.StringValue != nil}, {"stringSlice", a.StringSliceValue != nil}, {"version", a.VersionValue != nil},
	} {
		if v.set {
			out = append(out, v.name)
		}
	}
	return out
}
