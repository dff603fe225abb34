package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// What one message may hold. The core reads texts of up to 32 MiB, which
// escapes can make twice as long.
const (
	maxHeaderLine  = 1 << 10
	maxHeaderLines = 16
	maxBody        = 72 << 20
)

// stream frames messages as the protocol does, with Content-Length. The
// library has a codec for that, too, but one that reads headers and bodies of
// any length, and ends the connection at the first body that is not JSON.
type stream struct {
	in  *bufio.Reader
	log *slog.Logger

	mu  sync.Mutex
	out *bufio.Writer

	closers []io.Closer
}

func newStream(in io.Reader, out io.Writer, log *slog.Logger) *stream {
	s := &stream{in: bufio.NewReader(in), out: bufio.NewWriter(out), log: log}
	for _, end := range []any{in, out} {
		if c, ok := end.(io.Closer); ok {
			s.closers = append(s.closers, c)
		}
	}
	return s
}

// ReadObject reads the next message that can be understood, and answers the
// others.
func (s *stream) ReadObject(v any) error {
	for {
		length, err := s.header()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) && !errors.Is(err, io.ErrClosedPipe) {
				s.log.Error("the input is not that of a language client", "problem", err)
			}
			return err
		}
		// The buffer grows with what arrives, not with what is announced.
		var body bytes.Buffer
		if _, err := io.CopyN(&body, s.in, length); err != nil {
			return io.ErrUnexpectedEOF
		}
		if !json.Valid(body.Bytes()) {
			err = s.complain(jsonrpc2.CodeParseError, "the message is not JSON")
		} else if json.Unmarshal(body.Bytes(), v) != nil {
			err = s.complain(jsonrpc2.CodeInvalidRequest, "the message is neither a request nor a response")
		} else {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// complain answers what cannot be answered to anybody.
func (s *stream) complain(code int64, message string) error {
	s.log.Warn(message)
	return s.WriteObject(struct {
		Version string         `json:"jsonrpc"`
		ID      *int           `json:"id"`
		Error   jsonrpc2.Error `json:"error"`
	}{Version: "2.0", Error: jsonrpc2.Error{Code: code, Message: message}})
}

// header reads the lines before a message and returns its length.
func (s *stream) header() (int64, error) {
	length := int64(-1)
	for range maxHeaderLines {
		line, err := s.line()
		if err != nil {
			return 0, err
		}
		if line == "" {
			if length < 0 {
				return 0, errors.New("a header says no Content-Length")
			}
			return length, nil
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return 0, errors.New("a header line has no colon; this program is started by editors")
		}
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 62)
		if err != nil {
			return 0, errors.New("the Content-Length is no number")
		}
		if n > maxBody {
			return 0, fmt.Errorf("a message has %d MiB, at most %d are read", n>>20, maxBody>>20)
		}
		length = int64(n)
	}
	return 0, fmt.Errorf("a header has more than %d lines", maxHeaderLines)
}

// line reads a header line without its end.
func (s *stream) line() (string, error) {
	var line []byte
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			if len(line) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
		if c == '\n' {
			return strings.TrimSuffix(string(line), "\r"), nil
		}
		if line = append(line, c); len(line) > maxHeaderLine {
			return "", fmt.Errorf("a header line has more than %d bytes", maxHeaderLine)
		}
	}
}

// WriteObject sends a message.
func (s *stream) WriteObject(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n", len(body)); err != nil {
		return err
	}
	if _, err := s.out.Write(body); err != nil {
		return err
	}
	return s.out.Flush()
}

// Close closes both ends.
func (s *stream) Close() error {
	var all error
	for _, c := range s.closers {
		all = errors.Join(all, c.Close())
	}
	return all
}
