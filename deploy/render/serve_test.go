package render

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
)

// serve runs the command as the binary does, until the test ends, and gives
// the URLs of both listeners, HTTPS first.
func serve(t *testing.T, args ...string) (secure, plain string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	command := cli.New()
	command.SetArgs(append([]string{"serve", "--https-listen=127.0.0.1:0", "--http-listen=127.0.0.1:0", "--shutdown-delay=0s", "--log-level=ERROR"}, args...))
	command.SetOut(writer)
	command.SetErr(io.Discard)
	ended := make(chan error, 1)
	go func() {
		err := command.ExecuteContext(ctx)
		writer.CloseWithError(io.EOF)
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(reader)
	var urls [2]string
	for i := range urls {
		if !lines.Scan() {
			t.Fatalf("serve %v does not listen", args)
		}
		_, urls[i], _ = strings.Cut(lines.Text(), " listens on ")
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	return urls[0], urls[1]
}

// apiServer has nodes to list, none, and nothing else.
func apiServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/api/v1/nodes" && r.FormValue("sendInitialEvents") != "":
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
		case r.URL.Path == "/api/v1/nodes" && r.FormValue("watch") != "":
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case r.URL.Path == "/api/v1/nodes":
			_, _ = io.WriteString(w, `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`)
		default:
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// serveEverything starts a server that answers reviews, and one that looks at
// a cluster, most of which it may not see.
func serveEverything(t *testing.T) (answers, looks string, client *http.Client) {
	t.Helper()
	folder := t.TempDir()
	kubeconfig, policy := filepath.Join(folder, "kubeconfig"), filepath.Join(folder, "policy.yaml")
	for name, text := range map[string]string{
		kubeconfig: `{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}], users: [{name: u, user: {}}], clusters: [{name: c, cluster: {server: "` + apiServer(t) + `"}}]}`,
		policy:     "{apiVersion: drawbridge-dra.github.io/v1, kind: AdmissionPolicy, rules: {}}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answers, _ = serve(t, "--policy-file="+policy, "--policy-period=100ms")
	_, looks = serve(t, "--kubeconfig="+kubeconfig, "--self-managed-certs", "--certs-namespace=drawbridge")
	if err := os.WriteFile(policy, []byte("refused\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	t.Cleanup(client.CloseIdleConnections)
	return answers, looks, client
}
