package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/terminal"
)

// allocation is the question who gets which device.
type allocation struct {
	question
	now            string
	explain        string
	skipValidation bool
}

func newAllocate(plugin bool) *cobra.Command {
	a := &allocation{}
	cmd := &cobra.Command{
		Use:   "allocate [FILE | FOLDER | PATTERN | -]...",
		Short: "Show which devices the scheduler would give to pods and claims, and why not",
		Long: `Allocate places the pods and claims of the files as the scheduler would, one
after the other, and shows node and devices, or why there are none.

It exits with 0 if everything finds a place, and with 1 if something does not.`,
		Example: `  drawbridge allocate cluster.yaml pods/
  kubectl get resourceslices,deviceclasses,resourceclaims,resourceclaimtemplates,nodes,pods -A -o yaml | drawbridge allocate -`,
		RunE: answering(a.ask),
	}
	a.add(cmd, "human", "json", "yaml")
	a.addPlanning(cmd)
	a.live.add(cmd, plugin)
	cmd.Flags().StringVar(&a.explain, "explain", "", "how much is told about nodes: full, summary or none (default: summary for people, else full)")
	complete(cmd, "explain", "full", "summary", "none")
	return cmd
}

// addPlanning adds the flags of a plan.
func (a *allocation) addPlanning(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.now, "now", "", "time at which devices must have become ready, such as 2026-11-29T12:00:00Z (default: left open)")
	cmd.Flags().BoolVar(&a.skipValidation, "skip-validation", false, "take the objects as already stored")
}

// planning are the options of a plan.
func (a *allocation) planning() core.Options {
	o := a.options()
	o.Now, o.SkipValidation = a.now, a.skipValidation
	return a.live.stored(o, a.changed("field-validation"))
}

func (a *allocation) ask(ctx context.Context, cmd *cobra.Command, args []string) (bool, error) {
	if err := a.live.find(cmd, args); err != nil {
		return false, err
	}
	if err := a.begin(ctx, cmd, args); err != nil {
		return false, err
	}
	opts := a.planning()
	opts.Explain = core.Explanation(a.explain)
	if a.explain == "" && a.output == "human" {
		opts.Explain = core.ExplainSummary
	}
	result, err := core.Allocate(ctx, a.text.Bytes, opts)
	if err != nil {
		return false, err
	}
	left, placed := unplaced(result)
	return left == 0, a.answer(result, func() []string {
		out := a.table(result)
		out = append(out, a.reasons(result)...)
		out = append(out, a.assumed(result.Assumptions, result.Diagnostics)...)
		total := fmt.Sprintf("%d placed, %d without a place; Kubernetes %s", placed, left, result.KubernetesVersion)
		return append(out, total)
	})
}

// unplaced counts pods, and claims without a pod, that have no place, and
// those that have.
func unplaced(result *core.AllocateResult) (left, placed int) {
	count := func(outcome string) {
		if outcomeStyle(outcome) == terminal.Green {
			placed++
		} else {
			left++
		}
	}
	for _, p := range result.Pods {
		count(string(p.Outcome))
	}
	for _, c := range lone(result) {
		count(string(c.Outcome))
	}
	return left, placed
}

// lone are the claims that no pod of the answer uses.
func lone(result *core.AllocateResult) []*core.ClaimResult {
	used := map[string]bool{}
	for _, p := range result.Pods {
		for _, name := range p.Claims {
			used[name] = true
		}
	}
	var out []*core.ClaimResult
	for i := range result.Claims {
		if c := &result.Claims[i]; !used[claimName(c)] {
			out = append(out, c)
		}
	}
	return out
}

func claimName(c *core.ClaimResult) string {
	namespace := c.Claim.Namespace
	if namespace == "" {
		namespace = "default"
	}
	return namespace + "/" + c.Claim.Name
}

// table shows pods and claims with node and devices, a device each line.
func (a *allocation) table(result *core.AllocateResult) []string {
	devices := map[string][]string{}
	for i := range result.Claims {
		devices[claimName(&result.Claims[i])] = devicesOf(&result.Claims[i])
	}
	table := terminal.Table{Painter: a.painter, Head: []string{"WHAT", "OUTCOME", "NODE", "DEVICES"}}
	row := func(what, outcome, node string, devices []string) {
		if len(devices) == 0 {
			devices = []string{"-"}
		}
		if node == "" {
			node = "-"
		}
		table.Row(terminal.Cell{Text: what}, terminal.Cell{Text: outcome, Style: outcomeStyle(outcome)}, terminal.Cell{Text: node}, terminal.Cell{Text: devices[0]})
		for _, d := range devices[1:] {
			table.Row(terminal.Cell{}, terminal.Cell{}, terminal.Cell{}, terminal.Cell{Text: d})
		}
	}
	for _, p := range result.Pods {
		var list []string
		for _, name := range p.Claims {
			list = append(list, devices[name]...)
		}
		row("pod/"+p.Namespace+"/"+p.Name, string(p.Outcome), p.Node, list)
	}
	for _, c := range lone(result) {
		row("claim/"+claimName(c), string(c.Outcome), c.Node, devicesOf(c))
	}
	if len(result.Pods)+len(result.Claims) == 0 {
		return []string{"No pod of the " + a.live.where() + " uses devices, and there is no claim.", ""}
	}
	return append(table.Lines(), "")
}

// reasons says why not.
func (a *allocation) reasons(result *core.AllocateResult) []string {
	var out []string
	say := func(outcome, message string, groups []core.NodeGroup, nodes []core.NodeResult) {
		if outcomeStyle(outcome) == terminal.Green {
			return
		}
		out = append(out, terminal.Clean(message))
		out = append(out, a.groups(groups, message)...)
		for _, n := range nodes {
			out = append(out, a.node(n)...)
		}
		out = append(out, "")
	}
	for _, p := range result.Pods {
		say(string(p.Outcome), p.Message, p.Groups, p.Nodes)
	}
	for _, c := range lone(result) {
		say(string(c.Outcome), c.Message, c.Groups, c.Nodes)
	}
	for _, e := range result.Evictions {
		out = append(out, a.bold("eviction")+": "+terminal.Clean(e.Message))
		out = append(out, a.where(e.Location)...)
		out = append(out, "")
	}
	return out
}

// node shows all that is told about one.
func (a *allocation) node(n core.NodeResult) []string {
	name := n.Name
	if name == "" {
		name = "the nameless node"
	}
	if n.Fits {
		return []string{"  " + terminal.Clean(name) + ": fits"}
	}
	var out []string
	for _, r := range n.Reasons {
		out = append(out, "  "+terminal.Clean(name+": "+r.Message))
		for _, d := range r.Devices {
			out = append(out, "    "+terminal.Clean(strings.Join([]string{d.Driver, d.Pool, d.Device}, "/")+": "+d.Message))
		}
	}
	return out
}
