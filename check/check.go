package check

import (
	"context"
	"runtime"
	"slices"
	"unicode/utf8"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/input"
)

// Options say what is asked.
type Options struct {
	core.Options
	// Versions of Kubernetes, instead of the one in Options.
	Versions []string
	Ignore   []Ignore
	// Beside are files that others are compared with, and that are not asked
	// about themselves.
	Beside map[string]bool
	// Show is the least level that is reported, FailOn the least that counts
	// as a failure.
	Show, FailOn Level
	// Workers is how many texts are looked at at once; 0 for one per processor.
	Workers int
	// Done hears after each unit how many files have been looked at.
	Done func(files int)
}

// Report is what was found in one file.
type Report struct {
	Name    string
	Objects []ObjectReport
	// Findings are those at or above Show, by place and then by rule.
	Findings []Finding
	// Levels are the gravest for each version, in their order.
	Levels []Level
	counts counts
}

// ObjectReport is an object of a file and the gravest finding about it.
type ObjectReport struct {
	Object
	Level Level
}

// Summary counts.
type Summary struct {
	Versions []string `json:"kubernetesVersions"`
	Files    int      `json:"files"`
	Objects  int      `json:"objects"`
	Passed   int      `json:"filesWithoutObjects,omitempty"`
	counts
	Notes  []string `json:"notes,omitempty"`
	Failed bool     `json:"failed"`
	// Matrix has a row for each file with a finding, where several versions
	// were asked about.
	Matrix []Row `json:"matrix,omitempty"`
	// Bare is how many of the files that were named say nowhere that they hold
	// an object.
	Bare int `json:"-"`
	// Rows is how many rows there would be: the matrix is bounded.
	Rows   int   `json:"-"`
	FailOn Level `json:"failOn"`
	Show   Level `json:"-"`
}

// Row is a file and the gravest level that it has in each version.
type Row struct {
	File   string  `json:"file"`
	Levels []Level `json:"levels"`
}

// counts are those of findings.
type counts struct {
	Errors   int `json:"errors"`
	Gates    int `json:"gates"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Ignored  int `json:"ignored,omitempty"`
}

func (c *counts) count(l Level) {
	switch l {
	case Error:
		c.Errors++
	case Gate:
		c.Gates++
	case Warning:
		c.Warnings++
	case Info:
		c.Infos++
	}
}

func (c *counts) add(other counts) {
	c.Errors += other.Errors
	c.Gates += other.Gates
	c.Warnings += other.Warnings
	c.Infos += other.Infos
	c.Ignored += other.Ignored
}

// ballastBytes spare a sixth of the processor's time, for as much more memory.
const ballastBytes = 16 << 20

// mostRows bounds the matrix.
const mostRows = 200

// Run looks at the units and tells the reports of their files, in order. The
// error is the context's, that of report, a *core.OptionError, or says which
// file cannot be read.
func Run(ctx context.Context, units [][]*input.File, opts Options, report func(*Report) error) (*Summary, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// What lives is little, so that the collector would run every few files. It
	// starts when the heap has doubled: this counts, and takes no memory as it
	// is never written to.
	ballast := make([]byte, ballastBytes)
	defer runtime.KeepAlive(ballast)
	if opts.Expressions == nil {
		opts.Expressions = &core.Expressions{}
	}
	out := &Summary{Versions: opts.Versions, FailOn: opts.FailOn, Show: opts.Show}
	for answer := range answers(ctx, units, opts) {
		if answer.err != nil {
			return nil, answer.err
		}
		for _, r := range answer.reports {
			out.take(r, opts)
			if err := report(r); err != nil {
				return nil, err
			}
		}
		out.Passed += answer.passed
		out.Bare += answer.bare
		if opts.Done != nil {
			opts.Done(out.Files + out.Passed)
		}
	}
	return out, ctx.Err()
}

// take counts a report.
func (s *Summary) take(r *Report, opts Options) {
	if r.Name != Everything {
		s.Files++
	}
	s.Objects += len(r.Objects)
	s.add(r.counts)
	gravest := slices.Max(r.Levels)
	s.Failed = s.Failed || gravest >= opts.FailOn
	if len(s.Versions) > 1 && gravest >= max(opts.Show, Warning) {
		if s.Rows++; s.Rows <= mostRows {
			s.Matrix = append(s.Matrix, Row{r.Name, r.Levels})
		}
	}
}

// answer is what comes of a unit.
type answer struct {
	reports []*Report
	passed  int
	bare    int
	err     error
}

// answers looks at units side by side and gives what comes of them in order.
// No more of them are at work or waiting than there are workers, so that what
// is held does not grow with their number.
func answers(ctx context.Context, units [][]*input.File, opts Options) <-chan answer {
	workers := opts.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(1, min(workers, len(units)))
	queue := make(chan chan answer, workers-1)
	out := make(chan answer)
	go func() {
		defer close(queue)
		for _, unit := range units {
			one := make(chan answer, 1)
			select {
			case queue <- one:
			case <-ctx.Done():
				return
			}
			go func() { one <- look(ctx, unit, opts) }()
		}
	}()
	go func() {
		defer close(out)
		for one := range queue {
			select {
			case out <- <-one:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// look asks about the files of a unit.
func look(ctx context.Context, files []*input.File, opts Options) (out answer) {
	// A text that is not UTF-8 is refused as a whole, and must not take others
	// with it.
	together := &input.Text{}
	texts := []*input.Text{together}
	names := map[string]int{}
	for _, f := range files {
		if out.err = ctx.Err(); out.err != nil {
			return out
		}
		text, err := f.Read()
		if err != nil {
			out.err = input.Unreadable(f.Name, err)
			return out
		}
		has := input.HasObjects(text)
		if !has && !f.Named {
			out.passed++
			continue
		}
		if !has {
			out.bare++
		}
		switch {
		case utf8.Valid(text):
			f.AddTo(together, text)
		default:
			alone := &input.Text{}
			alone.Add(f.Name, text)
			texts = append(texts, alone)
		}
		names[f.Name] = len(names)
	}
	for _, text := range texts {
		if len(text.Files()) == 0 {
			continue
		}
		reports, err := judge(ctx, text, opts)
		if err != nil {
			out.err = err
			return out
		}
		out.reports = append(out.reports, reports...)
	}
	rank := func(r *Report) int {
		if n, ok := names[r.Name]; ok {
			return n
		}
		return names[input.Stdin] // what Helm rendered
	}
	slices.SortStableFunc(out.reports, func(a, b *Report) int { return rank(a) - rank(b) })
	return out
}
