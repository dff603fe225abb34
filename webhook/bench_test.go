package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// sliceReview is the review of a slice with that many devices.
func sliceReview(devices int) []byte {
	var list []string
	for i := range devices {
		list = append(list, fmt.Sprintf(`{"name":"gpu-%d","attributes":{"model":{"string":"A100"},"index":{"int":%d},"driverVersion":{"version":"1.2.3"},"uuid":{"string":"GPU-%08d-aaaa-bbbb"}},"capacity":{"memory":{"value":"40Gi"},"cores":{"value":"108"}}}`, i, i, i))
	}
	return []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",` +
		`"kind":{"group":"resource.k8s.io","version":"v1","kind":"ResourceSlice"},"name":"s","operation":"CREATE","userInfo":{"username":"x"},"object":` +
		`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"gpu.example.com","nodeName":"n1",` +
		`"pool":{"name":"n1","generation":1,"resourceSliceCount":1},"devices":[` + strings.Join(list, ",") + `]}},"oldObject":null,"dryRun":false}}`)
}

// BenchmarkDecode is what any webhook does at least with a review: BenchmarkReview
// should take less than twice as long.
func BenchmarkDecode(b *testing.B) {
	body := sliceReview(128)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		in, err := io.ReadAll(bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		var review admissionv1.AdmissionReview
		if err := json.Unmarshal(in, &review); err != nil {
			b.Fatal(err)
		}
		var slice resourceapi.ResourceSlice
		if err := json.Unmarshal(review.Request.Object.Raw, &slice); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReview(b *testing.B) {
	body := sliceReview(128)
	w := New(Config{Logger: quiet()})
	for _, phase := range []struct {
		name    string
		handler http.Handler
	}{{"validate", w.Validate()}, {"mutate", w.Mutate()}} {
		b.Run(phase.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, "/?timeout=5s", bytes.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				rec := httptest.NewRecorder()
				phase.handler.ServeHTTP(rec, r)
				if !strings.Contains(rec.Body.String(), `"allowed":true`) {
					b.Fatal(rec.Body.String())
				}
			}
		})
	}
}
