// Command drawbridge answers questions about Kubernetes Dynamic Resource
// Allocation: see the commands in package cli.
package main

import (
	"os"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
)

func main() {
	if err := cli.New().Execute(); err != nil {
		os.Exit(cli.ExitCode(err))
	}
}
