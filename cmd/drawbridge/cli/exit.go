package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// What the process exits with. Scripts rely on these; docs/cli.md lists them.
const (
	exitFailure     = 1   // findings at or above --fail-on, or something that does not fit; for serve, a failure at work; for doctor, problems
	exitMisuse      = 2   // the question cannot be asked: a wrong flag, or a file or a cluster that cannot be read
	exitInterrupted = 130 // somebody pressed Ctrl-C
)

// exit is an error with the code that the process exits with.
type exit struct {
	code int
	err  error // nil where all has been said
}

func (e *exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// at gives an error a code.
func at(code int, err error) error {
	if err == nil {
		return nil
	}
	return &exit{code, err}
}

// ExitCode is what the process exits with for what Execute returned.
func ExitCode(err error) int {
	var e *exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.code
	}
	return exitMisuse
}

// answering makes a command of a question. The answer says whether it is a
// good one; no is told by the exit code alone. An interrupt ends it at once,
// whatever is at work.
func answering(ask func(ctx context.Context, cmd *cobra.Command, args []string) (good bool, err error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		type answer struct {
			good bool
			err  error
		}
		done := make(chan answer, 1)
		go func() {
			good, err := ask(ctx, cmd, args)
			done <- answer{good, err}
		}()
		select {
		case a := <-done:
			switch {
			case ctx.Err() != nil:
			case a.err != nil:
				return inWords(a.err)
			case a.good:
				return nil
			default:
				cmd.SilenceErrors = true
				return &exit{code: exitFailure}
			}
		case <-ctx.Done():
		}
		cmd.SilenceErrors = true
		return &exit{code: exitInterrupted}
	}
}
