package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/input"
	"github.com/drawbridge-dra/drawbridge/terminal"
)

// human writes for a person at a terminal.
type human struct {
	printer
	o Options
	// rule is one that was found, as an example of how to ask about it.
	rule string
}

func newHuman(o Options) Reporter { return &human{printer: printer{out: o.Out}, o: o} }

// styles are those of the levels.
var styles = map[check.Level]terminal.Style{
	check.Fine: terminal.Green, check.Info: terminal.Blue, check.Warning: terminal.Yellow, check.Gate: terminal.Purple, check.Error: terminal.Red,
}

func (h *human) File(r *check.Report) error {
	for i := range r.Findings {
		for _, line := range h.finding(&r.Findings[i]) {
			h.print(line + "\n")
		}
		h.print("\n")
	}
	return h.err
}

func (h *human) finding(f *check.Finding) []string {
	p := h.o.Painter
	if h.rule == "" {
		h.rule = f.Rule
	}
	margin := len(strconv.Itoa(f.Place.Line))
	for _, r := range f.Related {
		margin = max(margin, len(strconv.Itoa(r.Place.Line)))
	}
	out := []string{p.Paint(styles[f.Level], fmt.Sprintf("%s[%s]", f.Level, terminal.Clean(f.Rule))) + p.Paint(terminal.Bold, ": "+terminal.Clean(sentence(f)))}
	out = append(out, Where(p, styles[f.Level], margin, f.Place, f.Line)...)
	if what := about(f); what != "" {
		out = append(out, h.aside(margin, "in", terminal.Clean(what))...)
	}
	for _, r := range f.Related {
		out = append(out, h.aside(margin, "see", terminal.Clean(r.Message))...)
		out = append(out, Where(p, terminal.Blue, margin, r.Place, r.Line)...)
	}
	if f.Suggestion != nil && !strings.Contains(f.Message, mend(f.Suggestion)) {
		out = append(out, h.aside(margin, "help", mend(f.Suggestion))...)
	}
	if url := h.o.url(f.URL); url != "" {
		out = append(out, h.aside(margin, "rule", url)...)
	}
	return out
}

// Where shows a place: the file, and the line with the range underlined.
func Where(p terminal.Painter, mark terminal.Style, margin int, at input.Place, line string) []string {
	if at.File == "" {
		return nil
	}
	out := []string{fmt.Sprintf("%*s%s %s", margin, "", p.Paint(terminal.Blue, "-->"), terminal.Clean(at.String()))}
	if at.Line == 0 || line == "" {
		return out
	}
	snippet := terminal.Snippet{Line: at.Line, Text: line, Column: at.Column, End: at.EndColumn, More: at.EndLine > at.Line}
	return append(out, snippet.Render(p, mark, margin)...)
}

// aside is a line below a finding, or several. None of them begins with what
// somebody else wrote: build servers take some beginnings for commands.
func (h *human) aside(margin int, word, text string) []string {
	p := h.o.Painter
	var out []string
	for i, line := range terminal.Lines(text) {
		lead := p.Paint(terminal.Blue, "=") + " " + p.Paint(terminal.Bold, word+":") + " "
		if i > 0 {
			lead = p.Paint(terminal.Blue, "|") + strings.Repeat(" ", len(word)+3)
		}
		out = append(out, strings.TrimRight(fmt.Sprintf("%*s %s%s", margin, "", lead, line), " "))
	}
	return out
}

// about names the object and the field.
func about(f *check.Finding) string {
	switch {
	case f.Object == nil:
		return f.Field
	case f.Field == "":
		return f.Object.String()
	}
	return f.Object.String() + ", " + f.Field
}

// mend is what a suggestion says. What it would write is shown where the
// sentence does not say it.
func mend(s *check.Suggestion) string {
	text := strings.TrimRight(s.Replacement, "\n")
	if text == "" || strings.Contains(s.Message, text) {
		return s.Message
	}
	if strings.Contains(text, "\n") {
		return s.Message + ":\n" + text
	}
	return s.Message + ": " + text
}

func (h *human) Close(s *check.Summary) error {
	h.matrix(s)
	if h.rule != "" && h.o.RulesURL == "" {
		h.printf("Each rule is explained with an example by drawbridge rules, such as: drawbridge rules %s\n", terminal.Clean(h.rule))
	}
	h.print(h.total(s) + "\n")
	return h.err
}

// matrix shows which file is how bad in which version.
func (h *human) matrix(s *check.Summary) {
	if len(s.Versions) < 2 {
		return
	}
	table := terminal.Table{Painter: h.o.Painter, Head: append([]string{"FILE"}, s.Versions...)}
	for _, row := range s.Matrix {
		cells := []terminal.Cell{{Text: row.File}}
		for _, level := range row.Levels {
			cells = append(cells, terminal.Cell{Text: level.String(), Style: styles[level]})
		}
		table.Row(cells...)
	}
	if len(s.Matrix) == 0 {
		return
	}
	for _, line := range table.Lines() {
		h.print(line + "\n")
	}
	if more := s.Rows - len(s.Matrix); more > 0 {
		h.printf("and %d more files\n", more)
	}
	h.print("\n")
}

// total is the line at the end.
func (h *human) total(s *check.Summary) string {
	p := h.o.Painter
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
		level     check.Level
	}{
		{s.Errors, "error", "errors", check.Error},
		{s.Gates, "field that gets lost", "fields that get lost", check.Gate},
		{s.Warnings, "warning", "warnings", check.Warning},
	} {
		if part.n > 0 {
			parts = append(parts, p.Paint(styles[part.level], Count(part.n, part.one, part.many)))
		}
	}
	found := strings.Join(parts, ", ")
	if found == "" {
		found = p.Paint(terminal.Green, "nothing found")
	}
	where := Count(s.Files, "file", "files") + " with " + Count(s.Objects, "object", "objects")
	if h.o.Cluster {
		where = Count(s.Objects, "object", "objects") + " of the cluster"
	}
	line := fmt.Sprintf("%s in %s, Kubernetes %s", found, where, strings.Join(s.Versions, ", "))
	if s.Infos > 0 && s.Show > check.Info {
		line += fmt.Sprintf("; %s shown with --show=info", Count(s.Infos, "remark", "remarks"))
	}
	if s.Ignored > 0 {
		line += fmt.Sprintf("; %s ignored", Count(s.Ignored, "finding", "findings"))
	}
	if s.Passed > 0 {
		line += fmt.Sprintf("; %s without objects passed over", Count(s.Passed, "file", "files"))
	}
	return line
}

// Count counts things.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
