package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kubeconfigOf writes a kubeconfig whose context b leads to a server, and
// whose current one leads nowhere.
func kubeconfigOf(t *testing.T, url string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: a, user: u}}, {name: b, context: {cluster: b, user: u}}]
clusters: [{name: a, cluster: {server: "http://127.0.0.1:1"}}, {name: b, cluster: {server: %q}}]
users: [{name: u, user: {}}]
`, url)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDoctor(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	version := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/version":
			_, _ = w.Write([]byte(version))
		case "/apis/resource.k8s.io":
			_, _ = w.Write([]byte(`{"versions":[{"groupVersion":"resource.k8s.io/v1"}]}`))
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer s.Close()
	path := kubeconfigOf(t, s.URL)
	for name, c := range map[string]struct {
		version string
		args    []string
		code    int
		out     string // a part of it
		err     string
	}{
		"healthy as far as it goes": {`{"major":"1","minor":"37","gitVersion":"v1.37.2"}`, []string{"--context=b"}, 0, "Healthy, and", ""},
		"as JSON":                   {`{"major":"1","minor":"37","gitVersion":"v1.37.2"}`, []string{"--context=b", "-o", "json"}, 0, `"outcome": "healthy"`, ""},
		"not a cluster":             {`x`, []string{"--context=b"}, 2, "The cluster could not be looked at.", ""},
		"nobody there":              {"", []string{"--request-timeout=60s"}, 2, "tells no version", ""},
		"no such context":           {"", []string{"--context=c"}, 2, "", "--kubeconfig: "},
		"another form":              {"", []string{"-o", "xml"}, 2, "", "--output is \"xml\"; it can be text or json"},
		"two ways":                  {"", []string{"--in-cluster"}, 2, "", "--in-cluster goes with neither"},
	} {
		t.Run(name, func(t *testing.T) {
			version = c.version
			out, errs, err := execute(append([]string{"doctor", "--kubeconfig", path}, c.args...)...)
			if ExitCode(err) != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.err) || c.err == "" && errs != "" {
				t.Errorf("code %d, %q, %q, %v", ExitCode(err), out, errs, err)
			}
			if strings.HasPrefix(out, "{") && !json.Valid([]byte(out)) {
				t.Error("this is no JSON")
			}
		})
	}
	if code := ExitCode(fmt.Errorf("any")); code != exitMisuse {
		t.Errorf("got %d", code)
	}
}
