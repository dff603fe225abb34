// Package report writes what was found in files, in the forms that people,
// editors and build servers read. Every form is written file by file, so that
// nothing has to be kept.
package report

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/terminal"
)

// Reporter writes in one form.
type Reporter interface {
	// File takes what was found in a file.
	File(*check.Report) error
	// Close ends the output.
	Close(*check.Summary) error
}

// Options are what forms may need to know.
type Options struct {
	Out     io.Writer
	Painter terminal.Painter
	// RulesURL is where /rules.html can be read; empty where nobody said.
	RulesURL string
	// FailOn is the least level that counts as a failure.
	FailOn check.Level
	// Cluster is set where all objects are those of a cluster.
	Cluster bool
	// Version is that of the program.
	Version string
}

// url is where a rule is explained; empty where that is not known.
func (o Options) url(reference string) string {
	if o.RulesURL == "" {
		return ""
	}
	return strings.TrimSuffix(o.RulesURL, "/") + reference
}

// forms make a reporter by its name.
var forms = map[string]func(Options) Reporter{
	"human":  newHuman,
	"json":   newJSON,
	"yaml":   newYAML,
	"sarif":  newSARIF,
	"junit":  newJUnit,
	"tap":    newTAP,
	"github": newGitHub,
}

// Forms lists the names of the forms.
func Forms() []string {
	var out []string
	for name := range forms {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// New makes a reporter.
func New(form string, o Options) (Reporter, error) {
	make, ok := forms[form]
	if !ok {
		return nil, fmt.Errorf("--output is %q; it can be %s", form, strings.Join(Forms(), ", "))
	}
	return make(o), nil
}

// printer remembers the first error of writing, so that writers of many small
// pieces need not ask each time.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) print(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.out, text)
	}
}

func (p *printer) printf(format string, args ...any) { p.print(fmt.Sprintf(format, args...)) }

// example is one thing that passes or fails: an object, or what a file says
// beside objects.
type example struct {
	name     string
	findings []check.Finding
	failed   bool
}

// examples splits a report by object.
func examples(r *check.Report, failOn check.Level) []example {
	var out []example
	index := map[check.Object]int{}
	for _, o := range r.Objects {
		if _, ok := index[o.Object]; !ok {
			index[o.Object] = len(out)
		}
		out = append(out, example{name: o.String(), failed: o.Level >= failOn})
	}
	file := -1
	for _, f := range r.Findings {
		at := -1
		if f.Object != nil {
			if i, ok := index[*f.Object]; ok {
				at = i
			}
		}
		if at < 0 {
			if file < 0 {
				file = len(out)
				out = append(out, example{name: "the file"})
			}
			at = file
		}
		out[at].findings = append(out[at].findings, f)
		out[at].failed = out[at].failed || f.Level >= failOn
	}
	for i := range out {
		if out[i].name == "" {
			out[i].name = "an object without a name"
		}
	}
	return out
}

// sentence is a finding without its place.
func sentence(f *check.Finding) string {
	if len(f.Versions) == 0 {
		return f.Message
	}
	return f.Message + " (Kubernetes " + strings.Join(f.Versions, ", ") + ")"
}
