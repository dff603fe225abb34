package core

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// censusOf is a census of the objects of a text.
func censusOf(t *testing.T, text string) *Census {
	t.Helper()
	c := NewCensus()
	for _, o := range bundle.Parse([]byte(text), bundle.Options{Features: feature.Default(feature.Newest)}).Objects {
		if o.Value == nil {
			t.Fatalf("%v cannot be read", o.Ref)
		}
		c.Put(o.Value)
	}
	return c
}

// sliceOf writes a slice with devices, "gpu0" or "gpu0 attribute" and so on.
func published(name, pool string, generation, count int, node string, devices ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: %s}\nspec:\n  driver: acc.example.test\n  nodeName: %s\n"+
		"  pool: {name: %s, generation: %d, resourceSliceCount: %d}\n  devices:\n", name, node, pool, generation, count)
	for _, d := range devices {
		device, attributes, _ := strings.Cut(d, " ")
		fmt.Fprintf(&b, "  - name: %s\n    attributes: {model: {string: x1}%s}\n", device, attributes)
	}
	return b.String()
}

const (
	accClass = `---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: acc}
spec:
  selectors: [{cel: {expression: 'device.driver == "acc.example.test"'}}]
`
	nodeN1 = `---
apiVersion: v1
kind: Node
metadata: {name: n1}
`
)

func claimOf(class, rest string) string {
	return fmt.Sprintf(`apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {namespace: default, name: c}
spec:
  devices:
    requests:
    - name: r
      exactly: {deviceClassName: %s%s}
`, class, rest)
}

func podOf(entry string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata: {namespace: default, name: p}
spec:
  containers: [{name: a, image: a, resources: {claims: [{name: c}]}}]
  resourceClaims: [{name: c, %s}]
`, entry)
}

func TestAmong(t *testing.T) {
	whole := accClass + nodeN1 + published("s1", "p1", 1, 1, "n1", "d0", "d1 , numa: {int: 0}")
	for name, test := range map[string]struct {
		cluster, object string
		want            []string
		has             string
	}{
		"all is well": {whole, claimOf("acc", ""), nil, ""},
		"a class that is not there": {whole, claimOf("ack", ""),
			[]string{"warning missing-class spec.devices.requests[0].exactly.deviceClassName"}, "DeviceClass ack is not in the cluster"},
		"an attribute that no device has": {whole, claimOf("acc", `, selectors: [{cel: {expression: 'device.attributes["acc.example.test"].colour == "red"'}}]`),
			[]string{"warning selector-name-unpublished spec.devices.requests[0].exactly.selectors[0].cel.expression"}, "0 of 2 devices"},
		"an attribute that some devices lack": {whole, claimOf("acc", `, selectors: [{cel: {expression: 'device.attributes["acc.example.test"].numa == 0'}}]`),
			[]string{"warning selector-missing-guard spec.devices.requests[0].exactly.selectors[0].cel.expression"}, "ResourceSlice s1, device d0"},
		"a slice by itself":        {nodeN1, published("s2", "p2", 1, 1, "n1", "d0"), nil, ""},
		"the same slice again":     {whole, published("s1", "p1", 1, 1, "n1", "d0", "d1"), nil, ""},
		"the first slice of three": {nodeN1, published("s1", "p1", 1, 3, "n1", "d0"), nil, ""},
		"the first slice of a new generation": {nodeN1 + published("s1", "p1", 1, 2, "n1", "d0") + published("s2", "p1", 1, 2, "n1", "d1"),
			published("s1", "p1", 2, 2, "n1", "d0"), nil, ""},
		"a slice too many": {nodeN1 + published("s1", "p1", 1, 1, "n1", "d0"), published("s2", "p1", 1, 1, "n1", "d1"),
			[]string{"error pool-too-many-slices spec.pool.resourceSliceCount"}, "pool acc.example.test/p1 has 2 slices of generation 1 (s2, s1)"},
		"another count": {nodeN1 + published("s1", "p1", 1, 2, "n1", "d0"), published("s2", "p1", 1, 3, "n1", "d1"),
			[]string{"error pool-slice-count-disagrees spec.pool.resourceSliceCount"}, "s2 says 3, s1 says 2"},
		"an older generation": {nodeN1 + published("s1", "p1", 4, 1, "n1", "d0"), published("s2", "p1", 3, 1, "n1", "d1"),
			[]string{"warning pool-old-generation spec.pool.generation"}, "it is of generation 3"},
		"a device that another slice has": {nodeN1 + published("s1", "p1", 1, 2, "n1", "d0"), published("s2", "p1", 1, 2, "n1", "d0"),
			[]string{"error duplicate-device spec.devices[0].name"}, "s1 and s2"},
		"a device on two nodes": {nodeN1 + strings.ReplaceAll(nodeN1, "n1", "n2") + published("s1", "p1", 1, 1, "n2", "d0"), published("s2", "p1", 1, 1, "n1", "d0"),
			[]string{"error device-on-two-nodes spec.devices[0].name"}, "s1 for n2, s2 for n1"},
		"others that collide with each other": {nodeN1 + published("s1", "p1", 1, 3, "n1", "d0") + published("s2", "p1", 1, 3, "n1", "d0"), published("s3", "p1", 1, 3, "n1", "d1"), nil, ""},
		"a node that is not there": {nodeN1, published("s2", "p2", 1, 1, "n7", "d0"),
			[]string{"warning slice-node-missing spec.nodeName"}, "not among the 1 node of the cluster"},
		"a type that differs": {whole, published("s2", "p2", 1, 1, "n1", "d0 , numa: {string: zero}"),
			[]string{"warning attribute-type-differs spec.devices[0].attributes[numa]"}, "a string here and an int in ResourceSlice s1, device d1"},
		"a template in another namespace": {whole + `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {namespace: other, name: t}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc}}]}}}
`, podOf("resourceClaimTemplateName: t"), []string{"error missing-template spec.resourceClaims[0].resourceClaimTemplateName"}, "in namespace other"},
		"a claim that is not there": {whole + "---\n" + claimOf("acc", ""), podOf("resourceClaimName: d"),
			[]string{"warning missing-claim spec.resourceClaims[0].resourceClaimName"}, "ResourceClaim default/d is not in the cluster; the pod stays pending until it exists"},
		"a claim that is there": {whole + "---\n" + claimOf("acc", ""), podOf("resourceClaimName: c"), nil, ""},
		"a taint rule for another pool": {whole, "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: {deviceSelector: {driver: acc.example.test, pool: p2}, taint: {key: a, effect: NoSchedule}}\n",
			[]string{"warning taint-rule-unmatched spec.deviceSelector.pool"}, "no device of the cluster has the pool p2"},
		"a taint rule for a pool": {whole, "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: {deviceSelector: {driver: acc.example.test, pool: p1, device: d0}, taint: {key: a, effect: NoSchedule}}\n", nil, ""},
		"a resource that another class has": {strings.ReplaceAll(accClass, "spec:", "spec:\n  extendedResourceName: example.test/acc"),
			"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: bcc}\nspec: {extendedResourceName: example.test/acc}\n",
			[]string{"warning extended-resource-duplicate spec.extendedResourceName"}, "DeviceClass acc and DeviceClass bcc"},
		"a counter set that the whole pool lacks": {nodeN1 + published("s1", "p1", 1, 2, "n1", "d0"),
			strings.ReplaceAll(published("s2", "p1", 1, 2, "n1", "d1"), "attributes:", "consumesCounters: [{counterSet: a, counters: {m: {value: 1}}}]\n    attributes:"),
			[]string{"error unknown-counter-set spec.devices[0].consumesCounters[0].counterSet"}, "which no slice of pool acc.example.test/p1 publishes"},
		"a counter set that may come yet": {nodeN1 + published("s1", "p1", 1, 3, "n1", "d0"),
			strings.ReplaceAll(published("s2", "p1", 1, 3, "n1", "d1"), "attributes:", "consumesCounters: [{counterSet: a, counters: {m: {value: 1}}}]\n    attributes:"),
			nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := Validate(context.Background(), []byte(test.object), Options{FeatureGates: "AllAlpha=true,AllBeta=true", Cluster: censusOf(t, test.cluster)})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			var text strings.Builder
			for _, d := range result.Diagnostics {
				if d.Source == diag.Bundle && d.Severity != diag.Info {
					got = append(got, fmt.Sprintf("%s %s %s", d.Severity, d.Rule, d.Field))
					text.WriteString(d.Message + "\n")
					if d.Location == nil {
						t.Errorf("%s has no place in the object", d.Rule)
					}
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(test.want) || !strings.Contains(text.String(), test.has) {
				t.Errorf("found %q, want %q with %q:\n%s", got, test.want, test.has, text.String())
			}
			if len(result.Notes) > 0 {
				t.Errorf("notes: %q", result.Notes)
			}
		})
	}
}

// unsure is a cluster of which not all is known.
type unsure struct {
	*Census
	fresh ClusterFreshness
}

func (u unsure) Freshness() ClusterFreshness { return u.fresh }

func (u unsure) Around(object any) *Around {
	a := u.Census.Around(object)
	a.Freshness = u.fresh
	return a
}

func TestNotes(t *testing.T) {
	pending := ClusterFreshness{Unknown: []string{"DeviceClass", "Node", "ResourceSlice"}, Pending: []string{"DeviceClass", "Node", "ResourceSlice"}}
	refused := ClusterFreshness{Unknown: []string{"DeviceClass", "Node", "ResourceSlice"}}
	stale := ClusterFreshness{Stale: []string{"ResourceSlice"}, Seconds: 240}
	old := "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {namespace: default, name: x}\n"
	whole := accClass + nodeN1 + published("s1", "p1", 1, 1, "n1", "d0")
	many := nodeN1
	for i := range 40 {
		names := make([]string, 128)
		for j := range names {
			names[j] = fmt.Sprintf("d%d-%d", i, j)
		}
		many += published(fmt.Sprintf("s%d", i), "p1", 1, 41, "n1", names...)
	}
	unpublished := claimOf("acc", `, selectors: [{cel: {expression: 'device.attributes["acc.example.test"].colour == "red"'}}]`)
	for name, test := range map[string]struct {
		cluster string
		fresh   ClusterFreshness
		object  string
		notes   []string
		finds   int
	}{
		"a claim before anything is known": {old, pending, claimOf("ack", ""), []string{"the cluster's DeviceClasses and ResourceSlices are not known yet, so this was judged without them"}, 0},
		"a slice before anything is known": {old, pending, published("s2", "p1", 1, 1, "n1", "d0"), []string{"the cluster's ResourceSlices and Nodes are not known yet, so this was judged without them"}, 0},
		"a pod needs neither":              {old, pending, podOf("resourceClaimName: x"), nil, 0},
		"what may not be read is not told": {old, refused, claimOf("ack", ""), nil, 0},
		"an old state with a finding":      {whole, stale, unpublished, []string{"the cluster's ResourceSlices were last heard of 240 s ago; what does not fit may have been mended since"}, 1},
		"an old state without one":         {whole, stale, claimOf("acc", ""), nil, 0},
		"a pool that is too large": {many, ClusterFreshness{}, published("s40", "p1", 1, 41, "n1", "d0-0"),
			[]string{"pool acc.example.test/p1 has too many devices to compare each slice with all others: counter sets, names and counts of slices were not looked at across its slices"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := Validate(context.Background(), []byte(test.object), Options{Cluster: unsure{censusOf(t, test.cluster), test.fresh}})
			if err != nil {
				t.Fatal(err)
			}
			finds := 0
			for _, d := range result.Diagnostics {
				if d.Source == diag.Bundle && d.Severity != diag.Info {
					finds++
				}
			}
			if fmt.Sprint(result.Notes) != fmt.Sprint(test.notes) || finds != test.finds {
				t.Errorf("notes %q and %d findings, want %q and %d", result.Notes, finds, test.notes, test.finds)
			}
		})
	}
}

// TestNamespaceOfCluster asks whether labels of a namespace that only the
// cluster knows are seen by the rules that need them.
func TestNamespaceOfCluster(t *testing.T) {
	claim := claimOf("acc", ", adminAccess: true")
	refused := func(labels string) bool {
		c := censusOf(t, accClass+"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default, labels: {"+labels+"}}\n")
		result, err := Validate(context.Background(), []byte(claim), Options{Cluster: c})
		if err != nil {
			t.Fatal(err)
		}
		return !result.Valid
	}
	if !refused("a: b") || refused(`resource.kubernetes.io/admin-access: "true"`) {
		t.Error("admin access does not follow the label of the namespace")
	}
}
