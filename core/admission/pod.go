package admission

import (
	"encoding/json"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/mutate"
)

// step is a step of a JSON patch as it is sent.
type step struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// rewrite lets a pod that names its node pass the scheduler.
func (c *Case) rewrite(d *Decision) (mutate.Result, error) {
	request := mutate.Request{Operation: string(c.Request.Operation), NodeNameTo: c.NodeNameTo}
	if c.Cluster != nil {
		request.NodeLabels = c.Cluster.NodeLabels
		request.Backed = func(resource string) bool {
			_, backed := c.Cluster.ClassFor(resource)
			return backed
		}
	}
	result, err := mutate.Pod(c.Request.Object.Raw, request)
	if err != nil {
		d.Verdict = Denied
		d.Response.Allowed = false
		d.Response.Result = c.status(diag.Decode, err.Error())
		return result, nil
	}
	if result.Outcome != mutate.Patched {
		return result, nil
	}
	steps := make([]step, 0, len(result.Patch))
	for _, op := range result.Patch {
		steps = append(steps, step(op))
	}
	text, err := json.Marshal(steps)
	if err != nil {
		return result, err
	}
	kind := admissionv1.PatchTypeJSONPatch
	d.Verdict, d.Patch = Patched, result.Patch
	d.Response.Patch, d.Response.PatchType = text, &kind
	annotate(d, nodeNameAnnotation, result.Message)
	return result, nil
}
