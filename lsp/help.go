package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core"
)

// at are the options of a question about a place of a document.
func (w *world) at(d *document, p position) core.PlaceOptions {
	line, column := d.place(p, w.encoding)
	c := w.chosen(d)
	return core.PlaceOptions{Options: c.options(), Line: line, Column: column}
}

// markup is a text in the form that the client takes.
func markupFor(formats []string, markdown string) markup {
	if slices.Contains(formats, "markdown") || len(formats) == 0 {
		return markup{"markdown", markdown}
	}
	return markup{"plaintext", strings.NewReplacer("**", "", "`", "", "\\", "").Replace(markdown)}
}

// plainly written text must not look like Markdown.
var escaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "#", `\#`)

// hover tells what stands at a place.
func (s *server) hover(ctx context.Context, w *world, d *document, p placeParams) (any, error) {
	if !d.manifest() {
		return nil, nil
	}
	t := w.around(ctx, d)
	h, err := core.HoverAt(ctx, t.Bytes, w.at(d, p.Position))
	if err != nil || h.Title == "" {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n", escaper.Replace(h.Title))
	if h.Text != "" {
		fmt.Fprintf(&b, "\n%s\n", escaper.Replace(h.Text))
	}
	if len(h.Facts) > 0 {
		b.WriteByte('\n')
	}
	for _, f := range h.Facts {
		fmt.Fprintf(&b, "- %s: %s\n", f.Name, escaper.Replace(f.Value))
	}
	c := w.chosen(d)
	formats := w.client.TextDocument.Hover.ContentFormat
	if len(h.Rules) > 0 {
		var links []string
		for _, r := range h.Rules {
			if len(formats) == 0 || slices.Contains(formats, "markdown") {
				links = append(links, fmt.Sprintf("[%s](%s)", r.Rule, c.rule(r.URL)))
			} else {
				links = append(links, r.Rule)
			}
		}
		fmt.Fprintf(&b, "\n%s\n", strings.Join(links, " · "))
	}
	out := hover{Contents: markupFor(formats, strings.TrimSpace(b.String()))}
	if at, where := t.find(h.Location, w.encoding); at == d {
		out.Range = &where
	}
	return out, nil
}

// completionKinds are the protocol's numbers for what is proposed.
var completionKinds = map[string]int{"field": 5, "value": 12, "name": 18, "attribute": 10, "function": 3, "item": 15, "object": 7}

// most is how many proposals the core makes at most.
const most = 500

// The protocol's ways of inserting.
const (
	asPlain   = 1
	asSnippet = 2
	asIs      = 1 // insertTextMode: the indentation is that of the text
)

// snippets escapes what a snippet has a meaning for.
var snippets = strings.NewReplacer(`\`, `\\`, "$", `\$`, "}", `\}`)

// completion proposes what may stand at a place.
func (s *server) completion(ctx context.Context, w *world, d *document, p placeParams) (any, error) {
	if !d.manifest() {
		return completionList{Items: []completionItem{}}, nil
	}
	t := w.around(ctx, d)
	c, err := core.CompleteAt(ctx, t.Bytes, w.at(d, p.Position))
	if err != nil {
		return nil, err
	}
	out := completionList{IsIncomplete: len(c.Items) >= most, Items: []completionItem{}}
	at, where := t.find(c.Location, w.encoding)
	if at != d {
		return out, nil
	}
	can := w.client.TextDocument.Completion.CompletionItem
	for i, item := range c.Items {
		one := completionItem{
			Label: item.Label, Kind: completionKinds[item.Kind], Detail: item.Detail,
			SortText: fmt.Sprintf("%04d", i), InsertTextFormat: asPlain, TextEdit: &textEdit{where, item.Insert},
		}
		if item.Text != "" {
			text := markupFor(can.DocumentationFormat, escaper.Replace(item.Text))
			one.Documentation = &text
		}
		if runes := []rune(item.Insert); can.SnippetSupport && item.Cursor > 0 && item.Cursor < len(runes) {
			one.InsertTextFormat = asSnippet
			one.TextEdit.NewText = snippets.Replace(string(runes[:item.Cursor])) + "$0" + snippets.Replace(string(runes[item.Cursor:]))
		}
		if slices.Contains(can.InsertTextMode.ValueSet, asIs) {
			one.InsertTextMode = asIs
		}
		out.Items = append(out.Items, one)
	}
	return out, nil
}

func (s *server) definition(ctx context.Context, w *world, d *document, p placeParams) (any, error) {
	return w.places(ctx, d, p.Position, core.DefinitionAt)
}

// references lists the places of a name, the definition only if it is wanted.
func (s *server) references(ctx context.Context, w *world, d *document, p referenceParams) (any, error) {
	all, err := w.places(ctx, d, p.Position, core.ReferencesAt)
	if err != nil || p.Context.IncludeDeclaration {
		return all, err
	}
	declared, err := w.places(ctx, d, p.Position, core.DefinitionAt)
	return slices.DeleteFunc(all, func(l location) bool { return slices.Contains(declared, l) }), err
}

func (w *world) places(ctx context.Context, d *document, p position, ask func(context.Context, []byte, core.PlaceOptions) (*core.Places, error)) ([]location, error) {
	out := []location{}
	if !d.manifest() {
		return out, nil
	}
	t := w.around(ctx, d)
	found, err := ask(ctx, t.Bytes, w.at(d, p))
	if err != nil {
		return nil, err
	}
	for _, l := range found.Places {
		if at, where := t.find(l, w.encoding); at != nil {
			out = append(out, location{at.uri, where})
		}
	}
	return out, nil
}

// symbolKinds are the protocol's numbers for parts of objects.
var symbolKinds = map[string]int{"device": 19, "counterSet": 23, "request": 8, "alternative": 22, "claim": 13, "container": 4, "taint": 24}

const symbolObject = 5 // whole objects, as classes

// symbols tells what a document is made of.
func (s *server) symbols(ctx context.Context, w *world, d *document, _ documentParams) (any, error) {
	out := []documentSymbol{}
	if !d.manifest() {
		return out, nil
	}
	t := join([]*document{d})
	c := w.chosen(d)
	outline, err := core.OutlineOf(ctx, t.Bytes, c.options())
	if err != nil {
		return nil, err
	}
	out = w.tree(t, outline.Entries)
	if !w.client.TextDocument.DocumentSymbol.Hierarchical {
		return flat(d.uri, "", out), nil
	}
	return out, nil
}

func (w *world) tree(t *together, entries []core.OutlineEntry) []documentSymbol {
	out := []documentSymbol{}
	for _, e := range entries {
		one := documentSymbol{Name: e.Name, Detail: e.Kind, Kind: symbolKinds[e.Kind], Children: w.tree(t, e.Children)}
		if one.Kind == 0 {
			one.Kind = symbolObject
		}
		if one.Name == "" {
			one.Name, one.Detail = e.Kind, ""
		}
		if one.Name == "" {
			one.Name = "object"
		}
		_, one.Range = t.find(e.Location, w.encoding)
		_, one.SelectionRange = t.find(e.At, w.encoding)
		if !one.Range.holds(one.SelectionRange) {
			one.SelectionRange = textRange{one.Range.Start, one.Range.Start}
		}
		out = append(out, one)
	}
	return out
}

func (p position) before(q position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

func (r textRange) holds(other textRange) bool {
	return !other.Start.before(r.Start) && !r.End.before(other.End)
}

func flat(uri, holder string, tree []documentSymbol) []symbolInformation {
	out := []symbolInformation{}
	for _, e := range tree {
		out = append(out, symbolInformation{e.Name, e.Kind, location{uri, e.Range}, holder})
		out = append(out, flat(uri, e.Name, e.Children)...)
	}
	return out
}

// formatting evens out the indentation.
func (s *server) formatting(ctx context.Context, w *world, d *document, _ documentParams) (any, error) {
	out := []textEdit{}
	if !d.manifest() || inTemplates(d.path) {
		return out, nil
	}
	c := w.chosen(d)
	f, err := core.Format(ctx, d.plain(), c.options())
	if err != nil || !f.Changed {
		return out, err
	}
	text := f.Text
	if strings.Contains(string(d.text), "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return d.difference(text, w.encoding), nil
}

// difference is the edit that makes another text of a document, as short as
// whole lines allow, so that the cursor and marks elsewhere stay.
func (d *document) difference(text string, e encoding) []textEdit {
	old := strings.SplitAfter(strings.TrimPrefix(string(d.text), string(bom)), "\n")
	next := strings.SplitAfter(text, "\n")
	first := 0
	for first < len(old) && first < len(next) && old[first] == next[first] {
		first++
	}
	last := 0
	for last < len(old)-first && last < len(next)-first && old[len(old)-1-last] == next[len(next)-1-last] {
		last++
	}
	start, end := len(strings.Join(old[:first], "")), len(strings.Join(old[:len(old)-last], ""))
	inserted := strings.Join(next[first:len(next)-last], "")
	if start == end && inserted == "" {
		return []textEdit{}
	}
	if d.mark(0) > 0 {
		start, end = start+len(bom), end+len(bom)
	}
	return []textEdit{{textRange{d.positionOf(start, e), d.positionOf(end, e)}, inserted}}
}

// positionOf is where an offset is.
func (d *document) positionOf(offset int, e encoding) position {
	n, found := slices.BinarySearch(d.lines, offset)
	if !found {
		n--
	}
	units := 0
	for _, r := range string(d.text[d.lines[n]:offset]) {
		units += e.units(r, len(string(r)))
	}
	return position{uint32(n), uint32(units)}
}
