// Package cli holds the commands of the drawbridge binary.
package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the release build: -ldflags "-X …/cli.version=v1.2.3".
var version string

// Version tells which build this is.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// New makes the root command.
func New() *cobra.Command {
	root := &cobra.Command{
		Use:           "drawbridge",
		Short:         "Validate, allocate and explain Kubernetes Dynamic Resource Allocation",
		SilenceUsage:  true, // a failure at work is not a misuse
		SilenceErrors: false,
	}
	root.AddCommand(newServe(), newPodResources(), newDoctor(), newVersion())
	root.AddCommand(newValidate(), newAllocate(), newExplain(), newCapacity(), newDiff(), newConvert(), newRules())
	root.AddCommand(newManual())
	root.AddCommand(newLSP())
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "drawbridge %s %s %s/%s\n", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
