package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/input"
	"github.com/drawbridge-dra/drawbridge/report"
)

// converted is what comes of a file.
type converted struct {
	text     []byte
	problems []string
	notes    []string
	// failed is set where something cannot be converted.
	failed bool
}

// file converts a file, document by document, so that what is not converted
// stays to the byte.
func (c *converting) file(ctx context.Context, name string, text []byte) (*converted, error) {
	out := &converted{}
	comments := 0
	asJSON := isJSON(text) && (c.inPlace || c.outputDir != "")
	for _, d := range documents(text) {
		opts := core.ConvertOptions{Options: c.options(), APIVersion: c.to, AsWritten: !c.stored}
		result, err := core.Convert(ctx, d.text, opts)
		if err != nil {
			return nil, err
		}
		one := document{name: name, at: d, to: c.to, stored: c.stored, out: out}
		written, lost := one.convert(result)
		comments += lost
		if asJSON && !bytes.Equal(written, d.text) {
			if written, err = indentJSON(written); err != nil {
				out.failed = true
				out.problems = append(out.problems, fmt.Sprintf("%s: several objects cannot be written as one JSON file; write them to standard output", name))
			}
		}
		out.text = append(out.text, written...)
	}
	if comments > 0 && !out.failed {
		out.notes = append(out.notes, fmt.Sprintf("%s: %s inside of converted objects left out", name, report.Count(comments, "comment is", "comments are")))
	}
	return out, nil
}

// piece is a document of a file, its marker included.
type piece struct {
	text []byte
	line int // on which it begins, from 0
}

// documents cuts a text where markers begin documents.
func documents(text []byte) []piece {
	var out []piece
	start, line, at := 0, 0, 0
	for offset := 0; offset < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
			end = offset + i + 1
		}
		if marker(text[offset:end]) && offset > start {
			out = append(out, piece{text[start:offset], at})
			start, at = offset, line
		}
		offset = end
		line++
	}
	return append(out, piece{text[start:], at})
}

// marker tells whether a line begins a document.
func marker(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && (len(rest) == 0 || strings.IndexByte(" \t\r\n", rest[0]) >= 0)
}

func isJSON(text []byte) bool {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\uFEFF")))
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// indentJSON writes YAML of one object as JSON.
func indentJSON(text []byte) ([]byte, error) {
	if len(documents(text)) > 1 {
		return nil, fmt.Errorf("more than one document")
	}
	compact, err := kyaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, compact, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// document is the conversion of one.
type document struct {
	name string
	at   piece
	to   string
	// stored asks for what the API server keeps.
	stored bool
	out    *converted
}

// place is a place of the document in its file.
func (d *document) place(l *diag.Location) string {
	at := input.Place{File: d.name}
	if l != nil {
		at.Line, at.Column = l.Line+d.at.line, l.Column
	}
	return at.String()
}

func (d *document) problem(l *diag.Location, what string) {
	d.out.problems = append(d.out.problems, d.place(l)+": "+what)
}

// convert returns the document as it is to be, and how many comments are not
// in it any more.
func (d *document) convert(result *core.ConvertResult) (text []byte, comments int) {
	var ours, others int
	for _, o := range result.Objects {
		switch {
		case !strings.HasPrefix(o.APIVersion, "resource.k8s.io/"):
			others++
		case d.stored || o.APIVersion != d.to:
			ours++
		}
	}
	// What cannot be read may be one of ours.
	refused := false
	for _, f := range result.Diagnostics {
		matters := d.stored || f.Source == diag.Decode
		if f.Severity == diag.Error && matters && (ours > 0 || f.Object == nil) {
			refused = true
			d.problem(f.Location, "cannot be converted: "+f.Message)
		}
	}
	switch {
	case refused:
		d.out.failed = true
		return nil, 0
	case ours == 0:
		return d.at.text, 0
	case others > 0:
		d.out.failed = true
		d.problem(nil, fmt.Sprintf("the list in the document from line %d holds objects of other groups, too; split it", d.at.line+1))
		return nil, 0
	}
	lead := leading(d.at.text)
	text = append(text, lead...)
	for i, o := range result.Objects {
		if o.To == "" {
			d.out.failed = true
			d.problem(nil, o.Kind+" "+o.Name+": "+o.Message)
			return nil, 0
		}
		for _, change := range o.Changes {
			if change.What != "default" && (d.stored || change.What != "dropped") {
				d.problem(change.Location, change.Message)
			}
		}
		if i > 0 {
			text = append(text, "---\n"...)
		}
		text = append(text, o.Text...)
	}
	return text, commentsIn(d.at.text[len(lead):])
}

// leading are the marker and the comments before anything else.
func leading(text []byte) []byte {
	end := 0
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) > 0 && trimmed[0] != '#' && !(end == 0 && marker(line) && len(trimmed) == 3) {
			break
		}
		end += len(line)
	}
	return text[:end:end]
}

// commentsIn counts comments.
func commentsIn(text []byte) int {
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil {
		return 0
	}
	count := 0
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		for _, comment := range []string{n.HeadComment, n.LineComment, n.FootComment} {
			if comment != "" {
				count += strings.Count(comment, "\n") + 1
			}
		}
		for _, inner := range n.Content {
			walk(inner)
		}
	}
	walk(&root)
	return count
}

// write puts the text where it was asked for.
func (c *converting) write(f *input.File, text, before []byte, first bool) error {
	switch {
	case c.inPlace && f.Path == "":
		return fmt.Errorf("--in-place: standard input cannot be written over; leave the flag out")
	case c.inPlace:
		if bytes.Equal(text, before) {
			return nil
		}
		path, err := filepath.EvalSymlinks(f.Path)
		if err != nil {
			return err
		}
		return replace(path, text)
	case c.outputDir != "":
		name := filepath.FromSlash(f.Name)
		if f.Path == "" {
			name = "stdin.yaml"
		}
		if !filepath.IsLocal(name) {
			return fmt.Errorf("--output-dir: %s is outside of the working directory; change into the folder above it first", f.Name)
		}
		path := filepath.Join(c.outputDir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return replace(path, text)
	}
	_, err := c.out.Write(c.behind(text, first))
	return err
}

// behind is a text as it goes on the same output behind others: on a line of
// its own, without what only the beginning of a file may have, and marked as
// another document.
func (c *converting) behind(text []byte, first bool) []byte {
	var lead string
	if !first {
		text = bytes.TrimPrefix(text, []byte("\uFEFF"))
		if c.open {
			lead = "\n"
		}
		switch {
		case bytes.HasPrefix(text, []byte("%")):
			lead += "...\n" // directives are allowed behind an end only
		case !marker(text):
			lead += "---\n"
		}
	}
	if len(text) > 0 {
		c.open = text[len(text)-1] != '\n'
	}
	return append([]byte(lead), text...)
}

// replace writes a file so that it is there whole, before or after.
func replace(path string, text []byte) error {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(text)
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(temporary.Name(), mode)
	}
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
	return err
}
