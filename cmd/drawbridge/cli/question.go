package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/cluster"
	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/input"
	"github.com/drawbridge-dra/drawbridge/report"
	"github.com/drawbridge-dra/drawbridge/terminal"
)

// question is one about all files together.
type question struct {
	choices
	text *input.Text
}

// begin settles the choices and reads the files, or the cluster. Needs are
// kinds that the question is nothing without.
func (q *question) begin(ctx context.Context, cmd *cobra.Command, files []string, needs ...string) (err error) {
	if err := q.settle(cmd); err != nil {
		return err
	}
	if q.live.on {
		if err := q.visit(ctx, cluster.Plan, needs...); err != nil {
			return err
		}
	}
	q.text, err = q.together(ctx, cmd, files)
	return err
}

// answer writes the result as data; lines says it in words.
func (q *question) answer(result any, lines func() []string) error {
	q.progress.Clear()
	if q.output == "human" {
		_, err := fmt.Fprintln(q.out, strings.Join(lines(), "\n"))
		return err
	}
	data, err := report.Answer(q.output, result, q.text)
	if err != nil {
		return err
	}
	_, err = q.out.Write(data)
	return err
}

// where shows a place of the text.
func (q *question) where(l *diag.Location) []string {
	if l == nil {
		return nil
	}
	at := q.text.Place(l)
	var out []string
	for _, line := range report.Where(q.painter, terminal.Red, len(strconv.Itoa(at.Line)), at, q.text.Line(l.Line)) {
		out = append(out, "    "+line)
	}
	return out
}

// bold sets a text off.
func (q *question) bold(text string) string {
	return q.painter.Paint(terminal.Bold, terminal.Clean(text))
}

// groups shows why nodes do not have room, those that are alike together. What
// has been said already is not said again.
func (q *question) groups(groups []core.NodeGroup, said string) []string {
	var out []string
	for _, g := range groups {
		if g.Fits {
			continue
		}
		if _, why, ok := strings.Cut(g.Message, ": "); !ok || !strings.Contains(said, why) {
			out = append(out, "  "+terminal.Clean(g.Message))
		}
		shown := map[diag.Location]bool{}
		for _, r := range g.Reasons {
			if r.Location != nil && !shown[*r.Location] {
				shown[*r.Location] = true
				out = append(out, q.where(r.Location)...)
			}
		}
	}
	return out
}

// assumed lists what was taken for granted, and says that findings are not
// shown here.
func (q *question) assumed(assumptions []string, found []diag.Diagnostic) []string {
	var out []string
	for _, a := range assumptions {
		out = append(out, "Assumed: "+terminal.Clean(a))
	}
	errors := 0
	for _, d := range found {
		if d.Severity == diag.Error {
			errors++
		}
	}
	if errors > 0 {
		out = append(out, fmt.Sprintf("%s in the %s; drawbridge validate shows them", report.Count(errors, "error", "errors"), q.live.where()))
	}
	return out
}

// outcomeStyle sets off what becomes of something.
func outcomeStyle(outcome string) terminal.Style {
	switch outcome {
	case string(core.PodScheduled), string(core.ClaimAllocated), string(core.PodAlreadyScheduled), string(core.ClaimAlreadyAllocated):
		return terminal.Green
	case string(core.PodUndecided):
		return terminal.Yellow
	}
	return terminal.Red
}

// longer are the names that kubectl has for what is asked about.
var longer = map[string]string{
	"po": "pod", "pods": "pod", "claims": "claim", "resourceclaim": "claim", "resourceclaims": "claim",
	"templates": "template", "resourceclaimtemplate": "template", "resourceclaimtemplates": "template",
}

// target reads pod/NAME, claim/NAME or template/NAME, where NAME may be
// namespace/name. It finds the cluster first, where one is asked: its context
// may say the namespace.
func (q *question) target(cmd *cobra.Command, args []string, kinds ...string) (kind, name string, err error) {
	if err := q.live.find(cmd, args); err != nil {
		return "", "", err
	}
	text := args[0]
	kind, name, ok := strings.Cut(text, "/")
	if short := longer[kind]; short != "" {
		kind = short
	}
	if !ok || !slices.Contains(kinds, kind) {
		last := len(kinds) - 1
		return "", "", fmt.Errorf("%q does not say what it is about; write %s/NAME or %s/NAME", text, strings.Join(kinds[:last], "/NAME, "), kinds[last])
	}
	parts := strings.Split(name, "/")
	if len(parts) == 1 {
		parts = []string{q.live.namespace, name}
	}
	if len(parts) > 2 || slices.Contains(parts, "") {
		return "", "", fmt.Errorf("%q is no name; write %s/NAME or %s/NAMESPACE/NAME", text, kind, kind)
	}
	name = strings.Join(parts, "/")
	return kind, name, nil
}

// devicesOf lists what a claim has been given.
func devicesOf(c *core.ClaimResult) []string {
	if c == nil || c.Claim == nil || c.Claim.Status.Allocation == nil {
		return nil
	}
	var out []string
	for _, r := range c.Claim.Status.Allocation.Devices.Results {
		out = append(out, r.Request+": "+r.Driver+"/"+r.Pool+"/"+r.Device)
	}
	return out
}
