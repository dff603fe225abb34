// Command build compiles the programs of the control plane that the tests
// start, so that this is not done within a test's time. It prints where they
// are.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/drawbridge-dra/drawbridge/conformance/cluster"
)

func main() {
	dir, err := cluster.Build(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(dir)
}
