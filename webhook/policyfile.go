package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/drawbridge-dra/drawbridge/core"
)

// mostPolicyBytes bounds what is read of a policy file; the core takes less.
const mostPolicyBytes = 2 << 20

// PolicyFile is a policy that follows a file. The content is compared now and
// then, not the time: a ConfigMap's file changes by a link that is put in the
// place of another, and in a different way everywhere else.
type PolicyFile struct {
	path    string
	logger  *slog.Logger
	changed func(ctx context.Context, used bool)
	policy  atomic.Pointer[core.AdmissionPolicy]
	// text is what was last read, whether or not it could be used, and
	// unread that it could not even be read; only follow touches them.
	text   []byte
	unread bool
}

// ReadPolicyFile reads a policy. What is wrong with it is told with its lines:
// a server that starts should start with what it was given. Changed is told
// of every change of the file that is read by Follow; nil: nobody is.
func ReadPolicyFile(path string, logger *slog.Logger, changed func(ctx context.Context, used bool)) (*PolicyFile, error) {
	if changed == nil {
		changed = func(context.Context, bool) {}
	}
	f := &PolicyFile{path: path, logger: logger, changed: changed}
	text, err := readSome(path)
	if err != nil {
		return nil, fmt.Errorf("the policy file cannot be read: %w", err)
	}
	policy, err := core.ParsePolicy(text)
	if err != nil {
		return nil, fmt.Errorf("the policy file %s: %w", path, err)
	}
	f.text = text
	f.policy.Store(policy)
	return f, nil
}

// Policy is the policy that holds now.
func (f *PolicyFile) Policy() *core.AdmissionPolicy { return f.policy.Load() }

// Follow looks at the file in this interval until ctx ends.
func (f *PolicyFile) Follow(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			f.look(ctx)
		}
	}
}

// look takes a new policy, or says once why it does not and keeps the old one.
func (f *PolicyFile) look(ctx context.Context) {
	text, err := readSome(f.path)
	if err != nil {
		if !f.unread {
			f.unread = true
			f.changed(ctx, false)
			f.logger.ErrorContext(ctx, "the policy file cannot be read; the policy stays as it was", "file", f.path, "error", err)
		}
		return
	}
	if bytes.Equal(text, f.text) && !f.unread {
		return
	}
	f.text, f.unread = text, false
	policy, err := core.ParsePolicy(text)
	f.changed(ctx, err == nil)
	if err != nil {
		f.logger.ErrorContext(ctx, "the policy file has faults; the policy stays as it was", "file", f.path, "error", err)
		return
	}
	f.policy.Store(policy)
	f.logger.InfoContext(ctx, "a new policy holds", "file", f.path)
}

func readSome(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostPolicyBytes+1))
	if err == nil && len(text) > mostPolicyBytes {
		err = errors.New("it is too large for a policy")
	}
	return text, err
}
