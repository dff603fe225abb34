package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// program is one that checks manifests.
type program struct {
	name string
	// module is the folder of the module that it is built in, and pkg what is
	// built.
	module, pkg string
	// args are those for a run, and asJSON what makes it print what it finds so
	// that read can read it.
	args   func(schemas string) []string
	asJSON []string
	read   func(output []byte) (map[string]remark, error)
}

// remark is what a program has to say of a file.
type remark struct{ line, column bool }

const workers = "2"

var programs = []program{
	{
		name: "drawbridge", module: "..", pkg: "./cmd/drawbridge",
		args:   func(string) []string { return []string{"validate", "--no-config", "--workers=" + workers} },
		asJSON: []string{"--output=json"}, read: readOurs,
	},
	{
		name: "kubeconform", module: "beside/kubeconform", pkg: "github.com/yannh/kubeconform/cmd/kubeconform",
		args: func(schemas string) []string {
			return []string{"-strict", "-summary", "-n", workers, "-schema-location", filepath.Join(schemas, "{{.ResourceKind}}.json")}
		},
		asJSON: []string{"-output", "json"}, read: readKubeconform,
	},
	{
		name: "kubectl-validate", module: "beside/kubectl-validate", pkg: "sigs.k8s.io/kubectl-validate",
		args: func(schemas string) []string {
			return []string{"--version=1.30", "--local-schemas=" + filepath.Join(schemas, "openapi")}
		},
		asJSON: []string{"--output=json"}, read: readKubectlValidate,
	},
}

// build compiles the program into a folder.
func (p program) build(folder string) error {
	to, err := filepath.Abs(filepath.Join(folder, p.name))
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", to, p.pkg)
	cmd.Dir = p.module
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s cannot be built: %w\n%s", p.name, err, out)
	}
	return nil
}

// cost is what a run took.
type cost struct {
	elapsed, cpu time.Duration
	memory       int64 // the most that it ever had, in bytes
}

// run checks the manifests. All find something, and say so by their exit code.
func (p program) run(folder, schemas, manifests string, out io.Writer, extra ...string) (cost, error) {
	cmd := exec.Command(filepath.Join(folder, p.name), append(append(p.args(schemas), extra...), manifests)...)
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &errs
	// No cluster is asked, and no other settings are read.
	cmd.Env = []string{"HOME=" + folder, "KUBECONFIG=" + filepath.Join(folder, "none")}
	began := time.Now()
	err := cmd.Run()
	c := cost{elapsed: time.Since(began)}
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return c, fmt.Errorf("%s: %w\n%.2000s", p.name, err, errs.String())
	}
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	c.memory = peak(cmd.ProcessState)
	return c, nil
}

func readOurs(output []byte) (map[string]remark, error) {
	var in struct {
		Diagnostics []struct {
			Level string
			Place struct {
				File         string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(output, &in); err != nil {
		return nil, err
	}
	out := map[string]remark{}
	for _, d := range in.Diagnostics {
		if d.Level == "error" {
			add(out, d.Place.File, d.Place.Line > 0, d.Place.Column > 0)
		}
	}
	return out, nil
}

// lineNamed and columnNamed find places in what others print.
var (
	lineNamed   = regexp.MustCompile(`\bline:? \d+`)
	columnNamed = regexp.MustCompile(`\bcolumn:? \d+`)
)

func readKubeconform(output []byte) (map[string]remark, error) {
	var in struct {
		Resources []struct{ Filename, Msg string }
	}
	if err := json.Unmarshal(output, &in); err != nil {
		return nil, err
	}
	out := map[string]remark{}
	for _, r := range in.Resources {
		add(out, r.Filename, lineNamed.MatchString(r.Msg), columnNamed.MatchString(r.Msg))
	}
	return out, nil
}

func readKubectlValidate(output []byte) (map[string]remark, error) {
	var in map[string][]struct {
		Status, Message string
		Details         struct{ Causes []struct{ Message string } }
	}
	if err := json.Unmarshal(output, &in); err != nil {
		return nil, err
	}
	out := map[string]remark{}
	for file, all := range in {
		for _, s := range all {
			if s.Status != "Failure" {
				continue
			}
			said := []string{s.Message}
			for _, c := range s.Details.Causes {
				said = append(said, c.Message)
			}
			text := strings.Join(said, "\n")
			add(out, file, lineNamed.MatchString(text), columnNamed.MatchString(text))
		}
	}
	return out, nil
}

// add notes that something was said of a file.
func add(to map[string]remark, file string, line, column bool) {
	name := filepath.Base(file)
	was := to[name]
	to[name] = remark{was.line || line, was.column || column}
}
