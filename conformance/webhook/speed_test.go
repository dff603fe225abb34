package webhook

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var full = flag.Bool("full", false, "measure at full length; takes minutes")

// bigSlice has as many devices as fit, each with what drivers publish.
func bigSlice(devices int) *resourceapi.ResourceSlice {
	node := "worker-1"
	s := &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: "worker-1-gpu.example.com-abcde", GenerateName: "worker-1-gpu.example.com-"},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: "gpu.example.com", NodeName: &node, Pool: resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
		},
	}
	for i := range devices {
		text := func(s string) resourceapi.DeviceAttribute { return resourceapi.DeviceAttribute{StringValue: &s} }
		yes, number, version := true, int64(i), "12.4.0"
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{
			Name: fmt.Sprintf("gpu-%d", i),
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				"uuid":         text(fmt.Sprintf("GPU-4cf8db2d-06c0-7d70-1a51-e59b25b2%04x", i)),
				"productName":  text("Example Accelerator 80GB"),
				"architecture": text("Example"),
				"index":        {IntValue: &number},
				"driver":       {VersionValue: &version},
				"healthy":      {BoolValue: &yes},
			},
			Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
				"memory": {Value: resource.MustParse("80Gi")},
				"cores":  {Value: resource.MustParse("132")},
			},
		})
	}
	return s
}

func reviewOfSlice(t testing.TB, devices int) []byte {
	return reviewOf(t, bigSlice(devices), "resourceslices", "ResourceSlice")
}

// callers are as many as an API server might have at work on two cores.
const callers = 8

// throughput is how many reviews a second a server answers if it gets the
// next as soon as it has answered one.
func throughput(t testing.TB, client *http.Client, address string, body []byte, length time.Duration) float64 {
	t.Helper()
	var answered atomic.Int64
	var work sync.WaitGroup
	begin := time.Now()
	for range callers {
		work.Go(func() {
			for time.Since(begin) < length {
				if err := ask(client, address, body); err != nil {
					t.Error(err)
					return
				}
				answered.Add(1)
			}
		})
	}
	work.Wait()
	return float64(answered.Load()) / time.Since(begin).Seconds()
}

// latency asks at a steady rate, whether answers come or not, and returns the
// time within which 99 of 100 were there.
func latency(t testing.TB, client *http.Client, address string, body []byte, rate float64, length time.Duration) time.Duration {
	t.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var work sync.WaitGroup
	n := int(rate * length.Seconds())
	begin := time.Now()
	for i := range n {
		due := begin.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		time.Sleep(time.Until(due))
		work.Go(func() {
			err := ask(client, address, body)
			d := time.Since(due)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, d)
			if err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	slices.Sort(took)
	return took[len(took)*99/100]
}

// TestSpeed holds us against a handler that does nothing but read and decode
// the same body: we must serve at least half as many reviews. Turns alternate,
// and the best of each counts, because what else a machine does only ever
// takes away.
func TestSpeed(t *testing.T) {
	control(t)
	ca := newAuthority(t)
	m := newMount(t, ca)
	ours, bare := startReplica(t, files(m)...), startBare(t, m)
	client := caller(ca)
	body := reviewOfSlice(t, resourceapi.ResourceSliceMaxDevices)

	length, turns := time.Second, 20
	if *full {
		length, turns = 5*time.Second, 10
	}
	throughput(t, client, ours.address, body, length)
	throughput(t, client, bare.address, body, length)
	var best, bestBare float64
	for turn := range turns {
		best = max(best, throughput(t, client, ours.address, body, length))
		bestBare = max(bestBare, throughput(t, client, bare.address, body, length))
		if turn >= 3 && best >= bestBare/2 && !*full {
			break
		}
	}
	t.Logf("a review of %d KiB: %.0f a second, bare %.0f a second: %.2f", len(body)>>10, best, bestBare, best/bestBare)
	if best < bestBare/2 {
		t.Errorf("%.0f reviews a second are less than half of the %.0f that can be read and decoded", best, bestBare)
	}

	// A machine that is busy with other things keeps the bare handler waiting,
	// too, and nobody can be asked for less than that.
	const limit = 10 * time.Millisecond
	var p99, p99Bare []time.Duration
	most := func() time.Duration {
		if *full {
			return limit
		}
		return limit + 3*slices.Min(p99Bare)
	}
	for turn := range turns {
		p99 = append(p99, latency(t, client, ours.address, body, best/2, length))
		p99Bare = append(p99Bare, latency(t, client, bare.address, body, best/2, length))
		if !*full && (slices.Min(p99) < limit || turn >= 4 && slices.Min(p99) < most()) {
			break
		}
	}
	t.Logf("99 of 100 at %.0f reviews a second: best turn %s, median %s; bare %s and %s",
		best/2, slices.Min(p99), median(p99), slices.Min(p99Bare), median(p99Bare))
	if slices.Min(p99) > most() {
		t.Errorf("99 of 100 reviews take %s at half of the load, not %s", slices.Min(p99), most())
	}
}

func median[T cmp.Ordered](list []T) T {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// TestMemoryStaysFlat sends very many reviews and looks at what is still held
// after the collections of garbage meanwhile.
func TestMemoryStaysFlat(t *testing.T) {
	control(t)
	ca := newAuthority(t)
	r := startReplica(t, files(newMount(t, ca))...)
	client := caller(ca)
	reviews := 20_000
	if *full {
		reviews = 200_000
	}
	bodies := [][]byte{reviewOfSlice(t, 4), reviewOf(t, someClaim(), "resourceclaims", "ResourceClaim")}
	var held []float64
	for range 4 {
		var work sync.WaitGroup
		var left atomic.Int64
		left.Store(int64(reviews / 4))
		for range callers {
			work.Go(func() {
				for n := left.Add(-1); n >= 0; n = left.Add(-1) {
					if err := ask(client, r.address, bodies[n%2]); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		work.Wait()
		held = append(held, heap(t, client, r))
	}
	t.Logf("MiB held after each quarter of %d reviews: %.1f", reviews, held)
	// The first quarter fills caches and pools. A hundred bytes for each review
	// would be seen at full length.
	if most := held[0] + 8; slices.Max(held[1:]) > most {
		t.Errorf("memory grows with the reviews: %.1f MiB", held)
	}
}

// heap is what lived through the collections of garbage, in MiB: the size at
// which the next one starts is twice that. The least of some looks counts,
// because what a review needs at that moment is no leak.
func heap(t *testing.T, client *http.Client, r *replica) float64 {
	t.Helper()
	least := 0.0
	for i := range 5 {
		// Some reviews in between, so that there is garbage to collect.
		for range 200 {
			if err := ask(client, r.address, reviewOfSlice(t, 16)); err != nil {
				t.Fatal(err)
			}
		}
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "https://"+r.address+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		m, err := parseMetrics(text)
		if err != nil {
			t.Fatal(err)
		}
		now := m.sum("go_memstats_next_gc_bytes") / 2 / (1 << 20)
		if now == 0 {
			t.Fatal("/metrics does not tell the size of the heap")
		}
		if i == 0 || now < least {
			least = now
		}
	}
	return least
}
