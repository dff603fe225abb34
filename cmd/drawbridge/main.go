// Command drawbridge answers questions about Kubernetes Dynamic Resource
// Allocation: see the commands in package cli.
package main

import (
	"os"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
)

func main() { os.Exit(cli.ExitCode(cli.For(os.Args[0]).Execute())) }
