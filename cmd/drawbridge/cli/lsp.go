package cli

import (
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/lsp"
)

func newLSP() *cobra.Command {
	var settings lsp.Settings
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Help an editor, over standard input and output",
		Long: `Lsp speaks the Language Server Protocol with the editor that started it:
findings, quick fixes, hover, completion, definitions, references, outline,
formatting. docs/editors.md says how to set editors up. What the editor's
settings say goes before the flags.

It exits with 0 after a shutdown request, with 1 without one, as the protocol
demands, and with 2 if a flag is wrong.`,
		Example: `  drawbridge lsp
  drawbridge lsp --kubernetes-version=1.36 --scope=workspace`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := lsp.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), lsp.Options{
				Version:  Version(),
				Log:      slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)),
				Disk:     lsp.Files{},
				Settings: settings,
			})
			var option *core.OptionError
			if errors.As(err, &option) {
				return inWords(err)
			}
			return at(exitFailure, err)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&settings.KubernetesVersion, "kubernetes-version", "", "version of Kubernetes whose rules apply, such as 1.36 (default: the newest known)")
	flags.StringVar(&settings.FeatureGates, "feature-gates", "", "feature gates of the cluster, as A=true,B=false (default: those of the version)")
	flags.StringVar(&settings.RulesURL, "rules-url", "", "page that findings link to, such as https://drawbridge.example.com/rules.html")
	flags.Var(&settings.Scope, "scope", "which files are looked at together: file, folder or workspace (default: folder)")
	// Editors say by which way they talk, although there is no other.
	flags.Bool("stdio", true, "talk over standard input and output")
	flags.Int("clientProcessId", 0, "the editor's process")
	for _, name := range []string{"stdio", "clientProcessId"} {
		_ = flags.MarkHidden(name)
	}
	complete(cmd, "scope", "file", "folder", "workspace")
	complete(cmd, "kubernetes-version", knownVersions()...)
	completeGates(cmd, "feature-gates")
	return cmd
}
