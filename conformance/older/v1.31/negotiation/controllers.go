package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/dynamic-resource-allocation/controller"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/resourceclaim"
)

// Both kinds of controllers work off queues, in several goroutines and with
// delays. What they do to one object is a method that is not exported; it is
// called here for one object after the other, so that every play is the same.

//go:linkname syncKey k8s.io/dynamic-resource-allocation/controller.(*controller).syncKey
func syncKey(c unsafe.Pointer, ctx context.Context, key string) (runtime.Object, error)

//go:linkname syncHandler k8s.io/kubernetes/pkg/controller/resourceclaim.(*Controller).syncHandler
func syncHandler(c *resourceclaim.Controller, ctx context.Context, key string) error

//go:linkname podNeedsWork k8s.io/kubernetes/pkg/controller/resourceclaim.(*Controller).podNeedsWork
func podNeedsWork(c *resourceclaim.Controller, pod *corev1.Pod) (bool, string)

// driver answers as the contexts of the text say.
type driver struct {
	name       string
	made       controller.Controller
	controller unsafe.Pointer
	// answers are the nodes that are unsuitable, by pod and claim.
	answers map[string]map[string][]string
	// pod is the one whose context is looked at.
	pod string
}

func newDriver(ctx context.Context, c *cluster, name string, answers map[string]map[string][]string) *driver {
	d := &driver{name: name, answers: answers}
	d.made = controller.New(ctx, name, d, c.client, c.informers)
	d.controller = reflect.ValueOf(d.made).UnsafePointer()
	return d
}

// shutDown ends the queue of a controller, which only a run of it would.
func shutDown(made any) {
	queue := reflect.ValueOf(made).Elem().FieldByName("queue")
	(*(*workqueue.TypedRateLimitingInterface[string])(unsafe.Pointer(queue.UnsafeAddr()))).ShutDown()
}

func (d *driver) sync(ctx context.Context, key string) error {
	_, err := syncKey(d.controller, ctx, key)
	return err
}

// UnsuitableNodes says what the text says of the nodes that are asked about.
func (d *driver) UnsuitableNodes(_ context.Context, pod *corev1.Pod, claims []*controller.ClaimAllocation, nodes []string) error {
	for _, c := range claims {
		for _, n := range nodes {
			if slices.Contains(d.answers[pod.Namespace+"/"+pod.Name][c.PodClaimName], n) {
				c.UnsuitableNodes = append(c.UnsuitableNodes, n)
			}
		}
	}
	return nil
}

// Allocate allocates for the selected node, unless the text says that it is
// unsuitable.
func (d *driver) Allocate(_ context.Context, claims []*controller.ClaimAllocation, node string) {
	for _, c := range claims {
		if slices.Contains(d.answers[d.pod][c.PodClaimName], node) {
			c.Error = fmt.Errorf("there is nothing on node %s", node)
			continue
		}
		c.Allocation = &resourceapi.AllocationResult{NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
		}}}}
	}
}

// Deallocate always succeeds.
func (d *driver) Deallocate(context.Context, *resourceapi.ResourceClaim) error { return nil }

// manager is kube-controller-manager.
type manager struct{ controller *resourceclaim.Controller }

func newManager(ctx context.Context, c *cluster) (*manager, error) {
	resources := c.informers.Resource().V1alpha3()
	made, err := resourceclaim.NewController(klog.FromContext(ctx), c.client, c.informers.Core().V1().Pods(),
		resources.PodSchedulingContexts(), resources.ResourceClaims(), resources.ResourceClaimTemplates())
	return &manager{made}, err
}

func (m *manager) syncPod(ctx context.Context, pod *corev1.Pod) error {
	if needs, _ := podNeedsWork(m.controller, pod); !needs {
		return nil
	}
	return syncHandler(m.controller, ctx, "pod:"+pod.Namespace+"/"+pod.Name)
}

func (m *manager) syncClaim(ctx context.Context, key string) error {
	return syncHandler(m.controller, ctx, "claim:"+key)
}
