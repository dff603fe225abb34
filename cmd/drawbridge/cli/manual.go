package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newManual writes manual pages. It is for those who make packages, and hidden
// from everybody else.
func newManual() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write manual pages into a folder",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			// The pages of a version are the same whenever they are made.
			never := time.Unix(0, 0).UTC()
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "drawbridge " + Version(), Manual: "Drawbridge", Date: &never}, args[0])
		},
	}
}
