package server

import (
	"io/fs"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/drawbridge-dra/drawbridge/openapi"
	"github.com/drawbridge-dra/drawbridge/rulebook"
	"github.com/drawbridge-dra/drawbridge/server/problem"
	"github.com/drawbridge-dra/drawbridge/server/static"
)

// routes assembles everything that is served. Both listeners share it, and
// with it the limits.
func (s *Server) routes() (http.Handler, error) {
	r := chi.NewRouter()
	r.Use(s.telemetry.middleware, requestID, observe(s.cfg.Logger), closing(&s.draining), secure,
		recoverer(s.cfg.Logger), middleware.GetHead)

	r.Get("/livez", probe(func() string { return "" }))
	r.Get("/readyz", s.verbose(probe(s.unready)))
	r.Method(http.MethodGet, "/metrics", s.telemetry.handler())

	reviews := r.With(overTLS, s.callers.only, bounded(s.cfg.MaxConcurrentReviews))
	reviews.Method(http.MethodPost, "/admission/validate", s.webhook.Validate())
	reviews.Method(http.MethodPost, "/admission/mutate", s.webhook.Mutate())
	err := openapi.Mount(r, openapi.Config{
		BodyLimit:      s.cfg.MaxBodyBytes,
		BodyTimeout:    s.cfg.BodyTimeout,
		ComputeTimeout: s.cfg.ComputeTimeout,
		Concurrency:    s.cfg.MaxConcurrentBundles,
		Logger:         s.cfg.Logger,
	})
	if err != nil {
		return nil, err
	}
	if err := mountRules(r); err != nil {
		return nil, err
	}
	files, err := playground(s.cfg.Web)
	if err != nil {
		return nil, err
	}
	r.NotFound(notFound(files))
	r.MethodNotAllowed(methodNotAllowed(r))
	return r, nil
}

// mountRules adds the page to which findings link. It is written anew for
// every start and not taken from the playground's files, so that it is there
// in a binary without them, and is that of this binary.
func mountRules(r chi.Router) error {
	page, err := rulebook.Page()
	if err != nil {
		return err
	}
	for name, file := range map[string]http.HandlerFunc{
		"/rules.html": static.Bytes("text/html; charset=utf-8", page),
		"/rules.css":  static.Bytes("text/css; charset=utf-8", rulebook.Style()),
	} {
		r.Get(name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", rulesPolicy)
			file(w, r)
		})
	}
	return nil
}

// overTLS hides admission from the plain listener: an API server that is told
// to send reviews unencrypted is misconfigured.
func overTLS(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil {
			problem.Write(w, http.StatusNotFound, "admission is served over HTTPS only, on the address of --https-listen")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// unready says why no traffic should come; empty: it should.
func (s *Server) unready() string {
	switch {
	case s.draining.Load():
		return "shutting down"
	case s.cfg.Certificates != nil && !s.cfg.Certificates.Ready():
		return "there is no certificate to serve yet; the log says why"
	}
	return ""
}

// verbose adds to an answer, if ?verbose asks for it, what is known of the
// cluster.
func (s *Server) verbose(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next(w, r)
		if r.URL.Query().Has("verbose") && s.unready() == "" {
			_ = s.around.status(w)
		}
	}
}

func probe(why func() string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if detail := why(); detail != "" {
			problem.Write(w, http.StatusServiceUnavailable, detail)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write([]byte("ok\n"))
	}
}

func playground(web fs.FS) (*static.Handler, error) {
	if web == nil {
		return nil, nil
	}
	return static.New(web)
}

// notFound serves the files of the playground. They are not routes, so that a
// path that exists nowhere is a 404 under every method.
func notFound(files *static.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" || strings.HasSuffix(name, "/") {
			name += "index.html"
		}
		switch {
		case files != nil && files.Has(name):
			w.Header().Set("Content-Security-Policy", policyOfPage(r.URL.Query()))
			files.ServeHTTP(w, r)
		case r.URL.Path == "/":
			problem.Write(w, http.StatusNotFound, "this binary was built without the playground; the API is described at /docs")
		default:
			problem.Write(w, http.StatusNotFound, "there is nothing at this path; the API is described at /docs")
		}
	}
}

// methodNotAllowed says which methods the path has: chi tells them only to its
// own handler.
func methodNotAllowed(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allow []string
		for _, m := range []string{http.MethodGet, http.MethodPost} {
			if routes.Match(chi.NewRouteContext(), m, r.URL.Path) {
				allow = append(allow, m)
				if m == http.MethodGet {
					allow = append(allow, http.MethodHead)
				}
			}
		}
		list := strings.Join(allow, ", ")
		w.Header().Set("Allow", list)
		problem.Write(w, http.StatusMethodNotAllowed, "this path takes "+list)
	}
}
