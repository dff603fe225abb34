package lsp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/input"
)

// The findings come after the text has rested as long as they took to work
// out last, within these.
const (
	shortest = 20 * time.Millisecond
	longest  = 500 * time.Millisecond
)

// publishing tells the client what is found, whenever something has changed.
func (s *server) publishing(ctx context.Context) {
	told, complained := map[string][]byte{}, map[string]bool{}
	pause := shortest
	looks := time.NewTicker(cmp.Or(s.opts.look, looked))
	defer looks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-looks.C:
			// Editors do not tell of files above their folders.
			if s.stale(s.now()) {
				s.awake()
				s.refresh(ctx)
			}
			continue
		case <-s.wake:
		}
		if !s.rest(ctx, pause) {
			return
		}
		s.mu.Lock()
		round, cancel := context.WithCancel(ctx)
		s.round = cancel
		w := s.world
		s.mu.Unlock()
		began := time.Now()
		s.complain(round, w, told, complained)
		if s.publish(round, w, told) {
			pause = min(max(time.Since(began), shortest), longest)
			// A settings file that has changed meanwhile is the one that was used:
			// nobody would see that what was said of it is no longer true.
			s.complain(round, w, told, complained)
		}
		cancel()
	}
}

// rest waits until nothing has changed for a while.
func (s *server) rest(ctx context.Context, pause time.Duration) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-s.wake:
		case <-time.After(pause):
			return true
		}
	}
}

// publish tells what has changed of the findings. It is false if they were
// not wanted to the end.
func (s *server) publish(ctx context.Context, w *world, told map[string][]byte) (finished bool) {
	defer s.recovered("findings", func() {})
	broken := w.broken()
	for uri := range told {
		if w.documents[uri] == nil && broken[uri] == nil {
			s.tell(ctx, "textDocument/publishDiagnostics", publishParams{URI: uri, Diagnostics: []diagnostic{}})
			delete(told, uri)
		}
	}
	if w.pulls {
		return true
	}
	for _, uri := range w.order() {
		d := w.documents[uri]
		found, err := s.findings(ctx, w, d)
		if err != nil {
			return false
		}
		if ctx.Err() != nil {
			return false
		}
		s.publishOne(ctx, publishParams{URI: uri, Version: d.version, Diagnostics: found}, told)
	}
	return true
}

// publishOne tells what there is to say of a document, unless that is what was
// told last.
func (s *server) publishOne(ctx context.Context, p publishParams, told map[string][]byte) {
	message, err := json.Marshal(p)
	if err != nil || bytes.Equal(told[p.URI], message) {
		return
	}
	told[p.URI] = message
	s.tell(ctx, "textDocument/publishDiagnostics", json.RawMessage(message))
}

// order lists the documents, the one changed last first: that is the one that
// somebody looks at.
func (w *world) order() []string {
	var uris []string
	for uri := range w.documents {
		uris = append(uris, uri)
	}
	slices.SortFunc(uris, func(a, b string) int {
		if w.documents[a].serial > w.documents[b].serial {
			return -1
		}
		return 1
	})
	return uris
}

// pull answers a client that asks for the findings.
func (s *server) pull(ctx context.Context, w *world, d *document, p pullParams) (any, error) {
	found, err := s.findings(ctx, w, d)
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(found)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	report := diagnosticReport{Kind: "full", ResultID: hex.EncodeToString(sum[:12]), Items: &found}
	if report.ResultID == p.PreviousResultID {
		report.Kind, report.Items = "unchanged", nil
	}
	return report, nil
}

// findings are what there is to say of a document, among those that it is
// looked at together with.
func (s *server) findings(ctx context.Context, w *world, d *document) ([]diagnostic, error) {
	out := []diagnostic{}
	if isProject(d.path) {
		return append(out, problemsOf(d, w.encoding)...), nil
	}
	if !d.manifest() || inTemplates(d.path) {
		return out, nil
	}
	if !input.HasObjects(d.text) {
		return out, nil
	}
	c := w.chosen(d)
	s.used(d, c.serial)
	if c.excludes(d.path) {
		return out, nil
	}
	all := join(w.company(ctx, c, d))
	ours := strings.Contains(string(d.text), "resource.k8s.io")
	var in [][]string // the versions of each
	for _, version := range c.versions {
		result, err := s.validate(ctx, c.at(version), all)
		if err != nil {
			return nil, err
		}
		for _, f := range result.Diagnostics {
			at, where := all.find(f.Location, w.encoding)
			if at == nil && len(all.documents) == 1 {
				at = d
			}
			// What only says that something is not looked at would be said of half
			// of what people write; and what cannot be read at all matters only
			// where it is about devices.
			if at != d || f.Source == diag.Decode && (f.Rule == "ignored-kind" || f.Rule == "empty") || f.Object == nil && !ours || c.hides(f, d.path) {
				continue
			}
			one := w.diagnostic(all, f, where, c)
			same := slices.IndexFunc(out, func(o diagnostic) bool { return o.Range == where && o.Code == one.Code && o.Message == one.Message })
			if same < 0 {
				out, in = append(out, one), append(in, nil)
				same = len(out) - 1
			}
			in[same] = append(in[same], version)
		}
	}
	for i := range out {
		if len(slices.Compact(in[i])) < len(c.versions) {
			out[i].Message += " (Kubernetes " + strings.Join(slices.Compact(in[i]), ", ") + ")"
		}
	}
	slices.SortStableFunc(out, func(a, b diagnostic) int {
		return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	})
	return out, nil
}

// validate asks the core, once for the same question.
func (s *server) validate(ctx context.Context, o core.Options, t *together) (*core.ValidateResult, error) {
	return s.answers.get(ctx, keyOf(o, t), func(ctx context.Context) (*core.ValidateResult, error) {
		o.Expressions = &s.expressions
		return core.Validate(ctx, t.Bytes, o)
	})
}

// key is that of a question about a text.
func keyOf(o core.Options, t *together) string {
	return strings.Join([]string{o.KubernetesVersion, o.FeatureGates, o.FieldValidation, t.key}, "|")
}

var severities = map[diag.Severity]int{diag.Error: 1, diag.Warning: 2, diag.Info: 3}

// The protocol's tags.
const (
	tagUnnecessary = 1
	tagDeprecated  = 2
)

// outdated are the rules against what once was right.
var outdated = []string{"version-not-served", "obsolete-field"}

// diagnostic is a finding as the client wants it.
func (w *world) diagnostic(t *together, f diag.Diagnostic, where textRange, c chosen) diagnostic {
	out := diagnostic{
		Range: where, Severity: severities[c.severity(f)], Code: string(f.Source) + "/" + f.Rule, Source: section, Message: f.Message,
	}
	can := w.client.TextDocument.PublishDiagnostics
	if w.pulls || can.CodeDescriptionSupport {
		out.CodeDescription = &href{c.rule(f.URL)}
	}
	if w.pulls || can.DataSupport {
		out.Data = &diagnosticData{Field: f.Field, Value: f.Value, Gate: f.Gate}
		if o := f.Object; o != nil {
			out.Data.Object = strings.TrimSpace(o.Kind + " " + o.Name)
		}
	}
	if can.TagSupport != nil {
		tag := 0
		switch {
		case f.Source == diag.Gate:
			tag = tagUnnecessary
		case f.Source == diag.Decode && slices.Contains(outdated, f.Rule):
			tag = tagDeprecated
		}
		if slices.Contains(can.TagSupport.ValueSet, tag) {
			out.Tags = []int{tag}
		}
	}
	for _, r := range f.Related {
		if d, where := t.find(r.Location, w.encoding); d != nil && can.RelatedInformation {
			out.Related = append(out.Related, related{location{d.uri, where}, r.Message})
		}
	}
	return out
}
