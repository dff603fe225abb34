package metadata

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

const group = "metadata.resource.k8s.io"

// driver is one that is written with Kubernetes' library. It gives containers
// what its devices publish.
type driver struct {
	name   string
	slices map[string]map[resourceapi.QualifiedName]resourceapi.DeviceAttribute

	helper *kubeletplugin.Helper
	socket string

	mu    sync.Mutex
	files map[string][]byte
}

// start runs a driver that writes the versions, whose files are kept in memory.
func start(t *testing.T, client *fake.Clientset, name, pluginsDir, cdiDir string, versions []string, published map[string]map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) *driver {
	t.Helper()
	d := &driver{name: name, slices: published, files: map[string][]byte{}}
	var gvs []schema.GroupVersion
	for _, v := range versions {
		gvs = append(gvs, schema.GroupVersion{Group: group, Version: v})
	}
	dir := filepath.Join(pluginsDir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	helper, err := kubeletplugin.Start(t.Context(), d,
		kubeletplugin.DriverName(name), kubeletplugin.KubeClient(client), kubeletplugin.NodeName("n"),
		kubeletplugin.PluginDataDirectoryPath(dir), kubeletplugin.CDIDirectory(cdiDir),
		kubeletplugin.RegistrationService(false), kubeletplugin.HealthService(false),
		kubeletplugin.EnableDeviceMetadata(true, gvs), kubeletplugin.MetadataFileOps(d.memory()))
	if err != nil {
		t.Fatal(err)
	}
	d.helper = helper
	t.Cleanup(helper.Stop)
	d.socket = filepath.Join(dir, "dra.sock")
	return d
}

func (d *driver) memory() kubeletplugin.MetadataFileOperations {
	return kubeletplugin.MetadataFileOperations{
		WriteFile: func(name string, data []byte, _ os.FileMode) error {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.files[name] = append([]byte(nil), data...)
			return nil
		},
		ReadFile: func(name string) ([]byte, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			if data, ok := d.files[name]; ok {
				return data, nil
			}
			return nil, fs.ErrNotExist
		},
		MkdirAll:  func(string, os.FileMode) error { return nil },
		RemoveAll: func(string) error { return nil },
		Remove:    func(string) error { return nil },
		Glob:      func(string) ([]string, error) { return nil, nil },
	}
}

// written are the files since the last time.
func (d *driver) written() map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string]string{}
	for name, data := range maps.All(d.files) {
		out[name] = string(data)
	}
	d.files = map[string][]byte{}
	return out
}

// devices are what the driver answers for a claim: one for each result.
func (d *driver) devices(claim *resourceapi.ResourceClaim, request string) []kubeletplugin.Device {
	var out []kubeletplugin.Device
	for _, r := range claim.Status.Allocation.Devices.Results {
		if r.Driver != d.name || request != "" && r.Request != request {
			continue
		}
		m := &kubeletplugin.DeviceMetadata{}
		if published, ok := d.slices[r.Pool+"/"+r.Device]; ok {
			m.Attributes = map[string]resourceapi.DeviceAttribute{}
			for k, v := range published {
				m.Attributes[string(k)] = v
			}
		}
		for _, s := range claim.Status.Devices {
			if s.Driver == r.Driver && s.Pool == r.Pool && s.Device == r.Device && (s.ShareID == nil) == (r.ShareID == nil) && (s.ShareID == nil || *s.ShareID == string(*r.ShareID)) {
				m.NetworkData = s.NetworkData
			}
		}
		out = append(out, kubeletplugin.Device{
			Requests: []string{r.Request}, PoolName: r.Pool, DeviceName: r.Device, ShareID: r.ShareID,
			CDIDeviceIDs: []string{d.name + "/device=" + r.Device}, Metadata: m,
		})
	}
	return out
}

// PrepareResourceClaims implements the library's interface.
func (d *driver) PrepareResourceClaims(_ context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	out := map[types.UID]kubeletplugin.PrepareResult{}
	for _, c := range claims {
		out[c.UID] = kubeletplugin.PrepareResult{Devices: d.devices(c, "")}
	}
	return out, nil
}

// UnprepareResourceClaims implements the library's interface.
func (d *driver) UnprepareResourceClaims(_ context.Context, claims []kubeletplugin.NamespacedObject) (map[types.UID]error, error) {
	out := map[types.UID]error{}
	for _, c := range claims {
		out[c.UID] = nil
	}
	return out, nil
}

// WatchHealthStatus implements the library's interface.
func (d *driver) WatchHealthStatus(context.Context, chan<- kubeletplugin.DeviceHealthReport) error {
	return kubeletplugin.ErrHealthNotSupported
}

// HandleError implements the library's interface.
func (d *driver) HandleError(context.Context, error, string) {}
