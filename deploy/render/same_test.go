package render

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const chart = "../chart"

// ways are the ways to install with kustomize, and the chart's values for the
// same.
var ways = map[string]string{
	"overlays/self-managed": "",
	"overlays/cert-manager": "certificates: {mode: certManager}",
	"overlays/strict":       "failurePolicy: Fail",
	"overlays/monitoring":   "monitoring: {serviceMonitor: true, rules: true, dashboard: true}",
	"overlays/development":  "{replicas: 1, logLevel: DEBUG, service: {type: NodePort}, podDisruptionBudget: {enabled: false}}",
}

// release are the labels by which Helm tells what is its own.
var release = []string{"app.kubernetes.io/instance", "app.kubernetes.io/managed-by", "helm.sh/chart"}

// Both ways to install give the same objects, but for the namespace, which
// `helm install --create-namespace` makes, and Helm's labels.
func TestBothWaysAreTheSame(t *testing.T) {
	for overlay, values := range ways {
		kustomized, err := Kustomize("../" + overlay)
		if err != nil {
			t.Fatal(err)
		}
		kustomized = slices.DeleteFunc(kustomized, func(o Object) bool { return o.Kind() == "Namespace" })
		helmed, err := Helm(chart, "drawbridge", values)
		if err != nil {
			t.Fatal(err)
		}
		names := func(list []Object) string {
			var out []string
			for _, o := range list {
				out = append(out, o.Name())
			}
			return strings.Join(out, "\n")
		}
		if diff := cmp.Diff(names(kustomized), names(helmed)); diff != "" {
			t.Fatalf("%s: -kustomize +helm\n%s", overlay, diff)
		}
		for i, o := range helmed {
			labels := o.Plain["metadata"].(map[string]any)["labels"].(map[string]any)
			for _, label := range release {
				if text(labels[label]) == "" {
					t.Errorf("%s has no label %s", o.Name(), label)
				}
				delete(labels, label)
			}
			if diff := cmp.Diff(kustomized[i].Plain, o.Plain); diff != "" {
				t.Errorf("%s, %s: -kustomize +helm\n%s", overlay, o.Name(), diff)
			}
		}
	}
}

// A release in another namespace speaks of no other.
func TestNamespace(t *testing.T) {
	for _, values := range slices.Sorted(maps.Values(ways)) {
		rendered, err := files(chart, "elsewhere", values)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range rendered {
			for _, wrong := range []string{"namespace: drawbridge", "drawbridge.drawbridge", "\n      - drawbridge\n", "drawbridge/drawbridge\n"} {
				if strings.HasSuffix(name, ".yaml") && strings.Contains(text, wrong) {
					t.Errorf("%s with %q says %q", name, values, wrong)
				}
			}
		}
	}
}
