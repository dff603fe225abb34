package lsp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/input"
)

// Scope is which files are looked at together: only objects of one text are
// compared with each other.
type Scope string

// The scopes. A file that was never stored is always alone.
const (
	ScopeFile      Scope = "file"
	ScopeFolder    Scope = "folder"
	ScopeWorkspace Scope = "workspace"
)

// String and Set and Type make a flag of it.
func (s *Scope) String() string { return string(*s) }

// Set takes one of the scopes.
func (s *Scope) Set(text string) error {
	if !slices.Contains(allScopes, Scope(text)) {
		return fmt.Errorf("%q is no scope; it can be file, folder or workspace", text)
	}
	*s = Scope(text)
	return nil
}

// Type is how the flag's value is named.
func (s *Scope) Type() string { return "scope" }

var allScopes = []Scope{ScopeFile, ScopeFolder, ScopeWorkspace}

// together is what several documents hold, as one text.
type together struct {
	input.Text
	documents []*document
	// key is the same only for the same documents in the same order.
	key string
}

// join puts documents behind each other, each under its number.
func join(documents []*document) *together {
	t := &together{documents: documents}
	var key strings.Builder
	for i, d := range documents {
		t.Add(strconv.Itoa(i), d.plain())
		key.WriteString(strconv.FormatUint(d.serial, 36) + " ")
	}
	t.key = key.String()
	return t
}

// find leads from a range of the text to a document; nil where none is meant.
func (t *together) find(l *diag.Location, e encoding) (*document, textRange) {
	if l == nil {
		return nil, textRange{}
	}
	p := t.Place(l)
	i, err := strconv.Atoi(p.File)
	if err != nil {
		return nil, textRange{}
	}
	d := t.documents[i]
	return d, textRange{d.position(p.Line, p.Column, e), d.position(p.EndLine, p.EndColumn, e)}
}

// company finds the documents that are looked at together with one, by path,
// the one itself among them.
func (w *world) company(ctx context.Context, c chosen, d *document) []*document {
	scopes := []Scope{ScopeWorkspace, ScopeFolder}
	for _, scope := range scopes[max(0, slices.Index(scopes, c.Scope)):] {
		if c.Scope == ScopeFile || d.path == "" {
			break
		}
		if all, ok := w.gather(ctx, c, d, scope); ok {
			return all
		}
	}
	return []*document{d}
}

// gather is false where there is too much to be looked at.
func (w *world) gather(ctx context.Context, c chosen, d *document, scope Scope) ([]*document, bool) {
	roots, deep := []string{filepath.Dir(d.path)}, false
	if scope == ScopeWorkspace {
		if deep = slices.ContainsFunc(w.folders, func(root string) bool { return within(root, d.path) }); deep {
			roots = w.folders
		}
	}
	paths := map[string]bool{d.path: true}
	for _, root := range roots {
		list, ok := w.shelf.list(ctx, root, deep)
		if !ok {
			return nil, false
		}
		for _, path := range list {
			paths[path] = true
		}
		// What is open counts although it may never have been stored.
		for path := range w.byPath {
			if filepath.Dir(path) == root || deep && within(root, path) && !inTemplates(path) {
				paths[path] = true
			}
		}
	}
	total := len(d.text)
	var all []*document
	for path := range paths {
		other := w.byPath[path]
		if other == nil {
			other = w.shelf.read(path)
		}
		switch {
		case other == nil || path == d.path || c.excludes(path):
			continue
		case other.version != nil && !other.manifest() || !input.HasObjects(other.text):
			continue
		}
		all = append(all, other)
		if total += len(other.text); total > maxTotal || len(all) > maxFiles {
			return nil, false
		}
	}
	all = append(all, d)
	slices.SortFunc(all, func(a, b *document) int { return cmp.Compare(a.path, b.path) })
	return all, true
}

// within tells whether a path is below a folder.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// around is the text of a document's company with itself first, so that its
// lines are those of the whole.
func (w *world) around(ctx context.Context, d *document) *together {
	all := w.company(ctx, w.chosen(d), d)
	slices.SortStableFunc(all, func(a, b *document) int {
		switch d {
		case a:
			return -1
		case b:
			return 1
		}
		return 0
	})
	return join(all)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
