package webhook

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestStorm publishes 5,000 slices at once, as drivers do after a cluster was
// started anew, with the webhook registered as deploy/ has it. None may be
// refused, whatever the machine is doing; the last ones must not take longer
// than the first; and the webhook must cost no more than a few times what the
// API server takes alone.
func TestStorm(t *testing.T) {
	control(t)
	ca := newAuthority(t)
	r := startReplica(t, append(files(newMount(t, ca)), viewFlags()...)...)
	b := newBalancer(t, r)
	t.Cleanup(func() {
		err := plane.client.ResourceV1().ResourceSlices().DeleteCollection(context.WithoutCancel(t.Context()),
			metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "storm=yes"})
		if err != nil {
			t.Error(err)
		}
	})

	const turns, each = 10, 500
	alone := slices.Min([]time.Duration{publish(t, "alone-0", each, true), publish(t, "alone-1", each, true)})
	register(t, registration{at: b.Addr(), caBundle: ca.bundle()})
	told, err := scrape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var took []time.Duration
	var lost []float64 // of the calls of each turn
	for turn := range turns {
		took = append(took, publish(t, fmt.Sprintf("turn-%d", turn), each, false))
		before := told
		if told, err = scrape(t.Context()); err != nil {
			t.Fatal(err)
		}
		if asked := told.calls() - before.calls(); asked < each {
			t.Errorf("turn %d: only %v calls", turn, asked)
		}
		lost = append(lost, told.failedOpen()-before.failedOpen())
	}
	t.Logf("calls that failed open in each turn of at least %d: %v", each, lost)
	// A machine that starves may keep some calls for longer than two seconds;
	// the best turn counts.
	if slices.Min(lost) > each/10 {
		t.Errorf("in each turn more than a tenth of %d calls was not answered: %v", each, lost)
	}
	awaitView(t, r, fmt.Sprintf("cluster ResourceSlice: known, %d objects", turns*each))
	held := heap(t, caller(ca), r)
	first, last := slices.Min(took[:turns/2]), slices.Min(took[turns/2:])
	t.Logf("%d slices: the first turns take %s, the last %s, without the webhook and without storing %s; %.0f MiB held", turns*each, first, last, alone, held)
	if last > 3*first {
		t.Errorf("with thousands of slices in the cluster %d more take %s, and took %s at first", each, last, first)
	}
	if most := 20 * alone; last > most {
		t.Errorf("%d slices take %s, more than %s", each, last, most)
	}
	if held > 512 {
		t.Errorf("%.0f MiB are held", held)
	}
}

// publishers are how many slices are on their way at once.
const publishers = 40

// publish creates that many slices, each of a pool of its own.
func publish(t *testing.T, name string, n int, dry bool) time.Duration {
	t.Helper()
	client, err := kubernetes.NewForConfig(unhurried(plane.Config()))
	if err != nil {
		t.Fatal(err)
	}
	var options metav1.CreateOptions
	if dry {
		options.DryRun = []string{metav1.DryRunAll}
	}
	var next atomic.Int64
	var work sync.WaitGroup
	begin := time.Now()
	for range publishers {
		work.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				slice := bigSlice(4)
				node := fmt.Sprintf("%s-%d", name, i)
				slice.Name, slice.GenerateName, slice.Labels = node, "", map[string]string{"storm": "yes"}
				slice.Spec.NodeName, slice.Spec.Pool.Name = &node, node
				if _, err := client.ResourceV1().ResourceSlices().Create(t.Context(), slice, options); err != nil {
					t.Errorf("%s: %v", node, err)
					return
				}
			}
		})
	}
	work.Wait()
	return time.Since(begin)
}
