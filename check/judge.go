package check

import (
	"cmp"
	"context"
	"slices"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/input"
)

// Everything names what is said of all files of a text together.
const Everything = "(all files)"

// judge asks about a text, for each version, and sorts what was found by file.
func judge(ctx context.Context, text *input.Text, opts Options) ([]*Report, error) {
	j := &judging{text: text, opts: opts, reports: map[string]*Report{}, known: map[key][]int{}}
	for _, name := range text.Files() {
		if name != input.Stdin && !opts.Beside[name] {
			j.report(name)
		}
	}
	for i, version := range opts.Versions {
		one := opts.Options
		one.KubernetesVersion = version
		result, err := core.Validate(ctx, text.Bytes, one)
		if err != nil {
			return nil, err
		}
		j.version(i, result)
	}
	if len(j.order) == 0 {
		j.report(input.Stdin)
	}
	out := make([]*Report, 0, len(j.order))
	for _, name := range j.order {
		r := j.reports[name]
		r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return f.hidden })
		slices.SortStableFunc(r.Findings, func(a, b Finding) int {
			return cmp.Or(cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Column, b.Place.Column), cmp.Compare(a.Rule, b.Rule))
		})
		if len(opts.Versions) == 1 {
			for i := range r.Findings {
				r.Findings[i].Versions = nil
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// judging is the way from answers about a text to reports about files.
type judging struct {
	text    *input.Text
	opts    Options
	order   []string
	reports map[string]*Report
	// known are the findings in the report of their file.
	known map[key][]int
}

// report is the one about a file.
func (j *judging) report(name string) *Report {
	r := j.reports[name]
	if r == nil {
		r = &Report{Name: name, Levels: make([]Level, len(j.opts.Versions))}
		j.reports[name] = r
		j.order = append(j.order, name)
	}
	return r
}

// version takes the answer for one of the versions.
func (j *judging) version(i int, result *core.ValidateResult) {
	// Objects may stand in the report of their file.
	type seat struct {
		file   string
		report *Report
		index  int
	}
	seats := make([]seat, len(result.Objects))
	next := map[*Report]int{}
	for n, o := range result.Objects {
		name := j.file(o.Location)
		if j.opts.Beside[name] {
			seats[n].file = name
			continue
		}
		r := j.report(name)
		if i == 0 {
			r.Objects = append(r.Objects, ObjectReport{Object: Object{o.APIVersion, o.Kind, o.Namespace, o.Name}})
		}
		seats[n] = seat{r.Name, r, next[r]}
		next[r]++
	}
	for _, d := range result.Diagnostics {
		f := newFinding(d, j.text)
		of := (*ObjectReport)(nil)
		if d.Object != nil && d.Object.Index >= 0 && d.Object.Index < len(seats) {
			s := seats[d.Object.Index]
			if f.Place.File == "" {
				f.Place.File = s.file
			}
			// Which objects there are hardly depends on the version, but a kind
			// may be one that is not read.
			if s.report != nil && s.index < len(s.report.Objects) {
				of = &s.report.Objects[s.index]
			}
		}
		if f.Place.File == "" {
			f.Place.File = Everything
		}
		if !j.opts.Beside[f.Place.File] {
			j.take(i, f, of)
		}
	}
}

// file names where something stands.
func (j *judging) file(l *diag.Location) string {
	if name := j.text.Place(l).File; name != "" {
		return name
	}
	return Everything
}

// take takes a finding of a version.
func (j *judging) take(i int, f Finding, of *ObjectReport) {
	r := j.report(f.Place.File)
	ignored := slices.ContainsFunc(j.opts.Ignore, func(i Ignore) bool { return i.Matches(f.Rule, f.Place.File) })
	if !ignored {
		r.Levels[i] = max(r.Levels[i], f.Level)
		if of != nil {
			of.Level = max(of.Level, f.Level)
		}
	}
	version := j.opts.Versions[i]
	key := keyOf(&f)
	for _, n := range j.known[key] {
		if known := &r.Findings[n]; !slices.Contains(known.Versions, version) {
			known.Versions = append(known.Versions, version)
			return
		}
	}
	f.Versions, f.hidden = []string{version}, ignored || f.Level < j.opts.Show
	j.known[key] = append(j.known[key], len(r.Findings))
	r.Findings = append(r.Findings, f)
	if ignored {
		r.counts.Ignored++
		return
	}
	r.counts.count(f.Level)
}

// key is what findings of two versions have in common if they are the same.
type key struct {
	place                input.Place
	level                Level
	rule, field, message string
}

func keyOf(f *Finding) key { return key{f.Place, f.Level, f.Rule, f.Field, f.Message} }
