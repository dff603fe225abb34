package metadata

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/fake"
	upstream "k8s.io/dynamic-resource-allocation/api/metadata"
	"k8s.io/dynamic-resource-allocation/devicemetadata"
	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"

	"github.com/drawbridge-dra/drawbridge/core"
)

// rounds is how many pods are compared.
const rounds = 120

// TestAllocations lets the kubelet's own code prepare the claims of generated
// pods by drivers that are written with Kubernetes' library, and compares the
// files, who sees them, and what monitoring is told.
func TestAllocations(t *testing.T) {
	g := newSource(1)
	published, index := g.published()
	client := fake.NewClientset()
	dir := shortDir(t)
	versions := []string{"v1beta1", "v1alpha1"}
	var drivers []*driver
	for _, name := range driverNames {
		drivers = append(drivers, start(t, client, name, dir, filepath.Join(dir, "cdi"), versions, index[name]))
	}
	k := run(t, client, drivers...)
	counts := map[string]int{}
	for n := range rounds {
		w := g.draw(n)
		for _, c := range w.claims {
			if err := client.Tracker().Add(c.DeepCopy()); err != nil {
				t.Fatal(err)
			}
		}
		k.pods = []*corev1.Pod{w.pod}
		if err := k.PrepareResources(t.Context(), w.pod); err != nil {
			t.Fatalf("pod %d: %v", n, err)
		}
		written := map[string]string{}
		for _, d := range drivers {
			for name, data := range d.written() {
				written[name] = data
			}
		}
		text, err := w.text(published)
		if err != nil {
			t.Fatal(err)
		}
		opts := core.Options{FeatureGates: gates, SkipValidation: true}
		files, err := core.DeviceMetadata(t.Context(), text, core.MetadataOptions{Options: opts, MetadataVersions: strings.Join(versions, ","), PluginsDir: dir, CDIDir: filepath.Join(dir, "cdi")})
		if err != nil {
			t.Fatal(err)
		}
		compareFiles(t, files, written, counts)
		compareContainers(t, k, w, files, counts)
		compareMonitoring(t, k, text, opts, counts)
		if t.Failed() {
			t.Fatalf("pod %d:\n%s", n, text)
		}
	}
	for _, what := range []string{"files", "alternatives", "templates", "seen", "missed", "devices", "names that grow", "pods without claims"} {
		if counts[what] < 5 {
			t.Errorf("only %d %s", counts[what], what)
		}
	}
	t.Log(counts)
}

// compareFiles holds ours against those that were written, to the byte, and
// lets each side read the other's.
func compareFiles(t *testing.T, files *core.DeviceMetadataResult, written map[string]string, counts map[string]int) {
	t.Helper()
	ours := map[string]string{}
	for _, f := range files.Files {
		ours[f.HostPath], ours[f.CDIPath] = f.Content, f.CDI
		counts["files"]++
		if f.Reference != f.Request {
			counts["alternatives"]++
		}
		if f.Template {
			counts["templates"]++
		}
		var read upstream.DeviceMetadata
		var invalid error
		if err := devicemetadata.DecodeMetadataFromStream(json.NewDecoder(strings.NewReader(f.Content)), &read, devicemetadata.DecodeMetadataWithValidationResult(&invalid)); err != nil || (invalid != nil) != emptyEntry(&read) {
			t.Errorf("their reader: %v, %v", err, invalid)
		} else if read.Name == "" || len(read.Requests) != 1 || read.Requests[0].Name != f.Reference || len(read.Requests[0].Devices) != len(f.Devices) {
			t.Errorf("their reader finds %v", read)
		}
	}
	for name, data := range written {
		if ours[name] != data {
			t.Errorf("%s: got\n%s\nwant\n%s", name, ours[name], data)
		}
		delete(ours, name)
		if strings.HasSuffix(name, "metadata.json") {
			checked, err := core.CheckMetadata(t.Context(), core.MetadataFiles{Current: data}, core.CheckMetadataOptions{})
			if err != nil || checked.Valid == strings.Contains(data, emptyName) || checked.Valid != (len(checked.Findings) == 0) || len(checked.Current.Requests) != 1 {
				t.Errorf("our reader: %v, %v", checked, err)
			}
		}
	}
	for name := range ours {
		t.Errorf("nobody writes %s", name)
	}
}

// emptyName is what the library makes of an annotation without a value, although
// its API does not allow that.
const emptyName = `"podClaimName": ""`

func emptyEntry(m *upstream.DeviceMetadata) bool {
	return m.PodClaimName != nil && *m.PodClaimName == ""
}

// compareContainers holds which containers see which files against the devices
// that the kubelet hands to the runtime.
func compareContainers(t *testing.T, k *kubelet, w world, files *core.DeviceMetadataResult, counts map[string]int) {
	t.Helper()
	ours := map[string]sets.Set[string]{}
	for _, p := range files.Pods {
		for _, c := range p.Containers {
			seen := sets.New[string]()
			for _, s := range c.Sees {
				seen.Insert(files.Files[s.File].CDIID)
				counts["seen"]++
			}
			for _, s := range c.Misses {
				if id := files.Files[s.File].CDIID; seen.Has(id) {
					t.Errorf("container %s sees %s and does not", c.Name, id)
				}
				counts["missed"]++
			}
			ours[c.Name] = seen
		}
	}
	for _, list := range [][]corev1.Container{w.pod.Spec.InitContainers, w.pod.Spec.Containers} {
		for i := range list {
			want := sets.New[string]()
			for id := range k.cdi(t, w.pod, &list[i]) {
				if strings.Contains(id, "/metadata=") {
					want.Insert(id)
				}
			}
			if !ours[list[i].Name].Equal(want) {
				t.Errorf("container %s: got %v, want %v", list[i].Name, ours[list[i].Name], want)
			}
		}
	}
}

// compareMonitoring holds our answers against those of the kubelet's server. The
// order of drivers within a claim is chance there.
func compareMonitoring(t *testing.T, k *kubelet, text []byte, opts core.Options, counts map[string]int) {
	t.Helper()
	result, err := core.PodResources(t.Context(), text, core.PodResourcesOptions{Options: opts, Node: node, DeviceMetadata: true})
	if err != nil {
		t.Fatal(err)
	}
	printed, err := core.JSON(result.List)
	if err != nil {
		t.Fatal(err)
	}
	got := &podresourcesv1.ListPodResourcesResponse{}
	if err := protojson.Unmarshal(printed, got); err != nil {
		t.Fatal(err)
	}
	want, err := k.server(t).List(t.Context(), &podresourcesv1.ListPodResourcesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []*podresourcesv1.ListPodResourcesResponse{got, want} {
		for _, p := range list.PodResources {
			for _, c := range p.Containers {
				for _, r := range c.DynamicResources {
					slices.SortStableFunc(r.ClaimResources, func(a, b *podresourcesv1.ClaimResource) int {
						return strings.Compare(a.DriverName, b.DriverName)
					})
				}
			}
		}
	}
	if !proto.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for _, p := range got.PodResources {
		some := false
		for _, c := range p.Containers {
			for _, r := range c.DynamicResources {
				for _, d := range r.ClaimResources {
					counts["devices"]++
					some = true
					if len(d.CdiDevices) > 2 {
						counts["names that grow"]++
					}
				}
			}
		}
		if !some {
			counts["pods without claims"]++
		}
	}
}

// TestUpdates compares files that drivers write again with what we say of the
// next generation.
func TestUpdates(t *testing.T) {
	g := newSource(2)
	published, index := g.published()
	client := fake.NewClientset()
	dir := shortDir(t)
	d := start(t, client, driverNames[0], dir, filepath.Join(dir, "cdi"), []string{"v1beta1"}, index[driverNames[0]])
	updated := 0
	for n := 0; updated < 20; n++ {
		w := g.draw(n)
		text, err := w.text(published)
		if err != nil {
			t.Fatal(err)
		}
		opts := core.MetadataOptions{Options: core.Options{FeatureGates: gates, SkipValidation: true}, MetadataVersions: "v1beta1", PluginsDir: dir}
		first, err := core.DeviceMetadata(t.Context(), text, opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.Generation = 2
		second, err := core.DeviceMetadata(t.Context(), text, opts)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range first.Files {
			if f.Driver != d.name {
				continue
			}
			var claim = w.claims[slices.IndexFunc(w.claims, func(c *claimType) bool { return c.Namespace+"/"+c.Name == f.Claim })]
			// The file of the first generation is ours.
			if err := d.memory().WriteFile(f.HostPath, []byte(f.Content), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := d.helper.UpdateRequestMetadata(t.Context(), claim.Namespace, claim.Name, claim.UID, f.Reference, d.devices(claim, f.Reference)); err != nil {
				t.Fatal(err)
			}
			theirs := d.written()[f.HostPath]
			if theirs != second.Files[i].Content {
				t.Errorf("got\n%s\nwant\n%s", second.Files[i].Content, theirs)
			}
			checked, err := core.CheckMetadata(t.Context(), core.MetadataFiles{Current: theirs, Previous: f.Content}, core.CheckMetadataOptions{})
			if err != nil || checked.Valid == strings.Contains(theirs, emptyName) || checked.Valid != (len(checked.Findings) == 0) || !bytes.Contains([]byte(theirs), []byte(`"generation": 2`)) {
				t.Errorf("our reader: %v, %v", checked, err)
			}
			updated++
		}
	}
}
