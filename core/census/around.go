// Package census keeps an index of what a cluster holds, object by object, so
// that one object can be judged among the others without a look at all of
// them.
package census

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// Around is what matters for judging one object. Nobody changes it any more.
type Around struct {
	// Classes, Claims and Templates are those that the object names, or that
	// name the same thing; Nodes those that a slice is for.
	Classes   []*resourceapi.DeviceClass
	Claims    []*resourceapi.ResourceClaim
	Templates []*resourceapi.ResourceClaimTemplate
	Nodes     []*corev1.Node
	// Slices are those of the object's pool, or samples of the slices that the
	// object may be about.
	Slices []*resourceapi.ResourceSlice
	// Namespace is that of the object; nil where it is not known.
	Namespace *corev1.Namespace
	Freshness Freshness
}
