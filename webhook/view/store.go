package view

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/cache"
)

// store takes the objects of one kind from a reflector into the census.
type store struct {
	view         *View
	kind         *kind
	groupVersion string
	// have are the objects that are in the census, by name. Only the
	// reflector's goroutine touches it.
	have map[string]any
}

var _ cache.TransformingStore = &store{}

// atOnce is how many objects of a list are taken before others get a turn.
const atOnce = 64

// Transformer trims objects before they wait for the end of a streamed list.
func (s *store) Transformer() cache.TransformFunc {
	return func(o any) (any, error) {
		out, err := trim(o, s.kind.name, s.groupVersion)
		if err != nil {
			s.view.failed(s.kind, err)
			return o, nil // Replace leaves it out.
		}
		return out, nil
	}
}

// Add takes one object.
func (s *store) Add(o any) error {
	s.put([]any{o}, nil)
	return nil
}

// Update takes one object.
func (s *store) Update(o any) error { return s.Add(o) }

// Delete forgets one object.
func (s *store) Delete(o any) error {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(o)
	if err != nil {
		return err
	}
	s.drop(key)
	return nil
}

// Replace takes a whole list. The kind is known from then on.
func (s *store) Replace(list []any, _ string) error {
	listed := make(map[string]bool, len(list))
	for len(list) > 0 {
		n := min(len(list), atOnce)
		s.put(list[:n], listed)
		list = list[n:]
	}
	for key := range s.have {
		if !listed[key] {
			s.drop(key)
		}
	}
	s.view.synced(s.kind)
	return nil
}

// Resync has nothing to do.
func (s *store) Resync() error { return nil }

func (s *store) put(list []any, listed map[string]bool) {
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	for _, o := range list {
		trimmed, err := trim(o, s.kind.name, s.groupVersion)
		if err != nil {
			s.view.failed(s.kind, err)
			continue
		}
		key, err := cache.MetaNamespaceKeyFunc(trimmed)
		if err != nil {
			s.view.failed(s.kind, err)
			continue
		}
		if listed != nil {
			listed[key] = true
		}
		if pod, ok := trimmed.(*corev1.Pod); ok && len(pod.Spec.ResourceClaims) == 0 {
			if was := s.have[key]; was != nil {
				s.view.census.Remove(was)
				delete(s.have, key)
			}
			continue
		}
		if was := s.have[key]; was != nil && same(was, trimmed) {
			continue
		}
		s.have[key] = trimmed
		s.view.census.Put(trimmed)
	}
	s.kind.objects.Store(int64(len(s.have)))
}

func (s *store) drop(key string) {
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	if was := s.have[key]; was != nil {
		s.view.census.Remove(was)
		delete(s.have, key)
	}
	s.kind.objects.Store(int64(len(s.have)))
}

// same tells whether nothing changed that is kept. Nodes report every few
// minutes, and little of that matters here.
func same(was, now any) bool {
	a, err := meta.Accessor(was)
	if err != nil {
		return false
	}
	b, err := meta.Accessor(now)
	if err != nil {
		return false
	}
	if a.GetResourceVersion() == b.GetResourceVersion() && a.GetResourceVersion() != "" && a.GetUID() == b.GetUID() {
		return true
	}
	node, ok := now.(*corev1.Node)
	if !ok {
		return false
	}
	other := *node
	other.ResourceVersion = a.GetResourceVersion()
	return reflect.DeepEqual(was, &other)
}
