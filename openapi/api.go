// Package openapi holds the REST operations. They only translate: the query
// into options, the body into text for the core, and its result into bytes.
// The OpenAPI document is generated from the core's result types.
package openapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/server/problem"
)

// Config bounds what the operations accept. A zero field means its default.
type Config struct {
	BodyLimit      int64         // bytes of a bundle; default 32 MiB
	BodyTimeout    time.Duration // to receive a bundle; default 30 s
	ComputeTimeout time.Duration // to answer; default 20 s
	Concurrency    int           // bundles at work at once; default 4
	QueueTimeout   time.Duration // to wait for a turn; default 1 s
	Logger         *slog.Logger  // for what went wrong in us; default slog.Default()
}

func (c Config) withDefaults() Config {
	if c.BodyLimit <= 0 {
		c.BodyLimit = 32 << 20
	}
	if c.BodyTimeout <= 0 {
		c.BodyTimeout = 30 * time.Second
	}
	if c.ComputeTimeout <= 0 {
		c.ComputeTimeout = 20 * time.Second
	}
	if c.Concurrency <= 0 {
		c.Concurrency = 4
	}
	if c.QueueTimeout <= 0 {
		c.QueueTimeout = time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

func init() {
	// Both are globals of huma. Its own errors would echo the values that
	// failed; and our lists are never null.
	huma.DefaultArrayNullable = false
	huma.NewError = newError
}

type api struct {
	cfg  Config
	gate *gate
	huma huma.API
}

// Mount adds the operations, the document and its page to the router.
func Mount(router chi.Router, cfg Config) error {
	a, err := mount(router, cfg)
	if err != nil {
		return err
	}
	doc, err := render(a.huma.OpenAPI())
	if err != nil {
		return err
	}
	return doc.mount(router)
}

func mount(router chi.Router, cfg Config) (*api, error) {
	cfg = cfg.withDefaults()
	a := &api{cfg: cfg, gate: newGate(cfg.Concurrency, cfg.QueueTimeout)}
	hc := huma.DefaultConfig("Drawbridge", "v1")
	hc.Info.Description = "Answers for Kubernetes Dynamic Resource Allocation (resource.k8s.io): is it right, does it fit, and why not."
	hc.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	hc.Components.Schemas = newRegistry()
	hc.AllowAdditionalPropertiesByDefault = true // an answer may grow fields
	hc.OpenAPIPath, hc.DocsPath, hc.SchemasPath = "", "", ""
	hc.CreateHooks = nil                                                                                   // no $schema in answers, built from headers that a client chooses
	hc.Formats = map[string]huma.Format{mediaJSON: huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat} // and +json
	a.huma = humachi.New(router, hc)
	a.register()
	vocabulary(a.huma.OpenAPI().Components.Schemas)
	return a, nil
}

// strictQuery refuses parameters that the operation does not have, or has
// twice: a misspelt option that is silently ignored gives a wrong answer.
func strictQuery(ctx huma.Context, next func(huma.Context)) {
	r, w := humachi.Unwrap(ctx)
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		problem.Write(w, http.StatusBadRequest, "the query cannot be read: separate parameters by & and escape their values")
		return
	}
	var known []string
	for _, p := range ctx.Operation().Parameters {
		if p.In == "query" {
			known = append(known, p.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		given := values[name]
		if !slices.Contains(known, name) {
			detail := "this operation takes no query parameters"
			if len(known) > 0 {
				detail = "the query has a parameter that this operation does not know; it knows " + strings.Join(known, ", ")
			}
			problem.Write(w, http.StatusBadRequest, detail)
			return
		}
		if len(given) > 1 {
			problem.ForParameter(name, "is given more than once").Write(w)
			return
		}
	}
	if given, ok := values["skipValidation"]; ok && given[0] == "" {
		values["skipValidation"] = []string{"true"} // ?skipValidation
	}
	// huma reads the raw query with a parser of its own that loses
	// parameters after one without "="; give it the canonical form.
	r.URL.RawQuery = values.Encode()
	next(ctx)
}

// acceptable answers 406 before any work is done.
func acceptable(ctx huma.Context, next func(huma.Context)) {
	accept := ctx.Header("Accept")
	events := streams(ctx.Operation())
	if negotiate(accept) == "" && !(events && wantsEvents(accept)) {
		_, w := humachi.Unwrap(ctx)
		forms := "application/json, application/yaml, application/x-yaml or text/yaml"
		if events {
			forms = "application/json, application/yaml, application/x-yaml, text/yaml or text/event-stream"
		}
		problem.Write(w, http.StatusNotAcceptable, "the answer can be "+forms+"; the Accept header allows none of them")
		return
	}
	next(ctx)
}

// admit lets a bundle in: of a type we read, not too large, and not more at a
// time than the configured number.
func (a *api) admit(ctx huma.Context, next func(huma.Context)) {
	r, w := humachi.Unwrap(ctx)
	if _, wrong := requestType(r.Header.Get("Content-Type"), r.Header.Get("Content-Encoding")); wrong != "" {
		problem.Write(w, http.StatusUnsupportedMediaType, wrong)
		return
	}
	if r.ContentLength > a.cfg.BodyLimit {
		a.tooLarge().Write(w)
		return
	}
	if !a.gate.enter(r.Context()) {
		w.Header().Set("Retry-After", strconv.Itoa(int(a.cfg.QueueTimeout.Seconds())+1))
		problem.Write(w, http.StatusTooManyRequests, "too many bundles are being worked on; try again shortly")
		return
	}
	defer a.gate.leave()
	next(ctx)
}

func (a *api) tooLarge() *problem.Problem {
	return problem.New(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %s; send fewer objects, or start the server with a larger --max-body-bytes", bytesText(a.cfg.BodyLimit)))
}

func bytesText(n int64) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// compute runs the core within the time that a request may take, and turns
// its errors into problems.
func compute[R any](ctx context.Context, a *api, f func(context.Context) (R, error)) ([]byte, *problem.Problem) {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.ComputeTimeout)
	defer cancel()
	result, err := f(ctx)
	var option *core.OptionError
	switch {
	case err == nil:
	case errors.As(err, &option):
		return nil, problem.ForParameter(option.Option, option.Message)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, problem.New(http.StatusServiceUnavailable, fmt.Sprintf("no answer within %s; send fewer objects, or start the server with a longer --compute-timeout", a.cfg.ComputeTimeout))
	case errors.Is(err, context.Canceled):
		return nil, problem.New(statusClientGone, "the request was cancelled")
	default:
		a.cfg.Logger.ErrorContext(ctx, "the core failed", "error", err)
		return nil, problem.New(http.StatusInternalServerError, "something went wrong here; the server's log says what")
	}
	return a.json(result)
}

// render makes the answer of an operation that cannot fail.
func (a *api) render(result any) *answer { return a.reply(a.json(result)) }

func (a *api) json(result any) ([]byte, *problem.Problem) {
	body, err := core.JSON(result)
	if err != nil {
		a.cfg.Logger.Error("the result cannot be rendered", "error", err)
		return nil, problem.New(http.StatusInternalServerError, "something went wrong here; the server's log says what")
	}
	return body, nil
}

// statusClientGone is what access logs write for a client that did not wait.
const statusClientGone = 499

// answer is the output of every operation.
type answer struct {
	Body func(huma.Context)
}

// reply sends rendered JSON in the form that was negotiated.
func (a *api) reply(body []byte, p *problem.Problem) *answer {
	return &answer{Body: func(ctx huma.Context) {
		_, w := humachi.Unwrap(ctx)
		media := negotiate(ctx.Header("Accept"))
		if p == nil && media != mediaJSON {
			var err error
			if body, err = yaml.JSONToYAML(body); err != nil {
				a.cfg.Logger.ErrorContext(ctx.Context(), "the result cannot be rendered as YAML", "error", err)
				p = problem.New(http.StatusInternalServerError, "something went wrong here; the server's log says what")
			}
		}
		w.Header().Add("Vary", "Accept")
		if p != nil {
			p.Write(w)
			return
		}
		w.Header().Set("Content-Type", media)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(body) // a client that has gone is no error of ours
	}}
}
