package client

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// plainClient reads of a handler.
func plainClient(t *testing.T, h http.Handler) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := New(&rest.Config{Host: s.URL}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPages follows a list over several pages.
func TestPages(t *testing.T) {
	asked := 0
	c := plainClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		next := map[string]string{"": "2", "2": "3", "3": ""}[r.URL.Query().Get("continue")]
		_, _ = fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"continue":%q},"items":[{"metadata":{"name":"p%d","managedFields":[{}]}}]}`, next, asked)
	}))
	var names []string
	if err := c.List(context.Background(), "/api/v1/pods", func(o map[string]any) {
		names = append(names, fmt.Sprint(o["kind"], o["apiVersion"], o["metadata"]))
	}); err != nil || strings.Join(names, " ") != "Podv1map[name:p1] Podv1map[name:p2] Podv1map[name:p3]" {
		t.Errorf("%v %v", names, err)
	}
}
