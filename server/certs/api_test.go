package certs

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	admissionclient "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"
)

var (
	secrets     = corev1.SchemeGroupVersion.WithResource("secrets")
	mutatings   = admissionv1.SchemeGroupVersion.WithResource("mutatingwebhookconfigurations")
	validatings = admissionv1.SchemeGroupVersion.WithResource("validatingwebhookconfigurations")
)

// fakeAPI is one API server for several replicas. Unlike client-go's own fake
// it holds writers to the resourceVersion.
type fakeAPI struct {
	mu      sync.Mutex
	tracker clienttesting.ObjectTracker
	react   clienttesting.ReactionFunc
	version int
	// wrote is called, with the lock, after every write.
	wrote func(schema.GroupVersionResource)
}

func newFakeAPI(objects ...runtime.Object) *fakeAPI {
	tracker := clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())
	a := &fakeAPI{tracker: tracker, react: clienttesting.ObjectReaction(tracker), wrote: func(schema.GroupVersionResource) {}}
	for _, o := range objects {
		a.put(o)
	}
	return a
}

// put creates or overwrites an object, as somebody who does not care.
func (a *fakeAPI) put(o runtime.Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o = o.DeepCopyObject()
	var gvr schema.GroupVersionResource
	switch o.(type) {
	case *corev1.Secret:
		gvr = secrets
	case *admissionv1.MutatingWebhookConfiguration:
		gvr = mutatings
	case *admissionv1.ValidatingWebhookConfiguration:
		gvr = validatings
	}
	m, _ := meta.Accessor(o)
	a.stamp(m)
	if err := a.tracker.Update(gvr, o, m.GetNamespace()); err != nil {
		if err := a.tracker.Create(gvr, o, m.GetNamespace()); err != nil {
			panic(err)
		}
	}
	a.wrote(gvr)
}

func (a *fakeAPI) stamp(m metav1.Object) {
	a.version++
	m.SetResourceVersion(strconv.Itoa(a.version))
}

func (a *fakeAPI) delete(gvr schema.GroupVersionResource, namespace, name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.tracker.Delete(gvr, namespace, name); err != nil {
		panic(err)
	}
}

// get reads an object, which is the caller's then.
func (a *fakeAPI) get(gvr schema.GroupVersionResource, namespace, name string) runtime.Object {
	o, err := a.tracker.Get(gvr, namespace, name)
	if err != nil {
		return nil
	}
	return o.DeepCopyObject()
}

func (a *fakeAPI) secret() *corev1.Secret {
	s, _ := a.get(secrets, "drawbridge", "drawbridge-certificates").(*corev1.Secret)
	return s
}

func (a *fakeAPI) mutating() *admissionv1.MutatingWebhookConfiguration {
	c, _ := a.get(mutatings, "", "drawbridge").(*admissionv1.MutatingWebhookConfiguration)
	return c
}

func (a *fakeAPI) validating() *admissionv1.ValidatingWebhookConfiguration {
	c, _ := a.get(validatings, "", "drawbridge").(*admissionv1.ValidatingWebhookConfiguration)
	return c
}

// do is what an API server does with a request.
func (a *fakeAPI) do(action clienttesting.Action) (bool, runtime.Object, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	gvr := action.GetResource()
	switch act := action.(type) {
	case clienttesting.UpdateActionImpl:
		given, _ := meta.Accessor(act.GetObject())
		old, err := a.tracker.Get(gvr, act.GetNamespace(), given.GetName())
		if err != nil {
			return true, nil, err
		}
		if m, _ := meta.Accessor(old); m.GetResourceVersion() != given.GetResourceVersion() {
			return true, nil, apierrors.NewConflict(gvr.GroupResource(), given.GetName(), errors.New("the object has been modified"))
		}
		a.stamp(given)
	case clienttesting.CreateActionImpl:
		given, _ := meta.Accessor(act.GetObject())
		a.stamp(given)
	}
	handled, o, err := a.react(action)
	if act, ok := action.(clienttesting.PatchActionImpl); ok {
		if err != nil && !apierrors.IsNotFound(err) {
			return true, nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
		}
		if err == nil {
			m, _ := meta.Accessor(o)
			a.stamp(m)
			err = a.tracker.Update(gvr, o, act.GetNamespace())
		}
	}
	if err == nil && (action.GetVerb() == "create" || action.GetVerb() == "update" || action.GetVerb() == "patch") {
		a.wrote(gvr)
	}
	return handled, o, err
}

// wire is one replica's way to the API server. before may delay a request or
// let it fail; after may lose its answer.
type wire struct {
	admissionclient.AdmissionregistrationV1Interface
	coreclient.SecretsGetter
	*fake.Clientset
}

// IsWatchListSemanticsUnSupported says that there are no bookmarks here.
func (wire) IsWatchListSemanticsUnSupported() bool { return true }

func (a *fakeAPI) wire(before, after func(clienttesting.Action) error) wire {
	set := &fake.Clientset{}
	set.AddReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if before != nil {
			if err := before(action); err != nil {
				return true, nil, err
			}
		}
		handled, o, err := a.do(action)
		if after != nil {
			if err := after(action); err != nil {
				return true, nil, err
			}
		}
		return handled, o, err
	})
	set.AddWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
		w, err := a.tracker.Watch(action.GetResource(), action.GetNamespace())
		return true, w, err
	})
	return wire{set.AdmissionregistrationV1(), set.CoreV1(), set}
}

const host = "drawbridge.drawbridge.svc"

// testConfig has short lives, so that much happens in a simulated day.
func testConfig(w wire, clk clock.WithTicker, jitter float64, log *slog.Logger) Config {
	return Config{
		Namespace: "drawbridge", Secret: "drawbridge-certificates", Mutating: "drawbridge", Validating: "drawbridge",
		Names:    ServiceNames("drawbridge", "drawbridge"),
		Validity: 100 * time.Minute, RenewAfter: 60 * time.Minute, CAValidity: 7 * time.Hour, CARenewAfter: 3 * time.Hour, Overlap: 15 * time.Minute,
		Secrets: w, Configurations: w, Clock: clk, Jitter: &jitter, Logger: log,
	}
}

// clientConfig leads to a service, with a bundle.
func clientConfig(service string, bundle []byte) admissionv1.WebhookClientConfig {
	return admissionv1.WebhookClientConfig{
		Service:  &admissionv1.ServiceReference{Namespace: "drawbridge", Name: service, Port: ptr(int32(443))},
		CABundle: bundle,
	}
}

func ptr[T any](v T) *T { return &v }

// configurations are as they are applied, without caBundle; each has an entry
// of somebody else in the middle.
func configurations(bundle []byte) []runtime.Object {
	mutating := &admissionv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "drawbridge"}}
	validating := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "drawbridge"}}
	for i, service := range []string{"drawbridge", "somebody-else", "drawbridge"} {
		b := bundle
		if service != "drawbridge" {
			b = []byte("theirs")
		}
		name := fmt.Sprintf("w%d.example.com", i)
		mutating.Webhooks = append(mutating.Webhooks, admissionv1.MutatingWebhook{Name: name, ClientConfig: clientConfig(service, b)})
		validating.Webhooks = append(validating.Webhooks, admissionv1.ValidatingWebhook{Name: name, ClientConfig: clientConfig(service, b)})
	}
	return []runtime.Object{mutating, validating}
}

// bundles are what the entries that lead to us have, and a complaint if an
// entry of somebody else was touched.
func (a *fakeAPI) bundles(t *testing.T) [][]byte {
	t.Helper()
	var out [][]byte
	take := func(c admissionv1.WebhookClientConfig) {
		if c.Service.Name == "drawbridge" {
			out = append(out, c.CABundle)
		} else if string(c.CABundle) != "theirs" {
			t.Fatalf("the entry of somebody else has %q now", c.CABundle)
		}
	}
	if c := a.mutating(); c != nil {
		for _, w := range c.Webhooks {
			take(w.ClientConfig)
		}
	}
	if c := a.validating(); c != nil {
		for _, w := range c.Webhooks {
			take(w.ClientConfig)
		}
	}
	return out
}
