package webhook

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// These variables make this program the handler that ours is measured against,
// with that certificate and key: it reads the body, decodes it, and says yes.
const (
	bareCert = "DRAWBRIDGE_TEST_BARE_CERT"
	bareKey  = "DRAWBRIDGE_TEST_BARE_KEY"
)

func serveBare(cert, key string) int {
	yes := []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"6a5bd6c4-6c1f-4c31-8b3e-1a2b3c4d5e6f","allowed":true}}`)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("bare listens on https://127.0.0.1:%d\n", l.Addr().(*net.TCPAddr).Port)
	err = http.ServeTLS(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var review admissionv1.AdmissionReview
		var slice resourceapi.ResourceSlice
		if json.Unmarshal(body, &review) != nil || json.Unmarshal(review.Request.Object.Raw, &slice) != nil || len(slice.Spec.Devices) == 0 {
			http.Error(w, "not a slice", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(yes)
	}), cert, key)
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// startBare runs it.
func startBare(t testing.TB, m *mount) *replica {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), bareCert+"="+m.file("tls.crt"), bareKey+"="+m.file("tls.key"))
	return launch(t, cmd)
}
