package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
)

// patience bounds every wait. What is waited for takes milliseconds, or never
// happens.
const patience = 60 * time.Second

// Runner applies scenarios to a control plane, one after the other.
type Runner struct {
	client  kubernetes.Interface
	dynamic dynamic.Interface
	mapper  meta.RESTMapper

	pods, claims, events cache.Indexer

	// changed is closed, and replaced, whenever one of the stores changes.
	mu      sync.Mutex
	changed chan struct{}

	// used are the namespaces of the scenario, with their labels.
	used     map[string]map[string]string
	barriers int
}

// byObject indexes events by the UID of the object that they are about.
const byObject = "object"

// NewRunner watches the control plane until the context ends.
func NewRunner(ctx context.Context, c *Cluster) (*Runner, error) {
	r, err := watch(ctx, c)
	if err != nil {
		return nil, err
	}
	return r, r.prepareBarrier(ctx)
}

func watch(ctx context.Context, c *Cluster) (*Runner, error) {
	client, err := kubernetes.NewForConfig(c.Config())
	if err != nil {
		return nil, err
	}
	dynamicClient, err := dynamic.NewForConfig(c.Config())
	if err != nil {
		return nil, err
	}
	r := &Runner{
		client: client, dynamic: dynamicClient, changed: make(chan struct{}),
		mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery())),
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	store := func(informer cache.SharedIndexInformer) (cache.Indexer, error) {
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { r.notify() }, UpdateFunc: func(any, any) { r.notify() }, DeleteFunc: func(any) { r.notify() },
		})
		return informer.GetIndexer(), err
	}
	events := factory.Core().V1().Events().Informer()
	var failures [4]error
	r.pods, failures[0] = store(factory.Core().V1().Pods().Informer())
	r.claims, failures[1] = store(factory.Resource().V1().ResourceClaims().Informer())
	r.events, failures[2] = store(events)
	failures[3] = events.AddIndexers(cache.Indexers{byObject: func(obj any) ([]string, error) {
		return []string{string(obj.(*corev1.Event).InvolvedObject.UID)}, nil
	}})
	if err := errors.Join(failures[:]...); err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return r, nil
}

func (r *Runner) notify() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.changed)
	r.changed = make(chan struct{})
}

// wait returns once the condition holds. It is looked at whenever something
// has changed.
func (r *Runner) wait(ctx context.Context, what string, condition func() bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %s", patience))
	defer cancel()
	for {
		r.mu.Lock()
		changed := r.changed
		r.mu.Unlock()
		if condition() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, context.Cause(ctx))
		}
	}
}

// untilPod waits for what a pod becomes.
func (r *Runner) untilPod(ctx context.Context, what, name string, condition func(*corev1.Pod) bool) error {
	return r.wait(ctx, what, func() bool {
		obj, ok, _ := r.pods.GetByKey(name)
		return ok && condition(obj.(*corev1.Pod))
	})
}

// eventsOf are the events about an object, by their reasons.
func (r *Runner) eventsOf(uid types.UID) map[string]*corev1.Event {
	out := map[string]*corev1.Event{}
	list, _ := r.events.ByIndex(byObject, string(uid))
	for _, obj := range list {
		e := obj.(*corev1.Event)
		if last := out[e.Reason]; last == nil || last.ResourceVersion < e.ResourceVersion {
			out[e.Reason] = e
		}
	}
	return out
}

// resource is where objects of a kind are written. A kind that the control
// plane does not serve is a NoMatch error.
func (r *Runner) resource(kind schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := r.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, err
	}
	resource := r.dynamic.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return resource.Namespace(namespace), nil
	}
	return resource, nil
}

// preferred reads an object in the version that kubectl would print.
func (r *Runner) preferred(ctx context.Context, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	mapping, err := r.mapper.RESTMapping(u.GroupVersionKind().GroupKind())
	if err != nil || mapping.GroupVersionKind == u.GroupVersionKind() {
		return u, err
	}
	resource, err := r.resource(mapping.GroupVersionKind, u.GetNamespace())
	if err != nil {
		return nil, err
	}
	return resource.Get(ctx, u.GetName(), metav1.GetOptions{})
}

// refusal tells the API server's no from a failure to ask.
func refusal(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err) || meta.IsNoMatchError(err)
}
