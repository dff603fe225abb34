package static

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func gz(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tree(t *testing.T) fstest.MapFS {
	return fstest.MapFS{
		"index.html":                   {Data: []byte("<html>")},
		"index.html.br":                {Data: []byte("BR-html")},
		"index.html.gz":                {Data: gz(t, "<html>")},
		"sub/index.html":               {Data: []byte("sub")},
		"assets/core-BxYz01_a.wasm":    {Data: []byte("\x00asm plain")},
		"assets/core-BxYz01_a.wasm.br": {Data: []byte("\x00asm br")},
		"assets/app-12345678.js":       {Data: []byte("js")},
		"manifest.webmanifest":         {Data: []byte("{}")},
		"only.css.gz":                  {Data: gz(t, "css")},
		"only.txt.br":                  {Data: []byte("br")},
		".gitkeep":                     {Data: []byte("")},
		"unknown.zzz":                  {Data: []byte("<script>")},
	}
}

func get(t *testing.T, h http.Handler, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	s := httptest.NewServer(h)
	defer s.Close()
	method := http.MethodGet
	if m, p, ok := strings.Cut(path, " "); ok {
		method, path = m, p
	}
	req, err := http.NewRequest(method, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

func TestVariants(t *testing.T) {
	h, err := New(tree(t))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, accept, encoding, body string }{
		{"/", "identity", "", "<html>"},
		{"/index.html", "gzip, br", "br", "BR-html"},
		{"/", "gzip", "gzip", string(gz(t, "<html>"))},
		{"/", "br;q=0, gzip;q=0.5", "gzip", string(gz(t, "<html>"))},
		{"/", "br;q=0, gzip;q=0", "", "<html>"},
		{"/", "*", "br", "BR-html"},
		{"/", "*, br;q=0", "gzip", string(gz(t, "<html>"))},
		{"/", "*;q=0", "", "<html>"},
		{"/", "BR", "br", "BR-html"},
		{"/", "brotli", "", "<html>"},
		{"/sub/", "br", "", "sub"},
		{"/only.css", "identity", "", "css"},
		{"/only.css", "gzip", "gzip", string(gz(t, "css"))},
	}
	for _, tt := range tests {
		res, body := get(t, h, tt.path, "Accept-Encoding", tt.accept)
		if res.StatusCode != 200 || res.Header.Get("Content-Encoding") != tt.encoding || body != tt.body {
			t.Errorf("%s %q: got %d %q %q", tt.path, tt.accept, res.StatusCode, res.Header.Get("Content-Encoding"), body)
		}
		if res.ContentLength != int64(len(tt.body)) {
			t.Errorf("%s %q: got Content-Length %d", tt.path, tt.accept, res.ContentLength)
		}
		if tt.path != "/sub/" && res.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: got Vary %q", tt.path, res.Header.Get("Vary"))
		}
	}
	if res, _ := get(t, h, "/only.txt"); res.StatusCode != 406 {
		t.Errorf("a file that is only there as br: got %d", res.StatusCode)
	}
}

func TestTypesAndCaching(t *testing.T) {
	h, err := New(tree(t))
	if err != nil {
		t.Fatal(err)
	}
	const immutable = "public, max-age=31536000, immutable"
	tests := []struct{ path, contentType, cache string }{
		{"/", "text/html; charset=utf-8", "no-cache"},
		{"/assets/core-BxYz01_a.wasm", "application/wasm", immutable},
		{"/assets/app-12345678.js", "text/javascript; charset=utf-8", immutable},
		{"/manifest.webmanifest", "application/manifest+json", "no-cache"},
		{"/unknown.zzz", "application/octet-stream", "no-cache"},
	}
	tags := map[string]bool{}
	for _, tt := range tests {
		res, body := get(t, h, tt.path)
		tag := res.Header.Get("Etag")
		if res.Header.Get("Content-Type") != tt.contentType || res.Header.Get("Cache-Control") != tt.cache || len(tag) != 34 || tags[tag] {
			t.Errorf("%s: got %v", tt.path, res.Header)
		}
		tags[tag] = true
		if res, empty := get(t, h, tt.path, "If-None-Match", tag); res.StatusCode != 304 || empty != "" {
			t.Errorf("%s: got %d", tt.path, res.StatusCode)
		}
		if res, empty := get(t, h, "HEAD "+tt.path); res.StatusCode != 200 || empty != "" || res.ContentLength != int64(len(body)) {
			t.Errorf("HEAD %s: got %d, %d", tt.path, res.StatusCode, res.ContentLength)
		}
	}
	// A compressed variant is another representation.
	plain, _ := get(t, h, "/")
	packed, _ := get(t, h, "/", "Accept-Encoding", "br")
	if plain.Header.Get("Etag") == packed.Header.Get("Etag") {
		t.Error("two representations share a tag")
	}
	if res, empty := get(t, h, "HEAD /", "Accept-Encoding", "br"); empty != "" || res.ContentLength != int64(len("BR-html")) {
		t.Errorf("HEAD of a variant: got %d", res.ContentLength)
	}
}

func TestRanges(t *testing.T) {
	h, err := New(tree(t))
	if err != nil {
		t.Fatal(err)
	}
	res, body := get(t, h, "/assets/core-BxYz01_a.wasm", "Range", "bytes=1-3")
	if res.StatusCode != 206 || body != "asm" || res.Header.Get("Content-Range") != "bytes 1-3/10" {
		t.Errorf("got %d %q %v", res.StatusCode, body, res.Header)
	}
	res, body = get(t, h, "/assets/core-BxYz01_a.wasm", "Range", "bytes=5-6", "Accept-Encoding", "br")
	if res.StatusCode != 206 || body != "br" || res.Header.Get("Content-Encoding") != "br" {
		t.Errorf("got %d %q %v", res.StatusCode, body, res.Header)
	}
	res, body = get(t, h, "/", "Range", "bytes=100-")
	if res.StatusCode != 416 || res.Header.Get("Content-Type") != "application/problem+json" || !strings.HasPrefix(body, `{"title":"Requested Range Not Satisfiable"`) {
		t.Errorf("got %d %q %v", res.StatusCode, body, res.Header)
	}
}

func TestNotServed(t *testing.T) {
	h, err := New(tree(t))
	if err != nil {
		t.Fatal(err)
	}
	for path, status := range map[string]int{
		"/nothing": 404, "/assets/": 404, "/assets": 404, "/.gitkeep": 404, "/index.html.br": 404, "/../static.go": 404, "POST /": 405, "DELETE /": 405,
	} {
		res, _ := get(t, h, path)
		if res.StatusCode != status || res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: got %d %v", path, res.StatusCode, res.Header)
		}
		if status == 405 && res.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: got %v", path, res.Header)
		}
	}
	if h.Has("index.html.br") || !h.Has("index.html") {
		t.Error("a variant counts as a file")
	}
}

func TestBrokenGzip(t *testing.T) {
	h, err := New(fstest.MapFS{"a.css.gz": {Data: []byte("no gzip")}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if res, body := get(t, h, "/a.css"); res.StatusCode != 500 || res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("got %d %s", res.StatusCode, body)
		}
	}
}
