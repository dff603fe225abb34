package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/report"
	"github.com/drawbridge-dra/drawbridge/terminal"
)

// catalogue is the question which rules there are.
type catalogue struct {
	source, output, color string
}

func newRules() *cobra.Command {
	c := &catalogue{}
	cmd := &cobra.Command{
		Use:   "rules [RULE]",
		Short: "List the rules that findings name, or explain one with an example",
		Long: `Rules lists the rules that findings name, with what each demands. With the name
of one it shows an example of what is wrong, and its mend.`,
		Example: `  drawbridge rules --source=bundle
  drawbridge rules api/skip-node-operations`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("rules explains one rule, and %d are named; name one, or leave all out for a list", len(args))
			}
			return nil
		},
		RunE:              answering(c.ask),
		ValidArgsFunction: cobra.FixedCompletions(ruleNames(), cobra.ShellCompDirectiveNoFileComp),
	}
	f := cmd.Flags()
	f.StringVar(&c.source, "source", "", "only the rules of one source: decode, api, gate or bundle")
	f.StringVarP(&c.output, "output", "o", "human", "form of the answer: human, json, yaml")
	f.StringVar(&c.color, "color", "auto", "colours: auto (on a terminal, unless NO_COLOR is set), always or never")
	complete(cmd, "source", "decode", "api", "gate", "bundle")
	complete(cmd, "output", "human", "json", "yaml")
	complete(cmd, "color", "auto", "always", "never")
	return cmd
}

func ruleNames() []string {
	var out []string
	for _, r := range core.Rules(core.RuleFilter{}).Rules {
		out = append(out, r.Source+"/"+r.ID)
	}
	return out
}

func (c *catalogue) ask(_ context.Context, cmd *cobra.Command, args []string) (bool, error) {
	q := question{choices: choices{output: c.output, color: c.color, noConfig: true, forms: []string{"human", "json", "yaml"}}}
	if err := q.settle(cmd); err != nil {
		return false, err
	}
	filter := core.RuleFilter{Source: c.source}
	if len(args) == 1 {
		filter.ID = args[0]
		if source, id, ok := strings.Cut(args[0], "/"); ok {
			if c.source != "" && c.source != source {
				return false, fmt.Errorf("--source is %q, and %s is a rule of another source; leave one of them out", c.source, args[0])
			}
			filter.Source, filter.ID = source, id
		}
		if filter.Source == "" || filter.ID == "" {
			filter.Source, filter.ID = c.source, args[0] // a rule by its short name, or none
		}
	}
	result := core.Rules(filter)
	if len(result.Rules) == 0 {
		return false, unknownRule(args, c.source)
	}
	return true, q.answer(result, func() []string {
		if len(args) == 1 {
			var out []string
			for _, r := range result.Rules {
				out = append(out, q.rule(r)...)
			}
			return trimmed(out)
		}
		table := terminal.Table{Painter: q.painter, Head: []string{"RULE", "SEVERITY", "WHAT IT DEMANDS"}}
		for _, r := range result.Rules {
			table.Row(terminal.Cell{Text: r.Source + "/" + r.ID}, terminal.Cell{Text: r.Severity}, terminal.Cell{Text: r.Doc})
		}
		return append(table.Lines(), report.Count(len(result.Rules), "rule", "rules"))
	})
}

// unknownRule says that there is none, and which might have been meant.
func unknownRule(args []string, source string) error {
	if len(args) == 0 {
		return fmt.Errorf("--source is %q; it can be decode, api, gate or bundle", source)
	}
	_, word, ok := strings.Cut(args[0], "/")
	if !ok {
		word = args[0]
	}
	var near []string
	for _, name := range ruleNames() {
		if len(word) > 2 && strings.Contains(name, word) && len(near) < 5 {
			near = append(near, name)
		}
	}
	if len(near) == 0 {
		return fmt.Errorf("no rule is called %q; drawbridge rules lists them", args[0])
	}
	return fmt.Errorf("no rule is called %q; did you mean %s", args[0], strings.Join(near, ", "))
}

// rule explains one.
func (q *question) rule(r core.RuleInfo) []string {
	out := []string{q.bold(r.Source+"/"+r.ID) + " (" + r.Severity + ")", "", r.Doc}
	if r.Reference != "" {
		out = append(out, "Kubernetes: "+r.Reference)
	}
	e := r.Example
	out = append(out, "")
	if e.Before != "" {
		out = append(append(out, q.bold("Before, for "+e.Operation+":")), indented(e.Before)...)
	}
	out = append(append(out, q.bold("Wrong"+under(e.Options)+":")), indented(e.Wrong)...)
	if e.Mend == e.Wrong {
		return append(out, q.bold("Right"+under(e.MendOptions)+":")+" the same", "")
	}
	return append(append(append(out, q.bold("Mended"+under(e.MendOptions)+":")), indented(e.Mend)...), "")
}

// under says which options an example is for, as flags.
func under(o core.ExampleOptions) string {
	var flags []string
	for _, f := range [][2]string{{"kubernetes-version", o.KubernetesVersion}, {"feature-gates", o.FeatureGates}, {"field-validation", o.FieldValidation}} {
		if f[1] != "" {
			flags = append(flags, "--"+f[0]+"="+f[1])
		}
	}
	if len(flags) == 0 {
		return ""
	}
	return ", with " + strings.Join(flags, " ")
}

func indented(text string) []string {
	var out []string
	for _, line := range terminal.Lines(text) {
		out = append(out, strings.TrimRight("    "+line, " "))
	}
	return append(out, "")
}
