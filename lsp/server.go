package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/drawbridge-dra/drawbridge/core"
)

// The phases of a connection.
const (
	phaseNew = iota
	phaseUp
	phaseDown
)

// maxOpen is how many requests may wait for their answers.
const maxOpen = 200

// server is one connection with an editor. Messages are taken in their order
// by Handle, which only looks after the state; what takes time runs beside, on
// the world as it was when the message came.
type server struct {
	opts  Options
	log   *slog.Logger
	conn  *jsonrpc2.Conn
	ready chan struct{} // closed when conn is set
	stop  context.CancelCauseFunc
	phase atomic.Int32
	disk  *shelf

	serials atomic.Uint64
	// slots are for what computes.
	slots chan struct{}

	mu    sync.Mutex
	world *world
	open  map[jsonrpc2.ID]context.CancelFunc
	// round cancels the findings that are being worked out.
	round context.CancelFunc
	wake  chan struct{}
	// judged has for documents the serial of the settings file that held.
	judged map[string]uint64

	answers memory[*core.ValidateResult]
	fixes   memory[*core.FixesResult]
	// expressions are those of earlier answers.
	expressions core.Expressions
}

// world is all that the server knows at one moment. It is immutable.
type world struct {
	documents map[string]*document
	byPath    map[string]*document
	folders   []string
	settings  Settings // the editor's
	flags     Settings // the command's
	client    capabilities
	encoding  encoding
	shelf     *shelf
	// pulls is set when the client asks for findings instead of being told.
	pulls bool
}

func newServer(ctx context.Context, stop context.CancelCauseFunc, opts Options) *server {
	s := &server{
		opts: opts, log: opts.Log, stop: stop, ready: make(chan struct{}),
		slots: make(chan struct{}, max(2, runtime.GOMAXPROCS(0))),
		open:  map[jsonrpc2.ID]context.CancelFunc{}, wake: make(chan struct{}, 1), judged: map[string]uint64{},
	}
	s.disk = &shelf{disk: opts.Disk, lists: map[string]listing{}, files: map[string]stored{}, projects: map[string]*settled{}, next: s.serial}
	s.world = &world{
		documents: map[string]*document{}, byPath: map[string]*document{}, shelf: s.disk,
		flags: opts.Settings, encoding: utf16Units,
	}
	return s
}

func (s *server) serial() uint64 { return s.serials.Add(1) }

// now is the world as it is.
func (s *server) now() *world {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.world
}

// change makes another world, and lets findings be worked out anew.
func (s *server) change(f func(w *world)) {
	s.mu.Lock()
	next := *s.world
	f(&next)
	s.world = &next
	if s.round != nil {
		s.round()
	}
	s.mu.Unlock()
	s.awake()
}

func (s *server) awake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// failure is an error that the client gets as it is.
func failure(code int64, message string) error { return &jsonrpc2.Error{Code: code, Message: message} }

// Handle takes a message.
func (s *server) Handle(ctx context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) {
	<-s.ready
	if r.Notif {
		s.notice(ctx, r)
		return
	}
	answer, err := s.request(ctx, r)
	if err != nil {
		s.reply(ctx, r.ID, nil, err)
		return
	}
	if answer == nil {
		return // it comes later
	}
	s.reply(ctx, r.ID, answer, nil)
}

// none is an answer without a content.
var none = json.RawMessage("null")

// notice takes a notification. What is wrong with one can only be logged.
func (s *server) notice(ctx context.Context, r *jsonrpc2.Request) {
	defer s.recovered(r.Method, func() {})
	if r.Method == "exit" {
		_ = s.conn.Close()
		return
	}
	f, known := notifications[r.Method]
	if !known || s.phase.Load() != phaseUp {
		return
	}
	if err := f(s, ctx, r.Params); err != nil {
		s.log.Warn("a notification is not understood", "method", r.Method)
	}
}

// request takes a request. Without an answer and an error it will be answered.
func (s *server) request(ctx context.Context, r *jsonrpc2.Request) (any, error) {
	phase := s.phase.Load()
	switch {
	case phase == phaseDown:
		return nil, failure(jsonrpc2.CodeInvalidRequest, "the server is shut down; only exit may follow")
	case r.Method == "initialize" && phase == phaseNew:
		return s.initialize(r.Params)
	case r.Method == "initialize":
		return nil, failure(jsonrpc2.CodeInvalidRequest, "the server is initialized already")
	case phase == phaseNew:
		return nil, failure(codeNotInitialized, "the first request must be initialize")
	case r.Method == "shutdown":
		s.phase.Store(phaseDown)
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, cancel := range s.open {
			cancel()
		}
		return none, nil
	}
	f, known := requests[r.Method]
	if !known {
		return nil, failure(jsonrpc2.CodeMethodNotFound, "this server has no "+shown(r.Method))
	}
	w := s.now()
	ask, err := f(s, w, r.Params)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, twice := s.open[r.ID]; twice {
		return nil, failure(jsonrpc2.CodeInvalidRequest, "a request with this id waits for its answer")
	}
	if len(s.open) >= maxOpen {
		return nil, failure(codeRequestFailed, "too many requests wait for their answers")
	}
	ctx, cancel := context.WithCancel(ctx)
	s.open[r.ID] = cancel
	go s.work(ctx, r, w, ask)
	return nil, nil
}

// shown is the name of a method, unless it is absurd.
func shown(method string) string {
	if len(method) > 60 {
		return "such method"
	}
	return method
}

// outcome is what comes of a request.
type outcome struct {
	value any
	err   error
}

// work answers a request. One that is cancelled is answered at once, whatever
// is being done for it.
func (s *server) work(ctx context.Context, r *jsonrpc2.Request, w *world, ask asked) {
	done := make(chan outcome, 1)
	go func() {
		defer s.recovered(r.Method, func() {
			done <- outcome{err: failure(jsonrpc2.CodeInternalError, "the server failed; its log says where")}
		})
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			return
		}
		if ask.document != nil && s.now().documents[ask.document.uri] != ask.document {
			done <- outcome{err: failure(codeContentModified, "the text has changed since")}
			return
		}
		value, err := ask.answer(ctx, w)
		done <- outcome{value, err}
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		o = outcome{err: failure(codeCancelled, "the request was cancelled")}
	}
	s.mu.Lock()
	s.open[r.ID]()
	delete(s.open, r.ID)
	s.mu.Unlock()
	s.reply(context.WithoutCancel(ctx), r.ID, o.value, o.err)
}

// reply answers a request.
func (s *server) reply(ctx context.Context, id jsonrpc2.ID, value any, err error) {
	var wrong *jsonrpc2.Error
	var option *core.OptionError
	switch {
	case err == nil:
		err = s.conn.Reply(ctx, id, value)
	case errors.As(err, &wrong):
		err = s.conn.ReplyWithError(ctx, id, wrong)
	case errors.As(err, &option):
		err = s.conn.ReplyWithError(ctx, id, &jsonrpc2.Error{Code: codeRequestFailed, Message: option.Error()})
	default:
		err = s.conn.ReplyWithError(ctx, id, &jsonrpc2.Error{Code: codeRequestFailed, Message: "there is no answer: " + err.Error()})
	}
	if err != nil && !errors.Is(err, jsonrpc2.ErrClosed) {
		s.log.Error("an answer could not be sent")
		_ = s.conn.Close()
	}
}

// recovered keeps the server alive when something in it fails. What it logs is
// where, and nothing of what is being written.
func (s *server) recovered(method string, then func()) {
	if recover() != nil {
		s.log.Error("failed", "method", method, "stack", string(debug.Stack()))
		then()
	}
}

// call asks the client, aside from what it is asking.
func (s *server) call(ctx context.Context, method string, params any, then func(json.RawMessage)) {
	go func() {
		var result json.RawMessage
		if err := s.conn.Call(ctx, method, params, &result); err != nil {
			s.log.Debug("the client does not answer", "method", method)
			return
		}
		then(result)
	}()
}

// tell sends a notification.
func (s *server) tell(ctx context.Context, method string, params any) {
	if err := s.conn.Notify(ctx, method, params); err != nil && !errors.Is(err, jsonrpc2.ErrClosed) {
		s.log.Error("a notification could not be sent", "method", method)
		_ = s.conn.Close()
	}
}

// warn shows the person a sentence.
func (s *server) warn(ctx context.Context, message string) {
	s.tell(ctx, "window/showMessage", map[string]any{"type": 2, "message": message})
}
