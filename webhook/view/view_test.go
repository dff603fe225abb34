package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

var resources = []string{"resourceslices", "deviceclasses", "resourceclaims", "resourceclaimtemplates"}

// cluster is a fake API server that serves resource.k8s.io in one version.
func cluster(version string, objects ...runtime.Object) *fake.Clientset {
	c := fake.NewClientset(objects...)
	if version != "" {
		list := &metav1.APIResourceList{GroupVersion: "resource.k8s.io/" + version}
		for _, r := range resources {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: r})
		}
		c.Resources = []*metav1.APIResourceList{list}
	}
	return c
}

// clock is a time that tests move.
type clock struct{ ns atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ns.Store(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) now() time.Time          { return time.Unix(0, c.ns.Load()) }
func (c *clock) advance(d time.Duration) { c.ns.Add(int64(d)) }

// run starts a view, which ends with the test.
func run(t *testing.T, client *fake.Clientset, change func(*Config)) *View {
	t.Helper()
	cfg := Config{
		Client: client, Pods: true, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		FirstBackoff: 5 * time.Millisecond, MostBackoff: 20 * time.Millisecond, Again: 10 * time.Millisecond,
	}
	if change != nil {
		change(&cfg)
	}
	v := New(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { v.Run(ctx); close(done) }()
	t.Cleanup(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Error("the view does not end")
		}
	})
	return v
}

// eventually waits for something to become true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

func node(name string, labels map[string]string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "a"}}}}
}

func sliceOf(name, pool string, devices int) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "a"}}}}
	s.Spec.Driver, s.Spec.Pool = "acc.example.test", resourcev1.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}
	for i := range devices {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprint("d", i)})
	}
	return s
}

func known1(v *View) bool { return len(v.Freshness().Unknown) == 0 }

func TestFollows(t *testing.T) {
	template := "t"
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p"}, Spec: corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{Name: "a", ResourceClaimTemplateName: &template}}}}
	other := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "q"}}
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c"}, Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
		Requests: []resourcev1.DeviceRequest{{Name: "r", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "acc"}}},
	}}}
	client := cluster("v1", node("n1", map[string]string{"kubernetes.io/hostname": "h1"}), sliceOf("s1", "p1", 2),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ns", Labels: map[string]string{"team": "a"}}},
		&resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "acc"}}, claim, pod, other)
	v := run(t, client, nil)
	eventually(t, "all kinds are known", func() bool { return known1(v) })

	if labels, ok := v.NodeLabels("n1"); !ok || labels["kubernetes.io/hostname"] != "h1" {
		t.Errorf("n1 has labels %v", labels)
	}
	if labels, ok := v.NamespaceLabels("ns"); !ok || labels["team"] != "a" {
		t.Errorf("ns has labels %v", labels)
	}
	if class, ok := v.ClassFor("deviceclass.resource.kubernetes.io/acc"); !ok || class != "acc" {
		t.Errorf("the class is %q", class)
	}
	if u := v.UsersOfClass("acc"); u.ClaimCount != 1 || u.Claims[0] != "ns/c" {
		t.Errorf("acc is used by %+v", u)
	}
	if u := v.UsersOfTemplate("ns", "t"); u.PodCount != 1 || u.Pods[0] != "ns/p" {
		t.Errorf("t is used by %+v", u)
	}
	for _, k := range v.kinds {
		if k.name == pods && k.objects.Load() != 1 {
			t.Errorf("%d pods are kept", k.objects.Load())
		}
	}
	a := v.Around(sliceOf("s2", "p1", 1))
	if len(a.Pool) != 1 || a.Pool[0].Name != "s1" || a.Pool[0].ManagedFields != nil {
		t.Errorf("around s2 is %+v", a.Pool)
	}

	ctx := context.Background()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(client.ResourceV1().ResourceSlices().Create(ctx, sliceOf("s3", "p1", 1), metav1.CreateOptions{}))
	eventually(t, "s3 is known", func() bool { return len(v.Around(sliceOf("s2", "p1", 1)).Pool) == 2 })
	must(client.ResourceV1().ResourceSlices().Update(ctx, sliceOf("s3", "p2", 1), metav1.UpdateOptions{}))
	eventually(t, "s3 has moved to another pool", func() bool { return len(v.Around(sliceOf("s2", "p2", 1)).Pool) == 1 })
	must(nil, client.ResourceV1().ResourceSlices().Delete(ctx, "s1", metav1.DeleteOptions{}))
	eventually(t, "s1 is gone", func() bool { return len(v.Around(sliceOf("s2", "p1", 1)).Pool) == 0 })
	done := pod.DeepCopy()
	done.Status.Phase = corev1.PodSucceeded
	must(client.CoreV1().Pods("ns").UpdateStatus(ctx, done, metav1.UpdateOptions{}))
	eventually(t, "the pod that is done uses no template", func() bool { return v.UsersOfTemplate("ns", "t").None() })
}

func TestOlderVersion(t *testing.T) {
	name := "n1"
	old := &resourcev1beta1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "s1"}, Spec: resourcev1beta1.ResourceSliceSpec{
		Driver: "acc.example.test", NodeName: name, Pool: resourcev1beta1.ResourcePool{Name: "p1", Generation: 1, ResourceSliceCount: 1},
		Devices: []resourcev1beta1.Device{{Name: "d0", Basic: &resourcev1beta1.BasicDevice{Attributes: map[resourcev1beta1.QualifiedName]resourcev1beta1.DeviceAttribute{"model": {StringValue: &name}}}}},
	}}
	v := run(t, cluster("v1beta1", old), nil)
	eventually(t, "all kinds are known", func() bool { return known1(v) })
	a := v.Around(sliceOf("s2", "p1", 1))
	if len(a.Pool) != 1 || a.Pool[0].Spec.NodeName == nil || *a.Pool[0].Spec.NodeName != "n1" || a.Pool[0].Spec.Devices[0].Attributes["model"].StringValue == nil {
		t.Errorf("the slice is %+v", a.Pool)
	}
	d := v.Around(&resourcev1.DeviceClass{}).Drivers["acc.example.test"]
	if d == nil || d.Attributes["acc.example.test/model"] == nil {
		t.Errorf("the driver publishes %+v", d)
	}
}

// TestRefused lets one kind be read later than the others.
func TestRefused(t *testing.T) {
	client := cluster("v1", &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "acc"}}, node("n1", nil))
	var allowed atomic.Bool
	client.PrependReactor("list", "deviceclasses", func(clienttesting.Action) (bool, runtime.Object, error) {
		if allowed.Load() {
			return false, nil, nil
		}
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Group: "resource.k8s.io", Resource: "deviceclasses"}, "", errors.New("no rights"))
	})
	v := run(t, client, nil)
	eventually(t, "everything else is known", func() bool {
		f := v.Freshness()
		return slices.Equal(f.Unknown, []string{"DeviceClass"}) && len(f.Pending) == 0
	})
	var status strings.Builder
	if err := v.WriteStatus(&status); err != nil || !strings.Contains(status.String(), "cluster DeviceClass: may not be read; cut off: forbidden") {
		t.Errorf("status is\n%s", status.String())
	}
	if _, ok := v.NodeLabels("n1"); !ok {
		t.Error("n1 is not known for want of rights to something else")
	}
	allowed.Store(true)
	eventually(t, "the class is known", func() bool { _, ok := v.ClassFor("deviceclass.resource.kubernetes.io/acc"); return ok && known1(v) })
}

// TestBeforeSync asks while the API server has no time for slices.
func TestBeforeSync(t *testing.T) {
	client := cluster("v1", sliceOf("s1", "p1", 1))
	var busy atomic.Bool
	busy.Store(true)
	client.PrependReactor("list", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) {
		if busy.Load() {
			return true, nil, apierrors.NewTooManyRequests("busy", 1)
		}
		return false, nil, nil
	})
	v := run(t, client, nil)
	eventually(t, "everything else is known", func() bool { return slices.Equal(v.Freshness().Pending, []string{"ResourceSlice"}) })
	if a := v.Around(sliceOf("s2", "p1", 1)); len(a.Pool) != 0 || a.Freshness.Knows("ResourceSlice") {
		t.Errorf("known before it was read: %+v", a)
	}
	busy.Store(false)
	eventually(t, "the slices are known", func() bool { return known1(v) && len(v.Around(sliceOf("s2", "p1", 1)).Pool) == 1 })
}

// TestCutOff takes the API server away, and gives it back with other objects.
func TestCutOff(t *testing.T) {
	client := cluster("v1", sliceOf("s1", "p1", 1))
	var away atomic.Bool
	watches := make(chan *watch.RaceFreeFakeWatcher, 100)
	gone := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	client.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		if away.Load() {
			return true, nil, gone
		}
		return false, nil, nil
	})
	client.PrependWatchReactor("resourceslices", func(clienttesting.Action) (bool, watch.Interface, error) {
		if away.Load() {
			return true, nil, gone
		}
		w := watch.NewRaceFreeFake()
		watches <- w
		return true, w, nil
	})
	now := newClock()
	v := run(t, client, func(c *Config) { c.Now = now.now })
	eventually(t, "all kinds are known", func() bool { return known1(v) })
	w := <-watches

	now.advance(2 * time.Minute)
	w.Action(watch.Bookmark, &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "7"}})
	eventually(t, "the sign of life is noted", func() bool { return v.kinds[0].age(now.now()) == 0 })

	away.Store(true)
	w.Stop()
	eventually(t, "the failure is noted", func() bool { return v.kinds[0].trouble.Load() == "unreachable" })
	now.advance(4 * time.Minute)
	f := v.Freshness()
	if !slices.Contains(f.Stale, "ResourceSlice") || f.Seconds < 240 || len(f.Unknown) > 0 {
		t.Errorf("cut off for 4 minutes: %+v", f)
	}
	if a := v.Around(sliceOf("s2", "p1", 1)); len(a.Pool) != 1 {
		t.Error("what was known is lost")
	}

	if err := client.Tracker().Delete(schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceslices"}, "", "s1"); err != nil {
		t.Fatal(err)
	}
	away.Store(false)
	// The watch that comes next ends, as one does whose version is too old.
	eventually(t, "the change that nobody saw is known", func() bool {
		select {
		case w := <-watches:
			w.Error(&apierrors.NewResourceExpired("too old").ErrStatus)
		default:
		}
		return len(v.Around(sliceOf("s2", "p1", 1)).Pool) == 0
	})
	if v.kinds[0].failures[reasonOf(gone)].Load() == 0 || v.kinds[0].failures[reasonOf(apierrors.NewResourceExpired(""))].Load() == 0 {
		t.Error("the failures were not counted")
	}
}

// TestNotServed looks at a cluster that has no dynamic resource allocation.
func TestNotServed(t *testing.T) {
	client := cluster("")
	v := run(t, client, nil)
	eventually(t, "the kinds are found missing", func() bool { return known1(v) })
	if u := v.UsersOfClass("acc"); !u.None() {
		t.Errorf("acc is used by %+v", u)
	}
	if len(v.Freshness().Pending) != 0 {
		t.Errorf("waits for what is not there: %+v", v.Freshness())
	}
}

func TestReasons(t *testing.T) {
	group := schema.GroupResource{Resource: "nodes"}
	for want, err := range map[string]error{
		"forbidden":    apierrors.NewForbidden(group, "", nil),
		"unauthorized": apierrors.NewUnauthorized(""),
		"not-found":    fmt.Errorf("listing: %w", apierrors.NewNotFound(group, "")),
		"expired":      apierrors.NewResourceExpired(""),
		"throttled":    apierrors.NewTooManyRequests("", 1),
		"timeout":      context.DeadlineExceeded,
		"unreachable":  &net.OpError{Op: "dial", Err: errors.New("refused")},
		"other":        errors.New("else"),
	} {
		if got := reasons[reasonOf(err)]; got != want {
			t.Errorf("%v is %s, want %s", err, got, want)
		}
	}
}
