package lsp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
)

// put makes a world with another document in place of one of the same name.
func (w *world) put(d *document) {
	w.documents, w.byPath = maps.Clone(w.documents), maps.Clone(w.byPath)
	w.documents[d.uri] = d
	if d.path != "" {
		w.byPath[d.path] = d
	}
}

func (s *server) didOpen(_ context.Context, p openParams) {
	t := p.TextDocument
	d := &document{uri: t.URI, path: pathOf(t.URI), language: t.LanguageID, version: &t.Version, serial: s.serial()}
	d.read([]byte(t.Text))
	s.change(func(w *world) { w.put(d) })
}

func (s *server) didChange(_ context.Context, p changeParams) {
	w := s.now()
	old := w.documents[p.TextDocument.URI]
	if old == nil {
		s.log.Warn("a document that is not open was changed")
		return
	}
	d := *old
	for _, c := range p.ContentChanges {
		text := []byte(c.Text)
		if c.Range != nil {
			text = d.replace(*c.Range, c.Text, w.encoding)
		} else {
			d.lost = false
		}
		d.read(text)
	}
	if p.TextDocument.Version != nil {
		d.version = p.TextDocument.Version
	}
	d.serial = s.serial()
	s.change(func(w *world) { w.put(&d) })
}

func (s *server) didClose(_ context.Context, p documentParams) {
	s.change(func(w *world) {
		delete(s.judged, p.TextDocument.URI)
		d := w.documents[p.TextDocument.URI]
		if d == nil {
			return
		}
		w.documents, w.byPath = maps.Clone(w.documents), maps.Clone(w.byPath)
		delete(w.documents, d.uri)
		if w.byPath[d.path] == d {
			delete(w.byPath, d.path)
		}
	})
}

// didSave matters where a file that is new to the disk has become one, and for
// settings.
func (s *server) didSave(ctx context.Context, p documentParams) {
	s.disk.forget()
	if isProject(pathOf(p.TextDocument.URI)) {
		s.change(func(*world) {})
		s.refresh(ctx)
	}
}

func (s *server) didChangeWatchedFiles(ctx context.Context, _ struct{}) {
	s.disk.forget()
	s.change(func(*world) {})
	s.refresh(ctx)
}

func (s *server) didChangeConfiguration(ctx context.Context, p struct {
	Settings json.RawMessage `json:"settings"`
}) {
	if s.now().client.Workspace.Configuration {
		s.configure(ctx)
		return
	}
	s.settle(ctx, p.Settings)
}

func (s *server) didChangeFolders(ctx context.Context, p foldersParams) {
	s.change(func(w *world) {
		folders := slices.Clone(w.folders)
		for _, f := range p.Event.Removed {
			folders = slices.DeleteFunc(folders, func(have string) bool { return have == pathOf(f.URI) })
		}
		for _, f := range p.Event.Added {
			if path := pathOf(f.URI); path != "" && !slices.Contains(folders, path) {
				folders = append(folders, path)
			}
		}
		w.folders = folders
	})
	s.refresh(ctx)
}
