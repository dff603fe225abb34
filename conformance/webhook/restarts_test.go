package webhook

import (
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// files are the flags for certificates in files.
func files(m *mount) []string {
	return []string{"--tls-cert-file=" + m.file("tls.crt"), "--tls-private-key-file=" + m.file("tls.key")}
}

// pair starts two replicas behind a balancer, registered with the policy.
func pair(t *testing.T, ca *authority, m *mount, policy admissionregistrationv1.FailurePolicyType) (*balancer, []*replica) {
	t.Helper()
	replicas := []*replica{startReplica(t, files(m)...), startReplica(t, files(m)...)}
	b := newBalancer(t, replicas...)
	register(t, registration{at: b.Addr(), caBundle: ca.bundle(), policy: policy})
	return b, replicas
}

// TestRollingRestarts replaces two replicas again and again, as the Deployment
// does (the new one first), while the API server asks them. With failurePolicy
// Fail every lost call would be seen.
func TestRollingRestarts(t *testing.T) {
	control(t)
	ca := newAuthority(t)
	m := newMount(t, ca)
	b, replicas := pair(t, ca, m, admissionregistrationv1.Fail)
	calls := watchCalls(t)
	l, s := startLoad(t), startStrangers(t, ca, b.Addr())
	var old []*replica
	for range 10 {
		for i := range replicas {
			fresh := startReplica(t, files(m)...)
			b.add(t, fresh)
			replicas[i].terminate()
			old = append(old, replicas[i])
			replicas[i] = fresh
		}
	}
	for _, r := range old {
		r.gone(t)
	}
	s.unfailed(t)
	l.unfailed(t)
	calls()
}
