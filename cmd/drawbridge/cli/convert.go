package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/cluster"
	"github.com/drawbridge-dra/drawbridge/input"
	"github.com/drawbridge-dra/drawbridge/report"
	"github.com/drawbridge-dra/drawbridge/terminal"
)

// converting is the wish for objects in another API version, or as stored.
type converting struct {
	choices
	to        string
	stored    bool
	inPlace   bool
	outputDir string
	// open is set where standard output does not end with a line break.
	open bool
}

func newConvert(plugin bool) *cobra.Command {
	c := &converting{}
	cmd := &cobra.Command{
		Use:   "convert [FILE | FOLDER | PATTERN | -]...",
		Short: "Write objects in another API version, or as they would be stored",
		Long: `Convert writes the objects of resource.k8s.io in the API version that --to
names. With --stored it writes them as the API server would store them: with its
defaults, and without the fields that it drops. Everything else stays as it is.
What gets lost on the way is said on standard error.

A file of which something cannot be converted is left as it is. It exits with 0
if everything was converted and nothing got lost, and with 1 otherwise.`,
		Example: `  drawbridge convert --to=resource.k8s.io/v1 old.yaml
  drawbridge convert --to=resource.k8s.io/v1 --in-place manifests/
  drawbridge convert --stored --kubernetes-version=1.36 slice.yaml`,
		RunE: answering(c.ask),
	}
	c.add(cmd, "yaml")
	c.live.add(cmd, plugin)
	f := cmd.Flags()
	f.StringVar(&c.to, "to", "", "API version to write, such as resource.k8s.io/v1 (default: that of each object)")
	f.BoolVar(&c.stored, "stored", false, "write the objects as they would be stored")
	f.BoolVar(&c.inPlace, "in-place", false, "write over the files")
	f.StringVar(&c.outputDir, "output-dir", "", "write the files into this folder, by their names")
	if err := cmd.MarkFlagDirname("output-dir"); err != nil {
		panic(err) // there is none
	}
	complete(cmd, "to", "resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1")
	return cmd
}

// sources are the files to convert, or the objects of a cluster.
func (c *converting) sources(ctx context.Context, cmd *cobra.Command, args []string) (*input.Gathered, error) {
	if len(args) > 0 && !c.changed("from-cluster") {
		c.live.on = false // a plugin of kubectl is given files to convert
	}
	if err := c.live.find(cmd, args); err != nil {
		return nil, err
	}
	switch {
	case !c.live.on:
		return c.gather(ctx, cmd, args)
	case len(args) > 0:
		return nil, errors.New("--from-cluster converts the objects of the cluster, and files are named; leave one of them out")
	case c.inPlace || c.outputDir != "":
		return nil, errors.New("--from-cluster writes to standard output; leave --in-place and --output-dir out")
	}
	if err := c.visit(ctx, cluster.Convert); err != nil {
		return nil, err
	}
	return &input.Gathered{Files: c.live.snapshot.Lay(nil, c.live.namespace).Files}, nil
}

func (c *converting) ask(ctx context.Context, cmd *cobra.Command, args []string) (bool, error) {
	if err := c.settle(cmd); err != nil {
		return false, err
	}
	if c.to == "" && !c.stored {
		return false, errors.New("there is nothing to do; name the API version to write with --to, or ask for what would be stored with --stored")
	}
	if c.inPlace && c.outputDir != "" {
		return false, errors.New("--in-place and --output-dir exclude each other; a file is written to one place")
	}
	found, err := c.sources(ctx, cmd, args)
	if err != nil {
		return false, err
	}
	c.note(found.Notes...)
	good, changed, first := true, 0, true
	for _, f := range found.Files {
		text, err := f.Read()
		if err != nil {
			return false, input.Unreadable(f.Name, err)
		}
		if !f.Named && !input.HasObjects(text) {
			continue
		}
		if !utf8.Valid(text) {
			return false, fmt.Errorf("%s is not UTF-8; drawbridge validate says where", f.Name)
		}
		one, err := c.file(ctx, f.Name, text)
		if err != nil {
			return false, err
		}
		for _, p := range one.problems {
			c.progress.Clear()
			_, _ = fmt.Fprintln(c.errs, terminal.Clean(p))
		}
		good = good && len(one.problems) == 0
		c.note(one.notes...)
		if one.failed {
			continue
		}
		if !bytes.Equal(one.text, text) {
			changed++
		}
		if err := c.write(f, one.text, text, first); err != nil {
			return false, err
		}
		first = false
	}
	if c.inPlace || c.outputDir != "" {
		c.note(fmt.Sprintf("%d of %s changed", changed, report.Count(len(found.Files), "file", "files")))
	}
	return good, nil
}
