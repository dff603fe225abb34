package lsp

import (
	"context"

	"github.com/drawbridge-dra/drawbridge/core"
)

// fold is what an editor can show as its first line alone.
type fold struct {
	StartLine uint32 `json:"startLine"`
	EndLine   uint32 `json:"endLine"`
	Kind      string `json:"kind"`
}

// folds are the objects of a document, and the parts of theirs that the
// outline has.
func (s *server) folds(ctx context.Context, w *world, d *document, _ documentParams) (any, error) {
	out := []fold{}
	if !d.manifest() || inTemplates(d.path) {
		return out, nil
	}
	t, c := join([]*document{d}), w.chosen(d)
	outline, err := core.OutlineOf(ctx, t.Bytes, c.options())
	if err != nil {
		return nil, err
	}
	return w.folded(out, t, outline.Entries), nil
}

func (w *world) folded(out []fold, t *together, entries []core.OutlineEntry) []fold {
	for _, e := range entries {
		_, where := t.find(e.Location, w.encoding)
		end := where.End.Line
		if where.End.Character == 0 && end > where.Start.Line {
			end-- // it ends before that line begins
		}
		if end > where.Start.Line {
			out = append(out, fold{where.Start.Line, end, "region"})
		}
		out = w.folded(out, t, e.Children)
	}
	return out
}
