package docs

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
)

// snippets are the blocks of a document in a language.
func snippets(t *testing.T, file, language string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	return out
}

// What build servers are told to do can be done: inputs, hooks and flags are
// those that there are.
func TestBuildServers(t *testing.T) {
	blocks := snippets(t, "ci.md", "yaml")
	if len(blocks) != 3 {
		t.Fatalf("got %d blocks", len(blocks))
	}
	var action struct {
		Inputs map[string]struct{ Default string }
	}
	var hooks []struct{ ID string }
	for name, into := range map[string]any{"../action.yml": &action, "../.pre-commit-hooks.yaml": &hooks} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	var github workflow
	var gitlab map[string]struct {
		BeforeScript []string `yaml:"before_script"`
		Script       []string
	}
	var config struct {
		Repos []struct {
			Hooks []struct {
				ID   string
				Args []string
			}
		}
	}
	for i, into := range []any{&github, &gitlab, &config} {
		if err := yaml.Unmarshal([]byte(blocks[i]), into); err != nil {
			t.Fatalf("%v\n%s", err, blocks[i])
		}
	}
	used := false
	for _, step := range github.Jobs["drawbridge"].Steps {
		if version, ours := strings.CutPrefix(step.Uses, "drawbridge-dra/drawbridge@"); ours {
			used = true
			if step.With["version"] != version || action.Inputs["version"].Default != version {
				t.Errorf("the action of %s installs %v, and %s by default", version, step.With["version"], action.Inputs["version"].Default)
			}
			for name := range step.With {
				if _, ok := action.Inputs[name]; !ok {
					t.Errorf("the action has no input %s", name)
				}
			}
		}
	}
	if !used || config.Repos[0].Hooks[0].ID != hooks[0].ID {
		t.Errorf("the action or the hook is not what there is: %v", hooks)
	}
	text, err := os.ReadFile("ci.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range action.Inputs {
		if !bytes.Contains(text, []byte("`"+name+"`")) {
			t.Errorf("the input %s is not described", name)
		}
	}
	// What they run is what there is.
	var lines []string
	lines = append(lines, gitlab["drawbridge"].Script...)
	for _, block := range snippets(t, "ci.md", "sh") {
		lines = append(lines, strings.Split(strings.TrimSpace(block), "\n")...)
	}
	for _, line := range lines {
		_, flags, ok := strings.Cut(line, "drawbridge validate ")
		flags, _, _ = strings.Cut(flags, " >")
		command, _, err := cli.New().Find([]string{"validate"})
		if !ok || err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if err := command.ParseFlags(strings.Fields(flags)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// The scripts of the action are ones that a shell can read.
func TestActionScripts(t *testing.T) {
	for _, name := range []string{"../action/install.sh", "../action/check.sh"} {
		if out, err := exec.Command("bash", "-n", name).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
