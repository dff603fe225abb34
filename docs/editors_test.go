package docs

import (
	"os"
	"regexp"
	"testing"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
)

// The flags that the document names are those that the command has.
func TestEditorFlags(t *testing.T) {
	text, err := os.ReadFile("editors.md")
	if err != nil {
		t.Fatal(err)
	}
	command, _, err := cli.New().Find([]string{"lsp"})
	if err != nil {
		t.Fatal(err)
	}
	flags := regexp.MustCompile("`--([a-z-]+)`").FindAllStringSubmatch(string(text), -1)
	if len(flags) < 4 {
		t.Errorf("only %d flags are named", len(flags))
	}
	for _, m := range flags {
		if command.Flags().Lookup(m[1]) == nil {
			t.Errorf("drawbridge lsp has no --%s", m[1])
		}
	}
}
