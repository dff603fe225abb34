package report

import (
	"fmt"
	"strings"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/terminal"
)

// github writes commands of GitHub's workflows, which become annotations at
// the lines of a change.
type github struct {
	printer
	o Options
}

func newGitHub(o Options) Reporter { return &github{printer{out: o.Out}, o} }

// What stands in a command must not end it or begin another: a message is
// somebody else's text.
var (
	githubData  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubValue = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

var githubCommands = map[check.Level]string{check.Error: "error", check.Gate: "warning", check.Warning: "warning", check.Info: "notice"}

func (g *github) File(r *check.Report) error {
	for i := range r.Findings {
		g.print(g.command(&r.Findings[i]))
	}
	return g.err
}

func (g *github) command(f *check.Finding) string {
	var values []string
	value := func(name string, v any) {
		values = append(values, name+"="+githubValue.Replace(terminal.Clean(fmt.Sprint(v))))
	}
	message := sentence(f)
	if f.Place.File != "" && f.Place.File != check.Everything {
		value("file", f.Place.File)
	}
	switch {
	case f.Place.Line > 0 && f.Place.Rendered:
		message += fmt.Sprintf("\nline %d of what was rendered", f.Place.Line)
	case f.Place.Line > 0:
		value("line", f.Place.Line)
		value("endLine", f.Place.EndLine)
		if f.Place.EndLine == f.Place.Line {
			value("col", f.Place.Column)
			value("endColumn", f.Place.EndColumn)
		}
	}
	value("title", f.Level.String()+" "+f.Rule)
	if what := about(f); what != "" {
		message += "\nin " + what
	}
	if f.Suggestion != nil {
		message += "\nhelp: " + mend(f.Suggestion)
	}
	if url := g.o.url(f.URL); url != "" {
		message += "\n" + url
	}
	lines := terminal.Lines(message)
	return fmt.Sprintf("::%s %s::%s\n", githubCommands[f.Level], strings.Join(values, ","), githubData.Replace(strings.Join(lines, "\n")))
}

func (g *github) Close(s *check.Summary) error {
	h := human{o: Options{}}
	g.print(h.total(s) + "\n")
	return g.err
}
