package lsp

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/drawbridge-dra/drawbridge/input"
)

// What is read beside the open files, at most. A workspace can be somebody's
// whole home.
const (
	maxFiles   = 500
	maxEntries = 20_000
	maxTotal   = 2 << 20
)

// Disk finds and reads files.
type Disk interface {
	// List returns the paths of the files with one of the endings in a folder,
	// and, if deep, below it, sorted. It is false where they are too many.
	List(ctx context.Context, folder string, deep bool) ([]string, bool)
	// Read returns a file's text, and a mark that differs once it was changed;
	// known is the mark of what the caller has: the text is nil if that is
	// still right.
	Read(path, known string) (text []byte, mark string, err error)
}

// Files is the disk of this machine.
type Files struct{}

// List walks the folders as the command line does.
func (Files) List(ctx context.Context, folder string, deep bool) (found []string, ok bool) {
	entries := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if entries++; entries > maxEntries || len(found) > maxFiles {
			return errTooMany
		}
		switch {
		case err != nil:
			return nil // what cannot be read is not there
		case path == folder:
			return nil
		case entry.IsDir():
			if !deep || input.PassedOver(path, entry) {
				return filepath.SkipDir
			}
		case entry.Type().IsRegular() && !input.PassedOver(path, entry):
			found = append(found, path)
		}
		return nil
	})
	return found, err == nil && len(found) <= maxFiles
}

var errTooMany = errors.New("too many")

// inTemplates tells whether a file is one of the templates of a chart.
func inTemplates(path string) bool {
	for folder := filepath.Dir(path); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if input.IsTemplates(folder) {
			return true
		}
	}
	return false
}

// Read reads a file, as long as it is one that could be looked at together
// with others.
func (Files) Read(path, known string) ([]byte, string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", err
	}
	mark := info.ModTime().String() + " " + info.Mode().String() + " " + itoa(info.Size())
	if mark == known {
		return nil, mark, nil
	}
	if !info.Mode().IsRegular() || info.Size() > maxTotal {
		return []byte{}, mark, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxTotal+1))
	if text == nil {
		text = []byte{}
	}
	return text, mark, err
}

// shelf keeps what was read of the disk.
type shelf struct {
	disk Disk
	// watched is set when the client tells of changed files, so that lists are
	// good until then.
	watched bool

	mu    sync.Mutex
	lists map[string]listing
	files map[string]stored
	// projects are the settings files that were read.
	projects map[string]*settled
	next     func() uint64
}

type listing struct {
	paths []string
	ok    bool
	at    time.Time
}

type stored struct {
	document *document
	mark     string
}

// listed is how long a list is good where nobody tells of changed files.
const listed = 3 * time.Second

// list is like Disk.List, and remembers.
func (s *shelf) list(ctx context.Context, folder string, deep bool) ([]string, bool) {
	if s.disk == nil {
		return nil, true
	}
	key := folder
	if deep {
		key += string(filepath.Separator) + "**"
	}
	s.mu.Lock()
	l, ok := s.lists[key]
	s.mu.Unlock()
	if ok && (s.watched || time.Since(l.at) < listed) {
		return l.paths, l.ok
	}
	l = listing{at: time.Now()}
	l.paths, l.ok = s.disk.List(ctx, folder, deep)
	if ctx.Err() == nil {
		s.mu.Lock()
		if len(s.lists) > 100 {
			clear(s.lists)
		}
		s.lists[key] = l
		s.mu.Unlock()
	}
	return l.paths, l.ok
}

// read returns a file as a document; nil if it cannot be read.
func (s *shelf) read(path string) *document {
	if s.disk == nil {
		return nil
	}
	s.mu.Lock()
	have := s.files[path]
	s.mu.Unlock()
	text, mark, err := s.disk.Read(path, have.mark)
	if err != nil {
		return nil
	}
	if text == nil && have.document != nil {
		return have.document
	}
	d := &document{uri: uriOf(path), path: path, serial: s.next()}
	d.read(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.files) > 4*maxFiles {
		clear(s.files)
	}
	s.files[path] = stored{d, mark}
	return d
}

// forget makes lists be made anew.
func (s *shelf) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.lists)
}

// pathOf is where a document lies; empty if not on a disk.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" || strings.ContainsRune(u.Path, 0) {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		if path = strings.TrimPrefix(path, "/"); len(path) > 1 && path[1] == ':' {
			path = strings.ToLower(path[:1]) + path[1:]
		}
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uriOf is how a path is named in the protocol.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
