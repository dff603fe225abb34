// Package lsp is a language server: it gives editors what the core knows,
// over standard input and output. Like every front it only translates.
package lsp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// Options are what the command says of the server.
type Options struct {
	// Version of the program, told to the editor.
	Version string
	// Log hears what goes wrong, and never a text of the editor's.
	Log *slog.Logger
	// Disk reads the files beside those that are open; nil for none.
	Disk Disk
	// Settings are those that hold where the editor has none.
	Settings Settings
	// look is how often settings files are looked at; 0 for what is usual.
	look time.Duration
}

// The ends that are none of the editor's wish.
var (
	errNoShutdown = errors.New("the editor ended the connection without a shutdown request before")
	errOrphaned   = errors.New("the editor is gone")
)

// Serve talks with one editor until it has enough. The error is nil only if it
// asked for the shutdown first, as the protocol demands.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if err := opts.Settings.options().CheckFeatures(); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := newServer(ctx, stop, opts)
	s.conn = jsonrpc2.NewConn(ctx, newStream(in, out, opts.Log), s, jsonrpc2.SetLogger(quiet{opts.Log}))
	close(s.ready)
	go s.publishing(ctx)
	<-s.conn.DisconnectNotify()
	if s.phase.Load() == phaseDown {
		return nil
	}
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return errNoShutdown
}

// quiet passes on what the library has to say, as a line of the log.
type quiet struct{ log *slog.Logger }

func (q quiet) Printf(string, ...any) {
	// Its messages quote what they are about, which may be somebody's text.
	q.log.Debug("a message was not understood")
}
