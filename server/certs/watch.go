package certs

import (
	"context"
	"sync"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// watch wakes Run when one of our objects changes, and returns what waits for
// the watches to end after ctx. They only make it quicker: without them, or
// without the right to have them, the same is seen at the next refresh.
func (m *Manager) watch(ctx context.Context) (done func()) {
	var running sync.WaitGroup
	start := func(client any, example runtime.Object, name string, lw *cache.ListWatch) {
		if name == "" {
			return
		}
		_, controller := cache.NewInformerWithOptions(cache.InformerOptions{
			ListerWatcher: cache.ToListWatcherWithWatchListSemantics(onlyNamed(lw, name), client), ObjectType: example,
			Handler: cache.ResourceEventHandlerFuncs{
				AddFunc:    func(any) { m.notify() },
				UpdateFunc: func(_, _ any) { m.notify() },
				DeleteFunc: func(any) { m.notify() },
			},
			// A second copy of the keys is of no use.
			Transform: func(o any) (any, error) {
				if secret, ok := o.(*corev1.Secret); ok {
					return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
						Namespace: secret.Namespace, Name: secret.Name, UID: secret.UID, ResourceVersion: secret.ResourceVersion,
					}}, nil
				}
				return o, nil
			},
		})
		running.Add(1)
		go func() {
			defer running.Done()
			controller.RunWithContext(ctx)
		}()
	}
	secrets := m.cfg.Secrets.Secrets(m.cfg.Namespace)
	start(m.cfg.Secrets, &corev1.Secret{}, m.cfg.Secret, &cache.ListWatch{
		ListWithContextFunc:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return secrets.List(ctx, o) },
		WatchFuncWithContext: secrets.Watch,
	})
	mutating := m.cfg.Configurations.MutatingWebhookConfigurations()
	start(m.cfg.Configurations, &admissionv1.MutatingWebhookConfiguration{}, m.cfg.Mutating, &cache.ListWatch{
		ListWithContextFunc:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return mutating.List(ctx, o) },
		WatchFuncWithContext: mutating.Watch,
	})
	validating := m.cfg.Configurations.ValidatingWebhookConfigurations()
	start(m.cfg.Configurations, &admissionv1.ValidatingWebhookConfiguration{}, m.cfg.Validating, &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return validating.List(ctx, o)
		},
		WatchFuncWithContext: validating.Watch,
	})
	return running.Wait
}

// onlyNamed asks for one object, which is also all that RBAC gives us.
func onlyNamed(lw *cache.ListWatch, name string) *cache.ListWatch {
	selector := fields.OneTermEqualSelector("metadata.name", name).String()
	list, follow := lw.ListWithContextFunc, lw.WatchFuncWithContext
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = selector
			return list(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = selector
			return follow(ctx, o)
		},
		DisableChunking: true,
	}
}

// notify wakes Run, once for any number of changes.
func (m *Manager) notify() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}
