package view

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// served is a kind in one API version, and how to list and watch it.
type served struct {
	groupVersion string
	example      runtime.Object
	of           func(kubernetes.Interface) cache.ListWatch
}

// watched are the kinds that are looked at. Of the versions the first that
// the cluster serves is taken. DeviceTaintRules are not among them: nothing
// that is reviewed depends on those that are there.
var watched = []struct {
	kind, resource string
	versions       []served
}{
	{"ResourceSlice", "resourceslices", []served{
		{"resource.k8s.io/v1", &resourcev1.ResourceSlice{}, func(c kubernetes.Interface) cache.ListWatch {
			return source(c.ResourceV1().ResourceSlices())
		}},
		{"resource.k8s.io/v1beta2", &resourcev1beta2.ResourceSlice{}, func(c kubernetes.Interface) cache.ListWatch {
			return source(c.ResourceV1beta2().ResourceSlices())
		}},
		{"resource.k8s.io/v1beta1", &resourcev1beta1.ResourceSlice{}, func(c kubernetes.Interface) cache.ListWatch {
			return source(c.ResourceV1beta1().ResourceSlices())
		}},
	}},
	{"DeviceClass", "deviceclasses", []served{
		{"resource.k8s.io/v1", &resourcev1.DeviceClass{}, func(c kubernetes.Interface) cache.ListWatch {
			return source(c.ResourceV1().DeviceClasses())
		}},
		{"resource.k8s.io/v1beta2", &resourcev1beta2.DeviceClass{}, func(c kubernetes.Interface) cache.ListWatch {
			return source(c.ResourceV1beta2().DeviceClasses())
		}},
		{"resource.k8s.io/v1beta1", &resourcev1beta1.DeviceClass{}, func(c kubernetes.Interface) cache.ListWatch {
			return source(c.ResourceV1beta1().DeviceClasses())
		}},
	}},
	{"ResourceClaim", "resourceclaims", []served{
		{"resource.k8s.io/v1", &resourcev1.ResourceClaim{}, func(c kubernetes.Interface) cache.ListWatch {
			return source(c.ResourceV1().ResourceClaims(""))
		}},
		{"resource.k8s.io/v1beta2", &resourcev1beta2.ResourceClaim{}, func(c kubernetes.Interface) cache.ListWatch {
			return source(c.ResourceV1beta2().ResourceClaims(""))
		}},
		{"resource.k8s.io/v1beta1", &resourcev1beta1.ResourceClaim{}, func(c kubernetes.Interface) cache.ListWatch {
			return source(c.ResourceV1beta1().ResourceClaims(""))
		}},
	}},
	{"ResourceClaimTemplate", "resourceclaimtemplates", []served{
		{"resource.k8s.io/v1", &resourcev1.ResourceClaimTemplate{}, func(c kubernetes.Interface) cache.ListWatch {
			return source(c.ResourceV1().ResourceClaimTemplates(""))
		}},
		{"resource.k8s.io/v1beta2", &resourcev1beta2.ResourceClaimTemplate{}, func(c kubernetes.Interface) cache.ListWatch {
			return source(c.ResourceV1beta2().ResourceClaimTemplates(""))
		}},
		{"resource.k8s.io/v1beta1", &resourcev1beta1.ResourceClaimTemplate{}, func(c kubernetes.Interface) cache.ListWatch {
			return source(c.ResourceV1beta1().ResourceClaimTemplates(""))
		}},
	}},
	{"Node", "nodes", []served{
		{"v1", &corev1.Node{}, func(c kubernetes.Interface) cache.ListWatch { return source(c.CoreV1().Nodes()) }},
	}},
	{"Namespace", "namespaces", []served{
		{"v1", &corev1.Namespace{}, func(c kubernetes.Interface) cache.ListWatch { return source(c.CoreV1().Namespaces()) }},
	}},
	{pods, "pods", []served{
		{"v1", &corev1.Pod{}, func(c kubernetes.Interface) cache.ListWatch { return source(c.CoreV1().Pods("")) }},
	}},
}

// pods are only watched on request.
const pods = "Pod"

// source turns a typed client into what a reflector asks.
func source[L runtime.Object](client interface {
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}) cache.ListWatch {
	return cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return client.List(ctx, o)
		},
		WatchFuncWithContext: client.Watch,
	}
}
