package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// strangers call the webhook beside the API server and connect anew for every
// review, so that each certificate and each endpoint is met by many.
type strangers struct {
	stop     context.CancelFunc
	work     sync.WaitGroup
	sent     atomic.Int64
	mu       sync.Mutex
	problems []error
}

func startStrangers(t *testing.T, ca *authority, to net.Addr) *strangers {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &strangers{stop: cancel}
	client := caller(ca)
	client.Transport.(*http.Transport).DisableKeepAlives = true
	body := reviewOf(t, someClaim(), "resourceclaims", "ResourceClaim")
	for range 4 {
		s.work.Go(func() {
			for ctx.Err() == nil {
				s.sent.Add(1)
				if err := ask(client, to.String(), body); err != nil {
					s.mu.Lock()
					s.problems = append(s.problems, err)
					s.mu.Unlock()
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	t.Cleanup(func() {
		cancel()
		s.work.Wait()
	})
	return s
}

func (s *strangers) unfailed(t *testing.T) {
	t.Helper()
	s.stop()
	s.work.Wait()
	t.Logf("%d reviews on connections of their own", s.sent.Load())
	if len(s.problems) > 0 {
		t.Errorf("%d failed, the first one: %v", len(s.problems), s.problems[0])
	}
}

// caller is a client that checks the certificate as an API server does.
func caller(ca *authority) *http.Client {
	return &http.Client{Timeout: patience, Transport: &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: ca.pool(), ServerName: serviceName},
		MaxIdleConnsPerHost: 100,
	}}
}

// reviewOf asks about the creation of an object.
func reviewOf(t testing.TB, object any, resource, kind string) []byte {
	t.Helper()
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	gvk := metav1.GroupVersionKind{Group: "resource.k8s.io", Version: "v1", Kind: kind}
	var typed map[string]any
	if err := json.Unmarshal(raw, &typed); err != nil {
		t.Fatal(err)
	}
	typed["apiVersion"], typed["kind"] = "resource.k8s.io/v1", kind
	if raw, err = json.Marshal(typed); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(&admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "6a5bd6c4-6c1f-4c31-8b3e-1a2b3c4d5e6f", Kind: gvk, RequestKind: &gvk,
			Resource: metav1.GroupVersionResource{Group: gvk.Group, Version: "v1", Resource: resource},
			Name:     "x", Operation: admissionv1.Create, Object: runtime.RawExtension{Raw: raw},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// ask sends a review and expects to be allowed.
func ask(client *http.Client, address string, body []byte) error {
	response, err := client.Post("https://"+address+"/admission/validate?timeout=10s", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(text, &review); err != nil || response.StatusCode != http.StatusOK || review.Response == nil || !review.Response.Allowed {
		return fmt.Errorf("%s: %.300s", response.Status, text)
	}
	return nil
}
