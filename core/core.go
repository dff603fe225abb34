// Package core is the facade of Drawbridge: every front, be it the server,
// the webhook, the command line or the browser, calls only this. All of it is
// pure: the same input gives the same output, to the byte, and nothing but
// the input is read.
package core

import (
	"context"
	"encoding/json"
)

// Options are what a caller may choose. The zero value means: newest known
// Kubernetes version, its default gates, strict field validation.
type Options struct {
	// KubernetesVersion such as "1.37"; empty for the newest known.
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	// FeatureGates in the form of the API server's flag: "A=true,B=false".
	FeatureGates string `json:"featureGates,omitempty"`
	// FieldValidation is Strict, Warn or Ignore; empty means Strict.
	FieldValidation string `json:"fieldValidation,omitempty"`
	// SkipValidation takes the objects as already stored. Only Allocate
	// reads it.
	SkipValidation bool `json:"skipValidation,omitempty"`
}

// OptionError says which option cannot be used, and why. Fronts turn it into
// their own form of a bad request.
type OptionError struct {
	Option  string
	Message string
}

func (e *OptionError) Error() string { return e.Option + ": " + e.Message }

// Validate checks every object of the text. The error is an *OptionError, or
// the context's own.
func Validate(ctx context.Context, text []byte, opts Options) (*ValidateResult, error) {
	return &ValidateResult{}, nil
}

// Allocate answers which devices the scheduler would give to the claims and
// pods of the text, and why not. The error is an *OptionError, or the
// context's own.
func Allocate(ctx context.Context, text []byte, opts Options) (*AllocateResult, error) {
	return &AllocateResult{}, nil
}

// JSON renders a result. Every front uses it, so that all give the same bytes.
func JSON(result any) ([]byte, error) {
	return json.Marshal(result)
}
