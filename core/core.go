// Package core is the facade of Drawbridge: every front, be it the server,
// the webhook, the command line or the browser, calls only this. All of it is
// pure: the same input gives the same output, to the byte, and nothing but
// the input is read.
package core

import (
	"bytes"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/selector"
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
	// Now is the time, as in "2026-11-29T12:00:00Z", at which Allocate judges
	// whether devices have become ready in time. Empty leaves that open.
	Now string `json:"now,omitempty"`
	// Explain is how much Allocate tells about nodes: full, the default, names
	// every node and device, summary groups nodes that are alike, none tells
	// nothing. The function Explain takes summary as its default.
	Explain Explanation `json:"explain,omitempty"`
	// Cluster knows the other objects of the cluster that the text is for.
	// Validate, ValidateUpdate and ValidateStatus then judge the objects among
	// those; nil where the text is all that is known.
	Cluster Cluster `json:"-"`
	// Expressions remembers CEL expressions for further answers, which are the
	// same without it; nil where no others are asked for.
	Expressions *Expressions `json:"-"`
	// Picture makes Allocate add what there is in the cluster, and who holds it.
	Picture bool `json:"picture,omitempty"`
	// NodeOperations makes Allocate add what the kubelets do with the pods.
	NodeOperations bool `json:"nodeOperations,omitempty"`
	// AbsentDrivers are drivers whose plugin does not run, everywhere or on a
	// node: "gpu.example.com,nic.example.com@worker-1". What is told of kubelets
	// depends on it.
	AbsentDrivers string `json:"absentDrivers,omitempty"`
	// Progress is told how far the work is, in the goroutine that asked; nil
	// for nobody.
	Progress func(Progress) `json:"-"`
}

// Expressions are CEL expressions that were compiled. The zero value is empty;
// it keeps a bounded number of them, and any goroutine may use it at any time.
type Expressions = selector.Shared

// alone are the options for what takes the text as all that there is.
func (o Options) alone() Options {
	o.Cluster = nil
	return o
}

// Progress is how far the work on an answer is.
type Progress struct {
	Done  int    `json:"done" doc:"How many have been worked out."`
	Total int    `json:"total" doc:"How many there are, at most."`
	What  string `json:"what" enum:"pods,tries,copies" doc:"Pods that are placed, changes that are tried, or copies that are placed."`
}

// Report makes f hear how far the work is.
func (o *Options) Report(f func(Progress)) { o.Progress = f }

// tell reports progress.
func (o Options) tell(what string, done, total int) {
	if o.Progress != nil {
		o.Progress(Progress{Done: done, Total: total, What: what})
	}
}

// pods reports the progress of a plan, at most a hundred times.
func (o Options) pods() func(done, total int) {
	if o.Progress == nil {
		return nil
	}
	return func(done, total int) {
		if done%max(1, total/100) == 0 || done == total {
			o.tell("pods", done, total)
		}
	}
}

// OptionError says which option cannot be used, and why. Fronts turn it into
// their own form of a bad request.
type OptionError struct {
	Option  string
	Message string
}

func (e *OptionError) Error() string { return e.Option + ": " + e.Message }

// CheckFeatures says whether the version and the gates can be used; the error
// is an *OptionError.
func (o Options) CheckFeatures() error {
	_, err := o.features()
	return err
}

// features reads the version and the gates.
func (o Options) features() (*feature.Set, error) {
	version := feature.Newest
	if o.KubernetesVersion != "" {
		v, err := feature.ParsePast(o.KubernetesVersion)
		if err != nil {
			return nil, &OptionError{"kubernetesVersion", err.Error()}
		}
		version = v
	}
	set, err := feature.NewSet(version, o.FeatureGates)
	if err != nil {
		return nil, &OptionError{"featureGates", err.Error()}
	}
	return set, nil
}

// now reads the time.
func (o Options) now() (metav1.Time, error) {
	var t metav1.Time
	if o.Now == "" {
		return t, nil
	}
	if err := t.UnmarshalQueryParameter(o.Now); err != nil {
		return t, &OptionError{"now", "must be a time such as 2026-11-29T12:00:00Z"}
	}
	return t, nil
}

// explanation checks how much is to be told.
func (o Options) explanation() (Explanation, error) {
	switch o.Explain {
	case "":
		return ExplainFull, nil
	case ExplainFull, ExplainSummary, ExplainNone:
		return o.Explain, nil
	}
	return "", &OptionError{"explain", "must be full, summary or none"}
}

// parse reads the options and the text.
func parse(text []byte, o Options) (*bundle.Bundle, *feature.Set, error) {
	set, err := o.features()
	if err != nil {
		return nil, nil, err
	}
	fields := bundle.FieldValidation(o.FieldValidation)
	switch fields {
	case "":
		fields = bundle.Strict
	case bundle.Strict, bundle.Warn, bundle.Ignore:
	default:
		return nil, nil, &OptionError{"fieldValidation", "must be Strict, Warn or Ignore"}
	}
	return bundle.Parse(text, bundle.Options{FieldValidation: fields, Features: set}), set, nil
}

// JSON renders a result. Every front uses it, so that all give the same bytes.
func JSON(result any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	// What people read should not be full of \u003c.
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
