// Package bundle turns text into objects. It reads YAML with many documents,
// JSON objects, JSON arrays and Lists, with kubectl's meaning of values, and
// keeps for every value where it stands in the text.
package bundle

import (
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// FieldValidation says what becomes of unknown and duplicate fields, as the
// API server's parameter of that name.
type FieldValidation string

// The levels of field validation.
const (
	Strict FieldValidation = "Strict"
	Warn   FieldValidation = "Warn"
	Ignore FieldValidation = "Ignore"
)

// Options steer Parse. The zero value means strict field validation with the
// default limits at the newest version.
type Options struct {
	FieldValidation FieldValidation
	// Features decides which kinds and API versions are served; nil means the
	// newest version with its defaults.
	Features *feature.Set
	Limits   Limits
}

// Limits bound what Parse accepts. A zero field means its default.
type Limits struct {
	Bytes     int // of the whole text; default 32 MiB
	Documents int // default 50,000
	Objects   int // after Lists are unfolded; default 100,000
	Depth     int // of nesting; default 100
	Nodes     int // values after aliases are expanded; default 5,000,000
}

// Bundle is a parsed text: its objects in the order of the text, and what
// was wrong with reading them.
type Bundle struct {
	Objects     []*Object
	Diagnostics []diag.Diagnostic
}

// Object is one object of a bundle.
type Object struct {
	// Ref names the object in findings.
	Ref diag.Object
	// Value is the object in the API version that the core works with: a
	// pointer to a type of k8s.io/api/resource/v1 (v1alpha3 for
	// ResourcePoolStatusRequest), or core/v1 for Node, Pod and Namespace. It is nil when the
	// object could not be decoded or its kind is not one that Drawbridge
	// knows. No defaults have been applied.
	Value any
	// Raw is the object as it stands in the text.
	Raw *Node
}

// Node is a value of the text: a scalar, a list or a map, with its place.
type Node struct{}
