// Package cli holds the commands of the drawbridge binary.
package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version and commit are set by the release build, which knows of no version
// control: -ldflags "-X …/cli.version=v1.2.3".
var version, commit string

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
		Version:       Version(),
	}
	root.SetVersionTemplate(build())
	root.AddCommand(newServe(), newPodResources(), newDoctor(), newVersion())
	root.AddCommand(newValidate(), newAllocate(), newExplain(), newCapacity(), newDiff(), newConvert(), newRules())
	root.AddCommand(newManual())
	root.AddCommand(newLSP())
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the versions of Kubernetes that are known",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), build())
			return err
		},
	}
}

// build says which build this is, in lines of a word and what it means.
func build() string {
	known := knownVersions()
	return fmt.Sprintf("drawbridge %s %s %s/%s\ncommit %s\nkubernetes %s\n", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, Commit(), strings.Join(known, " "))
}

// Commit tells from which sources this was built.
func Commit() string {
	if commit != "" {
		return commit
	}
	revision, changed := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = ", changed"
			}
		}
	}
	return revision + changed
}
