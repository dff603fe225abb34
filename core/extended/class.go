// Package extended knows the extended resources that DeviceClasses stand
// behind: which class belongs to which name, and which requests of a claim the
// scheduler makes of what the containers of a pod ask for.
package extended

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/fit"
)

// Classes finds the class behind a resource.
type Classes map[corev1.ResourceName]*resourceapi.DeviceClass

// NewClasses notes the classes in the order in which they were created, as a
// scheduler that runs all the time sees them. Of two classes with one name for
// their resource the newer gets it, or else the one that is first by name. One
// that does not get it on arrival loses its implicit name as well.
func NewClasses(classes []*resourceapi.DeviceClass) Classes {
	sorted := slices.Clone(classes)
	slices.SortStableFunc(sorted, func(a, b *resourceapi.DeviceClass) int {
		return cmp.Or(created(a, b), strings.Compare(a.Name, b.Name))
	})
	out := Classes{}
	for _, c := range sorted {
		if name := c.Spec.ExtendedResourceName; name != nil {
			holder := out[corev1.ResourceName(*name)]
			if holder != nil && created(c, holder) == 0 && c.Name >= holder.Name {
				continue
			}
			out[corev1.ResourceName(*name)] = c
		}
		out[corev1.ResourceName(resourceapi.ResourceDeviceClassPrefix+c.Name)] = c
	}
	return out
}

func created(a, b *resourceapi.DeviceClass) int {
	switch {
	case a.CreationTimestamp.Before(&b.CreationTimestamp):
		return -1
	case b.CreationTimestamp.Before(&a.CreationTimestamp):
		return 1
	}
	return 0
}

// Name tells whether a resource of that name can be backed by a class.
func Name(name corev1.ResourceName) bool {
	return fit.IsExtended(name) || strings.HasPrefix(string(name), resourceapi.ResourceDeviceClassPrefix)
}

// Wanted lists the resources of the pod that could be given out as devices;
// none unless a class stands behind one of them.
func (c Classes) Wanted(requests fit.Amounts) []fit.Amount {
	var out []fit.Amount
	backed := false
	for i := range requests {
		if requests[i].Value > 0 && Name(requests[i].Name) {
			out = append(out, requests[i])
			backed = backed || c[requests[i].Name] != nil
		}
	}
	if !backed {
		return nil
	}
	return out
}
