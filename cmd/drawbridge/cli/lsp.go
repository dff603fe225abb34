package cli

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/lsp"
)

func newLSP() *cobra.Command {
	var settings lsp.Settings
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Help an editor, over standard input and output",
		Long: `Speaks the Language Server Protocol with the editor that started it: findings,
quick fixes, hover, completion, definitions, references, outline, formatting.
docs/editors.md says how to set editors up. What the editor's settings say goes
before the flags.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return lsp.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), lsp.Options{
				Version:  Version(),
				Log:      slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)),
				Disk:     lsp.Files{},
				Settings: settings,
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&settings.KubernetesVersion, "kubernetes-version", "", "version of Kubernetes whose rules apply, such as 1.36 (default the newest known)")
	flags.StringVar(&settings.FeatureGates, "feature-gates", "", "feature gates, in the form of the API server's flag")
	flags.StringVar(&settings.RulesURL, "rules-url", "", "page that findings link to, such as https://drawbridge.example.com/rules.html")
	flags.Var(&settings.Scope, "scope", "which files are looked at together: file, folder or workspace (default folder)")
	// Editors say by which way they talk, although there is no other.
	flags.Bool("stdio", true, "talk over standard input and output")
	flags.Int("clientProcessId", 0, "the editor's process")
	for _, name := range []string{"stdio", "clientProcessId"} {
		_ = flags.MarkHidden(name)
	}
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"file", "folder", "workspace"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
