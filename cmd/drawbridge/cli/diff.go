package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/report"
	"github.com/drawbridge-dra/drawbridge/terminal"
)

// comparison is the question what becomes different.
type comparison struct {
	allocation
	version, after string // and feature gates after the change
}

func newDiff(plugin bool) *cobra.Command {
	c := &comparison{}
	cmd := &cobra.Command{
		Use:   "diff BEFORE [AFTER] | diff --from-cluster [FILE | FOLDER | PATTERN | -]...",
		Short: "Show of which pods and claims something else becomes after a change",
		Long: `Diff places the pods and claims of two files or folders and shows those of
which something else becomes. With one, the change is another version of
Kubernetes or other feature gates. With --from-cluster the files are laid over
the live objects: what would change if they were applied.

It exits with 0 if nothing differs, and with 1 if something does.`,
		Example: `  drawbridge diff before/ after/
  drawbridge diff --kubernetes-version=1.36 --after-kubernetes-version=1.37 cluster.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if c.live.on {
				return nil
			}
			return sides(cmd, args)
		},
		RunE: answering(c.askDiff),
	}
	c.add(cmd, "human", "json", "yaml")
	c.addPlanning(cmd)
	c.live.add(cmd, plugin)
	cmd.Flags().StringVar(&c.version, "after-kubernetes-version", "", "version of Kubernetes after the change (default: the same)")
	cmd.Flags().StringVar(&c.after, "after-feature-gates", "", "feature gates after the change (default: the same)")
	complete(cmd, "after-kubernetes-version", knownVersions()...)
	completeGates(cmd, "after-feature-gates")
	return cmd
}

func (c *comparison) askDiff(ctx context.Context, cmd *cobra.Command, args []string) (bool, error) {
	first := 1 // of the files that are there after the change
	if c.live.on {
		first = 0
	}
	if len(args) == first && c.version == "" && c.after == "" {
		return false, errors.New("there is nothing to compare with; name what is there after the change, or set --after-kubernetes-version or --after-feature-gates")
	}
	if err := c.live.find(cmd, args); err != nil {
		return false, err
	}
	if err := c.begin(ctx, cmd, args[:first]); err != nil {
		return false, err
	}
	before := c.text
	if len(args) > first {
		var err error
		if c.text, err = c.together(ctx, cmd, args[first:]); err != nil {
			return false, err
		}
	}
	result, err := core.Diff(ctx, core.Change{Before: string(before.Bytes), After: string(c.text.Bytes)},
		core.DiffOptions{Options: c.planning(), AfterKubernetesVersion: c.version, AfterFeatureGates: c.after})
	if err != nil {
		return false, err
	}
	same := len(result.Pods)+len(result.Claims)+len(result.Evictions) == 0
	return same, c.answer(result, func() []string { return c.differences(result) })
}

func (c *comparison) differences(result *core.DiffResult) []string {
	table := terminal.Table{Painter: c.painter, Head: []string{"WHAT", "CHANGE", "BEFORE", "AFTER"}}
	var messages []string
	list := func(kind string, all []core.Difference) {
		for _, d := range all {
			what := kind + "/" + d.Namespace + "/" + d.Name
			table.Row(terminal.Cell{Text: what}, terminal.Cell{Text: d.Change, Style: terminal.Bold}, side(d.Before), side(d.After))
			if d.After != nil && d.After.Message != "" && outcomeStyle(d.After.Outcome) != terminal.Green {
				messages = append(messages, c.bold(what)+": "+terminal.Clean(d.After.Message))
			}
		}
	}
	list("pod", result.Pods)
	list("claim", result.Claims)
	var out []string
	if len(result.Pods)+len(result.Claims) > 0 {
		out = append(append(out, table.Lines()...), "")
	}
	for _, e := range result.Evictions {
		messages = append(messages, c.bold("eviction")+": "+terminal.Clean(e.Message))
		messages = append(messages, c.where(e.Location)...)
	}
	if len(messages) > 0 {
		out = append(append(out, messages...), "")
	}
	return append(out, fmt.Sprintf("%s, %s; Kubernetes %s and %s",
		report.Count(len(result.Pods)+len(result.Claims)+len(result.Evictions), "difference", "differences"),
		fmt.Sprintf("%d unchanged", result.Unchanged.Pods+result.Unchanged.Claims), result.Before.KubernetesVersion, result.After.KubernetesVersion))
}

// side is what becomes of something, before or after.
func side(o *core.DiffOutcome) terminal.Cell {
	if o == nil {
		return terminal.Cell{Text: "-"}
	}
	text := o.Outcome
	if o.Node != "" {
		text += " on " + o.Node
	}
	if len(o.Devices) > 0 {
		text += " (" + strings.Join(o.Devices, ", ") + ")"
	}
	return terminal.Cell{Text: text, Style: outcomeStyle(o.Outcome)}
}
