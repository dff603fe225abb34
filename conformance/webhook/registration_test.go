package webhook

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// What deploy/ calls its objects.
const (
	configurationName = "drawbridge"
	ownNamespace      = "drawbridge"
	serviceName       = "drawbridge.drawbridge.svc"
)

// deployed are the objects of an overlay of deploy/, as `kubectl kustomize`
// renders them.
type deployed struct {
	mutating   *admissionregistrationv1.MutatingWebhookConfiguration
	validating *admissionregistrationv1.ValidatingWebhookConfiguration
	deployment *appsv1.Deployment
}

// rendered is the overlay that most clusters install.
var rendered = sync.OnceValues(func() (string, error) {
	out, err := exec.Command(plane.kubectl, "kustomize", filepath.Join(root, "deploy", "overlays", "cert-manager")).Output()
	return string(out), err
})

func readDeployed(t testing.TB) deployed {
	t.Helper()
	text, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	var d deployed
	documents := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var kind metav1.TypeMeta
		if err := sigsyaml.Unmarshal(document, &kind); err != nil {
			t.Fatal(err)
		}
		switch kind.Kind {
		case "MutatingWebhookConfiguration":
			d.mutating = decode[admissionregistrationv1.MutatingWebhookConfiguration](t, document)
		case "ValidatingWebhookConfiguration":
			d.validating = decode[admissionregistrationv1.ValidatingWebhookConfiguration](t, document)
		case "Deployment":
			d.deployment = decode[appsv1.Deployment](t, document)
		}
	}
	if d.mutating == nil || d.validating == nil || d.deployment == nil {
		t.Fatal("deploy/ has no MutatingWebhookConfiguration, ValidatingWebhookConfiguration or Deployment")
	}
	return d
}

func decode[T any](t testing.TB, document []byte) *T {
	t.Helper()
	object := new(T)
	if err := sigsyaml.UnmarshalStrict(document, object); err != nil {
		t.Fatal(err)
	}
	return object
}

// outOfAPod are arguments of the Deployment that only mean something in one;
// the tests give others.
var outOfAPod = []string{"--in-cluster", "--tls-cert-file", "--tls-private-key-file"}

// deployedArgs are the other ones.
func deployedArgs(t testing.TB) []string {
	t.Helper()
	var args []string
	for _, arg := range readDeployed(t).deployment.Spec.Template.Spec.Containers[0].Args {
		name, _, _ := strings.Cut(arg, "=")
		if !slices.Contains(outOfAPod, name) {
			args = append(args, arg)
		}
	}
	return args
}

// registration says how the webhook is registered.
type registration struct {
	// at is where it is found.
	at       net.Addr
	caBundle []byte
	// policy replaces the failurePolicy of every webhook if it is not empty.
	// With Fail the API server also waits for longer: what is counted is what
	// is lost, not what a machine with much to do delays.
	policy admissionregistrationv1.FailurePolicyType
}

// register puts both configurations of deploy/ into the cluster until the test
// ends. It returns when the API server asks the webhook, or at least would.
func register(t testing.TB, r registration) {
	t.Helper()
	serve(t)
	d := r.configurations(t)
	admission := plane.client.AdmissionregistrationV1()
	t.Cleanup(func() { unregister(t) })
	if _, err := admission.MutatingWebhookConfigurations().Create(t.Context(), d.mutating, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := admission.ValidatingWebhookConfigurations().Create(t.Context(), d.validating, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error { return asked(ctx, true) })
}

// namespace makes sure that there is one.
func namespace(t testing.TB, name string) {
	t.Helper()
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := plane.client.CoreV1().Namespaces().Create(t.Context(), object, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

// serve makes the Service that the configurations name. Nobody would route its
// address, so it stands for this machine; to the API server that makes no
// difference, and it speaks HTTP/1.1 to it as it does to every Service.
func serve(t testing.TB) {
	t.Helper()
	namespace(t, ownNamespace)
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "drawbridge", Namespace: ownNamespace},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "127.0.0.1"},
	}
	if _, err := plane.client.CoreV1().Services(ownNamespace).Create(t.Context(), service, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

// configurations are those of deploy/, but for where we are and what we vary.
func (r registration) configurations(t testing.TB) deployed {
	t.Helper()
	d := readDeployed(t)
	for i := range d.mutating.Webhooks {
		w := &d.mutating.Webhooks[i]
		r.point(&w.ClientConfig, &w.FailurePolicy, &w.TimeoutSeconds)
	}
	for i := range d.validating.Webhooks {
		w := &d.validating.Webhooks[i]
		r.point(&w.ClientConfig, &w.FailurePolicy, &w.TimeoutSeconds)
	}
	return d
}

func (r registration) point(to *admissionregistrationv1.WebhookClientConfig, policy **admissionregistrationv1.FailurePolicyType, timeout **int32) {
	port := int32(r.at.(*net.TCPAddr).Port)
	to.Service.Port, to.CABundle = &port, r.caBundle
	if r.policy != "" {
		*policy = &r.policy
	}
	if r.policy == admissionregistrationv1.Fail {
		longest := int32(30)
		*timeout = &longest
	}
}

// unregister deletes both, which is also how one recovers from a webhook that
// is in the way, and returns when the API server has noticed.
func unregister(t testing.TB) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	admission := plane.client.AdmissionregistrationV1()
	for _, err := range []error{
		admission.MutatingWebhookConfigurations().Delete(ctx, configurationName, metav1.DeleteOptions{}),
		admission.ValidatingWebhookConfigurations().Delete(ctx, configurationName, metav1.DeleteOptions{}),
	} {
		if err != nil && !apierrors.IsNotFound(err) {
			t.Errorf("deleting a configuration: %v", err)
		}
	}
	if err := within(ctx, func(ctx context.Context) error { return asked(ctx, false) }); err != nil {
		t.Error(err)
	}
}

// asked compares what the API server's metrics say of calls with what should
// be: an object that nobody needs makes it call the webhook, or not.
func asked(ctx context.Context, want bool) error {
	before, err := scrape(ctx)
	if err != nil {
		return err
	}
	_ = tryClaim(ctx)
	after, err := scrape(ctx)
	if err != nil {
		return err
	}
	if calls := after.calls() - before.calls(); (calls > 0) != want {
		return fmt.Errorf("the API server has called the webhook %v times for an object", calls)
	}
	return nil
}
