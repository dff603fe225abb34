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

// pluginName is how the program is called as a plugin of kubectl.
const pluginName = "kubectl-drawbridge"

// For makes the root command for the name by which the program was called.
func For(name string) *cobra.Command {
	base := strings.TrimSuffix(name[strings.LastIndexAny(name, `/\`)+1:], ".exe")
	if base == pluginName {
		return NewPlugin()
	}
	return New()
}

// New makes the root command.
func New() *cobra.Command {
	cmd := root(false)
	refine(cmd)
	return cmd
}

// NewPlugin makes the root command of the plugin of kubectl, which asks about
// the cluster where nothing else is said.
func NewPlugin() *cobra.Command {
	cmd := root(true)
	cmd.Use = pluginName
	cmd.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl drawbridge"}
	refine(cmd)
	return cmd
}

func root(plugin bool) *cobra.Command {
	root := &cobra.Command{
		Use:           "drawbridge",
		Short:         "Validate, allocate and explain Kubernetes Dynamic Resource Allocation",
		SilenceUsage:  true, // a failure at work is not a misuse
		SilenceErrors: false,
		Version:       Version(),
	}
	root.SetVersionTemplate(build())
	root.AddCommand(newServe(), newPodResources(), newDoctor(), newVersion())
	root.AddCommand(newValidate(plugin), newAllocate(plugin), newExplain(plugin), newCapacity(plugin), newDiff(plugin), newConvert(plugin), newRules())
	root.AddCommand(newClusterRole())
	root.AddCommand(newManual())
	root.AddCommand(newLSP())
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the versions of Kubernetes that are known",
		Long: `Version prints the version of the program with the Go that built it and the
platform, the commit, and the versions of Kubernetes whose rules are known.`,
		Example: "  drawbridge version",
		Args:    noArgs,
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
