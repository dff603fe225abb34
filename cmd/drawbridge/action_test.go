package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// action is what action.yml says.
type action struct {
	Inputs map[string]struct {
		Description string
		Default     string
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			Name, ID, Shell, Run string
			Env                  map[string]string
		}
	}
}

func readAction(t *testing.T) action {
	t.Helper()
	file, err := os.Open("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var whole struct {
		Name, Description, Author string
		Branding                  map[string]string
		action                    `yaml:",inline"`
	}
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	if err := decoder.Decode(&whole); err != nil {
		t.Fatal(err)
	}
	return whole.action
}

var expression = regexp.MustCompile(`\$\{\{\s*inputs\.([a-z-]+)\s*\}\}`)

// What a caller writes reaches scripts in the environment, and is never part
// of their text, where it could be a command.
func TestActionIsNotInjected(t *testing.T) {
	a := readAction(t)
	used := map[string]bool{}
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("%s: what stands in ${{ }} becomes part of the script", step.Name)
		}
		for name, value := range step.Env {
			m := expression.FindStringSubmatch(value)
			if m == nil || m[0] != value {
				t.Errorf("%s: %s is %q", step.Name, name, value)
				continue
			}
			used[m[1]] = true
			if _, ok := a.Inputs[m[1]]; !ok {
				t.Errorf("%s: there is no input %s", step.Name, m[1])
			}
		}
	}
	for name, input := range a.Inputs {
		if !used[name] || input.Description == "" {
			t.Errorf("the input %s does nothing or is not described", name)
		}
	}
	if a.Runs.Using != "composite" || len(a.Runs.Steps) != 2 || len(a.Outputs) != 2 {
		t.Errorf("got %+v", a)
	}
}

// runner is a machine on which an action runs.
type runner struct {
	t               *testing.T
	action          action
	temp, workspace string
	path            string
	outputs         string
	summary         string
}

func newRunner(t *testing.T) *runner {
	r := &runner{t: t, action: readAction(t), temp: t.TempDir(), workspace: t.TempDir(), path: os.Getenv("PATH")}
	for name, text := range map[string]string{
		"good/class.yaml": "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a.example.com}\n",
		"bad/class.yaml":  "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: A%0A::error::evil}\n# ~~~~\n",
		"-o evil.yaml":    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: b.example.com}\n",
	} {
		path := filepath.Join(r.workspace, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// step runs a step of the action as GitHub's runner does, and returns what it
// prints and how it ends.
func (r *runner) step(n int, inputs map[string]string) (string, int) {
	r.t.Helper()
	step := r.action.Runs.Steps[n]
	root, err := filepath.Abs("../..")
	if err != nil {
		r.t.Fatal(err)
	}
	files := map[string]string{}
	command := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
	command.Dir = r.workspace
	command.Env = []string{"PATH=" + r.path, "HOME=" + r.temp, "GITHUB_ACTION_PATH=" + root, "RUNNER_TEMP=" + r.temp, "RUNNER_OS=Linux", "RUNNER_ARCH=" + map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH]}
	for _, name := range []string{"GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		files[name] = filepath.Join(r.t.TempDir(), name)
		if err := os.WriteFile(files[name], nil, 0o644); err != nil {
			r.t.Fatal(err)
		}
		command.Env = append(command.Env, name+"="+files[name])
	}
	for name, value := range step.Env {
		input := expression.FindStringSubmatch(value)[1]
		value, given := inputs[input]
		if !given {
			value = r.action.Inputs[input].Default
		}
		command.Env = append(command.Env, name+"="+value)
	}
	out, err := command.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		r.t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(files[name])
		if err != nil {
			r.t.Fatal(err)
		}
		return string(text)
	}
	for _, folder := range strings.Fields(read("GITHUB_PATH")) {
		r.path = folder + string(os.PathListSeparator) + r.path
	}
	r.outputs, r.summary = read("GITHUB_OUTPUT"), read("GITHUB_STEP_SUMMARY")
	return string(out), command.ProcessState.ExitCode()
}

// published makes a release of the binary for this machine, and returns where
// it can be loaded down and its checksum.
func published(t *testing.T, version string) (downloads, sum string) {
	t.Helper()
	text, err := os.ReadFile(binary(t))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	name := fmt.Sprintf("drawbridge_%s_linux_%s.tar.gz", strings.TrimPrefix(version, "v"), runtime.GOARCH)
	path := filepath.Join(root, version, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.New()
	packed, _ := gzip.NewWriterLevel(multi{file, hash}, gzip.NoCompression)
	archive := tar.NewWriter(packed)
	if err := archive.WriteHeader(&tar.Header{Name: "drawbridge", Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	_, err = archive.Write(text)
	for _, err := range []error{err, archive.Close(), packed.Close(), file.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	sum = hex.EncodeToString(hash.Sum(nil))
	sums := fmt.Sprintf("%064d  drawbridge_other.zip\n%s  %s\n", 0, sum, name)
	if err := os.WriteFile(filepath.Join(root, version, "checksums.txt"), []byte(sums), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + root, sum
}

type multi []interface{ Write([]byte) (int, error) }

func (m multi) Write(p []byte) (int, error) {
	for _, w := range m {
		if _, err := w.Write(p); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// TestAction takes the action through a release and what it finds.
func TestAction(t *testing.T) {
	downloads, sum := published(t, "v1.2.3")
	r := newRunner(t)
	from := func(more ...string) map[string]string {
		inputs := map[string]string{"version": "v1.2.3", "downloads": downloads}
		for i := 0; i < len(more); i += 2 {
			inputs[more[i]] = more[i+1]
		}
		return inputs
	}
	for _, wrong := range []struct {
		inputs map[string]string
		says   string
	}{
		{from("checksum", strings.Repeat("0", 64)), "does not have the checksum"},
		{from("checksum", "0; touch evil"), "is no SHA-256"},
		{from("version", "v1.2.3; touch evil"), "is no tag of a release"},
		{from("version", "../../v1.2.3"), "is no tag of a release"},
		{from("version", "v9.9.9", "checksum", sum), "cannot be downloaded"},
	} {
		if out, code := r.step(0, wrong.inputs); code != 1 || !strings.Contains(out, "::error title=drawbridge::") || !strings.Contains(out, wrong.says) {
			t.Errorf("%v: ends with %d\n%s", wrong.inputs, code, out)
		}
	}
	if _, err := os.Stat(filepath.Join(r.workspace, "evil")); err == nil {
		t.Error("what somebody wrote was run")
	}
	if strings.Contains(r.path, "drawbridge-v") {
		t.Errorf("something was installed: %s", r.path)
	}
	for _, right := range []map[string]string{from(), from("checksum", sum)} {
		if out, code := r.step(0, right); code != 0 || !strings.Contains(out, "drawbridge ") {
			t.Fatalf("ends with %d\n%s", code, out)
		}
	}
	// A release whose checksums were not those of its files.
	sums := filepath.Join(strings.TrimPrefix(downloads, "file://"), "v1.2.3", "checksums.txt")
	text, err := os.ReadFile(sums)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sums, []byte(strings.ReplaceAll(string(text), sum, strings.Repeat("a", 64))), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, code := r.step(0, from()); code != 1 || !strings.Contains(out, "does not have the checksum") {
		t.Errorf("ends with %d\n%s", code, out)
	}
	if _, code := r.step(0, from("checksum", sum)); code != 0 { // back for what follows
		t.Fatal("it cannot be installed again")
	}
	check(t, r)
}

func check(t *testing.T, r *runner) {
	t.Helper()
	out, code := r.step(1, map[string]string{"paths": "good\n\n-o evil.yaml\r\n"})
	if code != 0 || r.outputs != "exit-code=0\n" || !strings.Contains(r.summary, "2 files") {
		t.Errorf("ends with %d, %q\n%s\n%s", code, r.outputs, out, r.summary)
	}
	out, code = r.step(1, map[string]string{"paths": "bad\ngood", "sarif-file": "out/found.sarif", "kubernetes-versions": "1.36,1.37"})
	if code != 1 || r.outputs != "exit-code=1\nsarif-file=out/found.sarif\n" || !strings.HasPrefix(out, "::error ") || !strings.Contains(out, "file=bad/class.yaml,line=3") || strings.Contains(out, "\n::error::evil") {
		t.Errorf("ends with %d, %q\n%s", code, r.outputs, out)
	}
	if strings.Count(r.summary, "\n~~~~") != 2 || !strings.Contains(r.summary, "bad/class.yaml:3:") {
		t.Errorf("the summary is\n%s", r.summary)
	}
	var sarif struct {
		Runs []struct{ Results []struct{ RuleID string } }
	}
	text, err := os.ReadFile(filepath.Join(r.workspace, "out", "found.sarif"))
	if err != nil || json.Unmarshal(text, &sarif) != nil || len(sarif.Runs) != 1 || len(sarif.Runs[0].Results) == 0 {
		t.Errorf("got %v\n%s", err, text)
	}
	if _, code = r.step(1, map[string]string{"paths": "bad", "fail-on": "never"}); code != 0 {
		t.Errorf("with never it ends with %d", code)
	}
	for _, wrong := range []map[string]string{{"paths": "nowhere"}, {"paths": "good", "fail-on": "$(touch evil)"}, {"paths": "good", "config": "none.yaml"}, {"paths": "good", "sarif-file": "a\nexit-code=0"}} {
		if out, code := r.step(1, wrong); code != 2 {
			t.Errorf("%v: ends with %d\n%s", wrong, code, out)
		}
	}
	if _, err := os.Stat(filepath.Join(r.workspace, "evil")); err == nil {
		t.Error("what somebody wrote was run")
	}
}

// Where a version has no archive for the runner, Go builds that version.
func TestActionBuilds(t *testing.T) {
	r := newRunner(t)
	tools := t.TempDir()
	// Go as far as the script sees it: what it is asked for, and a command.
	script := "#!/bin/sh\necho \"$@\" >" + tools + "/asked\nprintf '#!/bin/sh\\necho built\\n' >\"$GOBIN/drawbridge\"\nchmod +x \"$GOBIN/drawbridge\"\n"
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	r.path = tools + string(os.PathListSeparator) + r.path
	out, code := r.step(0, map[string]string{"version": "v4.5.6", "downloads": "file://" + t.TempDir()})
	asked, err := os.ReadFile(filepath.Join(tools, "asked"))
	if code != 0 || err != nil || string(asked) != "install github.com/drawbridge-dra/drawbridge/cmd/drawbridge@v4.5.6\n" || !strings.HasSuffix(out, "built\n") {
		t.Errorf("ends with %d, asks %q, %v\n%s", code, asked, err, out)
	}
}

// TestPreCommit runs the hook's entry as pre-commit does: with its arguments,
// and without the names of files.
func TestPreCommit(t *testing.T) {
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Name, Description, Language, Entry string
		Args                                   []string
		PassFilenames                          *bool    `yaml:"pass_filenames"`
		TypesOr                                []string `yaml:"types_or"`
	}
	if err := yaml.Unmarshal(text, &hooks); err != nil {
		t.Fatal(err)
	}
	if len(hooks) != 1 || hooks[0].Language != "golang" || hooks[0].PassFilenames == nil || *hooks[0].PassFilenames || !slices.Contains(hooks[0].TypesOr, "yaml") {
		t.Fatalf("got %+v", hooks)
	}
	r := newRunner(t)
	words := slices.Concat(strings.Fields(hooks[0].Entry), hooks[0].Args)
	run := func() (string, int) {
		command := exec.Command(filepath.Join(filepath.Dir(binary(t)), words[0]), words[1:]...)
		command.Dir = r.workspace
		out, _ := command.CombinedOutput()
		return string(out), command.ProcessState.ExitCode()
	}
	if out, code := run(); code != 1 || !strings.Contains(out, "bad/class.yaml:3:") {
		t.Errorf("ends with %d\n%s", code, out)
	}
	if err := os.RemoveAll(filepath.Join(r.workspace, "bad")); err != nil {
		t.Fatal(err)
	}
	// What is none of ours does not stand in the way.
	if err := os.WriteFile(filepath.Join(r.workspace, "values.yaml"), []byte("replicas: 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, code := run(); code != 0 {
		t.Errorf("ends with %d\n%s", code, out)
	}
}
