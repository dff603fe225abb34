// Package check looks at files that drivers wrote for containers: whether
// readers can take them, whether they keep to the protocol, and whether a file
// may follow another.
package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/metadata"
	"github.com/drawbridge-dra/drawbridge/core/nearest"
	"github.com/drawbridge-dra/drawbridge/core/validate"
)

// MetadataFinding is something that is wrong with a file.
type MetadataFinding struct {
	Severity diag.Severity `json:"severity" enum:"error,warning,info" doc:"Error for what readers cannot take or the protocol forbids, warning for what they pass over."`
	Code     string        `json:"code" doc:"Stable code of the rule; see docs/metadata.md."`
	Type     string        `json:"type,omitempty" doc:"The type of error that Kubernetes' validation gives, such as FieldValueInvalid."`
	File     string        `json:"file" enum:"current,previous" doc:"Which of the two files it is about."`
	Object   *int          `json:"object,omitempty" doc:"Which object of the file, from 0; missing if it is about all of it."`
	Field    string        `json:"field,omitempty" doc:"Path of the field in the object."`
	Value    string        `json:"value,omitempty" doc:"The offending value as written, shortened when long."`
	Message  string        `json:"message" doc:"What is wrong, the limit or rule, and what to do."`
	// Location is in the text of the file.
	Location   *diag.Location   `json:"location,omitempty" doc:"Where in the file."`
	Suggestion *diag.Suggestion `json:"suggestion,omitempty" doc:"A change that mends it."`
}

// CheckedObject is an object of a file.
type CheckedObject struct {
	Index      int    `json:"index" doc:"Position in the file, from 0."`
	APIVersion string `json:"apiVersion" doc:"As written."`
	Kind       string `json:"kind" doc:"As written."`
	// Known tells that readers of this version of Kubernetes know the version.
	Known    bool                     `json:"known" doc:"True if Kubernetes' reader knows the version; it passes over others."`
	Readable bool                     `json:"readable" doc:"True if it can be read."`
	Taken    bool                     `json:"taken,omitempty" doc:"True for the object that Kubernetes' reader takes."`
	Location *diag.Location           `json:"location,omitempty" doc:"Where in the file it starts."`
	Value    *metadata.DeviceMetadata `json:"-"`

	// place finds a field in the file.
	place func(field string) *diag.Location
}

const (
	// mostBytes and mostObjects bound a file. Those that drivers write have a
	// few thousand bytes.
	mostBytes   = 4 << 20
	mostObjects = 64
	// mostFindings is how many findings about one object are told.
	mostFindings = 1000
)

// File is what is known of a file.
type File struct {
	Objects  []CheckedObject
	Findings []MetadataFinding
	// Taken is the object that Kubernetes' reader takes; nil if it takes none.
	Taken *CheckedObject

	name string
	text []byte
	// lines are where the lines of the text start.
	lines []int
}

// Read looks at a file, which findings call by its name.
func Read(text []byte, name string) *File {
	f := &File{name: name, text: text, Objects: []CheckedObject{}, Findings: []MetadataFinding{}}
	if len(text) > mostBytes {
		f.report(MetadataFinding{Severity: diag.Error, Code: "limit", Message: fmt.Sprintf("the file has %d bytes; at most %d are looked at", len(text), mostBytes)})
		return f
	}
	f.lines = append(f.lines, 0)
	for i, b := range text {
		if b == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	f.split()
	f.take()
	f.protocol()
	return f
}

func (f *File) report(found MetadataFinding) {
	found.File = f.name
	f.Findings = append(f.Findings, found)
}

func (f *File) about(o *CheckedObject, found MetadataFinding) {
	index := o.Index
	found.Object = &index
	f.report(found)
}

// split reads the values of the stream one by one.
func (f *File) split() {
	decoder := json.NewDecoder(bytes.NewReader(f.text))
	for {
		var raw json.RawMessage
		switch err := decoder.Decode(&raw); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			f.broken(decoder, err)
			return
		}
		if len(f.Objects) == mostObjects {
			f.report(MetadataFinding{Severity: diag.Error, Code: "limit", Message: fmt.Sprintf("the file has more than %d objects; write one for each version", mostObjects)})
			return
		}
		end := int(decoder.InputOffset())
		f.object(raw, end-len(raw))
	}
}

// broken says where the text stops being JSON.
func (f *File) broken(decoder *json.Decoder, err error) {
	at, what := int(decoder.InputOffset()), "this is no JSON"
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = max(int(syntax.Offset)-1, 0)
	} else if errors.Is(err, io.ErrUnexpectedEOF) {
		at, what = len(f.text), "the file ends within an object"
	}
	hint := "; a file is a stream of JSON objects, one for each version"
	if trimmed := bytes.TrimLeft(f.text, " \t\r\n"); len(f.Objects) == 0 && len(trimmed) > 0 && trimmed[0] != '{' {
		hint += ", and YAML is not read"
	}
	f.report(MetadataFinding{Severity: diag.Error, Code: "not-json", Message: what + hint, Location: f.location(at, at)})
}

// location is a range of the file.
func (f *File) location(start, end int) *diag.Location {
	out := &diag.Location{}
	out.Line, out.Column = f.position(start)
	out.EndLine, out.EndColumn = f.position(end)
	return out
}

func (f *File) position(at int) (line, column int) {
	at = min(at, len(f.text))
	line, found := slices.BinarySearch(f.lines, at)
	if found {
		line++
	}
	return line, utf8.RuneCount(f.text[f.lines[line-1]:at]) + 1
}

// moved puts a place inside of a part of the file into the file.
func (f *File) moved(l *diag.Location, start int) *diag.Location {
	if l == nil {
		return nil
	}
	line, column := f.position(start)
	out := *l
	shift := func(l, c *int) {
		if *l == 1 {
			*c += column - 1
		}
		*l += line - 1
	}
	shift(&out.Line, &out.Column)
	shift(&out.EndLine, &out.EndColumn)
	return &out
}

// object looks at one value of the stream.
func (f *File) object(raw []byte, start int) {
	f.Objects = append(f.Objects, CheckedObject{Index: len(f.Objects), Location: f.location(start, start+1)})
	o := &f.Objects[len(f.Objects)-1]
	wrong := func(code, field, message string) {
		f.about(o, MetadataFinding{Severity: diag.Error, Code: code, Field: field, Message: message, Location: o.Location})
	}
	if raw[0] != '{' {
		wrong("not-an-object", "", "a file holds JSON objects one behind the other, not lists or single values; write each object on its own")
		return
	}
	var meta struct {
		APIVersion *string `json:"apiVersion"`
		Kind       *string `json:"kind"`
	}
	// Here, and only here, Kubernetes' reader does not mind upper and lower case.
	if err := json.Unmarshal(raw, &meta); err != nil {
		wrong("wrong-type", "", "apiVersion and kind must be strings")
		return
	}
	if meta.APIVersion != nil {
		o.APIVersion = *meta.APIVersion
	}
	if meta.Kind != nil {
		o.Kind = *meta.Kind
	}
	gv, err := schema.ParseGroupVersion(o.APIVersion)
	newest := metadata.Group + "/" + metadata.Versions[0]
	o.Known = gv.Group == metadata.Group && slices.Contains(metadata.Versions, gv.Version)
	switch {
	case o.APIVersion == "":
		wrong("api-version-required", "apiVersion", "the object has no apiVersion; write "+newest)
		return
	case err != nil:
		wrong("api-version-required", "apiVersion", "apiVersion is not of the form group/version; write "+newest)
		return
	case o.Kind == "":
		wrong("kind-required", "kind", "the object has no kind; write "+metadata.Kind)
		return
	}
	b := bundle.Parse(raw, bundle.Options{FieldValidation: bundle.Ignore})
	var read *bundle.Object
	if len(b.Objects) == 1 {
		read = b.Objects[0]
	}
	at := o.Location
	place := func(field string) *diag.Location {
		if l := f.moved(read.Locate(field), start); l != nil {
			return l
		}
		return at
	}
	o.place = place
	switch {
	case gv.Group == "" && gv.Version == "v1":
		// Kinds that all API groups have in common are of this version, so that
		// readers do not pass over it.
		wrong("wrong-version", "apiVersion", "v1 is no version of the files, and readers fail; write "+newest)
		return
	case !o.Known:
		o.Readable = true
		message := "readers of Kubernetes do not know this version and pass over the object; they know " + strings.Join(metadata.Versions, " and ") + " of " + metadata.Group
		if near := nearest.Name(o.APIVersion, []string{newest, metadata.Group + "/" + metadata.Versions[1]}); near != "" {
			message += fmt.Sprintf(" (did you mean %s?)", near)
		}
		f.about(o, MetadataFinding{Severity: diag.Warning, Code: "unknown-version", Field: "apiVersion", Message: message, Location: place("apiVersion")})
		return
	case o.Kind != metadata.Kind:
		f.about(o, MetadataFinding{Severity: diag.Error, Code: "wrong-kind", Field: "kind", Message: "the only kind of " + metadata.Group + " is " + metadata.Kind + "; write that", Location: place("kind")})
		return
	case read == nil:
		for _, d := range b.Diagnostics {
			if d.Severity == diag.Error {
				f.add(o, d, start)
			}
		}
		return
	}
	value := &metadata.DeviceMetadata{}
	found, readable := read.DecodeAs(&metadata.DeviceMetadata{})
	for _, d := range found {
		f.add(o, d, start)
	}
	// What a reader has in the end decides: of a field that is there twice, each
	// value must be right.
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, value); err != nil {
		if readable {
			wrong("wrong-type", "", "a field has a value of another type than its API has; see the warnings about fields that are there twice")
		}
		return
	}
	if !readable {
		return
	}
	o.Readable, o.Value = true, value
	for _, d := range validate.DeviceMetadata(read, value) {
		f.add(o, d, start)
	}
}

// add makes a finding of one that has its place in a part of the file.
func (f *File) add(o *CheckedObject, d diag.Diagnostic, start int) {
	if n := len(f.Findings); n >= mostFindings*(o.Index+1) {
		return
	}
	found := MetadataFinding{Severity: d.Severity, Code: d.Rule, Type: d.Type, Field: d.Field, Value: d.Value, Message: d.Message, Location: f.moved(d.Location, start)}
	if s := d.Suggestion; s != nil {
		moved := *s
		moved.Location = f.moved(s.Location, start)
		found.Suggestion = &moved
	}
	f.about(o, found)
}

// take finds the object that Kubernetes' reader takes: the first whose version
// it knows, unless one before that cannot be read.
func (f *File) take() {
	for i := range f.Objects {
		switch o := &f.Objects[i]; {
		case !o.Readable:
			return
		case o.Known:
			o.Taken, f.Taken = true, o
			return
		}
	}
	if slices.ContainsFunc(f.Findings, func(found MetadataFinding) bool { return found.Severity == diag.Error }) {
		return
	}
	if len(f.Objects) == 0 {
		f.report(MetadataFinding{Severity: diag.Error, Code: "empty", Message: "the file holds no object, and readers fail; write one for each version"})
		return
	}
	f.report(MetadataFinding{Severity: diag.Error, Code: "no-known-version", Message: "readers know none of the versions in the file and fail; add one of " + metadata.Group + "/" + strings.Join(metadata.Versions, ", ")})
}
