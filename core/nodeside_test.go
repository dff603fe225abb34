package core

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func nodeFixture(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/node/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func operations(t *testing.T, text string, opts Options) *NodeOperationsResult {
	t.Helper()
	out, err := NodeOperations(context.Background(), []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const skippingGate = "DRAOptionalNodeOperations=true"

func TestNodeOperations(t *testing.T) {
	text := nodeFixture(t, "skipping.yaml")
	got := operations(t, text, Options{FeatureGates: skippingGate})
	pod := got.Pods[0]
	if pod.State != PodStarts || pod.Start.Outcome != phaseGoes || pod.Stop.Outcome != phaseGoes || pod.Bypassed {
		t.Errorf("got %+v", pod)
	}
	gpu, nic := pod.Claims[0].Drivers[0], pod.Claims[0].Drivers[1]
	if gpu.Prepare != "Called" || gpu.Unprepare != "Called" || nic.Prepare != "Skipped" || nic.Unprepare != "Skipped" {
		t.Errorf("got %+v and %+v", gpu, nic)
	}
	if len(pod.Start.Calls) != 1 || pod.Start.Calls[0].Driver != "gpu.example.com" || !slices.Equal(pod.Start.Calls[0].Claims, []string{"default/devices"}) {
		t.Errorf("calls %+v", pod.Start.Calls)
	}
	if len(got.Undeclared) != 1 || got.Undeclared[0].Name != "worker-2" || got.Undeclared[0].Location == nil {
		t.Errorf("undeclared %+v", got.Undeclared)
	}
}

// The plugin of a driver whose calls are skipped need not be there.
func TestAbsentDrivers(t *testing.T) {
	text := nodeFixture(t, "skipping.yaml")
	running := strings.Replace(text, "kind: Pod\nmetadata: {name: train, namespace: default}\nspec:\n", "kind: Pod\nmetadata: {name: train, namespace: default}\nstatus: {phase: Running}\nspec:\n  nodeName: worker-1\n", 1)
	running = strings.Replace(running, "metadata: {name: devices, namespace: default}\n", `metadata: {name: devices, namespace: default}
status:
  reservedFor: [{resource: pods, name: train, uid: x}]
  allocation:
    devices:
      results:
      - {request: gpu, driver: gpu.example.com, pool: worker-1, device: gpu-0}
      - {request: card, driver: nic.example.com, pool: cards, device: card-0, skipNodeOperations: ["*"]}
`, 1)
	for _, tt := range []struct {
		text, absent string
		state        PodOperationsState
		start, stop  string
	}{
		{text, "nic.example.com", PodStarts, phaseGoes, phaseGoes},
		{text, "gpu.example.com", PodWaits, phaseWaits, phaseGoes},
		{text, "gpu.example.com@worker-2", PodStarts, phaseGoes, phaseGoes},
		{text, " gpu.example.com@worker-1 , other.example.com", PodWaits, phaseWaits, phaseGoes},
		{running, "", PodRuns, phasePast, phaseGoes},
		{running, "nic.example.com", PodRuns, phasePast, phaseGoes},
		{running, "gpu.example.com", PodRuns, phasePast, phaseWaits},
	} {
		got := operations(t, tt.text, Options{FeatureGates: skippingGate, AbsentDrivers: tt.absent})
		pod := got.Pods[0]
		if pod.State != tt.state || pod.Start.Outcome != tt.start || pod.Stop.Outcome != tt.stop {
			t.Errorf("%q: got %s, %+v, %+v", tt.absent, pod.State, pod.Start, pod.Stop)
		}
		if strings.Contains(tt.absent, "other") && !strings.Contains(strings.Join(got.Assumptions, "\n"), "absentDrivers names other.example.com") {
			t.Errorf("assumptions %q", got.Assumptions)
		}
	}
	for _, bad := range []string{"a b", "@n", "a@", "A.example.com"} {
		if _, err := NodeOperations(context.Background(), []byte(text), Options{AbsentDrivers: bad}); err == nil || !strings.HasPrefix(err.Error(), "absentDrivers: ") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

// What somebody put onto a node waits for ever; the patch helps.
func TestBypassed(t *testing.T) {
	text := nodeFixture(t, "bound-by-hand.yaml")
	got := operations(t, text, Options{})
	train, debug := got.Pods[0], got.Pods[1]
	if train.Bypassed || train.State != PodStarts || len(train.Patch) > 0 {
		t.Errorf("got %+v", train)
	}
	if !debug.Bypassed || debug.State != PodWaits || debug.Start.Code != "not-reserved" || len(debug.Patch) != 3 || len(debug.Remedies) != 1 {
		t.Errorf("got %+v", debug)
	}
	var actors []string
	for _, s := range debug.Steps {
		actors = append(actors, s.Actor+" "+s.Outcome)
	}
	if want := "API server Done, scheduler Never, resourceclaim controller Done, resourceclaim controller Stops, kubelet Never, kubelet Stops"; strings.Join(actors, ", ") != want {
		t.Errorf("got %s", strings.Join(actors, ", "))
	}
	mended := strings.Replace(text, "  nodeName: worker-1 # want bundle/pod-bound-unallocated:warning\n", "  nodeSelector: {kubernetes.io/hostname: worker-1}\n", 1)
	if again := operations(t, mended, Options{}).Pods[1]; again.State != PodStarts {
		t.Errorf("with the patch: %+v", again)
	}
	// Without the template no claim is made, and the pod cannot even go.
	without := strings.Replace(text, "metadata: {name: one-gpu", "metadata: {name: other", 1)
	if stuck := operations(t, without, Options{}).Pods[1]; stuck.Start.Code != "claim-not-created" || stuck.Stop.Outcome != phaseWaits || stuck.Stop.Code != "claim-not-created" {
		t.Errorf("without the template: %+v, %+v", stuck.Start, stuck.Stop)
	}
}

// Allocate tells the same of its pods.
func TestAllocateTellsNodeOperations(t *testing.T) {
	text := nodeFixture(t, "bound-by-hand.yaml")
	alone := operations(t, text, Options{})
	both, err := Allocate(context.Background(), []byte(text), Options{NodeOperations: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range alone.Pods {
		a, err := JSON(alone.Pods[i])
		if err != nil {
			t.Fatal(err)
		}
		b, err := JSON(both.Pods[i].NodeOperations)
		if err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("got %s\nand %s", a, b)
		}
	}
}

// Pods that share a claim make an answer longer than any text; what is too much
// is left out.
func TestManyDetails(t *testing.T) {
	const pods, devices = 1200, 100
	var text strings.Builder
	text.WriteString("apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: default}\nspec: {}\nstatus:\n  reservedFor:\n")
	for i := range pods {
		fmt.Fprintf(&text, "  - {resource: pods, name: p%d, uid: u%d}\n", i, i)
	}
	text.WriteString("  allocation:\n    devices:\n      results:\n")
	for i := range devices {
		fmt.Fprintf(&text, "      - {request: r, driver: gpu.example.com, pool: p, device: d%d}\n", i)
	}
	for i := range pods {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%d, namespace: default, uid: u%d}\nspec:\n  nodeName: n1\n  containers: [{name: c, image: i, resources: {claims: [{name: e}]}}]\n  resourceClaims: [{name: e, resourceClaimName: c}]\n", i, i)
	}
	opts := Options{SkipValidation: true}
	got := operations(t, text.String(), opts)
	if len(got.Pods) != pods {
		t.Fatalf("%d pods: %.3v", len(got.Pods), got.Diagnostics)
	}
	omitted := 0
	for _, p := range got.Pods {
		if p.State != PodStarts {
			t.Fatalf("got %+v", p)
		}
		if p.Omitted {
			omitted++
		}
	}
	if want := pods - mostDetails/(devices+1); len(got.Pods) != pods || omitted != want {
		t.Errorf("%d pods, %d without details; want %d", len(got.Pods), omitted, want)
	}
	if got, want := health(t, text.String(), opts), mostDetails/(2*devices); len(got.Pods) != want || got.OmittedPods != pods-want {
		t.Errorf("%d pods, %d left out; want %d", len(got.Pods), got.OmittedPods, want)
	}
}

func health(t *testing.T, text string, opts Options) *ResourceHealthResult {
	t.Helper()
	out, err := ResourceHealth(context.Background(), []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestResourceHealth(t *testing.T) {
	text := nodeFixture(t, "health.yaml")
	got := health(t, text, Options{})
	pod := got.Pods[0]
	var devices []string
	for _, d := range pod.Devices {
		devices = append(devices, d.Device+" "+d.Health)
		if !d.Told || d.Location == nil {
			t.Errorf("got %+v", d)
		}
	}
	if pod.Health != "Unhealthy" || strings.Join(devices, ", ") != "gpu-0 Unhealthy, gpu-1 Unknown, gpu-2 Unhealthy" {
		t.Errorf("got %s: %q", pod.Health, devices)
	}
	status := pod.ContainerStatuses[0].AllocatedResourcesStatus[0]
	if status.Name != "claim:gpus" || status.Resources[0].ResourceID != "gpu.example.com/gpu=0" || status.Resources[1].Message != nil {
		t.Errorf("got %+v", status)
	}
	if len(got.TaintRules) != 2 || len(got.TaintRules[0].Pods) != 1 || got.TaintRules[0].Pods[0].Pod != "default/train" {
		t.Fatalf("got %+v", got.TaintRules)
	}
	// The rule does what is said of it.
	planned, err := Allocate(context.Background(), []byte(text+"---\n"+got.TaintRules[0].YAML), Options{})
	if err != nil || len(planned.Evictions) != 1 || len(planned.Evictions[0].Pods) != 1 {
		t.Errorf("got %+v, %v", planned.Evictions, err)
	}
	// Where the message has its own gate off, it is left out; where the whole
	// is off, everything is.
	if quiet := health(t, text, Options{FeatureGates: "ResourceHealthStatusMessage=false"}).Pods[0].ContainerStatuses[0].AllocatedResourcesStatus[0]; quiet.Resources[0].Message != nil {
		t.Errorf("got %+v", quiet)
	}
	off := health(t, text, Options{KubernetesVersion: "1.35"})
	if len(off.Pods[0].ContainerStatuses) > 0 || off.Pods[0].Devices[0].Told || !strings.Contains(strings.Join(off.Assumptions, "\n"), "ResourceHealthStatus is off in 1.35") {
		t.Errorf("got %+v, %q", off.Pods[0], off.Assumptions)
	}
}

// A report may be for one kubelet, and a driver that is not asked to prepare a
// device is not heard either.
func TestHealthOfOthers(t *testing.T) {
	text := nodeFixture(t, "health.yaml")
	elsewhere := strings.Replace(text, "  driver: gpu.example.com\n  devices:\n  - {pool", "  driver: gpu.example.com\n  nodeName: worker-9\n  devices:\n  - {pool", 1)
	if got := health(t, elsewhere, Options{}).Pods[0].Devices[0]; got.Health != "Unknown" {
		t.Errorf("got %+v", got)
	}
	skipping := nodeFixture(t, "skipping.yaml") + `---
apiVersion: drawbridge-dra.github.io/v1
kind: DeviceHealth
metadata: {name: cards}
spec:
  driver: nic.example.com
  devices: [{pool: cards, device: card-0, health: Unhealthy}]
`
	got := health(t, skipping, Options{FeatureGates: skippingGate})
	card := got.Pods[0].Devices[1]
	if card.Health != "Unhealthy" || card.Told || !strings.Contains(card.Message, "is not asked to prepare it") {
		t.Errorf("got %+v", card)
	}
}

// Extended resources of pods that name their node have no claim: some start
// without, some are refused.
func TestExtendedByHand(t *testing.T) {
	text := nodeFixture(t, "extended-by-hand.yaml")
	got := operations(t, text, Options{})
	var said []string
	for _, p := range got.Pods {
		var steps []string
		for _, s := range p.Steps {
			steps = append(steps, s.Actor+" "+s.Outcome)
		}
		said = append(said, fmt.Sprintf("%s %s %s %s %q: %s", p.Name, p.State, p.Start.Outcome, p.Start.Code, p.Start.Reads, strings.Join(steps, ", ")))
		if !p.Bypassed || len(p.Remedies) != 1 || len(p.Patch) != 3 || p.Stop.Outcome != phaseGoes {
			t.Errorf("%s: %+v", p.Name, p)
		}
		if at := p.Steps[len(p.Steps)-2].Location; at == nil && p.State == PodStarts {
			t.Errorf("%s: the steps have no places: %+v", p.Name, p.Steps)
		}
	}
	const before = "API server Done, scheduler Never, resourceclaim controller Never, kubelet "
	want := []string{
		`without Starts Goes extended-resource-unlisted "": ` + before + "Never, kubelet Done",
		`by-class Refused Refused extended-resource-refused "OutOfdeviceclass.resource.kubernetes.io/acc: Pod was rejected: Node didn't have enough resource: deviceclass.resource.kubernetes.io/acc, requested: 1, used: 0, capacity: 0": ` + before + "Stops",
		`one-too-many Refused Refused extended-resource-refused "OutOfexample.com/gpu: Pod was rejected: Node didn't have enough resource: example.com/gpu, requested: 1, used: 1, capacity: 1": ` + before + "Stops",
	}
	if !slices.Equal(said, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
	// While the gate is off nothing stands behind the resources.
	if off := operations(t, text, Options{KubernetesVersion: "1.35", FeatureGates: "DRAExtendedResource=false"}); len(off.Pods) != 0 {
		t.Errorf("in 1.35: %+v", off.Pods)
	}
	// A pod that runs was taken in; of a node that says nothing no plugin is known.
	running := strings.Replace(strings.Replace(text, "metadata: {name: without, namespace: default}", "metadata: {name: without, namespace: default}\nstatus: {phase: Running}", 1), "kind: Node\nmetadata: {name: n1,", "kind: Node\nmetadata: {name: n3,", 1)
	got = operations(t, running, Options{})
	if p := got.Pods[0]; p.State != PodRuns || p.Start.Code != "extended-resource-unlisted" || !strings.Contains(strings.Join(got.Assumptions, "\n"), "does not say what n1 offers") {
		t.Errorf("got %+v\n%q", p, got.Assumptions)
	}
	// Beside a claim that goes well, a resource that does not is refused before.
	both := strings.Replace(text, "metadata: {name: by-class, namespace: default}\nspec:\n", "metadata: {name: by-class, namespace: default}\nspec:\n  resourceClaims: [{name: own, resourceClaimName: own}]\n", 1) +
		"---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: own, namespace: default}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: acc}}]}}\n" +
		"status: {reservedFor: [{resource: pods, name: by-class, uid: x}], allocation: {devices: {results: [{request: r, driver: acc.example.test, pool: n1, device: d0}]}}}\n"
	p := operations(t, both, Options{}).Pods[1]
	if p.Name != "by-class" || p.State != PodIsRefused || len(p.Start.Calls) != 0 || p.Claims[0].Drivers[0].Prepare != "NotReached" || p.Stop.Outcome != phaseGoes {
		t.Errorf("got %+v", p)
	}
}

// Where the controller comes to a claim that is not there, it reserves nothing
// behind it; where it cannot make one, it reserves nothing at all.
func TestUnreserved(t *testing.T) {
	want := map[string][2]string{
		"before": {"claim-missing", "reserves default/gpu for the pod"},
		"behind": {"claim-missing", "does not reserve default/gpu for the pod"},
		"unmade": {"not-reserved", "does not reserve default/gpu for the pod"},
	}
	for _, pod := range operations(t, nodeFixture(t, "unreserved.yaml"), Options{}).Pods {
		w := want[pod.Name]
		if pod.Start.Code != w[0] || !slices.ContainsFunc(pod.Steps, func(s NodeStep) bool {
			return s.Actor == byController && strings.HasPrefix(s.Message, w[1])
		}) {
			t.Errorf("%s: got %+v, %+v", pod.Name, pod.Start, pod.Steps)
		}
		if pod.Name == "unmade" && !strings.Contains(pod.Start.Message, "ResourceClaimTemplate default/absent does not exist") {
			t.Errorf("the reason is missing: %s", pod.Start.Message)
		}
	}
}

// With the plugin of a driver goes what the kubelet knows of its devices.
func TestHealthWithoutPlugin(t *testing.T) {
	got, err := ResourceHealth(context.Background(), []byte(nodeFixture(t, "health.yaml")), Options{AbsentDrivers: "gpu.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range got.Pods[0].Devices {
		if d.Driver == "gpu.example.com" && (d.Health != "Unknown" || !strings.Contains(d.Message, "the plugin of gpu.example.com is not registered with the kubelet of ")) {
			t.Errorf("got %+v", d)
		}
	}
}

// A claim that is reserved is given back whether or not it could be prepared,
// and once if the pod lists it twice.
func TestGivenBack(t *testing.T) {
	given := func(pod PodOperations) (n int) {
		for _, s := range pod.Steps {
			if s.Actor == byController && s.Outcome == stepNext && strings.HasPrefix(s.Message, "takes the pod") {
				n++
			}
		}
		return n
	}
	for _, pod := range operations(t, nodeFixture(t, "not-started.yaml"), Options{FeatureGates: skippingGate}).Pods {
		if want := min(len(pod.Claims), 1); given(pod) != want {
			t.Errorf("%s: given back %d times, want %d", pod.Name, given(pod), want)
		}
	}
	if absent := operations(t, nodeFixture(t, "skipping.yaml"), Options{FeatureGates: skippingGate, AbsentDrivers: "gpu.example.com"}).Pods[0]; given(absent) != 1 {
		t.Errorf("got %+v", absent.Steps)
	}
}

// What a pod had when it started it has until it has gone; one that is deleted
// before it started gets nothing.
func TestDeletedPods(t *testing.T) {
	const at = "uid: 5b3f0a0e-0000-4000-8000-000000000002}\nspec:"
	text := nodeFixture(t, "health.yaml")
	deleted := strings.Replace(text, at, strings.Replace(at, "}", `, deletionTimestamp: "2026-11-30T10:00:00Z", deletionGracePeriodSeconds: 30}`, 1), 1)
	for _, tt := range []struct{ text, message, prepare, unprepare string }{
		{text, "it was prepared for the pod when that started", "Prepared", "Called"},
		{deleted, "it was prepared for the pod when that started", "Prepared", "Called"},
		{strings.Replace(deleted, "phase: Running", "phase: Pending", 1), "nothing is prepared for a pod that is being deleted", "NotReached", "NotReached"},
	} {
		pod := operations(t, tt.text, Options{}).Pods[0]
		c := pod.Claims[0]
		if d := c.Drivers[0]; c.Message != tt.message || d.Prepare != tt.prepare || d.Unprepare != tt.unprepare {
			t.Errorf("%s: got %q, %s and %s, want %q, %s and %s", pod.State, c.Message, d.Prepare, d.Unprepare, tt.message, tt.prepare, tt.unprepare)
		}
	}
}
