package docs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEverythingIsFuzzed keeps the list of fuzz targets in Taskfile.yml equal to
// those in the code.
func TestEverythingIsFuzzed(t *testing.T) {
	function := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	var have []string
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == "node_modules" || name == "conformance" || len(name) > 2 && name[0] == '.' {
				return fs.SkipDir // modules of their own
			}
			return nil
		}
		if !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(file)
		for _, m := range function.FindAllStringSubmatch(string(text), -1) {
			have = append(have, strings.TrimPrefix(path.Dir(filepath.ToSlash(file)), "../")+":"+m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := os.ReadFile("../Taskfile.yml")
	if err != nil {
		t.Fatal(err)
	}
	listed := regexp.MustCompile(`\S+:Fuzz\w+`).FindAllString(string(tasks), -1)
	slices.Sort(have)
	slices.Sort(listed)
	if len(have) == 0 || !slices.Equal(have, listed) {
		t.Errorf("the code has the fuzz targets\n%s\nand Taskfile.yml lists\n%s", strings.Join(have, "\n"), strings.Join(listed, "\n"))
	}
}
