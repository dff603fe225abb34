package webhook

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// someClaim is an object that both configurations are for, and that is right.
func someClaim() *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "load", Namespace: metav1.NamespaceDefault},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{
			Name: "gpu", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "gpu.example.com"},
		}}}},
	}
}

// tryClaim lets the API server admit a claim and store nothing.
func tryClaim(ctx context.Context) error {
	_, err := plane.client.ResourceV1().ResourceClaims(metav1.NamespaceDefault).
		Create(ctx, someClaim(), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

// load is what users do to the API server meanwhile: requests that each make
// it call the webhook in both phases.
type load struct {
	stop   context.CancelFunc
	work   sync.WaitGroup
	begun  time.Time
	sent   atomic.Int64
	failed atomic.Int64

	mu       sync.Mutex
	problems []string
}

// rate is how many requests a second the tests promise to survive. A machine
// that cannot send as many sends what it can.
const rate = 200

// senders are how many requests come at once: load comes in bursts, so that
// connections that a quiet moment would leave alone are used all the time.
const senders = 16

func startLoad(t *testing.T) *load {
	t.Helper()
	client, err := kubernetes.NewForConfig(unhurried(plane.Config()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &load{stop: cancel, begun: time.Now()}
	due := make(chan struct{})
	l.work.Go(func() {
		defer close(due)
		tick := time.NewTicker(senders * time.Second / rate)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			for range senders {
				select {
				case <-ctx.Done():
					return
				case due <- struct{}{}:
				}
			}
		}
	})
	for range senders {
		l.work.Go(func() {
			for range due {
				l.send(client)
			}
		})
	}
	t.Cleanup(func() {
		cancel()
		l.work.Wait()
	})
	return l
}

// send does not end with the load: what was begun is seen through.
func (l *load) send(client kubernetes.Interface) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l.sent.Add(1)
	_, err := client.ResourceV1().ResourceClaims(metav1.NamespaceDefault).
		Create(ctx, someClaim(), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil {
		return
	}
	l.failed.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.problems) < 5 {
		l.problems = append(l.problems, fmt.Sprintf("after %s: %v", time.Since(l.begun).Round(time.Millisecond), err))
	}
}

// end stops the load and says how much there was.
func (l *load) end(t *testing.T) {
	t.Helper()
	l.stop()
	l.work.Wait()
	t.Logf("%d requests in %s, %.0f a second; %d failed", l.sent.Load(), time.Since(l.begun).Round(time.Second),
		float64(l.sent.Load())/time.Since(l.begun).Seconds(), l.failed.Load())
}

// unfailed ends the load and fails the test if any of it did.
func (l *load) unfailed(t *testing.T) {
	t.Helper()
	l.end(t)
	if l.sent.Load() == 0 {
		t.Error("nothing was sent")
	}
	if n := l.failed.Load(); n > 0 {
		t.Errorf("%d requests failed: %q", n, l.problems)
	}
}
