// Package podresources serves the kubelet's PodResources API over a Unix
// socket, from files instead of a node: for agents that watch devices, and for
// their tests. The answers are the core's.
package podresources

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// mostBytes is how much all files may hold together.
const mostBytes = 32 << 20

// Source answers from files. It looks at them whenever it is asked; an answer
// is always that of all files as they were at one time, and stays what it was
// while they cannot be read.
type Source struct {
	files  []string
	opts   core.PodResourcesOptions
	logger *slog.Logger

	mu     sync.Mutex
	stamps []stamp
	answer *Answer
	failed string // what was said last about files that cannot be read
}

// Answer is what the API says at one time.
type Answer struct {
	*core.PodResourcesResult
	List *podresourcesv1.ListPodResourcesResponse
}

// stamp is by what one sees that a file has changed.
type stamp struct {
	size     int64
	modified time.Time
	info     os.FileInfo
}

func (s stamp) same(t stamp) bool {
	return s.size == t.size && s.modified.Equal(t.modified) && os.SameFile(s.info, t.info)
}

// Open reads the files for the first time.
func Open(ctx context.Context, files []string, opts core.PodResourcesOptions, logger *slog.Logger) (*Source, error) {
	s := &Source{files: files, opts: opts, logger: logger}
	stamps, answer, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	s.stamps, s.answer = stamps, answer
	s.tell()
	return s, nil
}

// Answer is the one to the files as they are.
func (s *Source) Answer(ctx context.Context) *Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now, err := s.look(); err == nil && s.unchanged(now) {
		return s.answer
	}
	stamps, answer, err := s.read(ctx)
	switch {
	case err == nil:
		s.stamps, s.answer, s.failed = stamps, answer, ""
		s.tell()
	case ctx.Err() == nil && err.Error() != s.failed && !errors.Is(err, errMoving):
		s.failed = err.Error()
		s.logger.WarnContext(ctx, "the files cannot be read; the answer stays what it was", "error", err)
	}
	return s.answer
}

func (s *Source) unchanged(now []stamp) bool {
	for i := range now {
		if !now[i].same(s.stamps[i]) {
			return false
		}
	}
	return true
}

func (s *Source) look() ([]stamp, error) {
	out := make([]stamp, len(s.files))
	for i, name := range s.files {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		out[i] = stamp{info.Size(), info.ModTime(), info}
	}
	return out, nil
}

// settled is how long files must be left alone before they are read: who writes
// a file may be in the middle of it.
const settled = 200 * time.Millisecond

// errMoving tells that files were written to while they were read.
var errMoving = errors.New("the files change while they are read")

// read makes an answer of the files.
func (s *Source) read(ctx context.Context) ([]stamp, *Answer, error) {
	before, err := s.look()
	if err != nil {
		return nil, nil, err
	}
	for _, f := range before {
		if age := time.Since(f.modified); s.answer != nil && age >= 0 && age < settled {
			return nil, nil, errMoving
		}
		if f.size == 0 {
			return nil, nil, fmt.Errorf("%s is empty", f.info.Name())
		}
	}
	text, err := s.text()
	if err != nil {
		return nil, nil, err
	}
	after, err := s.look()
	if err != nil {
		return nil, nil, err
	}
	for i := range after {
		if !after[i].same(before[i]) {
			return nil, nil, errMoving
		}
	}
	result, err := core.PodResources(ctx, text, s.opts)
	if err != nil {
		return nil, nil, err
	}
	// A file that is half written has a part that is no object.
	for _, d := range result.Diagnostics {
		if d.Severity == diag.Error && d.Source == diag.Decode && d.Object == nil {
			return nil, nil, fmt.Errorf("line %s of the files together: %s", line(d.Location), d.Message)
		}
	}
	answer := &Answer{PodResourcesResult: result, List: &podresourcesv1.ListPodResourcesResponse{}}
	if err := message(result.List, answer.List); err != nil {
		return nil, nil, err
	}
	return before, answer, nil
}

func line(l *diag.Location) string {
	if l == nil {
		return "?"
	}
	return fmt.Sprint(l.Line)
}

func (s *Source) text() ([]byte, error) {
	var all bytes.Buffer
	for i, name := range s.files {
		if i > 0 {
			all.WriteString("\n---\n")
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		_, err = io.Copy(&all, io.LimitReader(f, mostBytes+1))
		_ = f.Close() // it was only read
		if err != nil {
			return nil, err
		}
		if all.Len() > mostBytes {
			return nil, fmt.Errorf("the files hold more than %d MiB together", mostBytes>>20)
		}
	}
	return all.Bytes(), nil
}

// message turns an answer of the core into one of the API. Its JSON is that of
// the protocol buffers.
func message(from any, into proto.Message) error {
	text, err := core.JSON(from)
	if err != nil {
		return err
	}
	return protojson.Unmarshal(text, into)
}

// tell logs what the answer rests on.
func (s *Source) tell() {
	errs := 0
	for _, d := range s.answer.Diagnostics {
		if d.Severity == diag.Error {
			errs++
		}
	}
	s.logger.Info("files read", "node", s.answer.Node, "pods", len(s.answer.List.PodResources), "errors", errs)
	for _, a := range s.answer.Assumptions {
		s.logger.Info("assumed", "what", a)
	}
	for _, n := range s.answer.Notes {
		s.logger.Info("noted", "code", n.Code, "what", n.Message)
	}
}
