package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/cluster"
	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
)

// TestClusterDocument holds what the document says without running it against
// the program: the rights, the commands and their flags. Its examples run with
// those of the other documents, and its rights on a real control plane, in
// conformance/cluster.
func TestClusterDocument(t *testing.T) {
	raw, err := os.ReadFile("cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	if shown := block(t, text, "role"); shown != cluster.Role() {
		t.Errorf("the role is\n%s", cluster.Role())
	}
	plugin := cli.NewPlugin()
	commands, flags := 0, 0
	for _, line := range regexp.MustCompile("`kubectl drawbridge ([^`]*)`").FindAllStringSubmatch(text, -1) {
		words := strings.Fields(line[1])
		cmd, _, err := plugin.Find(words)
		if err != nil || cmd == plugin {
			t.Errorf("there is no %s", line[1])
			continue
		}
		commands++
		for _, word := range words[1:] {
			if name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "="); strings.HasPrefix(word, "--") {
				if flags++; cmd.Flags().Lookup(name) == nil {
					t.Errorf("%s has no --%s", cmd.Name(), name)
				}
			}
		}
	}
	if commands < 8 || flags < 2 {
		t.Errorf("%d commands, %d flags", commands, flags)
	}
}

// TestPluginCompletion runs the file that the document shows as kubectl runs
// it.
func TestPluginCompletion(t *testing.T) {
	raw, err := os.ReadFile("cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"kubectl_complete-drawbridge": block(t, string(raw), "complete"),
		"kubectl":                     "#!/bin/sh\necho \"$#\" \"$@\"\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command(filepath.Join(folder, "kubectl_complete-drawbridge"), "explain", "a b", "")
	run.Env = append(os.Environ(), "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := run.CombinedOutput(); err != nil || string(out) != "5 drawbridge __complete explain a b \n" {
		t.Errorf("%v %q", err, out)
	}
}
