package cli

import (
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newManual writes manual pages. It is for those who make packages, and hidden
// from everybody else.
func newManual() *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write manual pages into a folder",
		Long:    "Man writes a manual page for each command into a folder.",
		Example: "  drawbridge man /usr/local/share/man/man1",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name one folder for the pages")
			}
			return nil
		},
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
