// Package static serves a tree of built files: the variants that were
// compressed at build time to clients that take them, with validators and
// cache lifetimes that fit how the files are named.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/munnerz/goautoneg"

	"github.com/drawbridge-dra/drawbridge/server/problem"
)

// encodings are the codings of build-time variants, best first, with the
// suffix of their files.
var encodings = []struct{ name, suffix string }{
	{"br", ".br"},
	{"gzip", ".gz"},
}

// types are the media types that must not depend on the machine's mime table:
// a browser refuses to stream-compile wasm of another type, and scripts and
// styles under nosniff.
var types = map[string]string{
	".css":         "text/css; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/x-icon",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".map":         "application/json",
	".mjs":         "text/javascript; charset=utf-8",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".woff2":       "font/woff2",
	".yaml":        "application/yaml",
}

// hashed matches files that a bundler named after their content, so that the
// same URL never changes its bytes: assets/index-BxYz01_a.js.
var hashed = regexp.MustCompile(`^assets/.*-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$`)

// Handler serves files. The zero value is not usable; call New.
type Handler struct {
	files map[string]*file
}

// file is one path as a client knows it.
type file struct {
	contentType string
	cache       string
	plain       *variant            // nil where only compressed ones were built
	encoded     map[string]*variant // by coding
}

// variant is one stored representation. Its tag is computed when first asked
// for, so that starting does not read megabytes that nobody wants.
type variant struct {
	fsys   fs.FS
	name   string
	unpack bool // serve the gunzipped content
	once   sync.Once
	tag    string
	body   []byte // only where the file system cannot seek, or unpack is set
	err    error
}

// New indexes the files of the tree.
func New(fsys fs.FS) (*Handler, error) {
	h := &Handler{files: map[string]*file{}}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		logical, coding := split(name)
		if strings.HasPrefix(path.Base(logical), ".") {
			return nil
		}
		f := h.files[logical]
		if f == nil {
			f = &file{contentType: typeOf(logical), cache: "no-cache", encoded: map[string]*variant{}}
			if hashed.MatchString(logical) {
				f.cache = "public, max-age=31536000, immutable"
			}
			h.files[logical] = f
		}
		v := &variant{fsys: fsys, name: name}
		if coding == "" {
			f.plain = v
		} else {
			f.encoded[coding] = v
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, f := range h.files {
		if gz := f.encoded["gzip"]; f.plain == nil && gz != nil {
			f.plain = &variant{fsys: fsys, name: gz.name, unpack: true}
		}
	}
	return h, nil
}

// Has tells whether the tree has the file.
func (h *Handler) Has(name string) bool { return h.files[name] != nil }

// ServeHTTP serves the file that the URL path names, and index.html for a
// directory.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		problem.Write(w, http.StatusMethodNotAllowed, "files can only be read: use GET or HEAD")
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	f := h.files[name]
	if f == nil {
		problem.Write(w, http.StatusNotFound, "there is nothing at this path")
		return
	}
	h.serve(w, r, f)
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request, f *file) {
	header := w.Header()
	v, coding := f.choose(r.Header.Get("Accept-Encoding"))
	if len(f.encoded) > 0 {
		header.Add("Vary", "Accept-Encoding")
	}
	if v == nil {
		problem.Write(w, http.StatusNotAcceptable, "this file is only stored compressed: accept br")
		return
	}
	content, closer, err := v.open()
	if err != nil {
		problem.Write(w, http.StatusInternalServerError, "the file cannot be read")
		return
	}
	defer closer.Close()
	header.Set("Content-Type", f.contentType)
	header.Set("Cache-Control", f.cache)
	header.Set("Etag", v.tag)
	if coding != "" {
		header.Set("Content-Encoding", coding)
	}
	// ServeContent sees to HEAD, Range and the conditional headers.
	http.ServeContent(&writer{ResponseWriter: w, content: content, encoded: coding != ""}, r, "", time.Time{}, content)
}

// Bytes serves one document that is made at start.
func Bytes(contentType string, body []byte) http.HandlerFunc {
	sum := sha256.Sum256(body)
	tag := quote(sum[:])
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Etag", tag)
		content := bytes.NewReader(body)
		http.ServeContent(&writer{ResponseWriter: w, content: content}, r, "", time.Time{}, content)
	}
}

// quote makes an entity tag of a digest.
func quote(sum []byte) string { return `"` + hex.EncodeToString(sum[:16]) + `"` }

// writer mends two habits of http.ServeContent: it leaves Content-Length out
// under a Content-Encoding, because it cannot know that the bytes are the
// encoded ones (a progress bar needs it), and its 416 is plain text.
type writer struct {
	http.ResponseWriter
	content io.Seeker
	encoded bool
	failed  bool
}

// WriteHeader implements http.ResponseWriter.
func (w *writer) WriteHeader(status int) {
	switch {
	case status == http.StatusRequestedRangeNotSatisfiable:
		w.failed = true
		problem.Write(w.ResponseWriter, status, "the range lies outside of the file")
		return
	case status == http.StatusOK && w.encoded && w.Header().Get("Content-Length") == "":
		if size, err := w.content.Seek(0, io.SeekEnd); err == nil {
			if _, err := w.content.Seek(0, io.SeekStart); err == nil {
				w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
			}
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *writer) Write(p []byte) (int, error) {
	if w.failed {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController through.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// choose picks the best variant that the client takes.
func (f *file) choose(accept string) (*variant, string) {
	for _, e := range encodings {
		if v := f.encoded[e.name]; v != nil && accepts(accept, e.name) {
			return v, e.name
		}
	}
	return f.plain, ""
}

// accepts tells whether an Accept-Encoding header allows a coding. The parser
// wants a type and a subtype, so each coding is made into one.
func accepts(header, coding string) bool {
	if header == "" {
		return false
	}
	any := false
	for _, part := range strings.Split(strings.ToLower(header), ",") {
		for _, a := range goautoneg.ParseAccept("coding/" + strings.TrimSpace(part)) {
			switch a.SubType {
			case coding:
				return a.Q > 0
			case "*":
				any = a.Q > 0
			}
		}
	}
	return any
}

// open returns the content, with the tag computed.
func (v *variant) open() (io.ReadSeeker, io.Closer, error) {
	v.once.Do(v.load)
	if v.err != nil {
		return nil, nil, v.err
	}
	if v.body != nil {
		return bytes.NewReader(v.body), io.NopCloser(nil), nil
	}
	f, err := v.fsys.Open(v.name)
	if err != nil {
		return nil, nil, err
	}
	return f.(io.ReadSeeker), f, nil
}

func (v *variant) load() {
	f, err := v.fsys.Open(v.name)
	if err != nil {
		v.err = err
		return
	}
	defer f.Close()
	var in io.Reader = f
	if v.unpack {
		if in, v.err = gzip.NewReader(f); v.err != nil {
			return
		}
	}
	sum := sha256.New()
	_, seeks := f.(io.ReadSeeker)
	if seeks && !v.unpack {
		_, v.err = io.Copy(sum, in)
	} else {
		v.body, v.err = io.ReadAll(in)
		sum.Write(v.body)
	}
	v.tag = quote(sum.Sum(nil))
}

func split(name string) (logical, coding string) {
	for _, e := range encodings {
		if base, ok := strings.CutSuffix(name, e.suffix); ok {
			return base, e.name
		}
	}
	return name, ""
}

func typeOf(name string) string {
	ext := path.Ext(name)
	if t, ok := types[ext]; ok {
		return t
	}
	if t := mime.TypeByExtension(ext); t != "" {
		return t
	}
	return "application/octet-stream"
}
