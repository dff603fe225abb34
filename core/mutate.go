package core

import "github.com/drawbridge-dra/drawbridge/core/mutate"

// MutateOutcome says what became of an object that is being admitted.
type MutateOutcome string

// The outcomes of a mutation.
const (
	MutateUnchanged MutateOutcome = "Unchanged"
	MutatePatched   MutateOutcome = "Patched"
)

// PatchOperation is one step of a JSON patch (RFC 6902).
type PatchOperation struct {
	Op    string `json:"op" enum:"add,remove,test"`
	Path  string `json:"path" doc:"JSON pointer to the value."`
	Value any    `json:"value,omitempty" doc:"The value to add or to compare with; missing for remove."`
}

// MutateResult answers MutatePod.
type MutateResult struct {
	Outcome  MutateOutcome    `json:"outcome" enum:"Unchanged,Patched"`
	Message  string           `json:"message" doc:"What was done, or why nothing was."`
	Patch    []PatchOperation `json:"patch" doc:"The JSON patch; empty unless the outcome is Patched."`
	Warnings []string         `json:"warnings" doc:"What the author of the pod should know."`
}

// MutatePod looks at a pod, as JSON, that is about to be stored by the given
// operation (CREATE or UPDATE). A pod that uses claims and sets spec.nodeName
// gets a node selector in its place, so that the scheduler allocates the
// claims. The error means that raw is not a pod.
func MutatePod(raw []byte, operation string) (*MutateResult, error) {
	r, err := mutate.Pod(raw, mutate.Request{Operation: operation})
	if err != nil {
		return nil, err
	}
	out := &MutateResult{Outcome: MutateOutcome(r.Outcome), Message: r.Message, Patch: patchOperations(r.Patch), Warnings: []string{}}
	out.Warnings = append(out.Warnings, r.Warnings...)
	return out, nil
}

func patchOperations(list []mutate.Operation) []PatchOperation {
	out := make([]PatchOperation, 0, len(list))
	for _, op := range list {
		out = append(out, PatchOperation(op))
	}
	return out
}
