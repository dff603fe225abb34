package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow is what matters of one here.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Steps       []struct {
			Uses, Run string
			With      map[string]any
			Env       map[string]string
		}
	}
}

// TestWorkflowsAreModest holds that workflows may do little, run only what
// cannot change behind our back, and make no commands of what others write.
func TestWorkflowsAreModest(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(files) < 2 {
		t.Fatalf("got %v, %v", files, err)
	}
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w workflow
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Fatal(err)
		}
		if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s: got the permissions %v", file, w.Permissions)
		}
		if strings.Contains(string(text), "pull_request_target") || strings.Contains(string(text), "secrets.") {
			t.Errorf("%s gives strangers what is ours", file)
		}
		for name, job := range w.Jobs {
			for _, step := range job.Steps {
				if strings.Contains(step.Run, "${{") {
					t.Errorf("%s: %s: what stands in ${{ }} becomes part of the script %q", file, name, step.Run)
				}
				if step.Uses != "" && step.Uses != "./" && !pinned.MatchString(step.Uses) {
					t.Errorf("%s: %s: %s is not pinned to a commit", file, name, step.Uses)
				}
				checkout := strings.HasPrefix(step.Uses, "actions/checkout@")
				if checkout && step.With["persist-credentials"] != false {
					t.Errorf("%s: %s: the checkout keeps its token", file, name)
				}
				// What may write runs nothing that a commit brings along.
				if (checkout || step.Uses == "./") && len(job.Permissions) > 0 {
					t.Errorf("%s: %s may do more than read, and runs what is in the repository", file, name)
				}
			}
		}
	}
}
