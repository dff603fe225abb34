package schedule

import (
	"reflect"
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// The scheduler exports its plugins and not their parts. The linker finds
// those nevertheless; should their signatures change, these tests crash.

//go:linkname createRequestsAndMappings k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.createRequestsAndMappings
func createRequestsAndMappings(*corev1.Pod, map[corev1.ResourceName]int64, klog.Logger, fwk.DeviceClassResolver) ([]resourceapi.DeviceRequest, []corev1.ContainerExtendedResourceRequest)

//go:linkname buildNodeAllocatableDRAInfo k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).buildNodeAllocatableDRAInfo
func buildNodeAllocatableDRAInfo(*dynamicresources.DynamicResources, *corev1.Pod, map[corev1.ObjectReference]*resourceapi.AllocationResult, map[string]types.UID, []*resourceapi.ResourceSlice, *corev1.Node) ([]corev1.NodeAllocatableResourceClaimStatus, error)

//go:linkname validatePodLevelResourcesCoverDRA k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).validatePodLevelResourcesCoverDRA
func validatePodLevelResourcesCoverDRA(*dynamicresources.DynamicResources, *corev1.Pod) *fwk.Status

//go:linkname isClaimReadyForBinding k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).isClaimReadyForBinding
func isClaimReadyForBinding(*dynamicresources.DynamicResources, *resourceapi.ResourceClaim) (bool, error)

//go:linkname isClaimTimeout k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).isClaimTimeout
func isClaimTimeout(*dynamicresources.DynamicResources, *resourceapi.ResourceClaim) bool

// plugin is one with all that these parts need of it.
func plugin() *dynamicresources.DynamicResources {
	p := &dynamicresources.DynamicResources{}
	set := func(name string, value any) {
		field := reflect.ValueOf(p).Elem().FieldByName(name)
		reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(value))
	}
	set("fts", feature.Features{EnablePodLevelResources: true, EnableDRADeviceBindingConditions: true, EnableDRAResourceClaimDeviceStatus: true})
	set("bindingTimeout", 10*time.Minute)
	return p
}

// resolver tells the scheduler of classes in the given order.
func resolver(classes []*resourceapi.DeviceClass) *extendedresourcecache.ExtendedResourceCache {
	cache := extendedresourcecache.NewExtendedResourceCache(klog.Logger{})
	for _, c := range classes {
		cache.OnAdd(c, true)
	}
	return cache
}

//go:linkname defaultPodRequests k8s.io/kubernetes/pkg/apis/core/v1.defaultPodRequests
func defaultPodRequests(*corev1.Pod)

//go:linkname defaultHugePagePodLimits k8s.io/kubernetes/pkg/apis/core/v1.defaultHugePagePodLimits
func defaultHugePagePodLimits(*corev1.Pod)

// stored is the pod as the API server would store it.
func stored(pod *corev1.Pod) *corev1.Pod {
	pod = pod.DeepCopy()
	corev1defaults.SetObjectDefaults_Pod(pod)
	defaultHugePagePodLimits(pod)
	defaultPodRequests(pod)
	return pod
}
