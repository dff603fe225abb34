package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/munnerz/goautoneg"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/server/problem"
)

// mediaEvents are server-sent events: progress while the work goes on, and the
// answer at its end.
const mediaEvents = "text/event-stream"

// wantsEvents tells whether a client asks for events, by name and no less than
// for anything else. A range such as */* does not ask for them.
func wantsEvents(accept string) bool {
	ranges := goautoneg.ParseAccept(strings.ToLower(accept))
	events := 0.0
	for _, r := range ranges {
		if r.Type+"/"+r.SubType == mediaEvents {
			events = r.Q
		}
	}
	for _, offer := range answerTypes {
		if q, specific := quality(ranges, offer); specific == 3 && q > events {
			return false
		}
	}
	return events > 0
}

// streams tells whether an operation documents events among its answers.
func streams(op *huma.Operation) bool {
	ok := op.Responses["200"]
	return ok != nil && ok.Content[mediaEvents] != nil
}

// streaming completes an operation that can answer by events.
func (a *api) streaming(op huma.Operation) huma.Operation {
	op.Responses["200"].Content[mediaEvents] = &huma.MediaType{
		Schema: &huma.Schema{Type: huma.TypeString, Description: "Events named progress with {\"done\":…,\"total\":…,\"what\":…}, at the end one named result with the answer as JSON, or one named problem with what application/problem+json would say. A comment at least every few seconds shows that the work goes on."},
		Example: "event: progress\ndata: {\"done\":250,\"total\":500,\"what\":\"pods\"}\n\n" +
			"event: result\ndata: {\"kubernetesVersion\":\"1.37\",\"pods\":[]}\n\n",
	}
	return op
}

// heartbeat is how long a stream is silent at most.
const heartbeat = 5 * time.Second

// work is what an operation does; it tells how far it is, in its own goroutine.
type work[R any] func(ctx context.Context, tell func(core.Progress)) (R, error)

// answerTo does the work and answers in the form that the client wants.
func answerTo[R any](ctx context.Context, a *api, o BundleOptions, f work[R]) *answer {
	if !wantsEvents(o.accept) {
		return a.reply(compute(ctx, a, func(ctx context.Context) (R, error) { return f(ctx, nil) }))
	}
	return &answer{Body: func(hctx huma.Context) {
		_, w := humachi.Unwrap(hctx)
		ctx, cancel := context.WithCancel(hctx.Context())
		defer cancel()
		s := &stream{w: w, control: http.NewResponseController(w)}
		progress, end := make(chan core.Progress, 1), make(chan outcome, 1)
		go func() {
			defer func() {
				if v := recover(); v != nil {
					a.cfg.Logger.ErrorContext(ctx, "panic", "what", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
					end <- outcome{problem: problem.New(http.StatusInternalServerError, "something went wrong here; the server's log says what")}
				}
			}()
			body, p := compute(ctx, a, func(ctx context.Context) (R, error) { return f(ctx, latest(progress)) })
			end <- outcome{body, p}
		}()
		s.follow(progress, end, cancel)
	}}
}

// outcome is how work ended.
type outcome struct {
	body    []byte
	problem *problem.Problem
}

// latest passes progress on; what nobody has taken yet gives way.
func latest(to chan core.Progress) func(core.Progress) {
	return func(p core.Progress) {
		select {
		case <-to:
		default:
		}
		to <- p // there is one sender, and room for one
	}
}

// stream writes events. The status waits for the first of them, so that a
// request that fails at once gets a status that says so.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	started bool
}

// follow writes until the work has ended. Where the client has gone, the work
// is cancelled and waited for.
func (s *stream) follow(progress chan core.Progress, end chan outcome, cancel func()) {
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	for {
		var err error
		select {
		case p := <-progress:
			data, _ := json.Marshal(p)
			err = s.event("progress", data)
		case <-ticker.C:
			err = s.write([]byte(": at work\n\n"))
		case o := <-end:
			s.finish(o)
			return
		}
		if err != nil {
			cancel()
			<-end
			return
		}
	}
}

func (s *stream) finish(o outcome) {
	switch {
	case o.problem == nil:
		_ = s.event("result", o.body) // a client that has gone is no error of ours
	case !s.started:
		s.w.Header().Add("Vary", "Accept")
		o.problem.Write(s.w)
	default:
		data, _ := json.Marshal(o.problem)
		_ = s.event("problem", data)
	}
}

// event writes one event; its data is JSON and so has no line breaks but the
// last.
func (s *stream) event(name string, data []byte) error {
	return s.write(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, bytes.TrimSpace(data)))
}

func (s *stream) write(text []byte) error {
	if !s.started {
		s.started = true
		h := s.w.Header()
		h.Set("Content-Type", mediaEvents)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no") // proxies must not wait for more
		h.Add("Vary", "Accept")
		s.w.WriteHeader(http.StatusOK)
	}
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	return s.control.Flush()
}
