package core

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

func pictured(t *testing.T, text string, opts Options) *AllocateResult {
	t.Helper()
	opts.Picture = true
	result, err := Allocate(context.Background(), []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../web/src/examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPictureOfCounters(t *testing.T) {
	text := example(t, "34-compatibility-groups.yaml")
	result := pictured(t, text, Options{})
	line := func(words string) int { return 1 + strings.Count(text[:strings.Index(text, words)], "\n") }
	if got, want := result.Pods[0].Location.Line, line("kind: Pod\n")+2; got != want {
		t.Errorf("pod two is on line %d, want %d", got, want)
	}
	p := result.Picture
	if len(p.Nodes) != 1 || p.Nodes[0].Name != "worker-1" || p.Nodes[0].Location == nil || len(p.Pools) != 1 {
		t.Fatalf("got %+v", p)
	}
	pool := p.Pools[0]
	if pool.Node != "worker-1" || pool.Problem != "" || pool.Slices != 2 || pool.Announced != 2 {
		t.Errorf("got %+v", pool)
	}
	bar := pool.Counters[0].Counters[0]
	if bar.Total != "8Gi" || bar.Used != "4Gi" || bar.Left != "4Gi" || bar.Permille != 500 || len(bar.Parts) != 1 || bar.Parts[0].Device != "gpu-0-mig" {
		t.Errorf("got %+v", bar)
	}
	mig, vgpu := pool.Devices[0], pool.Devices[1]
	if mig.Location.Line != line("- name: gpu-0-mig") || len(mig.Holders) != 1 || mig.Draws[0].Groups[0] != "mig" || mig.Draws[0].Counters[0].Permille != 500 {
		t.Errorf("got %+v", mig)
	}
	if vgpu.Location.Line != line("- name: gpu-0-vgpu") || vgpu.Holders != nil || vgpu.Draws[0].Groups[0] != "vgpu" {
		t.Errorf("got %+v", vgpu)
	}
}

func TestPictureOfSharesAndLinks(t *testing.T) {
	device := pictured(t, example(t, "31-consumable-capacity.yaml"), Options{}).Picture.Pools[0].Devices[0]
	bar := device.Capacity[0]
	if !device.Shared || len(device.Holders) != 2 || device.Holders[0].Share == "" || bar.Used != "2G" || bar.Left != "8G" || bar.Permille != 200 || len(bar.Parts) != 2 {
		t.Errorf("got %+v", device)
	}
	links := pictured(t, example(t, "22-distinct-attribute.yaml"), Options{}).Picture.Links
	if len(links) != 1 || links[0].Kind != "distinctAttribute" || len(links[0].Devices) != 2 || links[0].Values[0] == links[0].Values[1] || links[0].Values[0] == "" {
		t.Errorf("got %+v", links)
	}
}

// pictureSlice is a slice of one device.
const pictureSlice = `---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: %[1]s}
spec:
  driver: acc.example.test
  nodeName: %[1]s
  pool: {name: %[1]s, generation: %[2]d, resourceSliceCount: %[3]d}
  devices:
  - name: d0
`

func TestPictureOfNodesAlike(t *testing.T) {
	text := ""
	for _, name := range []string{"a", "b", "c"} {
		text += fmt.Sprintf(pictureSlice, name, 1, 1)
	}
	text += fmt.Sprintf(pictureSlice, "d", 2, 2) + strings.Replace(fmt.Sprintf(pictureSlice, "d", 1, 2), "metadata: {name: d}", "metadata: {name: old}", 1)
	text += `---
apiVersion: resource.k8s.io/v1beta2
kind: DeviceTaintRule
metadata: {name: broken}
spec:
  deviceSelector: {pool: c}
  taint: {key: broken, effect: NoSchedule}
`
	p := pictured(t, text, Options{FeatureGates: "DRADeviceTaintRules=true"}).Picture
	var like []string
	for _, n := range p.Nodes {
		like = append(like, n.Name+"~"+n.Like)
	}
	if got := strings.Join(like, " "); got != "a~ b~a c~ d~" {
		t.Errorf("got %s", got)
	}
	taints := p.Pools[2].Devices[0].Taints
	if len(taints) != 1 || taints[0].Taint != "broken:NoSchedule" || taints[0].Location == nil || taints[0].Location.Line < 40 {
		t.Errorf("got %+v", taints)
	}
	d := p.Pools[3]
	if d.Problem == "" || d.Outdated != 1 || d.Slices != 1 || d.Announced != 2 || d.Location == nil || len(d.Devices) != 1 {
		t.Errorf("got %+v", d)
	}
}

func TestPictureOfPoolsForSeveralNodes(t *testing.T) {
	for from, want := range map[string]string{
		"nodeName: a":    "/a",
		"allNodes: true": "all nodes/",
		"nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}": "nodes that its selector chooses/",
	} {
		text := strings.Replace(fmt.Sprintf(pictureSlice, "a", 1, 1), "nodeName: a", from, 1)
		pool := pictured(t, text, Options{}).Picture.Pools[0]
		if got := pool.For + "/" + pool.Node; got != want {
			t.Errorf("%s: got %s, want %s", from, got, want)
		}
	}
}

func TestPictureIsBounded(t *testing.T) {
	var text strings.Builder
	for s := range mostPictured/128 + 1 {
		name := fmt.Sprintf("n%d", s)
		text.WriteString(strings.TrimSuffix(fmt.Sprintf(pictureSlice, name, 1, 1), "  - name: d0\n"))
		for i := range 128 {
			fmt.Fprintf(&text, "  - {name: d%d}\n", i)
		}
	}
	p := pictured(t, text.String(), Options{SkipValidation: true}).Picture
	devices := 0
	for _, pool := range p.Pools {
		devices += len(pool.Devices)
	}
	if devices != mostPictured || devices+p.Omitted != (mostPictured/128+1)*128 {
		t.Errorf("%d devices and %d left out", devices, p.Omitted)
	}
}

// TestLargeClusters looks objects up that are in no text, among very many.
func TestLargeClusters(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: Node\nmetadata: {name: n%d}\n", i)
	}
	text.WriteString(`---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc}}]}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
spec: {}
`)
	result := pictured(t, text.String(), Options{Explain: ExplainSummary})
	if len(result.Claims) != 1 || len(result.Claims[0].Groups) == 0 || result.Claims[0].Groups[0].Nodes != 3000 {
		t.Errorf("got %+v", result.Claims)
	}
}

func TestPermille(t *testing.T) {
	for _, tt := range []struct {
		part, total string
		want        int
	}{
		{"4Gi", "8Gi", 500}, {"1", "3", 333}, {"2", "3", 667}, {"1", "1M", 1}, {"0", "1", 0}, {"1", "0", 0}, {"-1", "1", 0},
		{"100m", "1", 100}, {"3", "2", 1500}, {"1E", "1n", mostPermille}, {"1e3", "1k", 1000}, {"9223372036854775807", "9223372036854775807", 1000},
	} {
		if got := permille(resource.MustParse(tt.part), resource.MustParse(tt.total)); got != tt.want {
			t.Errorf("%s of %s: got %d, want %d", tt.part, tt.total, got, tt.want)
		}
	}
}
