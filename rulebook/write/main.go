// Command write puts the page of the rules into a folder, for the playground
// on a static host: rulebook/write web/dist.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/drawbridge-dra/drawbridge/rulebook"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name the folder to write into")
	}
	page, err := rulebook.Page()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(args[0], "rules.html"), page, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(args[0], "rules.css"), rulebook.Style(), 0o644)
}
