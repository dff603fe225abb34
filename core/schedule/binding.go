package schedule

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// bindingTimeout is how long the scheduler waits for binding conditions unless
// it is configured otherwise: ten minutes, in nanoseconds.
const bindingTimeout = 600_000_000_000

// binding tells what keeps the devices of an allocated claim from being bound:
// nil if nothing does.
func (p *planner) binding(c *Claim) *Reason {
	if !p.Features.BindingConditions || c.Claim.Status.Allocation == nil {
		return nil
	}
	r := p.condition(c)
	if r == nil || r.Code == BindingFailed {
		return r
	}
	start := c.Claim.Status.Allocation.AllocationTimestamp
	if start == nil {
		return r
	}
	limit := start.Add(bindingTimeout)
	if !p.Now.IsZero() && limit.Before(p.Now.Time) {
		r.Code = BindingTimeout
		r.Message += fmt.Sprintf(", although it was allocated more than 10 minutes ago, at %s", start.UTC().Format("2006-01-02 15:04:05 MST"))
		return r
	}
	r.Message += fmt.Sprintf("; the scheduler waits until %s", limit.UTC().Format("2006-01-02 15:04:05 MST"))
	return r
}

// condition looks at the results in order, as the scheduler does: the first
// that is not ready decides, so that a failure behind it is not seen.
func (p *planner) condition(c *Claim) *Reason {
	status := &c.Claim.Status
	for i := range status.Allocation.Devices.Results {
		result := &status.Allocation.Devices.Results[i]
		if len(result.BindingConditions) == 0 {
			continue
		}
		field := fmt.Sprintf("status.allocation.devices.results[%d]", i)
		waiting := func(conditions []string) *Reason {
			return &Reason{Code: BindingWait, Claim: c, Request: result.Request, Field: field,
				Message: fmt.Sprintf("%s of %s does not report %s yet", result.Device, c.Name(), strings.Join(conditions, ", "))}
		}
		at := deviceStatus(status, result)
		if at < 0 {
			return waiting(result.BindingConditions)
		}
		device := &status.Devices[at]
		field = fmt.Sprintf("status.devices[%d]", at)
		for _, name := range result.BindingFailureConditions {
			if failed := meta.FindStatusCondition(device.Conditions, name); failed != nil && failed.Status == "True" {
				return &Reason{Code: BindingFailed, Claim: c, Request: result.Request, Field: field,
					Message: fmt.Sprintf("%s of %s reports %s%s", result.Device, c.Name(), name, because(failed.Reason, failed.Message))}
			}
		}
		var missing []string
		for _, name := range result.BindingConditions {
			if !meta.IsStatusConditionTrue(device.Conditions, name) {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			return waiting(missing)
		}
	}
	return nil
}

func because(reason, message string) string {
	message = strings.TrimRight(message, ".")
	switch {
	case reason == "" && message == "":
		return ""
	case message == "":
		return " (" + reason + ")"
	case reason == "":
		return " (" + message + ")"
	}
	return " (" + reason + ": " + message + ")"
}

// deviceStatus finds the first entry for a device, -1 if there is none; its
// share does not matter.
func deviceStatus(status *resourceapi.ResourceClaimStatus, result *resourceapi.DeviceRequestAllocationResult) int {
	return slices.IndexFunc(status.Devices, func(d resourceapi.AllocatedDeviceStatus) bool {
		return d.Driver == result.Driver && d.Pool == result.Pool && d.Device == result.Device
	})
}

// afterwards says what the scheduler does about an allocation of which nothing
// comes.
func (p *planner) afterwards(c *Claim, out *Pod) string {
	if p.unused(c, out) {
		return "; the scheduler takes the allocation back and starts again"
	}
	return "; others have reserved the claim, so the allocation stays until they let go"
}
