package server

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/drawbridge-dra/drawbridge/server/problem"
	"github.com/drawbridge-dra/drawbridge/webhook"
)

// requestIDHeader carries the id under which the log knows a request.
const requestIDHeader = "X-Request-Id"

// requestID gives every request an id of our own making; one that a client
// chose would put its text into our log.
func requestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var id [8]byte
		_, _ = rand.Read(id[:]) // never fails
		w.Header().Set(requestIDHeader, hex.EncodeToString(id[:]))
		next.ServeHTTP(w, r)
	})
}

// quiet are the routes that machines call all the time.
var quiet = map[string]bool{"/livez": true, "/readyz": true, "/metrics": true}

// observe writes the access log and gives span and metrics the route. It runs
// inside otelhttp and around everything else. Bodies, queries and headers are
// never logged.
func observe(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			ww := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			defer func() {
				// What no route matches is a file of the playground, or
				// nothing; either way its path is the client's invention.
				route := "/*"
				if c := chi.RouteContext(r.Context()); c != nil && c.RoutePattern() != "" {
					route = c.RoutePattern()
				}
				span := trace.SpanFromContext(r.Context())
				span.SetName(method(r.Method) + " " + route)
				span.SetAttributes(attribute.String("http.route", route))
				if labeler, ok := otelhttp.LabelerFromContext(r.Context()); ok {
					labeler.Add(attribute.String("http.route", route))
				}
				level := slog.LevelInfo
				if quiet[route] && ww.Status() < 400 {
					level = slog.LevelDebug
				}
				attrs := []slog.Attr{
					slog.String("method", method(r.Method)), slog.String("route", route), slog.Int("status", ww.Status()),
					slog.Int("bytes", ww.BytesWritten()), slog.Float64("milliseconds", float64(time.Since(start).Microseconds())/1000),
					slog.String("requestId", w.Header().Get(requestIDHeader)),
				}
				if id := span.SpanContext().TraceID(); id.IsValid() {
					attrs = append(attrs, slog.String("traceId", id.String()))
				}
				log.LogAttrs(r.Context(), level, "request", attrs...)
			}()
			next.ServeHTTP(ww, r)
		})
	}
}

// method keeps invented methods out of logs and span names.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return m
	}
	return "_OTHER"
}

// recoverer turns a panic into a problem. It runs inside observe, so that the
// log, the metrics and the trace see the request end.
func recoverer(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ww, ok := w.(middleware.WrapResponseWriter)
			if !ok {
				ww = middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			}
			defer func() {
				v := recover()
				if v == nil {
					return
				}
				if v == http.ErrAbortHandler {
					panic(v)
				}
				log.ErrorContext(r.Context(), "panic", "what", panicText(v), "stack", string(debug.Stack()),
					"requestId", w.Header().Get(requestIDHeader))
				if ww.Status() != 0 {
					// Half an answer must not look like a whole one.
					panic(http.ErrAbortHandler)
				}
				problem.Write(ww, http.StatusInternalServerError, "something went wrong here; the server's log says what")
			}()
			next.ServeHTTP(ww, r)
		})
	}
}

// panicText describes a panic without what may have come from a body.
func panicText(v any) string {
	if err, ok := v.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", v)
}

// apiPolicy is for answers that no browser has a reason to render.
const apiPolicy = "default-src 'none'; frame-ancestors 'none'"

// docsPolicy is for the page that shows the OpenAPI document.
const docsPolicy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pagePolicy is for the playground and its workers: nothing but ourselves.
// The core is wasm, which browsers count as eval. CodeMirror's style sheets
// live in a shadow root, so not even inline styles need to be allowed.
const pagePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; " +
	"style-src 'self'; img-src 'self' data:; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// policyOfPage lets other sites show the page in a frame if it is asked for as
// a part of theirs. It then keeps nothing and reads nothing that is kept, and
// has no button that does anything to anybody, so there is nothing that a
// click which was meant for the page around it could do.
func policyOfPage(query url.Values) string {
	if query.Has("embed") {
		return strings.Replace(pagePolicy, "frame-ancestors 'none'", "frame-ancestors *", 1)
	}
	return pagePolicy
}

// rulesPolicy is for the page of the rules, which is text and a style sheet.
const rulesPolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// secure sets the headers that keep browsers from misusing answers.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		policy := apiPolicy
		if strings.HasPrefix(r.URL.Path, "/docs/") {
			policy = docsPolicy
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// closing tells clients to connect anew, and so elsewhere, while draining: an
// API server would keep its idle connections to us otherwise.
func closing(draining *atomic.Bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if draining.Load() {
				w.Header().Set("Connection", "close")
			}
			next.ServeHTTP(w, r)
		})
	}
}

// bounded lets n requests be at work at once. Others wait for half of the time
// that their API server does, so that the rest is enough for an answer: turned
// away at once, a burst of objects would meet the failure policy. Then they get
// 429; their bodies have not been read by then.
func bounded(n int) func(http.Handler) http.Handler {
	slots := make(chan struct{}, n)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			patience := time.NewTimer(webhook.Patience(r) / 2)
			defer patience.Stop()
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
				next.ServeHTTP(w, r)
			case <-patience.C:
				w.Header().Set("Retry-After", "1")
				problem.Write(w, http.StatusTooManyRequests, "too many reviews are being worked on; try again shortly")
			case <-r.Context().Done():
			}
		})
	}
}
