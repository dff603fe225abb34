package webhook

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rotations is how many the tests promise to survive.
const rotations = 20

// TestFilesRotate swaps the certificates of both replicas under load, as a
// mounted Secret is swapped when cert-manager renews it.
func TestFilesRotate(t *testing.T) {
	control(t)
	ca := newAuthority(t)
	m := newMount(t, ca)
	b, replicas := pair(t, ca, m, admissionregistrationv1.Fail)
	calls := watchCalls(t)
	l, s := startLoad(t), startStrangers(t, ca, b.Addr())
	for range rotations {
		m.write(t, ca)
		for _, r := range replicas {
			eventually(t, func(context.Context) error {
				if serial := served(t, ca, r); serial != ca.serial {
					return fmt.Errorf("%s serves certificate %d and not %d", r.address, serial, ca.serial)
				}
				return nil
			})
		}
	}
	s.unfailed(t)
	l.unfailed(t)
	calls()
	t.Logf("%d connections", b.accepted.Load())
}

// served is the serial number of the certificate that a new connection gets,
// which has to be good for the Service.
func served(t *testing.T, ca *authority, r *replica) int64 {
	t.Helper()
	conn, err := tls.Dial("tcp", r.address, &tls.Config{RootCAs: ca.pool(), ServerName: serviceName})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// selfManaged are the flags of replicas that look after certificates
// themselves, in a hurry: what takes months takes seconds.
func selfManaged() []string {
	return []string{
		"--self-managed-certs", "--kubeconfig=" + plane.Kubeconfig(), "--certs-namespace=" + ownNamespace,
		"--cert-validity=20s", "--cert-renew-after=2s", "--ca-overlap=4s", "--ca-renew-after=33s", "--ca-validity=100s",
	}
}

// TestSelfManagedRotate lets two replicas renew certificates and authorities
// under load. Nobody but them writes caBundle.
func TestSelfManagedRotate(t *testing.T) {
	control(t)
	namespace(t, ownNamespace)
	secrets := plane.client.CoreV1().Secrets(ownNamespace)
	t.Cleanup(func() { forget(t, "--namespace="+ownNamespace, "secret", secretName) })
	b := newBalancer(t, startReplica(t, selfManaged()...), startReplica(t, selfManaged()...))
	register(t, registration{at: b.Addr(), policy: admissionregistrationv1.Fail})
	eventually(t, tryClaim)

	calls := watchCalls(t)
	l := startLoad(t)
	certificates, authorities := map[string]bool{}, map[string]bool{}
	for late := time.After(2 * patience); len(certificates) <= rotations || len(authorities) < 2; {
		secret, err := secrets.Get(t.Context(), secretName, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		certificates[string(secret.Data["tls.crt"])] = true
		authorities[string(secret.Data["ca.crt"])] = true
		select {
		case <-late:
			t.Fatalf("only %d certificates of %d authorities after %s", len(certificates), len(authorities), 2*patience)
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Logf("%d certificates of %d authorities, %d connections", len(certificates), len(authorities), b.accepted.Load())

	// What people do with manifests that have no caBundle.
	applied := manifests(t, b.Addr(), admissionregistrationv1.Fail)
	kubectl(t, applied, "apply", "-f", "-").must(t)
	kubectl(t, applied, "apply", "--server-side", "--force-conflicts", "-f", "-").must(t)
	l.unfailed(t)
	calls()

	// Replacing them takes caBundle away, and calls fail until it is back.
	kubectl(t, applied, "replace", "-f", "-").must(t)
	eventually(t, func(ctx context.Context) error {
		m, err := plane.client.AdmissionregistrationV1().MutatingWebhookConfigurations().Get(ctx, configurationName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		v, err := plane.client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Get(ctx, configurationName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, w := range m.Webhooks {
			if len(w.ClientConfig.CABundle) == 0 {
				return fmt.Errorf("%s has no caBundle", w.Name)
			}
		}
		for _, w := range v.Webhooks {
			if len(w.ClientConfig.CABundle) == 0 {
				return fmt.Errorf("%s has no caBundle", w.Name)
			}
		}
		return tryClaim(ctx)
	})
}

// secretName is the default of --certs-secret.
const secretName = "drawbridge-certificates"

// manifests are both configurations as someone would apply them.
func manifests(t *testing.T, at net.Addr, policy admissionregistrationv1.FailurePolicyType) string {
	t.Helper()
	d := registration{at: at, policy: policy}.configurations(t)
	var text strings.Builder
	for _, object := range []any{d.mutating, d.validating} {
		out, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "---\n%s\n", out)
	}
	return text.String()
}
