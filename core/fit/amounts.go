package fit

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Amounts are amounts of resources in the scheduler's units: thousandths of a
// cpu, bytes, or pieces. They are sorted by name.
type Amounts []Amount

// Amount is how much of one resource.
type Amount struct {
	Name  corev1.ResourceName
	Value int64
	// Written is the amount as a quantity, in the form in which it was given.
	Written resource.Quantity
}

// amounts keeps what the scheduler counts.
func amounts(list corev1.ResourceList) Amounts {
	out := make(Amounts, 0, len(list))
	for name, q := range list {
		if counted(name) {
			out = append(out, Amount{name, value(name, q), q})
		}
	}
	slices.SortFunc(out, func(a, b Amount) int { return strings.Compare(string(a.Name), string(b.Name)) })
	return out
}

// Of is the amount of one resource, 0 if there is none.
func (a Amounts) Of(name corev1.ResourceName) int64 {
	for i := range a {
		if a[i].Name == name {
			return a[i].Value
		}
	}
	return 0
}

func value(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// quantity is the way back from value.
func quantity(name corev1.ResourceName, value int64, format resource.Format) *resource.Quantity {
	if name == corev1.ResourceCPU {
		return resource.NewMilliQuantity(value, resource.DecimalSI)
	}
	return resource.NewQuantity(value, format)
}

// ordinary are the resources that every kubelet reports.
var ordinary = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, corev1.ResourcePods}

func counted(name corev1.ResourceName) bool {
	return slices.Contains(ordinary, name) || IsExtended(name) || HugePages(name) ||
		strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix) || strings.HasPrefix(string(name), corev1.ResourceAttachableVolumesPrefix)
}

// HugePages tells whether the resource is huge pages of some size.
func HugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// IsExtended tells whether the name is that of a resource which somebody has
// added to Kubernetes: it has a domain, and not one of Kubernetes' own.
func IsExtended(name corev1.ResourceName) bool {
	s := string(name)
	return strings.Contains(s, "/") && !strings.Contains(s, corev1.ResourceDefaultNamespacePrefix) &&
		!strings.HasPrefix(s, corev1.DefaultResourceRequestsPrefix) &&
		len(validation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+s)) == 0
}
