package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/cluster"
	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/input"
	"github.com/drawbridge-dra/drawbridge/project"
	"github.com/drawbridge-dra/drawbridge/terminal"
)

// choices are what the commands about files have in common.
type choices struct {
	versions        list
	gates, fields   string
	output, color   string
	configFile      string
	noConfig        bool
	exclude         list
	forms           []string
	config          *project.Settings
	painter         terminal.Painter
	out, errs       io.Writer
	progress        *terminal.Progress
	live            live
	changed         func(string) bool
	severalVersions bool
	// drained is set once standard input has been read.
	drained bool
}

// add adds the flags. Forms are those of the output, the first is the default.
func (c *choices) add(cmd *cobra.Command, forms ...string) {
	c.forms = forms
	f := cmd.Flags()
	f.Var(&c.versions, "kubernetes-version", "version of Kubernetes whose rules apply, such as 1.37"+c.several()+" (default: the newest known)")
	f.StringVar(&c.gates, "feature-gates", "", "feature gates of the cluster, as A=true,B=false (default: those of the version)")
	f.StringVar(&c.fields, "field-validation", "", "what becomes of unknown and duplicate fields: Strict, Warn or Ignore (default: Strict, as kubectl)")
	f.StringVarP(&c.output, "output", "o", forms[0], "form of the answer: "+strings.Join(forms, ", "))
	f.StringVar(&c.color, "color", "auto", "colours: auto (on a terminal, unless NO_COLOR is set), always or never")
	f.StringVar(&c.configFile, "config", "", "settings file (default: "+project.Name+" in the working directory or above it)")
	f.BoolVar(&c.noConfig, "no-config", false, "read no settings file")
	f.Var(&c.exclude, "exclude", "pattern of files to pass over in folders, such as testdata/**; may be repeated")
	complete(cmd, "output", forms...)
	complete(cmd, "color", "auto", "always", "never")
	complete(cmd, "field-validation", "Strict", "Warn", "Ignore")
	complete(cmd, "kubernetes-version", knownVersions()...)
	completeGates(cmd, "feature-gates")
}

func (c *choices) several() string {
	if c.severalVersions {
		return "; several, with commas or by repeating the flag, are shown side by side"
	}
	return ""
}

// complete tells a shell what a flag can be.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// It fails for a flag that is not there only, which no user can help.
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// completeGates tells a shell the gates that there are, behind those that are
// written already.
func completeGates(cmd *cobra.Command, flag string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var out []string
		seen := map[string]bool{}
		for _, v := range core.Versions().Versions {
			for _, g := range v.Gates {
				if seen[g.Name] {
					continue
				}
				seen[g.Name] = true
				for _, one := range []string{before + g.Name + "=true", before + g.Name + "=false"} {
					if strings.HasPrefix(one, typed) {
						out = append(out, one)
					}
				}
			}
		}
		slices.Sort(out)
		return out, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err)
	}
}

func knownVersions() []string {
	var out []string
	for _, v := range core.Versions().Versions {
		out = append(out, v.Version)
	}
	return out
}

// settle reads the settings file and puts together what was chosen.
func (c *choices) settle(cmd *cobra.Command) error {
	c.out, c.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
	c.changed = cmd.Flags().Changed
	if !slices.Contains(c.forms, c.output) {
		return fmt.Errorf("--output is %q; it can be %s", c.output, strings.Join(c.forms, ", "))
	}
	var err error
	if c.painter, err = terminal.Colors(c.color, c.out, os.Getenv); err != nil {
		return err
	}
	if err := c.readConfig(); err != nil {
		return err
	}
	// A cluster has its own version and gates; those of the file are for files.
	if !c.changed("kubernetes-version") && !c.live.on {
		c.versions = c.config.Versions
	}
	if !c.changed("feature-gates") && !c.live.on {
		c.gates = c.config.FeatureGates
	}
	if !c.changed("field-validation") {
		c.fields = c.config.FieldValidation
	}
	for i, v := range c.versions {
		c.versions[i] = project.Version(v)
		if slices.Contains(c.versions[:i], c.versions[i]) {
			return fmt.Errorf("--kubernetes-version: %s is named twice", c.versions[i])
		}
	}
	if len(c.versions) == 0 {
		c.versions = []string{core.Versions().Default}
	}
	if len(c.versions) > 1 && !c.severalVersions {
		if c.changed("kubernetes-version") {
			return errors.New("--kubernetes-version: this command answers for one version; name one")
		}
		c.versions = c.versions[:1]
	}
	c.progress = terminal.NewProgress(c.errs, os.Getenv)
	return c.fit()
}

// fit tells whether the gates of the settings file are those of the versions
// that flags say.
func (c *choices) fit() error {
	if c.changed("feature-gates") || c.gates == "" {
		return nil
	}
	for _, v := range c.versions {
		var wrong *core.OptionError
		err := core.Options{KubernetesVersion: v, FeatureGates: c.gates}.CheckFeatures()
		if errors.As(err, &wrong) && wrong.Option == "featureGates" {
			return fmt.Errorf("%s: featureGates: %s", input.Name(c.config.File), wrong.Message)
		}
	}
	return nil
}

func (c *choices) readConfig() (err error) {
	switch {
	case c.configFile != "" && c.noConfig:
		return errors.New("--config and --no-config exclude each other: a settings file is read, or none is")
	case c.configFile != "":
		text, err := os.ReadFile(c.configFile)
		if err != nil {
			return fmt.Errorf("--config: %w", input.Unreadable(c.configFile, err))
		}
		path, err := filepath.Abs(c.configFile)
		if err != nil {
			return err
		}
		c.config, err = project.Read(path, text)
		return err
	case !c.noConfig:
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		if c.config, err = project.Find(here); err != nil {
			return err
		}
	}
	if c.config == nil {
		c.config = &project.Settings{}
	}
	return nil
}

// options are those that every question has.
func (c *choices) options() core.Options {
	o := core.Options{KubernetesVersion: c.versions[0], FeatureGates: c.gates, FieldValidation: c.fields}
	o.Progress = func(p core.Progress) { c.progress.Show(p.What, p.Done, p.Total) }
	return o
}

// gather finds the files; where none is named, those of the settings file.
func (c *choices) gather(ctx context.Context, cmd *cobra.Command, args []string) (*input.Gathered, error) {
	exclude := slices.Concat(c.exclude, c.config.Excluded())
	if len(args) == 0 {
		for _, p := range c.config.Paths {
			args = append(args, c.config.Path(p))
		}
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("nothing to look at; name files, folders, patterns in quotes, or - for standard input, or set paths in %s", project.Name)
	}
	if slices.Contains(args, "-") {
		if c.drained {
			return nil, input.ErrDrained
		}
		c.drained = true
	}
	return input.Gather(ctx, args, input.Options{Stdin: cmd.InOrStdin(), Exclude: exclude})
}

// contents reads files, as far as they hold objects.
func (c *choices) contents(ctx context.Context, cmd *cobra.Command, args []string) (out []cluster.File, err error) {
	found, err := c.gather(ctx, cmd, args)
	if err != nil {
		return nil, err
	}
	c.note(found.Notes...)
	some := false
	for _, f := range found.Files {
		content, err := f.Read()
		if err != nil {
			return nil, input.Unreadable(f.Name, err)
		}
		if !utf8.Valid(content) {
			return nil, fmt.Errorf("%s is not UTF-8; drawbridge validate says where", f.Name)
		}
		has := input.HasObjects(content)
		some = some || has
		if f.Named || has {
			out = append(out, cluster.File{Name: f.Name, Text: content})
		}
	}
	if !some {
		return nil, errNoObjects(found.Files)
	}
	return out, nil
}

// errNoObjects says that there is nothing to ask about. Where it is standard
// input, a program before this one has most likely failed.
func errNoObjects(files []*input.File) error {
	if len(files) == 1 && files[0].Name == input.Stdin {
		return errors.New("standard input holds no object of Kubernetes, with apiVersion and kind; see whether what should have written it has failed")
	}
	return errors.New("none of the files holds objects of Kubernetes, with apiVersion and kind")
}

// together is all that a question is about as one text: files, or a cluster
// with files over it.
func (c *choices) together(ctx context.Context, cmd *cobra.Command, args []string) (*input.Text, error) {
	if c.live.on {
		laid, err := c.lay(ctx, cmd, args)
		if err != nil {
			return nil, err
		}
		return join(laid.Files)
	}
	files, err := c.contents(ctx, cmd, args)
	if err != nil {
		return nil, err
	}
	text := &input.Text{}
	for _, f := range files {
		text.Add(f.Name, f.Text)
	}
	return text, nil
}

// note says something beside the answer.
func (c *choices) note(notes ...string) {
	for _, n := range notes {
		c.progress.Clear()
		_, _ = fmt.Fprintf(c.errs, "note: %s\n", terminal.Clean(n))
	}
}

// flagNames are the flags by the names of the core's options.
var flagNames = map[string]string{
	"kubernetesVersion": "--kubernetes-version", "featureGates": "--feature-gates", "fieldValidation": "--field-validation",
	"afterKubernetesVersion": "--after-kubernetes-version", "afterFeatureGates": "--after-feature-gates", "now": "--now", "explain": "--explain",
	"apiVersion": "--to", "pod": "the pod", "claim": "the claim", "template": "the template",
}

// inWords is an error as its reader knows the thing that it is about.
func inWords(err error) error {
	var problem *core.OptionError
	if errors.As(err, &problem) && flagNames[problem.Option] != "" {
		name := flagNames[problem.Option]
		if strings.HasPrefix(name, "--") {
			name += ":"
		}
		return fmt.Errorf("%s %s", name, problem.Message)
	}
	return err
}
