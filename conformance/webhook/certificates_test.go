package webhook

import (
	"context"
	"crypto/tls"
	"fmt"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
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
