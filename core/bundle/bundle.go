// Package bundle turns text into objects. It reads YAML with many documents,
// JSON objects, JSON arrays and Lists, with kubectl's meaning of values, and
// keeps for every value where it stands in the text.
package bundle

import (
	"bytes"
	"fmt"
	"math"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// FieldValidation says what becomes of unknown and duplicate fields, as the
// API server's parameter of that name.
type FieldValidation string

// The levels of field validation.
const (
	Strict FieldValidation = "Strict"
	Warn   FieldValidation = "Warn"
	Ignore FieldValidation = "Ignore"
)

// Options steer Parse. The zero value means strict field validation with the
// default limits at the newest version.
type Options struct {
	FieldValidation FieldValidation
	// Features decides which kinds and API versions are served; nil means the
	// newest version with its defaults.
	Features *feature.Set
	Limits   Limits
}

// Limits bound what Parse accepts. A zero field means its default.
type Limits struct {
	Bytes     int // of the whole text; default 32 MiB
	Documents int // default 50,000
	Objects   int // after Lists are unfolded; default 100,000
	Depth     int // of nesting; default 100
	Nodes     int // values after aliases are expanded; default 5,000,000, and no more than 100,000 and one for each 4 bytes of the text
}

// Bundle is a parsed text: its objects in the order of the text, and what
// was wrong with reading them.
type Bundle struct {
	Objects     []*Object
	Diagnostics []diag.Diagnostic
}

// Object is one object of a bundle.
type Object struct {
	// Ref names the object in findings.
	Ref diag.Object
	// Value is the object in the API version that the core works with: a
	// pointer to a type of k8s.io/api/resource/v1 (v1alpha3 for
	// ResourcePoolStatusRequest), or core/v1 for Node, Pod and Namespace. It is nil when the
	// object could not be decoded or its kind is not one that Drawbridge
	// knows. No defaults have been applied.
	Value any
	// Raw is the object as it stands in the text.
	Raw *Node
	// Invalid is set when a decode finding with severity error is about the
	// object: the API server would not take it, even where Value is set.
	Invalid bool
}

// Parse reads a text. Whatever is wrong with it becomes a finding; what can
// be read is read nevertheless.
func Parse(text []byte, opts Options) *Bundle {
	p := newParse(text, opts)
	p.run()
	return &Bundle{Objects: p.collector.objects, Diagnostics: p.sink.finish()}
}

// parse is the reading of one text.
type parse struct {
	src       *source
	limits    Limits
	budget    *budget
	sink      *sink
	collector *collector
	build     builder
	documents int
}

func newParse(text []byte, opts Options) *parse {
	features := opts.Features
	if features == nil {
		features = feature.Default(feature.Newest)
	}
	limits := opts.Limits.withDefaults().forText(len(text))
	s := newSink(opts.FieldValidation)
	return &parse{
		src:       &source{text: text},
		limits:    limits,
		budget:    newBudget(limits),
		sink:      s,
		collector: &collector{features: features, limits: limits, sink: s},
	}
}

func (p *parse) run() {
	text := p.src.text
	if len(text) > p.limits.Bytes || len(text) > math.MaxInt32 {
		p.report(nil, problem{rule: "limit", start: noPlace, message: fmt.Sprintf("the text has more than %d bytes, which is the most that is read; split it", p.limits.Bytes)})
		return
	}
	// A byte order mark takes no column in any editor.
	p.src = newSource(bytes.TrimPrefix(text, []byte("\uFEFF")))
	if bad := notUTF8(p.src.text); bad != nil {
		p.report(nil, *bad)
		return
	}
	chunks, problems := split(p.src)
	for _, c := range chunks {
		if p.documents == p.limits.Documents {
			p.report(&document{src: p.src, index: p.documents}, problem{rule: "limit", start: c.start, end: c.start, message: fmt.Sprintf("the text has more than %d documents; split it", p.limits.Documents)})
			break
		}
		p.chunk(c)
		p.documents++
	}
	for _, found := range problems {
		index := p.documentAt(chunks, found.start)
		if found.suggestion != nil {
			found.suggestion.Location.Document = index
		}
		p.report(&document{src: p.src, index: index}, found)
	}
	p.collector.finish()
	if len(p.collector.objects) == 0 && len(p.sink.list) == 0 {
		p.sink.add(nil, diag.Diagnostic{Severity: diag.Warning, Source: diag.Decode, Rule: "empty", Message: "there is no object in the text; give it YAML or JSON of Kubernetes objects"})
	}
}

// documentAt counts the documents that start before an offset.
func (p *parse) documentAt(chunks []chunk, offset int) int {
	index := 0
	for i, c := range chunks {
		if c.start <= offset {
			index = i
		}
	}
	return index
}

// chunk reads one document, as JSON if it starts like that and as YAML else.
func (p *parse) chunk(c chunk) {
	doc := &document{src: p.src, index: p.documents, start: c.start, end: c.end, build: &p.build}
	if bad := prose(doc); bad != nil {
		p.report(doc, *bad)
		return
	}
	if doc.json = startsJSON(p.src.text[c.start:c.end]); doc.json {
		before := *p.budget
		values, broken := p.readJSON(doc)
		if broken != nil && broken.rule != "limit" {
			// What is not JSON may still be YAML in brackets.
			again := p.again(c, before)
			if again == nil {
				return
			}
			if len(values) == 0 && !meansJSON(p.src.text[c.start:c.end]) {
				broken = again
			}
		}
		p.take(doc, values, broken)
		return
	}
	if bad := control(doc); bad != nil {
		p.report(doc, *bad)
		return
	}
	n, broken := readYAML(doc, p.budget)
	p.take(doc, []*Node{n}, broken)
}

// again reads as YAML what was tried as JSON. The error says why it is not
// that either.
func (p *parse) again(c chunk, before budget) *syntaxError {
	doc := &document{src: p.src, index: p.documents, start: c.start, end: c.end, build: &p.build}
	if bad := control(doc); bad != nil {
		return &syntaxError{bad.rule, bad.start, bad.end, bad.message}
	}
	*p.budget = before
	n, broken := readYAML(doc, p.budget)
	if broken != nil {
		return broken
	}
	p.take(doc, []*Node{n}, nil)
	return nil
}

func (p *parse) readJSON(doc *document) (values []*Node, err *syntaxError) {
	r := newJSONReader(doc, p.budget)
	for {
		if r.space(); r.pos >= doc.end {
			return values, nil
		}
		n, err := r.read()
		if err != nil {
			return values, err
		}
		values = append(values, n)
	}
}

// take makes objects of the values of a document, and findings of what is
// wrong with it.
func (p *parse) take(doc *document, values []*Node, broken *syntaxError) {
	first := len(p.collector.objects)
	for _, n := range values {
		if n != nil {
			p.collector.value(n, inherited{}, 0)
		}
	}
	if broken != nil {
		p.report(doc, problem{rule: broken.rule, start: broken.start, end: broken.end, message: broken.message})
	}
	objects := p.collector.objects[first:]
	for _, found := range doc.problems {
		p.reportFor(doc, found, holder(objects, found.start))
	}
}

// holder is the object that a place of the text belongs to.
func holder(objects []*Object, offset int) *Object {
	var last *Object
	for _, o := range objects {
		if o.Raw.start >= 0 && o.Raw.start <= offset && offset <= o.Raw.end {
			last = o
		}
	}
	return last
}

func (p *parse) report(doc *document, found problem) {
	p.reportFor(doc, found, nil)
}

func (p *parse) reportFor(doc *document, found problem, o *Object) {
	finding := diag.Diagnostic{Severity: diag.Error, Source: diag.Decode, Rule: found.rule, Message: found.message, Suggestion: found.suggestion}
	if found.warning {
		finding.Severity = diag.Warning
	}
	if doc != nil {
		finding.Location = doc.location(found.start, found.end)
	} else if found.start >= 0 {
		finding.Location = p.src.location(0, found.start, found.end)
	}
	p.sink.add(o, finding)
}
