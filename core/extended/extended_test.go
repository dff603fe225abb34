package extended

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core/fit"
)

func class(name string, created int64, resource string) *resourceapi.DeviceClass {
	c := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.Unix(created, 0)}}
	if resource != "" {
		c.Spec.ExtendedResourceName = ptr.To(resource)
	}
	return c
}

func TestClasses(t *testing.T) {
	classes := NewClasses([]*resourceapi.DeviceClass{
		class("new", 9, "example.com/gpu"), class("old", 1, "example.com/gpu"), class("plain", 5, ""),
		class("b", 3, "example.com/nic"), class("a", 3, "example.com/nic"),
	})
	for name, want := range map[corev1.ResourceName]string{
		"example.com/gpu": "new", "example.com/nic": "a", "example.com/none": "",
		"deviceclass.resource.kubernetes.io/old": "old", "deviceclass.resource.kubernetes.io/plain": "plain",
		// It came second and did not get its name.
		"deviceclass.resource.kubernetes.io/b": "",
	} {
		got := ""
		if c := classes[name]; c != nil {
			got = c.Name
		}
		if got != want {
			t.Errorf("%s is of class %q, want %q", name, got, want)
		}
	}
}

func TestRequests(t *testing.T) {
	classes := NewClasses([]*resourceapi.DeviceClass{class("acc", 1, "example.com/gpu")})
	for _, tc := range []struct {
		name, spec         string
		requests, mappings []string
	}{
		{"containers of their own", "containers: [{name: a, resources: {limits: {example.com/gpu: 1}}}, {name: b, resources: {limits: {cpu: 1, example.com/gpu: 2}}}]",
			[]string{"container-0-request-0 1", "container-1-request-1 2"}, []string{"a container-0-request-0", "b container-1-request-1"}},
		{"an init container borrows", "initContainers: [{name: i, resources: {limits: {example.com/gpu: 1}}}], containers: [{name: a, resources: {limits: {example.com/gpu: 2}}}]",
			[]string{"container-1-request-0 2"}, []string{"a container-1-request-0", "i container-1-request-0"}},
		{"the largest init container", "initContainers: [{name: i, resources: {limits: {example.com/gpu: 2}}}, {name: j, resources: {limits: {example.com/gpu: 3}}}], containers: [{name: a}]",
			[]string{"container-1-request-0 3"}, []string{"i container-1-request-0", "j container-1-request-0"}},
		{"a sidecar behind", "initContainers: [{name: s, restartPolicy: Always, resources: {limits: {example.com/gpu: 1}}}, {name: i, resources: {limits: {example.com/gpu: 1}}}], containers: [{name: a}]",
			[]string{"container-0-request-0 1", "container-1-request-0 1"}, []string{"s container-0-request-0", "i container-1-request-0"}},
		{"nothing and fractions", "containers: [{name: a, resources: {limits: {example.com/gpu: 0}}}, {name: b, resources: {limits: {example.com/gpu: 1500m}}}]", nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pod := &corev1.Pod{}
			if err := yaml.UnmarshalStrict([]byte("spec: {"+tc.spec+"}"), pod); err != nil {
				t.Fatal(err)
			}
			made, mapped := Requests(fit.NewPod(pod, fit.Options{}).Pod, []corev1.ResourceName{"example.com/gpu", "example.com/none"}, classes)
			var requests, mappings []string
			for _, r := range made {
				requests = append(requests, fmt.Sprintf("%s %d", r.Name, r.Exactly.Count))
			}
			for _, m := range mapped {
				mappings = append(mappings, m.ContainerName+" "+m.RequestName)
			}
			if !slices.Equal(requests, tc.requests) || !slices.Equal(mappings, tc.mappings) {
				t.Errorf("got %q %q, want %q %q", requests, mappings, tc.requests, tc.mappings)
			}
		})
	}
}

func TestWanted(t *testing.T) {
	classes := NewClasses([]*resourceapi.DeviceClass{class("acc", 1, "example.com/gpu")})
	pod := &corev1.Pod{}
	text := "spec: {containers: [{name: a, resources: {requests: {cpu: 1, example.com/nic: 1, deviceclass.resource.kubernetes.io/acc: 2}}}]}"
	if err := yaml.UnmarshalStrict([]byte(text), pod); err != nil {
		t.Fatal(err)
	}
	requests := fit.NewPod(pod, fit.Options{}).Requests
	if got := classes.Wanted(requests); len(got) != 2 || got[0].Name != "deviceclass.resource.kubernetes.io/acc" || got[0].Value != 2 {
		t.Errorf("%+v", got)
	}
	if got := NewClasses(nil).Wanted(requests); got != nil {
		t.Errorf("without a class: %+v", got)
	}
}
