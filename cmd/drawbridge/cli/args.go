package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// The errors about arguments say what is to be written; the library's count.

// noArgs is for commands that take none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, and %q is one; %s --help says what it takes", cmd.Name(), args[0], cmd.CommandPath())
	}
	return nil
}

// needs is for commands that take at least one argument, which what says.
func needs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s; %s --help has examples", what, cmd.CommandPath())
		}
		return nil
	}
}

// oneOf is for commands that take some of a few words as their argument.
func oneOf(words []string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("there is no %s for %q; there is one for %s", cmd.Name(), args[0], strings.Join(words, ", "))
		}
		return nil
	}
}

// refine makes the library's own commands answer mistakes as ours do.
func refine(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Run, cmd.RunE = nil, func(_ *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return fmt.Errorf("there is no command %q; %s --help lists them", strings.Join(args, " "), root.CommandPath())
				}
				about.InitDefaultHelpFlag()
				return about.Help()
			}
		case "completion":
			var shells []string
			for _, shell := range cmd.Commands() {
				shells = append(shells, shell.Name())
				shell.Args = noArgs
			}
			cmd.Short = "Print what a shell reads to complete commands, flags and their values"
			cmd.Long = cmd.Short + ".\nThe help of each shell says where it goes."
			cmd.Example = "  source <(" + root.CommandPath() + " completion bash)\n  " + root.CommandPath() + " completion fish >~/.config/fish/completions/" + root.Name() + ".fish"
			cmd.Args = oneOf(shells)
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// completeTarget offers the kinds of what can be asked about, and files behind
// that.
func completeTarget(kinds ...string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		var out []string
		for _, kind := range kinds {
			out = append(out, kind+"/")
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// sides are the arguments of diff.
func sides(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("name what is there before the change, and what after; each can be a file, a folder or a pattern")
	case 1, 2:
		return nil
	}
	return fmt.Errorf("diff compares two, and %d are named; put the files of each into a folder, or name a pattern in quotes", len(args))
}
