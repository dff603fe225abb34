package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/terminal"
)

// roominess is the question how many more fit.
type roominess struct {
	allocation
	atLeast int
}

func newCapacity(plugin bool) *cobra.Command {
	r := &roominess{}
	cmd := &cobra.Command{
		Use:   "capacity pod/NAME|claim/NAME|template/NAME [FILE | FOLDER | PATTERN | -]...",
		Short: "Count how many more copies of a pod, claim or template find a place",
		Long: `Capacity places copies of a pod, a claim or a ResourceClaimTemplate of the
files behind everything else until one finds no place, and says what runs out.

It exits with 0, or with 1 if there are fewer than --at-least.`,
		Example: `  drawbridge capacity pod/train cluster.yaml
  drawbridge capacity template/ml/gpus --at-least=8 cluster.yaml`,
		Args:              needs("name what to count, as pod/NAME, claim/NAME or template/NAME, and the files behind it"),
		ValidArgsFunction: completeTarget("pod", "claim", "template"),
		RunE:              answering(r.askCapacity),
	}
	r.add(cmd, "human", "json", "yaml")
	r.addPlanning(cmd)
	r.live.add(cmd, plugin)
	cmd.Flags().IntVar(&r.atLeast, "at-least", 0, "exit with 1 if fewer find a place")
	return cmd
}

func (r *roominess) askCapacity(ctx context.Context, cmd *cobra.Command, args []string) (bool, error) {
	kind, name, err := r.target(cmd, args, "pod", "claim", "template")
	if err != nil {
		return false, err
	}
	if err := r.begin(ctx, cmd, args[1:], kindsOf[kind]); err != nil {
		return false, err
	}
	opts := core.CapacityOptions{Options: r.planning()}
	switch kind {
	case "pod":
		opts.Pod = name
	case "claim":
		opts.Claim = name
	default:
		opts.Template = name
	}
	result, err := core.Capacity(ctx, r.text.Bytes, opts)
	if err != nil {
		return false, r.live.about(err, kind, name)
	}
	good := result.Copies >= r.atLeast
	return good, r.answer(result, func() []string {
		out := []string{terminal.Clean(result.Message)}
		out = append(out, r.groups(result.Groups, result.Message)...)
		out = append(out, "")
		if len(result.Nodes) > 0 {
			table := terminal.Table{Painter: r.painter, Head: []string{"NODE", "COPIES"}}
			for _, n := range result.Nodes {
				node := n.Name
				if node == "" {
					node = "-"
				}
				table.Row(terminal.Cell{Text: node}, terminal.Cell{Text: strconv.Itoa(n.Copies)})
			}
			out = append(append(out, table.Lines()...), "")
		}
		out = append(out, r.assumed(result.Assumptions, result.Diagnostics)...)
		if !good {
			out = append(out, r.painter.Paint(terminal.Red, fmt.Sprintf("Fewer than --at-least=%d.", r.atLeast)))
		}
		return trimmed(out)
	})
}

// trimmed leaves empty lines at the end out.
func trimmed(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
