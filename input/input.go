// Package input turns what a person names at a terminal into texts: files,
// folders, patterns and standard input. It knows which line of which file each
// line of a text came from, so that an answer about a text of many files names
// those.
package input

import (
	"bytes"
	"io"
	"os"
)

// Stdin is how standard input is named in answers.
const Stdin = "<stdin>"

// mostBytes is just above what the core reads of one text. More of a file is
// not needed to hear that it is too large.
const mostBytes = 32<<20 + 1

// File is something to read.
type File struct {
	// Name is how answers call it: with slashes, and relative to the working
	// directory where it is below that.
	Name string
	// Path leads to it; empty for standard input and what was made.
	Path string
	// Size is how many bytes it has.
	Size int64
	// Named is set for what was named by itself, and not found in a folder.
	Named bool

	text []byte // of standard input, or made
	// from and inserts are those of a part; see MadePart.
	from    int
	inserts []Insert
}

// Folder is the part of the name before the last slash.
func (f *File) Folder() string {
	for i := len(f.Name) - 1; i >= 0; i-- {
		if f.Name[i] == '/' {
			return f.Name[:i]
		}
	}
	return ""
}

// Read returns what is in the file, as far as the core would look at it.
func (f *File) Read() ([]byte, error) {
	if f.Path == "" {
		return f.text, nil
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var text bytes.Buffer
	if f.Size < mostBytes {
		text.Grow(int(f.Size) + bytes.MinRead) // one allocation instead of many
	}
	_, err = text.ReadFrom(io.LimitReader(file, mostBytes))
	return text.Bytes(), err
}

// HasObjects tells whether a text may hold objects of Kubernetes: it says
// somewhere of which kind and version they are. Folders hold other YAML, too,
// such as values of charts and settings of tools, and nobody asked about those.
func HasObjects(text []byte) bool {
	return hasKey(text, "apiVersion") && hasKey(text, "kind")
}

// hasKey looks for a key, plain or in quotes, with what may stand before one
// and behind it.
func hasKey(text []byte, key string) bool {
	for rest := text; ; {
		at := bytes.Index(rest, []byte(key))
		if at < 0 {
			return false
		}
		before := bytes.TrimRight(rest[:at], "\"'")
		after := bytes.TrimLeft(bytes.TrimLeft(rest[at+len(key):], "\"'"), " \t")
		if bytes.HasPrefix(after, []byte(":")) && (len(before) == 0 || bytes.IndexByte([]byte(" \t\r\n{,-"), before[len(before)-1]) >= 0) {
			return true
		}
		rest = rest[at+len(key):]
	}
}
