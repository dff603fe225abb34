package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/cluster"
	"github.com/drawbridge-dra/drawbridge/input"
	"github.com/drawbridge-dra/drawbridge/project"
	"github.com/drawbridge-dra/drawbridge/report"
)

// validation is the question whether files are right.
type validation struct {
	choices
	failOn, show check.Level
	scope        string
	ignore       list
	rulesURL     string
	workers      int
}

func newValidate(plugin bool) *cobra.Command {
	v := &validation{choices: choices{severalVersions: true}, failOn: check.Error, show: check.Warning}
	cmd := &cobra.Command{
		Use:   "validate [FILE | FOLDER | PATTERN | -]...",
		Short: "Find what is wrong with manifests, with the line of each mistake",
		Long: `Validate says what the API server of a version of Kubernetes would refuse in
the manifests, which fields it would silently drop, and which objects do not
fit each other. Folders are read with all below them; - is standard input:

    kustomize build overlays/production | drawbridge validate -
    helm template ./chart | drawbridge validate -

It exits with 0 if nothing was found at or above --fail-on, with 1 if something
was, and with 2 if the files could not be read or the flags are wrong.`,
		Example: `  drawbridge validate manifests/
  drawbridge validate --kubernetes-version=1.36,1.37 'deploy/**/*.yaml'
  drawbridge validate -o sarif manifests/ >drawbridge.sarif`,
		RunE: answering(v.ask),
	}
	v.add(cmd, "human", "json", "yaml", "sarif", "junit", "tap", "github")
	v.live.add(cmd, plugin)
	f := cmd.Flags()
	f.TextVar(&v.failOn, "fail-on", v.failOn, "least `level` of a finding that makes the exit code 1: error, gate (a field gets lost), warning, info or never")
	f.TextVar(&v.show, "show", v.show, "least `level` of a finding that is shown")
	f.StringVar(&v.scope, "scope", string(input.Auto), "what is compared with each other: all files, those of each folder, each file by itself, or auto: all while they are few")
	f.Var(&v.ignore, "ignore", "findings to leave out, as rule or rule@files, such as 'bundle/*@overlays/**'; may be repeated")
	f.StringVar(&v.rulesURL, "rules-url", "", "URL under which /rules.html of a drawbridge server or playground can be read; findings then link to their rule")
	f.IntVar(&v.workers, "workers", 0, "how many texts are looked at at once (default: one per processor)")
	complete(cmd, "fail-on", "error", "gate", "warning", "info", "never")
	complete(cmd, "show", "error", "gate", "warning", "info")
	complete(cmd, "scope", "auto", "all", "folder", "file")
	complete(cmd, "ignore", ruleNames()...)
	return cmd
}

// settle takes what the settings file says where no flag does.
func (v *validation) settle(cmd *cobra.Command) error {
	if err := v.choices.settle(cmd); err != nil {
		return err
	}
	if !v.changed("fail-on") && v.config.FailOn != check.Fine {
		v.failOn = v.config.FailOn
	}
	if !v.changed("show") && v.config.Show != check.Fine {
		v.show = v.config.Show
	}
	if !v.changed("scope") && v.config.Scope != "" {
		v.scope = string(v.config.Scope)
	}
	if !v.changed("rules-url") {
		v.rulesURL = v.config.RulesURL
	}
	// What makes the exit code 1 must be seen.
	v.show = min(v.show, v.failOn)
	if v.workers < 0 {
		return fmt.Errorf("--workers is %d; it can be 1 or more, or be left out", v.workers)
	}
	if v.rulesURL != "" {
		if err := project.CheckURL(v.rulesURL); err != nil {
			return fmt.Errorf("--rules-url: %w", err)
		}
	}
	if _, err := input.ScopeOf(v.scope); err != nil {
		return fmt.Errorf("--scope: %w", err)
	}
	return nil
}

// ignores are the findings to leave out.
func (v *validation) ignores() ([]check.Ignore, error) {
	var out []check.Ignore
	for _, one := range v.ignore {
		i, err := check.ParseIgnore(one)
		if err != nil {
			return nil, errors.New("--ignore: " + err.Error())
		}
		out = append(out, i)
	}
	return append(out, v.config.Ignored()...), nil
}

// units are what is looked at together. Beside are files that are there to be
// compared with only: those of a cluster, where files are asked about.
func (v *validation) units(ctx context.Context, cmd *cobra.Command, args []string) (units [][]*input.File, beside map[string]bool, notes []string, err error) {
	if v.live.on {
		if err := v.live.find(cmd, args); err != nil {
			return nil, nil, nil, err
		}
		if err := v.visit(ctx, cluster.Check); err != nil {
			return nil, nil, nil, err
		}
		laid, err := v.lay(ctx, cmd, args)
		if err != nil {
			return nil, nil, nil, err
		}
		if v.live.overlaid {
			beside = laid.Beside
		}
		return [][]*input.File{laid.Files}, beside, nil, nil
	}
	if err := v.live.find(cmd, args); err != nil {
		return nil, nil, nil, err
	}
	found, err := v.gather(ctx, cmd, args)
	if err != nil {
		return nil, nil, nil, err
	}
	units, note := input.Units(found.Files, input.Scope(v.scope))
	if note != "" {
		found.Notes = append(found.Notes, note)
	}
	return units, nil, found.Notes, nil
}

func (v *validation) ask(ctx context.Context, cmd *cobra.Command, args []string) (bool, error) {
	if err := v.settle(cmd); err != nil {
		return false, err
	}
	ignore, err := v.ignores()
	if err != nil {
		return false, err
	}
	units, beside, notes, err := v.units(ctx, cmd, args)
	if err != nil {
		return false, err
	}
	v.note(notes...)
	out := bufio.NewWriterSize(v.out, 64<<10)
	form, err := report.New(v.output, report.Options{Out: out, Painter: v.painter, RulesURL: v.rulesURL, FailOn: v.failOn, Version: Version(), Cluster: v.live.on && !v.live.overlaid})
	if err != nil {
		return false, err
	}
	total := 0
	for _, u := range units {
		total += len(u)
	}
	opts := check.Options{
		Options: v.options(), Versions: v.versions, Ignore: ignore, Show: v.show, FailOn: v.failOn, Workers: v.workers,
		Beside: beside,
		Done:   func(files int) { v.progress.Show("files", files, total) },
	}
	opts.Progress = nil // files are counted, not what is in them
	summary, err := check.Run(ctx, units, opts, func(r *check.Report) error {
		if len(r.Findings) > 0 {
			v.progress.Clear()
		}
		return form.File(r)
	})
	v.progress.Clear()
	if err != nil {
		return false, err
	}
	summary.Notes = notes
	if !v.live.on && summary.Objects == 0 && summary.Bare == summary.Files && summary.Errors+summary.Ignored == 0 {
		return false, errNoObjects(slices.Concat(units...))
	}
	if err := form.Close(summary); err != nil {
		return false, err
	}
	return !summary.Failed, out.Flush()
}
