package webhook

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestHostileReviews sends to the port what no API server sends. Each gets an
// answer that says what is wrong, and the replica stays well.
func TestHostileReviews(t *testing.T) {
	control(t) // for the binary and the manifests
	ca := newAuthority(t)
	r := startReplica(t, files(newMount(t, ca))...)
	client := caller(ca)
	right := reviewOf(t, someClaim(), "resourceclaims", "ResourceClaim")
	const mebibyte = 1 << 20
	padded := func(size int) []byte {
		claim := someClaim()
		claim.Annotations = map[string]string{"example.com/padding": strings.Repeat("x", size-len(right)-60)}
		return reviewOf(t, claim, "resourceclaims", "ResourceClaim")
	}
	for _, try := range []struct {
		name, media string
		body        io.Reader
		status      int
		says        string
	}{
		{"nothing", "application/json", strings.NewReader(""), 400, ""},
		{"no JSON", "application/json", strings.NewReader("hello"), 400, ""},
		{"null", "application/json", strings.NewReader("null"), 400, ""},
		{"a list", "application/json", strings.NewReader("[]"), 400, ""},
		{"half a review", "application/json", bytes.NewReader(right[:len(right)/2]), 400, ""},
		{"no request", "application/json", strings.NewReader(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}`), 400, "no request"},
		{"another version", "application/json", bytes.NewReader(bytes.Replace(right, []byte("admission.k8s.io/v1"), []byte("admission.k8s.io/v1beta1"), 1)), 400, "admissionReviewVersions"},
		{"another kind", "application/json", strings.NewReader(`{"apiVersion":"v1","kind":"Pod","request":{}}`), 400, ""},
		{"deep", "application/json", strings.NewReader(strings.Repeat(`{"a":`, mebibyte)), 400, ""},
		{"deep, an object inside", "application/json", bytes.NewReader(bytes.Replace(right, []byte(`"spec":`), []byte(`"x":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+`,"spec":`), 1)), 200, ""},
		{"YAML", "application/yaml", bytes.NewReader(right), 415, "application/json"},
		{"no type", "", bytes.NewReader(right), 415, ""},
		{"almost 7 MiB", "application/json", bytes.NewReader(padded(7*mebibyte - 1000)), 200, ""},
		{"more than 7 MiB", "application/json", bytes.NewReader(padded(7*mebibyte + 1000)), 413, "7 MiB"},
		{"much more, of unknown length", "application/json", io.LimitReader(endless{}, 64*mebibyte), 413, "7 MiB"},
		{"in pieces", "application/json", io.MultiReader(bytes.NewReader(right[:100]), bytes.NewReader(right[100:])), 200, ""},
	} {
		t.Run(try.name, func(t *testing.T) {
			for _, path := range []string{"/admission/validate", "/admission/mutate"} {
				if path == "/admission/mutate" && try.status == 200 {
					continue // the reader is used up
				}
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+r.address+path, try.body)
				if err != nil {
					t.Fatal(err)
				}
				if try.media != "" {
					request.Header.Set("Content-Type", try.media)
				}
				response, err := client.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				text, _ := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if response.StatusCode != try.status || !strings.Contains(string(text), try.says) {
					t.Errorf("%s: %s, wanted %d and %q: %.300s", path, response.Status, try.status, try.says, text)
				}
				if len(text) > 10_000 {
					t.Errorf("the answer has %d bytes", len(text))
				}
			}
			if err := ask(client, r.address, right); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// endless is white space, which JSON allows before anything.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestSlowReviews opens many connections that never get to the point, some in
// the header and some in the body. Others are served meanwhile, and the slow
// ones are cut off.
func TestSlowReviews(t *testing.T) {
	control(t)
	ca := newAuthority(t)
	r := startReplica(t, append(files(newMount(t, ca)), "--body-timeout=1s")...)
	right := reviewOf(t, someClaim(), "resourceclaims", "ResourceClaim")
	header := "POST /admission/validate?timeout=2s HTTP/1.1\r\nHost: drawbridge\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
	ended := make(chan error)
	const connections = 100
	for i := range connections {
		conn, err := tls.Dial("tcp", r.address, &tls.Config{RootCAs: ca.pool(), ServerName: serviceName, NextProtos: []string{"http/1.1"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		start := header[:20]
		if i%2 == 1 {
			start = fmt.Sprintf(header, len(right)) + string(right[:10])
		}
		if _, err := io.WriteString(conn, start); err != nil {
			t.Fatal(err)
		}
		go func() {
			// A byte now and then, to look alive.
			go func() {
				for {
					time.Sleep(500 * time.Millisecond)
					if _, err := io.WriteString(conn, "x"); err != nil {
						return
					}
				}
			}()
			_, err := io.Copy(io.Discard, conn)
			ended <- err
		}()
	}
	client := caller(ca)
	for range 20 {
		if err := ask(client, r.address, right); err != nil {
			t.Fatalf("meanwhile: %v", err)
		}
	}
	late := time.After(patience)
	for i := range connections {
		select {
		case <-ended:
		case <-late:
			t.Fatalf("%d of %d slow connections are still open after %s", connections-i, connections, patience)
		}
	}
	if err := ask(client, r.address, right); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
