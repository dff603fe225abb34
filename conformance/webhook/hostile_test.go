package webhook

import (
	"bytes"
	"context"
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
	text := func(body any) func() io.Reader {
		return func() io.Reader {
			if b, ok := body.([]byte); ok {
				return bytes.NewReader(b)
			}
			return strings.NewReader(body.(string))
		}
	}
	for _, try := range []struct {
		name, media string
		body        func() io.Reader
		status      int
		says        string
	}{
		{"nothing", "application/json", text(""), 400, ""},
		{"no JSON", "application/json", text("hello"), 400, ""},
		{"null", "application/json", text("null"), 400, ""},
		{"a list", "application/json", text("[]"), 400, ""},
		{"half a review", "application/json", text(right[:len(right)/2]), 400, ""},
		{"no request", "application/json", text(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}`), 400, "no request"},
		{"another version", "application/json", text(bytes.Replace(right, []byte("admission.k8s.io/v1"), []byte("admission.k8s.io/v1beta1"), 1)), 400, "admissionReviewVersions"},
		{"another kind", "application/json", text(`{"apiVersion":"v1","kind":"Pod","request":{}}`), 400, ""},
		{"deep", "application/json", text(strings.Repeat(`{"a":`, mebibyte)), 400, ""},
		{"deep, an object inside", "application/json", text(bytes.Replace(right, []byte(`"spec":`), []byte(`"x":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+`,"spec":`), 1)), 200, ""},
		{"YAML", "application/yaml", text(right), 415, "application/json"},
		{"no type", "", text(right), 415, ""},
		{"almost 7 MiB", "application/json", text(padded(7*mebibyte - 1000)), 200, ""},
		{"more than 7 MiB", "application/json", text(padded(7*mebibyte + 1000)), 413, "7 MiB"},
		{"much more, of unknown length", "application/json", func() io.Reader { return io.LimitReader(endless{}, 64*mebibyte) }, 413, "7 MiB"},
		{"in pieces", "application/json", func() io.Reader { return io.MultiReader(text(right[:100])(), text(right[100:])()) }, 200, ""},
	} {
		t.Run(try.name, func(t *testing.T) {
			for _, path := range []string{"/admission/validate", "/admission/mutate"} {
				status, said := send(t, client, "https://"+r.address+path, try.media, try.body)
				if status != try.status || !strings.Contains(said, try.says) {
					t.Errorf("%s: %d, wanted %d and %q: %.300s", path, status, try.status, try.says, said)
				}
				if len(said) > 10_000 {
					t.Errorf("the answer has %d bytes", len(said))
				}
			}
			if err := ask(client, r.address, right); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// send posts a body. Who is refused before the end of a body may find the
// connection closed before the answer is read, and tries again.
func send(t *testing.T, client *http.Client, url, media string, body func() io.Reader) (status int, text string) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body())
		if err != nil {
			return err
		}
		if media != "" {
			request.Header.Set("Content-Type", media)
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		out, err := io.ReadAll(response.Body)
		status, text = response.StatusCode, string(out)
		return err
	})
	return status, text
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
