package metadata

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"
	"k8s.io/kubernetes/pkg/kubelet/apis/podresources"
	_ "k8s.io/kubernetes/pkg/kubelet/cm" // what is linked from there
	"k8s.io/kubernetes/pkg/kubelet/cm/dra"
)

// gates are those of the kubelet and of ours.
const gates = "DRAOptionalNodeOperations=true,DRAExtendedResource=true"

// getDynamicResources is the kubelet's own. The type that it belongs to cannot
// be made here; of it only the manager of claims is read.
//
//go:linkname getDynamicResources k8s.io/kubernetes/pkg/kubelet/cm.(*containerManagerImpl).GetDynamicResources
func getDynamicResources(cm unsafe.Pointer, logger klog.Logger, pod *corev1.Pod, container *corev1.Container) []*podresourcesv1.DynamicResource

// kubelet is the part of one that deals with claims.
type kubelet struct {
	*dra.Manager
	drivers map[string]*driver
	pods    []*corev1.Pod
	// manager holds the manager wherever a field for it may lie.
	manager [256]unsafe.Pointer
}

type always struct{}

func (always) AddSource(string) {}
func (always) AllReady() bool   { return true }

// run starts a kubelet with drivers.
func run(t *testing.T, client *fake.Clientset, drivers ...*driver) *kubelet {
	t.Helper()
	if err := utilfeature.DefaultMutableFeatureGate.Set(gates); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	m, err := dra.NewManager(klog.Background(), client, dir)
	if err != nil {
		t.Fatal(err)
	}
	k := &kubelet{Manager: m, drivers: map[string]*driver{}}
	for i := range k.manager {
		k.manager[i] = unsafe.Pointer(m)
	}
	node := func(context.Context) (*corev1.Node, error) { return &corev1.Node{}, nil }
	if err := m.Start(t.Context(), func() []*corev1.Pod { return k.pods }, node, always{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Stop)
	for _, d := range drivers {
		k.drivers[d.name] = d
		if err := m.GetWatcherHandler().RegisterPlugin(t.Context(), d.name, d.socket, []string{"v1.DRAPlugin"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// server is the kubelet's own server of the PodResources API.
func (k *kubelet) server(t *testing.T) podresourcesv1.PodResourcesListerServer {
	return podresources.NewV1PodResourcesServer(t.Context(), podresources.PodResourcesProviders{
		Pods: k, Devices: nothing{}, Cpus: nothing{}, Memory: nothing{}, DynamicResources: k,
	})
}

// GetDynamicResources implements the server's interface.
func (k *kubelet) GetDynamicResources(logger klog.Logger, pod *corev1.Pod, container *corev1.Container) []*podresourcesv1.DynamicResource {
	return getDynamicResources(unsafe.Pointer(&k.manager), logger, pod, container)
}

func (k *kubelet) GetActivePods() []*corev1.Pod { return k.pods }
func (k *kubelet) GetPods() []*corev1.Pod       { return k.pods }
func (k *kubelet) GetPodByName(namespace, name string) (*corev1.Pod, bool) {
	for _, p := range k.pods {
		if p.Namespace == namespace && p.Name == name {
			return p, true
		}
	}
	return nil, false
}

// nothing is a node without device plugins, exclusive CPUs and memory.
type nothing struct{}

func (nothing) UpdateAllocatedDevices(klog.Logger)                                   {}
func (nothing) GetDevices(string, string) []*podresourcesv1.ContainerDevices         { return nil }
func (nothing) GetAllocatableDevices(klog.Logger) []*podresourcesv1.ContainerDevices { return nil }
func (nothing) GetCPUs(*corev1.Pod, *corev1.Container) []int64                       { return nil }
func (nothing) GetPodCPUs(string) []int64                                            { return nil }
func (nothing) GetAllocatableCPUs() []int64                                          { return nil }
func (nothing) GetMemory(klog.Logger, *corev1.Pod, *corev1.Container) []*podresourcesv1.ContainerMemory {
	return nil
}
func (nothing) GetPodMemory(klog.Logger, string) []*podresourcesv1.ContainerMemory { return nil }
func (nothing) GetAllocatableMemory(klog.Logger) []*podresourcesv1.ContainerMemory { return nil }

// cdi are the devices that the kubelet hands to the runtime for a container.
func (k *kubelet) cdi(t *testing.T, pod *corev1.Pod, c *corev1.Container) sets.Set[string] {
	t.Helper()
	info, err := k.GetResources(pod, c)
	if err != nil {
		t.Fatal(err)
	}
	out := sets.New[string]()
	for _, d := range info.CDIDevices {
		out.Insert(d.Name)
	}
	return out
}
