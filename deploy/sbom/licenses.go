package sbom

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// named is what files with the terms of a module are called.
var named = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([._-].*)?$`)

// Licenses writes down the terms of everything that is linked in, Go's library
// included. A module without any is an error: it could not be passed on.
func Licenses(ctx context.Context, root string, info *debug.BuildInfo) ([]byte, error) {
	folders, err := folders(ctx, root, linked(info))
	if err != nil {
		return nil, err
	}
	if folders["Go "+info.GoVersion], err = goroot(ctx, root); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		terms, err := terms(folders[name])
		if err != nil {
			return nil, err
		}
		if len(terms) == 0 {
			return nil, fmt.Errorf("%s comes without a licence", name)
		}
		for _, file := range terms {
			fmt.Fprintf(&out, "%s\n%s\n\n%s\n\n", name, strings.Repeat("=", len(name)), bytes.TrimSpace(file))
		}
	}
	return out.Bytes(), nil
}

// folders tells where the sources of each module are.
func folders(ctx context.Context, root string, modules []*debug.Module) (map[string]string, error) {
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}\t{{.Dir}}"}
	for _, m := range modules {
		args = append(args, m.Path)
	}
	list := exec.CommandContext(ctx, "go", args...)
	list.Dir = root
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	out := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		name, folder, _ := strings.Cut(line, "\t")
		out[name] = folder
	}
	return out, nil
}

// goroot is where Go's own library is.
func goroot(ctx context.Context, root string) (string, error) {
	env := exec.CommandContext(ctx, "go", "env", "GOROOT")
	env.Dir = root
	folder, err := env.Output()
	return strings.TrimSpace(string(folder)), err
}

// terms are the texts at the top of a module's folder.
func terms(folder string) ([][]byte, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, e := range entries {
		if e.IsDir() || !named.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}
