package core

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const diffCluster = `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-acc}
spec:
  driver: acc.example.test
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}, {name: d1}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n2-acc}
spec:
  driver: acc.example.test
  nodeName: n2
  pool: {name: n2, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}, {name: d1}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: default}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc, count: 2}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: lone, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc}}]}}
`

func diffPod(name string) string {
	return fmt.Sprintf(`---
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: default}
spec:
  containers: [{name: c, image: app, resources: {claims: [{name: a}]}}]
  resourceClaims: [{name: a, resourceClaimTemplateName: t}]
`, name)
}

func TestDiff(t *testing.T) {
	both := diffCluster + diffPod("p") + diffPod("q")
	tests := map[string]struct {
		before, after string
		opts          DiffOptions
		want          []string // pods, then claims
		unchanged     int
	}{
		"nothing":     {before: both, after: both, unchanged: 2},
		"a pod comes": {before: diffCluster + diffPod("p"), after: both, want: []string{"q added", "lone outcome"}, unchanged: 1},
		"a pod goes":  {before: both, after: diffCluster + diffPod("q"), want: []string{"q node", "p removed", "lone outcome"}},
		"a device goes": {before: both, after: strings.Replace(both, "devices: [{name: d0}, {name: d1}]", "devices: [{name: d0}]", 1),
			want: []string{"p node", "q outcome", "lone outcome"}},
		"a device is renamed": {before: both, after: strings.Replace(both, "{name: d1}", "{name: d2}", 1), want: []string{"p devices"}, unchanged: 1},
		"a gate goes": {before: strings.ReplaceAll(both, "exactly: {deviceClassName: acc, count: 2}", "firstAvailable: [{name: s, deviceClassName: acc, count: 2}]"),
			after: strings.ReplaceAll(both, "exactly: {deviceClassName: acc, count: 2}", "firstAvailable: [{name: s, deviceClassName: acc, count: 2}]"),
			opts:  DiffOptions{Options: Options{KubernetesVersion: "1.35"}, AfterFeatureGates: "DRAPrioritizedList=false"}, want: []string{"p outcome", "q outcome", "lone outcome"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Diff(context.Background(), Change{Before: tt.before, After: tt.after}, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			var list []string
			for _, d := range slices.Concat(got.Pods, got.Claims) {
				list = append(list, d.Name+" "+d.Change)
				if d.After != nil && d.After.Message == "" {
					t.Errorf("%s: nothing is said of it", d.Name)
				}
			}
			if !slices.Equal(list, tt.want) || got.Unchanged.Pods != tt.unchanged {
				t.Errorf("got %q with %d the same, want %q with %d", list, got.Unchanged.Pods, tt.want, tt.unchanged)
			}
		})
	}
}

// TestDiffEvictions tells of a rule that comes.
func TestDiffEvictions(t *testing.T) {
	const held = `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: held, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc}}]}}
status:
  allocation: {devices: {results: [{request: r, driver: acc.example.test, pool: n1, device: d0}]}}
  reservedFor: [{resource: pods, name: busy, uid: 6a1c3c0e-5d3b-4b1e-9d0c-3b8d1f6f2f01}]
---
apiVersion: v1
kind: Pod
metadata: {name: busy, namespace: default, uid: 6a1c3c0e-5d3b-4b1e-9d0c-3b8d1f6f2f01}
spec: {nodeName: n1, containers: [{name: c, image: app, resources: {claims: [{name: a}]}}], resourceClaims: [{name: a, resourceClaimName: held}]}
`
	const rule = `---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: worn}
spec: {deviceSelector: {pool: n1}, taint: {key: example.test/worn, effect: NoExecute}}
`
	before := diffCluster + held
	got, err := Diff(context.Background(), Change{Before: before, After: before + rule}, DiffOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Evictions) != 1 || got.Evictions[0].Rule != "worn" || len(got.Evictions[0].Pods) != 1 || got.Evictions[0].Pods[0].Pod != "default/busy" {
		t.Errorf("got %+v", got.Evictions)
	}
	again, err := Diff(context.Background(), Change{Before: before + rule, After: before + rule}, DiffOptions{})
	if err != nil || len(again.Evictions) != 0 {
		t.Errorf("got %+v, %v for no change", again, err)
	}
}

func TestDiffOptions(t *testing.T) {
	for option, opts := range map[string]DiffOptions{
		"featureGates":           {Options: Options{FeatureGates: "X"}},
		"afterFeatureGates":      {AfterFeatureGates: "X"},
		"afterKubernetesVersion": {AfterKubernetesVersion: "9"},
		"kubernetesVersion":      {Options: Options{KubernetesVersion: "9"}},
	} {
		_, err := Diff(context.Background(), Change{}, opts)
		if problem, ok := err.(*OptionError); !ok || problem.Option != option {
			t.Errorf("%s: got %v", option, err)
		}
	}
}
