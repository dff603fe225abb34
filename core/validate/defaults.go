package validate

import (
	resourceapi "k8s.io/api/resource/v1"
)

// Defaults as the API server fills them in while it decodes. Times are left
// alone: the core reads no clock.

func defaultClaim(s *resourceapi.ResourceClaimSpec, beta1 bool) {
	for i := range s.Devices.Requests {
		r := &s.Devices.Requests[i]
		if e := r.Exactly; e != nil {
			// A flat request of v1beta1 without a class may be meant for a
			// list of alternatives, so nothing is filled in.
			if !beta1 || e.DeviceClassName != "" {
				defaultMode(&e.AllocationMode, &e.Count)
			}
			defaultTolerations(e.Tolerations)
		}
		for j := range r.FirstAvailable {
			sub := &r.FirstAvailable[j]
			defaultMode(&sub.AllocationMode, &sub.Count)
			defaultTolerations(sub.Tolerations)
		}
	}
}

func defaultMode(mode *resourceapi.DeviceAllocationMode, count *int64) {
	if *mode == "" {
		*mode = resourceapi.DeviceAllocationModeExactCount
	}
	if *mode == resourceapi.DeviceAllocationModeExactCount && *count == 0 {
		*count = 1
	}
}

func defaultTolerations(list []resourceapi.DeviceToleration) {
	for i := range list {
		if list[i].Operator == "" {
			list[i].Operator = resourceapi.DeviceTolerationOpEqual
		}
	}
}
