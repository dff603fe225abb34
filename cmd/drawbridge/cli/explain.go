package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/terminal"
)

func newExplain(plugin bool) *cobra.Command {
	a := &allocation{}
	cmd := &cobra.Command{
		Use:   "explain pod/NAME|claim/NAME [FILE | FOLDER | PATTERN | -]...",
		Short: "Say why one pod or claim does not fit, and what would have to change",
		Long: `Explain says what becomes of one pod or claim of the files, and for one that
finds no place why, and which changes would help: each that is shown was tried.

It exits with 0 if it finds a place, and with 1 if it does not.`,
		Example: `  drawbridge explain pod/train manifests/
  drawbridge explain claim/ml/gpus -o json cluster.yaml`,
		Args:              needs("name what to explain, as pod/NAME or claim/NAME, and the files behind it"),
		ValidArgsFunction: completeTarget("pod", "claim"),
		RunE:              answering(a.explainOne),
	}
	a.add(cmd, "human", "json", "yaml")
	a.addPlanning(cmd)
	a.live.add(cmd, plugin)
	return cmd
}

func (a *allocation) explainOne(ctx context.Context, cmd *cobra.Command, args []string) (bool, error) {
	kind, name, err := a.target(cmd, args, "pod", "claim")
	if err != nil {
		return false, err
	}
	if err := a.begin(ctx, cmd, args[1:], kindsOf[kind]); err != nil {
		return false, err
	}
	opts := core.ExplainOptions{Options: a.planning()}
	if kind == "pod" {
		opts.Pod = name
	} else {
		opts.Claim = name
	}
	result, err := core.Explain(ctx, a.text.Bytes, opts)
	if err != nil {
		return false, a.live.about(err, kind, name)
	}
	var outcome, message string
	var groups []core.NodeGroup
	if p := result.Pod; p != nil {
		outcome, message, groups = string(p.Outcome), p.Message, p.Groups
	}
	if c := result.Claim; c != nil {
		outcome, message = string(c.Outcome), c.Message
		if result.Pod == nil {
			groups = c.Groups
		}
	}
	if held := devicesOf(result.Claim); message == "" && len(held) > 0 {
		message = claimName(result.Claim) + " holds " + strings.Join(held, ", ")
	}
	good := outcomeStyle(outcome) == terminal.Green
	return good, a.answer(result, func() []string {
		out := []string{a.painter.Paint(outcomeStyle(outcome), outcome) + ": " + terminal.Clean(message)}
		if !good {
			out = append(out, a.groups(groups, message)...)
			out = append(out, "")
			out = append(out, a.changes(result)...)
		}
		out = append(out, a.scheduler(opts.Pod, good)...)
		return append(out, a.assumed(result.Assumptions, result.Diagnostics)...)
	})
}

// scheduler is what the cluster's own scheduler says of a pod, for comparison.
func (a *allocation) scheduler(pod string, good bool) []string {
	if !a.live.on || pod == "" {
		return nil
	}
	said := a.live.snapshot.Waiting(pod)
	if said == "" {
		return nil
	}
	out := []string{"The scheduler says: " + terminal.Clean(said)}
	switch {
	case !good:
	case a.live.overlaid:
		out = append(out, "That was without the files.")
	case a.live.snapshot.Partial:
		out = append(out, "It may know more than could be read here; the notes say what is missing.")
	default:
		out = append(out, "That was about what was there then; it tries again when something changes.")
	}
	return append(out, "")
}

// changes shows what would help.
func (a *allocation) changes(result *core.ExplainResult) []string {
	var out []string
	for _, f := range result.FitsIf {
		out = append(out, a.painter.Paint(terminal.Green, "It "+terminal.Clean(f.Message)))
		for _, step := range f.Steps {
			if held := a.held(step); held != "" {
				out = append(out, "    "+terminal.Clean(held))
				continue
			}
			for _, e := range step.Edits {
				out = append(out, a.edit(e)...)
			}
			out = append(out, a.anew(step)...)
			if step.FeatureGates != "" {
				out = append(out, "    --feature-gates="+terminal.Clean(step.FeatureGates))
			}
			if step.KubernetesVersion != "" {
				out = append(out, "    --kubernetes-version="+terminal.Clean(step.KubernetesVersion))
			}
		}
	}
	if len(out) == 0 {
		out = append(out, fmt.Sprintf("No small change was found that helps; %d were tried.", result.Tried))
	}
	return append(out, "")
}

// held says what would release a live claim: nobody writes its status by hand.
func (a *allocation) held(step core.Modification) string {
	if !a.live.on || step.Kind != "release" || step.Object == nil {
		return ""
	}
	pods := a.live.snapshot.Holders(step.Object.Namespace, step.Object.Name)
	if len(pods) == 0 {
		return ""
	}
	until := "that has ended or is deleted"
	if len(pods) > 1 {
		until = "these have ended or are deleted"
	}
	return "it is in use by " + strings.Join(pods, ", ") + ", until " + until
}

// anew says how the spec of a live claim is changed, which the API server
// refuses to do.
func (a *allocation) anew(step core.Modification) []string {
	if !a.live.on || step.Object == nil || step.Object.Kind != "ResourceClaim" || !strings.HasPrefix(step.Field, "spec") {
		return nil
	}
	claim := a.live.snapshot.Find("ResourceClaim", step.Object.Namespace, step.Object.Name)
	metadata, _ := claim["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	switch {
	case claim == nil:
		return nil // it is of a file
	case annotations["resource.kubernetes.io/pod-claim-name"] != nil:
		return []string{"    the claim was made from a template and cannot be changed: change the template, and make the pod again"}
	}
	return []string{"    the spec of a claim cannot be changed: delete the claim, and make it again"}
}

// edit shows a change of a line as it was and as it would be.
func (a *allocation) edit(e core.TextEdit) []string {
	if e.Location == nil {
		return nil
	}
	at := a.text.Place(e.Location)
	out := []string{"    " + terminal.Clean(at.String())}
	line := []rune(a.text.Line(e.Location.Line))
	start := min(max(0, e.Location.Column-1), len(line))
	end := len(line)
	if e.Location.EndLine == e.Location.Line {
		end = min(max(start, e.Location.EndColumn-1), len(line))
	}
	var lines []string
	for n := e.Location.Line; n <= e.Location.EndLine && n < e.Location.Line+20; n++ {
		lines = append(lines, a.text.Line(n))
	}
	rest := ""
	if e.Location.EndLine == e.Location.Line {
		rest = string(line[end:])
	} else if last := []rune(a.text.Line(e.Location.EndLine)); e.Location.EndColumn-1 <= len(last) {
		rest = string(last[max(0, e.Location.EndColumn-1):])
	}
	after := strings.Split(strings.TrimRight(string(line[:start])+e.Replacement+rest, "\n"), "\n")
	for len(lines) > 0 && len(after) > 0 && lines[0] == after[0] {
		lines, after = lines[1:], after[1:] // what stays
	}
	for len(lines) > 0 && len(after) > 0 && lines[len(lines)-1] == after[len(after)-1] {
		lines, after = lines[:len(lines)-1], after[:len(after)-1]
	}
	for _, l := range lines {
		out = append(out, "    "+a.painter.Paint(terminal.Red, "- "+terminal.Clean(l)))
	}
	for _, l := range after {
		out = append(out, "    "+a.painter.Paint(terminal.Green, "+ "+terminal.Clean(l)))
	}
	return out
}
