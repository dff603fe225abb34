// Package slim builds the module for the browser without what Kubernetes'
// packages drag along and no browser runs: how each API type is written as
// protobuf and CBOR, the collection of metrics, command line flags, and the proxy
// of an HTTP client. That is a quarter of the module and a fifth of what travels.
//
// The linker leaves out what nothing can reach. It keeps these parts because
// package variables hold on to them, or because an interface could. Copies of
// five modules with those variables and methods gone let it do its work; no
// line that the core runs is touched, and the fixtures expect of the slim
// module the very bytes of the binary.
package slim

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Build writes the module to the file out. The root is the folder of the
// project's go.mod, below which the copies are kept for the next time; flags
// go to go build.
func Build(root, out string, flags ...string) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	modfile, err := Modfile(root)
	if err != nil {
		return err
	}
	args := append([]string{"build", "-modfile=" + modfile, "-trimpath", "-buildvcs=false", "-o", out}, flags...)
	build := exec.Command("go", append(args, "./wasm")...)
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	build.Stdout, build.Stderr = os.Stdout, os.Stderr
	return build.Run()
}

// Modfile makes the copies below root, if they are not there yet, and returns
// the go.mod that uses them, for the go command's -modfile.
func Modfile(root string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	var mods [2][]byte // go.mod and go.sum
	for i, name := range []string{"go.mod", "go.sum"} {
		if mods[i], err = os.ReadFile(filepath.Join(root, name)); err != nil {
			return "", err
		}
	}
	const below = "./.task/slim"
	sum := sha256.Sum256(fmt.Append(nil, string(mods[0]), string(mods[1]), cuts, below))
	home := filepath.Join(root, filepath.FromSlash(below), hex.EncodeToString(sum[:8]))
	modfile := filepath.Join(home, "go.mod")
	if _, err := os.Stat(modfile); err == nil {
		return modfile, nil
	}
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		return "", err
	}
	// Made aside and moved into place: whoever comes at the same time finds
	// all of it or nothing.
	aside, err := os.MkdirTemp(filepath.Dir(home), "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(aside)
	for _, module := range modules() {
		from, err := folderOf(root, module)
		if err != nil {
			return "", err
		}
		if err := copySource(filepath.Join(aside, module), from); err != nil {
			return "", err
		}
		// Relative to the root: the module names where its parts came from, and
		// shall not name this machine.
		mods[0] = fmt.Appendf(mods[0], "\nreplace %s => %s/%s/%s\n", module, below, filepath.Base(home), module)
	}
	for _, c := range cuts {
		if err := c.make(aside); err != nil {
			return "", err
		}
	}
	for i, name := range []string{"go.sum", "go.mod"} {
		if err := os.WriteFile(filepath.Join(aside, name), mods[1-i], 0o644); err != nil {
			return "", err
		}
	}
	if err := os.Rename(aside, home); err != nil {
		if _, there := os.Stat(modfile); there != nil {
			return "", err
		}
	}
	return modfile, nil
}

// modules are those that are cut, each once.
func modules() []string {
	var out []string
	for _, c := range cuts {
		if !slices.Contains(out, c.module) {
			out = append(out, c.module)
		}
	}
	return out
}

// folderOf asks where a module is, and fetches it if need be.
func folderOf(root, module string) (string, error) {
	for _, args := range [][]string{{"mod", "download", module}, {"list", "-m", "-f", "{{.Dir}}", module}} {
		command := exec.Command("go", args...)
		command.Dir = root
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
		}
		if folder := strings.TrimSpace(string(out)); folder != "" {
			return folder, nil
		}
	}
	return "", fmt.Errorf("module %s has no folder", module)
}

// copySource copies what a build reads: Go files that are no tests, and the
// go.mod.
func copySource(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		name := d.Name()
		if name != "go.mod" && (filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go")) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
}

// make applies a cut to the copies below home. A cut that finds nothing to cut
// is an error: a new version of Kubernetes wants a look.
func (c cut) make(home string) error {
	files, err := filepath.Glob(filepath.Join(home, c.module, filepath.FromSlash(c.files)))
	if err != nil {
		return err
	}
	done := 0
	for _, file := range files {
		if c.keep != "" && filepath.Base(file) == c.keep {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		switch {
		case c.old != "":
			if bytes.Count(text, []byte(c.old)) != 1 {
				return fmt.Errorf("%s of %s does not hold %q once", c.files, c.module, c.old)
			}
			text = bytes.Replace(text, []byte(c.old), []byte(c.new), 1)
		default:
			clause, err := packageClause(text)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			text = []byte(clause + "\n" + c.new)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
		done++
	}
	if done == 0 {
		return fmt.Errorf("%s has no %s", c.module, c.files)
	}
	return nil
}

func packageClause(text []byte) (string, error) {
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("package ")) {
			return string(bytes.TrimSpace(line)) + "\n", nil
		}
	}
	return "", errors.New("no package clause")
}
