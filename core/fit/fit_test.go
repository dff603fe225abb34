package fit

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func read[T any](t *testing.T, text string) *T {
	t.Helper()
	out := new(T)
	if err := yaml.UnmarshalStrict([]byte(text), out); err != nil {
		t.Fatal(err)
	}
	return out
}

func never(corev1.ResourceName) bool { return false }

func TestRefusals(t *testing.T) {
	const node = "metadata: {name: n1, labels: {zone: a}}\nstatus: {allocatable: {cpu: 2, memory: 4Gi, ephemeral-storage: 1Gi, pods: 3, example.com/gpu: 2}}\n"
	for _, tc := range []struct {
		name, node, there, pod string
		want                   string // code: words; empty for none
		field                  string
	}{
		{"fits", node, "{}", "{spec: {containers: [{name: a, resources: {requests: {cpu: 2, memory: 4Gi, example.com/gpu: 2}}}]}}", "", ""},
		{"cordoned", node + "spec: {unschedulable: true}", "{}", "{}", "node-unschedulable: uncordon", ""},
		{"cordoned and tolerated", node + "spec: {unschedulable: true}", "{}", "{spec: {tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}]}}", "", ""},
		{"taint", node + "spec: {taints: [{key: k, value: v, effect: NoExecute}]}", "{}", "{}", "node-taint: k=v:NoExecute", ""},
		{"mere preference", node + "spec: {taints: [{key: k, effect: PreferNoSchedule}]}", "{}", "{}", "", ""},
		{"selector", node, "{}", "{spec: {nodeSelector: {zone: b}}}", "node-affinity: n1", "spec.nodeSelector"},
		{"limit without request", node, "{}", "{spec: {containers: [{name: a, resources: {limits: {cpu: 3}}}]}}", "insufficient-cpu: needs 3 cpu, and node n1 has 2 in all", "spec.containers[0].resources"},
		{"left", node, "{spec: {containers: [{name: a, resources: {requests: {memory: 1536Mi}}}]}}", "{spec: {initContainers: [{name: a, resources: {requests: {memory: 3Gi}}}]}}", "insufficient-memory: has 2560Mi of 4Gi left", "spec.initContainers[0].resources"},
		{"resource of others", node, "{}", "{spec: {containers: [{name: a, resources: {requests: {example.com/nic: 1}}}]}}", "insufficient-resource: offers none", "spec.containers[0].resources"},
		{"several containers", node, "{}", "{spec: {containers: [{name: a, resources: {requests: {cpu: 2}}}, {name: b, resources: {requests: {cpu: 1}}}]}}", "insufficient-cpu: needs 3 cpu", ""},
		{"what nobody counts", node, "{}", "{spec: {containers: [{name: a, resources: {requests: {bogus: 1}}}]}}", "", ""},
		{"hand-written node", "metadata: {name: n1}", "{}", "{spec: {containers: [{name: a, resources: {requests: {cpu: 200, example.com/nic: 1}}}]}}", "", ""},
		{"capacity in its place", "metadata: {name: n1}\nstatus: {capacity: {cpu: 1}}", "{}", "{spec: {containers: [{name: a, resources: {requests: {cpu: 2}}}]}}", "insufficient-cpu: 1 in all", "spec.containers[0].resources"},
		{"memory is not listed", "metadata: {name: n1}\nstatus: {allocatable: {cpu: 1}}", "{}", "{spec: {containers: [{name: a, resources: {requests: {memory: 2Ti}}}]}}", "", ""},
		{"port of a sidecar", node, "{spec: {initContainers: [{name: a, restartPolicy: Always, ports: [{containerPort: 1, hostPort: 80}]}]}}", "{spec: {containers: [{name: a, ports: [{containerPort: 1, hostPort: 80, hostIP: 10.0.0.1}]}]}}", "host-port: 80/TCP", ""},
		{"port of another protocol", node, "{spec: {containers: [{name: a, ports: [{containerPort: 1, hostPort: 80, protocol: UDP}]}]}}", "{spec: {containers: [{name: a, ports: [{containerPort: 1, hostPort: 80}]}]}}", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := NewNode(read[corev1.Node](t, tc.node))
			n.Add(NewPod(read[corev1.Pod](t, tc.there), Options{}))
			got := n.Refuse(NewPod(read[corev1.Pod](t, tc.pod), Options{}), never)
			switch code, words, refused := strings.Cut(tc.want, ": "); {
			case !refused:
				if len(got) > 0 {
					t.Errorf("%+v", got)
				}
			case len(got) != 1 || string(got[0].Code) != code || !strings.Contains(got[0].Message, words) || got[0].Field != tc.field:
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestPodsAreCounted(t *testing.T) {
	n := NewNode(read[corev1.Node](t, "metadata: {name: n1}\nstatus: {allocatable: {pods: 1}}"))
	p := NewPod(&corev1.Pod{}, Options{})
	if got := n.Refuse(p, never); got != nil {
		t.Errorf("%+v", got)
	}
	n.Add(p)
	if got := n.Refuse(p, never); len(got) != 1 || got[0].Code != TooManyPods || got[0].OnNode != "status.allocatable[pods]" {
		t.Errorf("%+v", got)
	}
}

func TestGivenOutAsDevices(t *testing.T) {
	n := NewNode(read[corev1.Node](t, "metadata: {name: n1}\nstatus: {allocatable: {cpu: 1}}"))
	p := NewPod(read[corev1.Pod](t, "{spec: {containers: [{name: a, resources: {requests: {example.com/gpu: 1}}}]}}"), Options{})
	if got := n.Refuse(p, func(name corev1.ResourceName) bool { return name == "example.com/gpu" }); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestDeclaredFeatures(t *testing.T) {
	pod := read[corev1.Pod](t, "{spec: {hostNetwork: true, hostUsers: false, containers: [{name: a}]}}")
	n := NewNode(read[corev1.Node](t, "metadata: {name: n1}\nstatus: {allocatable: {cpu: 1}}"))
	if got := n.Lacks(NewPod(pod, Options{DeclaredFeatures: true, Version: "1.37"})); got == nil || got.Code != NodeFeatures || !strings.Contains(got.Message, "UserNamespacesHostNetwork") {
		t.Errorf("%+v", got)
	}
	if got := n.Lacks(NewPod(pod, Options{Version: "1.37"})); got != nil {
		t.Errorf("with the gate off: %+v", got)
	}
	n.Node.Status.DeclaredFeatures = []string{"UserNamespacesHostNetworkSupport"}
	if got := NewNode(n.Node).Lacks(NewPod(pod, Options{DeclaredFeatures: true, Version: "1.37"})); got != nil {
		t.Errorf("declared: %+v", got)
	}
}

func TestResizeUnderWay(t *testing.T) {
	n := NewNode(read[corev1.Node](t, "metadata: {name: n1}\nstatus: {allocatable: {cpu: 4}}"))
	n.Add(NewPod(read[corev1.Pod](t, `
spec: {containers: [{name: a, resources: {requests: {cpu: 1}}}]}
status: {containerStatuses: [{name: a, image: "", imageID: "", lastState: {}, ready: true, restartCount: 0, allocatedResources: {cpu: 3}}]}`), Options{}))
	want := read[corev1.Pod](t, "{spec: {containers: [{name: a, resources: {requests: {cpu: 2}}}]}}")
	if got := n.Refuse(NewPod(want, Options{}), never); len(got) != 1 || !strings.Contains(got[0].Message, "1 of 4 left") {
		t.Errorf("%+v", got)
	}
}

func TestIsExtended(t *testing.T) {
	for name, want := range map[corev1.ResourceName]bool{
		"cpu": false, "example.com/gpu": true, "kubernetes.io/x": false, "deviceclass.resource.kubernetes.io/x": false, "requests.example.com/x": false, "a/b/c": false,
	} {
		if IsExtended(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
