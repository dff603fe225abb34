package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/drawbridge-dra/drawbridge/core"
)

const quickFix = "quickfix"

// codeActions offers what can be done about a range: the changes that mend
// what is found there, each tried by the core, and the question what becomes
// of a pod or claim.
func (s *server) codeActions(ctx context.Context, w *world, d *document, p actionParams) (any, error) {
	out := []codeAction{}
	if !d.manifest() || inTemplates(d.path) {
		return out, nil
	}
	if len(p.Context.Only) == 0 || slices.ContainsFunc(p.Context.Only, func(kind string) bool { return kind == quickFix || kind == "" }) {
		fixes, err := s.quickFixes(ctx, w, d, p)
		if err != nil {
			return nil, err
		}
		out = append(out, fixes...)
	}
	if len(p.Context.Only) == 0 {
		question, err := w.question(ctx, d, p.Range)
		if err != nil {
			return nil, err
		}
		out = append(out, question...)
	}
	return out, nil
}

// touches tells whether ranges have a place in common, be it one of their ends.
func (r textRange) touches(other textRange) bool {
	return !other.End.before(r.Start) && !r.End.before(other.Start)
}

func (s *server) quickFixes(ctx context.Context, w *world, d *document, p actionParams) ([]codeAction, error) {
	t, c := w.around(ctx, d), w.chosen(d)
	var out []codeAction
	for _, version := range c.versions {
		fixes, err := s.fixesIn(ctx, w, t, c, version, p)
		if err != nil {
			return nil, err
		}
		for _, fix := range fixes {
			if !slices.ContainsFunc(out, func(have codeAction) bool { return reflect.DeepEqual(have.Edit, fix.Edit) }) {
				out = append(out, fix)
			}
		}
	}
	return out, nil
}

// fixesIn are the fixes by the rules of one version.
func (s *server) fixesIn(ctx context.Context, w *world, t *together, c chosen, version string, p actionParams) ([]codeAction, error) {
	d, o := t.documents[0], c.at(version)
	found, err := s.validate(ctx, o, t)
	if err != nil {
		return nil, err
	}
	// Trying changes is more work than finding what is wrong.
	wanted := map[int]textRange{}
	for i, f := range found.Diagnostics {
		if at, where := t.find(f.Location, w.encoding); at == d && where.touches(p.Range) && !c.hides(f, d.path) {
			wanted[i] = where
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	fixes, err := s.fixes.get(ctx, keyOf(o, t), func(ctx context.Context) (*core.FixesResult, error) {
		return core.Fixes(ctx, t.Bytes, o)
	})
	if err != nil {
		return nil, err
	}
	var out []codeAction
	for _, fix := range fixes.Fixes {
		where, ok := wanted[fix.Finding]
		if !ok {
			continue
		}
		edit, ok := w.edit(t, fix.Edits)
		if !ok {
			continue
		}
		out = append(out, codeAction{
			Title: title(fix.Message), Kind: quickFix, IsPreferred: true, Edit: edit,
			Diagnostics: mended(p.Context.Diagnostics, fix.Rule, where),
		})
	}
	return out, nil
}

// title is a message as the name of an action.
func title(message string) string {
	r, size := utf8.DecodeRuneInString(message)
	if first, _, _ := strings.Cut(message, " "); strings.ToLower(first) != first {
		return message // a name
	}
	return string(unicode.ToUpper(r)) + message[size:]
}

// mended picks the client's findings that a fix is for.
func mended(all []json.RawMessage, rule string, where textRange) []json.RawMessage {
	var out []json.RawMessage
	for _, raw := range all {
		var f struct {
			Code  any       `json:"code"`
			Range textRange `json:"range"`
		}
		if json.Unmarshal(raw, &f) == nil && f.Code == rule && f.Range == where {
			out = append(out, raw)
		}
	}
	return out
}

// edit turns changes of a text into changes of documents.
func (w *world) edit(t *together, edits []core.TextEdit) (*workspaceEdit, bool) {
	var documents []*document
	changes := map[string][]textEdit{}
	for _, e := range edits {
		d, where := t.find(e.Location, w.encoding)
		if d == nil {
			return nil, false
		}
		if !slices.Contains(documents, d) {
			documents = append(documents, d)
		}
		changes[d.uri] = append(changes[d.uri], textEdit{where, e.Replacement})
	}
	if !w.client.Workspace.WorkspaceEdit.DocumentChanges {
		return &workspaceEdit{Changes: changes}, len(changes) > 0
	}
	out := &workspaceEdit{}
	for _, d := range documents {
		out.DocumentChanges = append(out.DocumentChanges, documentEdit{versionedID{d.uri, d.version}, changes[d.uri]})
	}
	return out, len(changes) > 0
}

// question offers to explain the pod or claim whose head the range is in.
func (w *world) question(ctx context.Context, d *document, r textRange) ([]codeAction, error) {
	t := join([]*document{d})
	c := w.chosen(d)
	outline, err := core.OutlineOf(ctx, t.Bytes, c.options())
	if err != nil {
		return nil, err
	}
	for _, e := range outline.Entries {
		_, whole := t.find(e.Location, w.encoding)
		_, name := t.find(e.At, w.encoding)
		head := textRange{whole.Start, name.End}
		if e.Name == "" || strings.HasSuffix(e.Name, "*") || !head.touches(r) {
			continue
		}
		full := cmp.Or(e.Namespace, "default") + "/" + e.Name
		var target core.Target
		switch e.Kind {
		case "Pod":
			target.Pod = full
		case "ResourceClaim":
			target.Claim = full
		default:
			continue
		}
		label := "Show where " + full + " would go, and why not elsewhere"
		return []codeAction{{Title: label, Kind: "source.drawbridge", Command: &command{label, "drawbridge.explain", []any{d.uri, target}}}}, nil
	}
	return nil, nil
}
