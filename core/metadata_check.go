package core

import (
	"context"
	"errors"

	kjson "sigs.k8s.io/json"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/metadata"
	"github.com/drawbridge-dra/drawbridge/core/metadata/check"
)

// MetadataFiles is a file that a driver wrote for containers, and the one that
// it took the place of.
type MetadataFiles struct {
	Current  string `json:"current" doc:"The file: a stream of JSON objects."`
	Previous string `json:"previous,omitempty" doc:"The file that was there before; empty for none."`
}

// ParseMetadataFiles reads two files as JSON. What is wrong is said without a
// word of the input, so that fronts can pass it on.
func ParseMetadataFiles(body []byte) (MetadataFiles, error) {
	var read struct {
		Current  *string `json:"current"`
		Previous string  `json:"previous"`
	}
	strict, err := kjson.UnmarshalStrict(body, &read)
	switch {
	case err != nil:
		return MetadataFiles{}, errors.New(`the body must be a JSON object with texts: {"current": "…", "previous": "…"}`)
	case len(strict) > 0:
		return MetadataFiles{}, errors.New("the body has a field twice, or one that is neither current nor previous")
	case read.Current == nil:
		return MetadataFiles{}, errors.New("the body lacks current, the text of the file")
	}
	return MetadataFiles{Current: *read.Current, Previous: read.Previous}, nil
}

// CheckMetadataOptions are the options of CheckMetadata; there are none yet.
type CheckMetadataOptions struct{}

// CheckMetadataResult answers CheckMetadata.
type CheckMetadataResult struct {
	Valid    bool                    `json:"valid" doc:"True if no finding has severity error."`
	Current  CheckedMetadata         `json:"current"`
	Previous *CheckedMetadata        `json:"previous,omitempty" doc:"Missing if there is no file before."`
	Findings []check.MetadataFinding `json:"findings" doc:"What is wrong: with the file, then with the one before."`
}

// CheckedMetadata is what readers find in a file.
type CheckedMetadata struct {
	Objects []check.CheckedObject `json:"objects" doc:"Every object of the file, in its order."`
	// What follows is of the object that Kubernetes' reader takes.
	Namespace    string                           `json:"namespace,omitempty" doc:"Namespace of the claim, as of the object that Kubernetes' reader takes."`
	Name         string                           `json:"name,omitempty" doc:"Name of the claim."`
	UID          string                           `json:"uid,omitempty" doc:"UID of the claim."`
	Generation   int64                            `json:"generation,omitempty" doc:"Generation of the file."`
	PodClaimName string                           `json:"podClaimName,omitempty" doc:"The entry of the pod for which the claim was made."`
	Requests     []metadata.DeviceMetadataRequest `json:"requests,omitempty" doc:"The requests of the claim in this file, with their devices."`
}

// CheckMetadata looks at a file that a driver wrote for containers: whether
// readers can take it, whether it keeps to the rules of its API and to the
// protocol (KEP-5304), and whether it may follow the one before.
func CheckMetadata(_ context.Context, files MetadataFiles, _ CheckMetadataOptions) (*CheckMetadataResult, error) {
	current := check.Read([]byte(files.Current), "current")
	out := &CheckMetadataResult{}
	var before []check.MetadataFinding
	if files.Previous != "" {
		previous := check.Read([]byte(files.Previous), "previous")
		current.Follows(previous)
		read := checked(previous)
		out.Previous, before = &read, previous.Findings
	}
	out.Current, out.Findings = checked(current), append(current.Findings, before...)
	out.Valid = true
	for _, f := range out.Findings {
		if f.Severity == diag.Error {
			out.Valid = false
		}
	}
	return out, nil
}

func checked(f *check.File) CheckedMetadata {
	out := CheckedMetadata{Objects: f.Objects}
	if f.Taken != nil {
		v := f.Taken.Value
		out.Namespace, out.Name, out.UID, out.Generation, out.Requests = v.Namespace, v.Name, string(v.UID), v.Generation, v.Requests
		if v.PodClaimName != nil {
			out.PodClaimName = *v.PodClaimName
		}
	}
	return out
}
