package core

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/census"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/lint"
)

// Cluster is what is known of a cluster beside the object under review; see
// census.View. Options take one.
type Cluster = census.View

// Census is a Cluster that is told what there is, object by object. It is not
// safe for concurrent use.
type Census = census.Census

// NewCensus makes an empty one.
func NewCensus() *Census { return census.New() }

// ClusterUsers are what names an object of a cluster.
type ClusterUsers = census.Users

// ClusterFreshness says how far what is known of a cluster can be relied on.
type ClusterFreshness = census.Freshness

// Around is what matters for judging one object of a cluster.
type Around = census.Around

// Read makes of a JSON object the value that a Census takes, whichever of its
// API versions it is written in; nil for what cannot be read, or does not
// matter.
func Read(text []byte) any {
	b := bundle.Parse(text, bundle.Options{FieldValidation: bundle.Ignore, Features: feature.Default(feature.Newest)})
	if len(b.Objects) != 1 {
		return nil
	}
	return b.Objects[0].Value
}

// checkAcross looks for what does not fit: among the objects of the text, or,
// where the cluster is known, among the objects of that, for each by itself.
func checkAcross(b *bundle.Bundle, set *feature.Set, opts Options) (found []diag.Diagnostic, notes []string) {
	if opts.Cluster == nil {
		return lint.Check(b, set, opts.Expressions), nil
	}
	for _, o := range b.Objects {
		if o.Value == nil {
			continue
		}
		around := opts.Cluster.Around(o.Value)
		across, said := lint.Among(o, around, set)
		found = append(found, across...)
		notes = append(append(notes, reservations(o.Value, around.Freshness, len(across) > 0)...), said...)
	}
	return found, slices.Compact(notes)
}

// needed are the kinds without which an object is judged on less.
func needed(object any) []string {
	switch object.(type) {
	case *resourceapi.ResourceSlice:
		return []string{"ResourceSlice", "Node"}
	case *resourceapi.ResourceClaim, *resourceapi.ResourceClaimTemplate:
		return []string{"DeviceClass", "ResourceSlice"}
	case *resourceapi.DeviceClass, *resourceapi.DeviceTaintRule:
		return []string{"ResourceSlice"}
	case *corev1.Pod:
		return []string{"ResourceClaim", "ResourceClaimTemplate"}
	}
	return nil
}

// reservations are what is to be said of how well the cluster is known. That
// it is known from some time ago matters only where something was found.
func reservations(object any, f ClusterFreshness, found bool) []string {
	var pending, stale []string
	for _, kind := range needed(object) {
		if slices.Contains(f.Pending, kind) {
			pending = append(pending, kind+"s")
		}
		if slices.Contains(f.Stale, kind) {
			stale = append(stale, kind+"s")
		}
	}
	var notes []string
	if len(pending) > 0 {
		notes = append(notes, fmt.Sprintf("the cluster's %s are not known yet, so this was judged without them", plural(strings.Join(pending, " and "))))
	}
	if len(stale) > 0 && found {
		notes = append(notes, fmt.Sprintf("the cluster's %s were last heard of %d s ago; what does not fit may have been mended since", plural(strings.Join(stale, " and ")), f.Seconds))
	}
	return notes
}

// plural mends the plural of DeviceClass.
func plural(names string) string { return strings.ReplaceAll(names, "DeviceClasss", "DeviceClasses") }
