package webhook

import (
	"context"
	"encoding/json"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core"
)

func (w *Webhook) mutate(_ context.Context, req *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
	response := &admissionv1.AdmissionResponse{Allowed: true}
	if req.Kind.Group != "" || req.Kind.Kind != "Pod" || req.SubResource != "" || len(req.Object.Raw) == 0 {
		return response, nil
	}
	result, err := core.MutatePod(req.Object.Raw, string(req.Operation))
	if err != nil {
		response.Allowed = false
		response.Result = podStatus(req, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
		return response, nil
	}
	response.Warnings = fit(result.Warnings)
	switch result.Outcome {
	case core.MutateRefused:
		response.Allowed = false
		response.Result = podStatus(req, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, result.Message)
		response.Result.Details.Causes = []metav1.StatusCause{{
			Type: metav1.CauseTypeFieldValueInvalid, Field: "spec.nodeName", Message: result.Message,
		}}
	case core.MutatePatched:
		if response.Patch, err = json.Marshal(result.Patch); err != nil {
			return nil, err
		}
		kind := admissionv1.PatchTypeJSONPatch
		response.PatchType = &kind
		response.AuditAnnotations = map[string]string{"node-name": "replaced by a node selector"}
	}
	return response, nil
}

func podStatus(req *admissionv1.AdmissionRequest, code int32, reason metav1.StatusReason, message string) *metav1.Status {
	return &metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    code,
		Reason:  reason,
		Message: message,
		Details: &metav1.StatusDetails{Name: req.Name, Kind: req.Kind.Kind},
	}
}
