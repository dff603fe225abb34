package webhook

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
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

// awaitView returns when the view has caught up with what was written: that
// many slices, classes and nodes.
func awaitView(t *testing.T, r *replica, words ...string) {
	t.Helper()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true,
	}}
	eventually(t, func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+r.address+"/readyz?verbose", nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		for _, w := range words {
			if !strings.Contains(string(text), w) {
				return fmt.Errorf("no %q in what it knows:\n%s", w, text)
			}
		}
		return nil
	})
}
