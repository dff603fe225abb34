package view

import (
	"slices"
	"time"

	"github.com/drawbridge-dra/drawbridge/core"
)

// Around gathers what matters for judging an object.
func (v *View) Around(object any) *core.Around {
	v.mu.Lock()
	a := v.census.Around(object)
	v.mu.Unlock()
	a.Freshness = v.Freshness()
	return a
}

// NodeLabels are the labels of a node; false where it is not known.
func (v *View) NodeLabels(name string) (map[string]string, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.census.NodeLabels(name)
}

// NamespaceLabels are the labels of a namespace; false where it is not known.
func (v *View) NamespaceLabels(name string) (map[string]string, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.census.NamespaceLabels(name)
}

// ClassFor is the DeviceClass that serves an extended resource.
func (v *View) ClassFor(resource string) (string, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.census.ClassFor(resource)
}

// UsersOfClass counts the claims and templates that name a class.
func (v *View) UsersOfClass(name string) core.ClusterUsers {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.census.UsersOfClass(name)
}

// UsersOfTemplate counts the pods that name a template.
func (v *View) UsersOfTemplate(namespace, name string) core.ClusterUsers {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.census.UsersOfTemplate(namespace, name)
}

// Freshness says how far what is known can be relied on.
func (v *View) Freshness() core.ClusterFreshness {
	var f core.ClusterFreshness
	now := v.cfg.Now()
	for _, k := range v.kinds {
		switch state(k.state.Load()) {
		case pending:
			f.Unknown = append(f.Unknown, k.name)
			f.Pending = append(f.Pending, k.name)
		case refused:
			f.Unknown = append(f.Unknown, k.name)
		case known:
			if age := k.age(now); age > v.cfg.StaleAfter {
				f.Stale = append(f.Stale, k.name)
				f.Seconds = max(f.Seconds, int64(age/time.Second))
			}
		}
	}
	slices.Sort(f.Unknown)
	slices.Sort(f.Pending)
	slices.Sort(f.Stale)
	return f
}

// age is how long ago the API server last said something about a kind.
func (k *kind) age(now time.Time) time.Duration {
	heard := k.heard.Load()
	if heard == 0 {
		return 0
	}
	return now.Sub(time.Unix(0, heard))
}
