package docs

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/openapi"
)

func rightsDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("rights.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block is what stands in the block of code behind a mark.
func block(t *testing.T, text, mark string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)<!-- " + mark + " -->\n```[a-z]+\n(.*?)```").FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("there is no block %s", mark)
	}
	return found[1]
}

// TestRightsCommands sends what the document sends, to the operations, and
// expects what it shows.
func TestRightsCommands(t *testing.T) {
	text := rightsDoc(t)
	router := chi.NewRouter()
	if err := openapi.Mount(router, openapi.Config{}); err != nil {
		t.Fatal(err)
	}
	send := func(method, path, body string, into any) {
		request := httptest.NewRequest(method, path, strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		router.ServeHTTP(answer, request)
		if err := json.Unmarshal(answer.Body.Bytes(), into); err != nil || answer.Code != 200 {
			t.Fatalf("%s: %d %v %s", path, answer.Code, err, answer.Body)
		}
	}
	paths := regexp.MustCompile(`'http://127\.0\.0\.1:8080(/v1/[^']*)'`).FindAllStringSubmatch(text, -1)
	asked, made := 0, map[string]bool{}
	for _, path := range paths {
		switch {
		case strings.HasPrefix(path[1], "/v1/status-authorization"):
			asked++
			var got core.StatusAuthorizationResult
			send("POST", path[1], block(t, text, "change.json"), &got)
			if shown := "<!-- message -->\n> " + got.Message + "\n"; !strings.Contains(text, shown) {
				t.Errorf("the message is %s", got.Message)
			}
			if got.Mend != block(t, text, "mend") {
				t.Errorf("the mend is\n%s", got.Mend)
			}
		case strings.HasPrefix(path[1], "/v1/roles"):
			var got core.RolesResult
			send("GET", path[1], "", &got)
			if made[got.For] = true; len(got.Tries) == 0 || !strings.Contains(got.Text, "kind: ClusterRoleBinding") {
				t.Errorf("%s: %+v", path[1], got)
			}
		}
	}
	if asked != 1 || len(made) != 3 {
		t.Errorf("%d questions, roles for %v", asked, made)
	}
	for _, rule := range []string{"status-right-alone", "binding-right-useless", "part-verb-unknown", "driver-right-names", "driver-right-any-node", "status-right-wide"} {
		if _, known := diag.Lookup(diag.Bundle, rule); !known || !strings.Contains(text, rule) {
			t.Errorf("the document or the registry lacks %s", rule)
		}
	}
}

// TestDoctorFlags holds the commands of the document against the flags; the
// rights that it lists are tried on a cluster, in conformance/rights.
func TestDoctorFlags(t *testing.T) {
	text, err := os.ReadFile("doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	doctor, _, err := cli.New().Find([]string{"doctor"})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, line := range regexp.MustCompile(`(?m)^drawbridge doctor.*$|`+"`--kubelets`").FindAllString(string(text), -1) {
		for _, flag := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(line, -1) {
			if count++; doctor.Flags().Lookup(flag[1]) == nil {
				t.Errorf("there is no --%s", flag[1])
			}
		}
	}
	if count < 5 {
		t.Errorf("%d flags", count)
	}
}
