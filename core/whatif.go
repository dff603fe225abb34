package core

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// How much is tried. The text of all runs together is bounded, so that the
// answer comes in time for large bundles as well.
const (
	maxTries     = 64
	minTries     = 4
	maxTriesText = 48 << 20
	// maxFits is how many changes are shown.
	maxFits = 10
	// maxStems is how many changes that do not suffice are built upon.
	maxStems = 6
)

// candidate is a change that may help.
type candidate struct {
	Modification
	// rank is how large the change is.
	rank int
	// series names what is one question: of the changes in a series only the
	// first that helps is shown.
	series string
	edits  []bundle.Edit
}

// whatIf tries changes.
type whatIf struct {
	ctx    context.Context
	text   []byte
	opts   ExplainOptions
	last   string
	base   *cluster
	errors int // in the bundle as it is
	limit  int
	tried  int

	seen      map[string]bool
	confirmed []Counterfactual
}

// state is a bundle after some changes, and what became of the target.
type state struct {
	text  []byte
	opts  Options
	steps []candidate
	*outlook
	at found
}

func newWhatIf(ctx context.Context, text []byte, opts ExplainOptions) *whatIf {
	return &whatIf{ctx: ctx, text: text, opts: opts, seen: map[string]bool{}, confirmed: []Counterfactual{},
		limit: min(maxTries, max(minTries, maxTriesText/max(1, len(text))))}
}

// explore tries single changes, and if none helps, pairs of them.
func (w *whatIf) explore(o *outlook, at found, findings []diag.Diagnostic) error {
	w.base, w.errors = o.cluster, countErrors(o.cluster)
	if at.pod != nil {
		w.last = podName(at.pod)
	}
	start := &state{text: w.text, opts: w.opts.Options, outlook: o, at: at}
	stems, err := w.extend(start, findings)
	if err != nil {
		return err
	}
	for _, stem := range stems[:min(len(stems), maxStems)] {
		if len(w.confirmed) > 0 {
			break
		}
		if _, err := w.extend(stem, nil); err != nil {
			return err
		}
	}
	return nil
}

// extend tries the changes that suggest themselves in a state. It returns the
// states that do not suffice and are other than before.
func (w *whatIf) extend(from *state, findings []diag.Diagnostic) (stems []*state, err error) {
	before := fingerprint(from.at)
	done := map[string]bool{}
	for _, next := range propose(from, findings) {
		if w.tried == w.limit || len(w.confirmed) == maxFits {
			break
		}
		if next.series != "" && done[next.series] {
			continue
		}
		to, ok := from.with(next, w.text)
		if !ok || w.seen[to.key()] {
			continue
		}
		w.seen[to.key()] = true
		w.tried++
		w.opts.tell("tries", w.tried, w.limit)
		switch fits, err := w.run(to); {
		case err != nil:
			return nil, err
		case fits:
			done[next.series] = true
			w.confirmed = append(w.confirmed, w.confirm(to))
		case to.outlook != nil && fingerprint(to.at) != before:
			stems = append(stems, to)
		}
	}
	w.opts.tell("tries", w.tried, w.limit)
	return stems, nil
}

// with adds a change to a state. Its edits are of the text of the state; those
// of the result are of the text that was submitted.
func (s *state) with(next candidate, text []byte) (*state, bool) {
	to := &state{opts: s.opts, steps: append(slices.Clone(s.steps), next)}
	if next.FeatureGates != "" {
		to.opts.FeatureGates = next.FeatureGates
	}
	if next.KubernetesVersion != "" {
		to.opts.KubernetesVersion = next.KubernetesVersion
	}
	earlier := s.edits()
	mine := &to.steps[len(to.steps)-1]
	mine.edits = nil
	for _, e := range next.edits {
		moved, ok := original(e, earlier)
		if !ok {
			return nil, false
		}
		mine.edits = append(mine.edits, moved)
	}
	var ok bool
	to.text, ok = bundle.Apply(text, to.edits())
	return to, ok
}

// edits are those of all steps.
func (s *state) edits() []bundle.Edit {
	var out []bundle.Edit
	for _, step := range s.steps {
		out = append(out, step.edits...)
	}
	slices.SortStableFunc(out, func(a, b bundle.Edit) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// original is an edit of an edited text as one of the text before; false where
// it touches what an edit has put there.
func original(e bundle.Edit, earlier []bundle.Edit) (bundle.Edit, bool) {
	shift := 0
	for _, was := range earlier {
		start := was.Start + shift
		end := start + len(was.Text)
		if e.End <= start {
			break
		}
		if e.Start < end {
			return e, false
		}
		shift += len(was.Text) - (was.End - was.Start)
	}
	e.Start, e.End = e.Start-shift, e.End-shift
	return e, true
}

// key tells states apart that are tried.
func (s *state) key() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s", s.opts.FeatureGates, s.opts.KubernetesVersion)
	for _, e := range s.edits() {
		fmt.Fprintf(&out, "|%d %d %s", e.Start, e.End, e.Text)
	}
	return out.String()
}

// run plans the state from its text, and tells whether the target fits. The
// state stays without a plan if the changes break something.
func (w *whatIf) run(s *state) (bool, error) {
	c, err := read(w.ctx, s.text, s.opts)
	if _, bad := err.(*OptionError); bad {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if countErrors(c) > w.errors {
		return false, nil
	}
	c.input.Last = w.last
	o, err := c.foresee(w.ctx)
	if err != nil {
		return false, err
	}
	at, err := w.opts.Target.find(o.plan)
	if err != nil {
		return false, nil // the change has done away with it
	}
	s.outlook, s.at = o, at
	return at.fits(), nil
}

// countErrors counts the objects' faults.
func countErrors(c *cluster) int {
	n := 0
	for _, d := range c.found {
		if d.Severity == diag.Error {
			n++
		}
	}
	return n
}

// fingerprint is why a target does not fit, without the words.
func fingerprint(at found) string {
	var out strings.Builder
	for _, n := range at.nodes() {
		fmt.Fprintf(&out, "%s:", n.Name)
		for _, r := range n.Reasons {
			fmt.Fprintf(&out, " %s %s", r.Code, r.Request)
		}
	}
	return out.String()
}

// confirm puts a state that fits into words.
func (w *whatIf) confirm(s *state) Counterfactual {
	out := Counterfactual{Node: s.at.node(), Steps: []Modification{}}
	var parts []string
	for _, step := range s.steps {
		for _, e := range step.edits {
			step.Edits = append(step.Edits, TextEdit{Location: w.base.bundle.Objects[0].Place(e), Replacement: e.Text})
		}
		out.Steps = append(out.Steps, step.Modification)
		parts = append(parts, step.Message)
	}
	where := ""
	if out.Node != "" {
		where = " on " + out.Node
	}
	out.Message = fmt.Sprintf("fits%s if %s", where, strings.Join(parts, ", and "))
	return out
}
