package kubelet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/klog/v2"
	healthpb "k8s.io/kubelet/pkg/apis/dra-health/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/dra/state"

	ours "github.com/drawbridge-dra/drawbridge/core/kubelet"
)

// stream gives one report to the manager and then says nothing more.
type stream struct {
	grpc.ClientStream
	ctx    context.Context
	report *healthpb.NodeWatchResourcesResponse
	// taken is closed when the report has been taken in.
	taken chan struct{}
	once  sync.Once
}

func (s *stream) Recv() (*healthpb.NodeWatchResourcesResponse, error) {
	if report := s.report; report != nil {
		s.report = nil
		return report, nil
	}
	s.once.Do(func() { close(s.taken) })
	<-s.ctx.Done()
	return nil, s.ctx.Err()
}

// report lets a driver report to the manager, and then makes each report as
// old as it is to be: the manager goes by its own clock.
func (j *judge) report(driver string, list []ours.Report) {
	j.t.Helper()
	s := &stream{ctx: j.ctx, taken: make(chan struct{}), report: &healthpb.NodeWatchResourcesResponse{}}
	for _, r := range list {
		s.report.Devices = append(s.report.Devices, &healthpb.DeviceHealth{
			Device:  &healthpb.DeviceIdentifier{PoolName: r.Pool, DeviceName: r.Device},
			Health:  map[corev1.ResourceHealthStatus]healthpb.HealthStatus{corev1.ResourceHealthStatusHealthy: healthpb.HealthStatus_HEALTHY, corev1.ResourceHealthStatusUnhealthy: healthpb.HealthStatus_UNHEALTHY}[r.Health],
			Message: r.Message, HealthCheckTimeoutSeconds: r.Timeout,
		})
	}
	j.streams.Go(func() { _ = j.HandleWatchResourcesStream(j.ctx, s, driver) })
	<-s.taken
	cache := reflect.ValueOf(j.Manager).Elem().FieldByName("healthInfoCache")
	info := reflect.NewAt(cache.Type(), unsafe.Pointer(cache.UnsafeAddr())).Elem().Elem().FieldByName("HealthInfo").Interface().(*state.DevicesHealthMap)
	devices := (*info)[driver].Devices
	for _, r := range list {
		if d, known := devices[r.Pool+"/"+r.Device]; known {
			d.LastUpdated = time.Now().Add(-time.Duration(r.Age) * time.Second)
			devices[r.Pool+"/"+r.Device] = d
		}
	}
}

// reports makes reports about some devices of all claims.
func (g *generator) reports(w *world) map[string][]ours.Report {
	out := map[string][]ours.Report{}
	for i := range mostClaims {
		c := w.claims[fmt.Sprintf("ns/claim-%d", i)]
		if c == nil || c.Status.Allocation == nil {
			continue
		}
		for _, r := range c.Status.Allocation.Devices.Results {
			if g.chance(20) {
				continue
			}
			out[r.Driver] = append(out[r.Driver], ours.Report{
				Pool: r.Pool, Device: r.Device, Health: pick(g, corev1.ResourceHealthStatusHealthy, corev1.ResourceHealthStatusUnhealthy, corev1.ResourceHealthStatusUnknown),
				Message: g.message(), Age: pick[int64](g, 0, 0, 10, 45, 7000), Timeout: pick[int64](g, 0, 0, -5, 60, 5000),
			})
		}
	}
	return out
}

// message makes messages, some at the limit and some in characters of several
// bytes.
func (g *generator) message() string {
	switch g.IntN(4) {
	case 0:
		return ""
	case 1:
		return "hot"
	case 2:
		return strings.Repeat("x", ours.MostMessage-3+g.IntN(8))
	}
	return strings.Repeat("ä", 505+g.IntN(15))
}

// TestHealth compares what is written into the status of pods.
func TestHealth(t *testing.T) {
	all := startDrivers(t, driverNames...)
	seen := map[string]int{}
	for n, gates := range gateSets {
		t.Run(fmt.Sprintf("gates-%d", n), func(t *testing.T) {
			setGates(t, gates)
			for seed := range 60 {
				t.Run("", func(t *testing.T) { compareHealth(t, all, gates, uint64(n*1000+seed), seen) })
			}
		})
	}
	t.Log(seen)
	for _, what := range []string{"Healthy", "Unhealthy", "Unknown", "message", "cut", "CDI", "own name", "request"} {
		if seen[what] < 10 {
			t.Errorf("%s was met %d times", what, seen[what])
		}
	}
}

func compareHealth(t *testing.T, all *drivers, gates ours.Gates, seed uint64, seen map[string]int) {
	s := newScene(t, all, gates, rand.NewPCG(seed, 46), 100)
	g, w, j, k, pods := s.generator, s.world, s.judge, s.ours, s.pods
	spoilt := false
	for _, pod := range pods {
		if p := k.Start(pod).Problem; p != nil && p.Code == ours.ListedTwice {
			spoilt = true // the manager keeps what the drivers answered all the same
		}
		_ = j.PrepareResources(j.ctx, pod)
	}
	if spoilt {
		return
	}
	h := &ours.Health{}
	reports := g.reports(w)
	for _, driver := range driverNames {
		j.report(driver, reports[driver])
		for _, r := range reports[driver] {
			h.Report(driver, r)
		}
	}
	for _, pod := range pods {
		status := &corev1.PodStatus{}
		for _, c := range pod.Spec.Containers {
			status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{Name: c.Name})
		}
		j.UpdateAllocatedResourcesStatus(klog.Logger{}, pod, status)
		var judged, told []string
		for _, c := range status.ContainerStatuses {
			judged = append(judged, lines(c.Name, c.AllocatedResourcesStatus)...)
		}
		for _, c := range k.Statuses(pod, h) {
			told = append(told, lines(c.Container, c.Status)...)
			count(seen, c.Status)
		}
		slices.Sort(judged)
		slices.Sort(told)
		if !slices.Equal(judged, told) {
			t.Fatalf("seed %d, pod %s: the kubelet writes\n%s\nwe expect\n%s", seed, pod.Name, strings.Join(judged, "\n"), strings.Join(told, "\n"))
		}
	}
}

// lines writes a status down, which has no order.
func lines(container string, list []corev1.ResourceStatus) []string {
	var out []string
	for _, s := range list {
		for _, r := range s.Resources {
			message := "none"
			if r.Message != nil {
				message = fmt.Sprintf("%q", *r.Message)
			}
			out = append(out, fmt.Sprintf("%s %s %s %s %s", container, s.Name, r.ResourceID, r.Health, message))
		}
	}
	return out
}

func count(seen map[string]int, list []corev1.ResourceStatus) {
	for _, s := range list {
		if strings.Contains(string(s.Name), "/") {
			seen["request"]++
		}
		for _, r := range s.Resources {
			seen[string(r.Health)]++
			if r.Message != nil {
				seen["message"]++
				if len(*r.Message) == ours.MostMessage && strings.HasSuffix(*r.Message, "...") {
					seen["cut"]++
				}
			}
			if strings.Contains(string(r.ResourceID), "=") {
				seen["CDI"]++
			} else {
				seen["own name"]++
			}
		}
	}
}

// TestManyDevices reports more devices than a kubelet keeps.
func TestManyDevices(t *testing.T) {
	setGates(t, gateSets[0])
	all := startDrivers(t, driverNames...)
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2))}
	pod := g.pod(0)
	w := &world{}
	j := newJudge(t, w, all)
	driver := driverNames[0]
	h := &ours.Health{}
	var list []ours.Report
	for i := range ours.MostDevices + 3 {
		list = append(list, ours.Report{Pool: "p", Device: fmt.Sprintf("d%d", i), Health: corev1.ResourceHealthStatusHealthy})
	}
	list = append(list, ours.Report{Pool: "p", Device: "d0", Health: corev1.ResourceHealthStatusUnhealthy})
	j.report(driver, list)
	for _, r := range list {
		h.Report(driver, r)
	}
	if h.Ignored[driver] != 3 {
		t.Errorf("%d devices are ignored", h.Ignored[driver])
	}
	claim := g.claim(0, []*corev1.Pod{pod})
	claim.OwnerReferences, claim.Status.Allocation = nil, g.allocation(0)
	claim.Status.Allocation.Devices.Results = claim.Status.Allocation.Devices.Results[:1]
	result := claim.Status.Allocation.Devices.Results[0]
	result.Driver, result.Pool, result.SkipNodeOperations = driver, "p", nil
	claim.Status.Allocation.Devices.Results = nil
	for _, i := range []int{0, 1, ours.MostDevices - 1, ours.MostDevices, ours.MostDevices + 2} {
		result.Device = fmt.Sprintf("d%d", i)
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results, result)
	}
	claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
	w.claims = map[string]*resourceapi.ResourceClaim{"ns/claim-0": claim}
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "e", ResourceClaimName: &claim.Name}}
	pod.Status = corev1.PodStatus{}
	pod.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "e"}}}}}
	j.register(driver, true)
	k := j.ours(w, gateSets[0])
	if p := k.Start(pod).Problem; p != nil {
		t.Fatal(p.Words)
	}
	if err := j.PrepareResources(j.ctx, pod); err != nil {
		t.Fatal(err)
	}
	status := &corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "c"}}}
	j.UpdateAllocatedResourcesStatus(klog.Logger{}, pod, status)
	judged, told := lines("c", status.ContainerStatuses[0].AllocatedResourcesStatus), lines("c", k.Statuses(pod, h)[0].Status)
	slices.Sort(judged)
	slices.Sort(told)
	if !slices.Equal(judged, told) || len(told) != 5 {
		t.Errorf("the kubelet writes\n%s\nwe expect\n%s", strings.Join(judged, "\n"), strings.Join(told, "\n"))
	}
}
