// Command kubectl-drawbridge is drawbridge as a plugin of kubectl: kubectl
// drawbridge explain pod/x asks about the cluster that kubectl talks to.
package main

import (
	"os"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
)

func main() { os.Exit(cli.ExitCode(cli.NewPlugin().Execute())) }
