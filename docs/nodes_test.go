package docs

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
)

// The flags that the document names are there, and it names all.
func TestPodResourcesFlags(t *testing.T) {
	text, err := os.ReadFile("podresources.md")
	if err != nil {
		t.Fatal(err)
	}
	command, _, err := cli.New().Find([]string{"podresources"})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`--[a-z]+(-[a-z]+)*`).FindAllString(string(text), -1)
	if len(named) == 0 {
		t.Fatal("the document names no flag")
	}
	for _, flag := range named {
		if flag == "--data-binary" {
			continue // curl's
		}
		if command.Flags().Lookup(strings.TrimPrefix(flag, "--")) == nil {
			t.Errorf("there is no %s", flag)
		}
	}
	command.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "log-level" && !slices.Contains(named, "--"+f.Name) {
			t.Errorf("the document does not tell of --%s", f.Name)
		}
	})
}

// Every code of a note or a finding that the core has is in the document.
func TestCodesAreDocumented(t *testing.T) {
	for document, sources := range map[string][]string{
		"metadata.md":     {"../core/metadata_files.go", "../core/metadata/check/stream.go", "../core/metadata/check/protocol.go"},
		"podresources.md": {"../core/monitoring.go"},
		"node.md":         {"../core/kubelet/problem.go", "../core/kubelet/admission.go"},
	} {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		code := regexp.MustCompile(`(?:\.note\(|wrong\(|Code: |Code += |Code = diag\.\w+, )"([a-z-]+)"`)
		found := 0
		for _, source := range sources {
			lines, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range code.FindAllStringSubmatch(string(lines), -1) {
				found++
				if !strings.Contains(string(text), "`"+match[1]+"`") {
					t.Errorf("%s does not tell of %s", document, match[1])
				}
			}
		}
		if found < 5 {
			t.Errorf("%s: only %d codes found", document, found)
		}
	}
}
