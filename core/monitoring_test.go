package core

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/podresources"
)

func podResources(t *testing.T, text string, opts PodResourcesOptions) *PodResourcesResult {
	t.Helper()
	result, err := PodResources(context.Background(), []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestPodResources(t *testing.T) {
	example := testdata(t, "nodes/monitoring.yaml")
	opts := PodResourcesOptions{Node: "worker-1", Pod: "default/train", CDI: "{driver}/gpu={uid}-{request}-{device}"}
	result := podResources(t, example, opts)
	var names []string
	for _, p := range result.List.PodResources {
		for _, c := range p.Containers {
			names = append(names, p.Name+"/"+c.Name)
		}
	}
	// Init containers that end are left out.
	if want := []string{"train/metrics", "train/main", "train/log", "stuck/main"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if result.Get == nil || result.Get.Name != "train" || result.GetError != "" {
		t.Fatalf("got %v, %s", result.Get, result.GetError)
	}
	// A container that names one request is told all devices of the claim, and
	// the second device of a driver lists the name of the first.
	devices := result.Get.Containers[0].DynamicResources[0].ClaimResources
	if len(devices) != 3 || len(devices[1].CDIDevices) != 2 || devices[1].CDIDevices[0].Name != "gpu.example.com/gpu=3d6f2f0e-98c3-4b7c-8f3d-3f3a1f0f6b01-gpus-gpu-0" || len(devices[2].CDIDevices) != 1 {
		t.Errorf("got %v", devices)
	}
	var codes []string
	for _, n := range result.Notes {
		codes = append(codes, n.Code)
	}
	if want := []string{"cdi-devices-grow", "whole-claim", "driver-order", "claim-gap", "allocatable-without-claims"}; !slices.Equal(codes, want) {
		t.Errorf("got %q, want %q", codes, want)
	}
	if _, problem := result.Lookup("default", "elsewhere"); problem != "pod elsewhere in namespace default not found" {
		t.Errorf("got %q", problem)
	}
	if pod, _ := result.Lookup("default", "ended"); pod == nil {
		t.Error("Get finds no pod that has ended")
	}

	// Older kubelets tell nothing of claims unless they are told to.
	old := PodResourcesOptions{Options: Options{KubernetesVersion: "1.33", SkipValidation: true}, Pod: "gpu-test1/pod0"}
	example = strings.ReplaceAll(testdata(t, "nodes/metadata.yaml"), "resource.k8s.io/v1\n", "resource.k8s.io/v1beta2\n")
	result = podResources(t, example, old)
	if !strings.Contains(result.GetError, "KubeletPodResourcesGet") || len(result.List.PodResources) != 1 || len(result.List.PodResources[0].Containers[0].DynamicResources) > 0 {
		t.Errorf("got %v, %v", result.GetError, result.List)
	}
	old.FeatureGates = "KubeletPodResourcesDynamicResources=true,KubeletPodResourcesGet=true"
	if result = podResources(t, example, old); result.Get == nil || len(result.Get.Containers[0].DynamicResources) != 1 {
		t.Errorf("got %v, %s", result.Get, result.GetError)
	}
	// They list pods that have ended, too.
	ended := strings.Replace(example, "phase: Running", "phase: Failed", 1)
	if result = podResources(t, ended, PodResourcesOptions{Options: old.Options, Node: "worker-0"}); len(result.List.PodResources) != 1 || len(result.Ended) != 0 {
		t.Errorf("got %v, %v", result.List, result.Ended)
	}
}

func TestPodResourcesOptions(t *testing.T) {
	example := testdata(t, "nodes/monitoring.yaml")
	for want, opts := range map[string]PodResourcesOptions{
		"node: must name the node": {},
		"node: must be a node":     {Node: "worker-9"},
		"pod: must be a pod":       {Node: "worker-1", Pod: "train"},
		"cdi: can hold {driver}":   {Node: "worker-1", CDI: "{vendor}/x"},
		"cdi: must have at most":   {Node: "worker-1", CDI: strings.Repeat("x", 201)},
	} {
		if _, err := PodResources(context.Background(), []byte(example), opts); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	// One node needs no name.
	if got := podResources(t, testdata(t, "nodes/metadata.yaml"), PodResourcesOptions{}).Node; got != "worker-0" {
		t.Errorf("got %q", got)
	}
	// A device plugin is nothing that objects tell of.
	plugin := strings.Replace(testdata(t, "nodes/metadata.yaml"), "  - name: log\n    image: ubuntu:24.04\n", "  - name: log\n    image: ubuntu:24.04\n    resources: {limits: {vendor.example/nic: 1}}\n", 1)
	if !slices.ContainsFunc(podResources(t, plugin, PodResourcesOptions{}).Notes, func(n AnswerNote) bool { return n.Code == "device-plugins-unknown" }) {
		t.Error("no word of the device plugin")
	}
}

// Whom a kubelet does not start has nothing in the answers about it, and the
// same reason stands in all of them.
func TestKubeletsAgree(t *testing.T) {
	for name, opts := range map[string]Options{
		"bound-by-hand.yaml": {}, "unreserved.yaml": {}, "skipping.yaml": {FeatureGates: skippingGate},
		"extended-by-hand.yaml": {}, "not-started.yaml": {FeatureGates: skippingGate}, "health.yaml": {},
	} {
		text := nodeFixture(t, name)
		side := operations(t, text, opts)
		files := deviceMetadata(t, text, MetadataOptions{Options: opts})
		for _, pod := range side.Pods {
			if pod.Node == "" || pod.State == PodHasEnded {
				continue
			}
			of := pod.Namespace + "/" + pod.Name
			told := podResources(t, text, PodResourcesOptions{Options: opts, Node: pod.Node, Pod: of})
			listed := slices.ContainsFunc(told.List.PodResources, func(p podresources.PodResources) bool { return p.Name == pod.Name && p.Namespace == pod.Namespace })
			if told.Get == nil || listed == (pod.State == PodIsRefused) {
				t.Errorf("%s: %s is %s; listed %v, Get says %q", name, of, pod.State, listed, told.GetError)
				continue
			}
			has := slices.ContainsFunc(told.Get.Containers, func(c podresources.ContainerResources) bool { return len(c.DynamicResources) > 0 })
			prepared := pod.State == PodStarts || pod.State == PodRuns || pod.Start.Code == "claim-listed-twice"
			if has && !prepared {
				t.Errorf("%s: %s is %s, and %+v", name, of, pod.State, told.Get)
			}
			if !has && prepared && len(pod.Claims) > 0 {
				t.Errorf("%s: %s is %s, and has no devices", name, of, pod.State)
			}
			for _, f := range files.Pods {
				if f.Namespace+"/"+f.Name == of && (f.Waits != "") != (pod.State == PodWaits || pod.State == PodTerminating) {
					t.Errorf("%s: %s is %s; its files wait: %q", name, of, pod.State, f.Waits)
				}
				if f.Namespace+"/"+f.Name == of && pod.State == PodWaits && f.Waits != pod.Start.Message {
					t.Errorf("%s: %s waits for %q, its files for %q", name, of, pod.Start.Message, f.Waits)
				}
			}
		}
	}
}
