// Package release makes what a release consists of: an archive for each
// platform with the commands and all that belongs to them, what each is made
// of, checksums, and a manifest for krew. The same sources and the same Go give
// the same bytes.
package release

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/drawbridge-dra/drawbridge/deploy/binary"
	"github.com/drawbridge-dra/drawbridge/deploy/sbom"
)

// Platform is what a binary runs on, in Go's words.
type Platform struct{ OS, Arch string }

// Platforms are those of a release.
var Platforms = []Platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// Release says what to make, and where.
type Release struct {
	Root      string // the checkout
	Folder    string // where the files go; what is there of an older run is removed
	Version   string // such as v0.1.0
	Commit    string
	Epoch     time.Time // the time that all files in archives get
	Platforms []Platform
	// Log hears what is being done.
	Log func(string)
	// contents makes what is special to a platform, shared what is not; both
	// build unless a test says otherwise.
	contents func(context.Context, Platform) ([]File, error)
	shared   func(context.Context) ([]File, error)
}

// versions are those that a release can have: tags that Go takes, too.
var versions = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// Make makes the release.
func (r Release) Make(ctx context.Context) error {
	if !versions.MatchString(r.Version) {
		return fmt.Errorf("the version is %q; it must be a tag such as v0.1.0 or v0.1.0-rc.1", r.Version)
	}
	folder, err := filepath.Abs(r.Folder)
	if err != nil {
		return err
	}
	r.Folder = folder
	if err := os.RemoveAll(r.Folder); err != nil {
		return err
	}
	if err := os.MkdirAll(r.Folder, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "drawbridge-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	b := &building{Release: r, work: work}
	if r.contents == nil {
		b.contents, b.shared = b.build, b.around
	}
	commands, err := b.commands()
	if err != nil {
		return err
	}
	shared, err := b.shared(ctx)
	if err != nil {
		return err
	}
	for _, p := range r.Platforms {
		r.Log("packing " + r.archive(p))
		own, err := b.contents(ctx, p)
		if err != nil {
			return err
		}
		if err := r.pack(p, slices.Concat(own, shared)); err != nil {
			return fmt.Errorf("%s: %w", r.archive(p), err)
		}
		for _, f := range own {
			if f.Name == sbomName {
				if err := r.write(r.archive(p)+".cdx.json", f.Text); err != nil {
					return err
				}
			}
		}
	}
	sums, err := r.checksums()
	if err != nil {
		return err
	}
	return r.write("drawbridge.krew.yaml", r.krew(commands, sums))
}

// archive is the name of a platform's archive.
func (r Release) archive(p Platform) string {
	end := ".tar.gz"
	if p.OS == "windows" {
		end = ".zip"
	}
	return strings.Join([]string{"drawbridge", strings.TrimPrefix(r.Version, "v"), p.OS, p.Arch}, "_") + end
}

func (r Release) write(name string, text []byte) error {
	return os.WriteFile(filepath.Join(r.Folder, name), text, 0o644)
}

// sbomName is how archives call what they are made of.
const sbomName = "sbom.cdx.json"

// building is a release that is being made.
type building struct {
	Release
	work  string
	built map[string]string // binaries by platform and command
}

// commands are the folders of cmd/, each of which is a binary.
func (b *building) commands() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(b.Root, "cmd"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(b.Root, "cmd", e.Name(), "main.go")); err == nil {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// binary builds a command, once.
func (b *building) binary(ctx context.Context, p Platform, command string) (string, error) {
	path := filepath.Join(b.work, p.OS+"-"+p.Arch, command)
	if b.built[path] == "" {
		b.Log(fmt.Sprintf("building %s for %s/%s", command, p.OS, p.Arch))
		if err := (binary.Build{Root: b.Root, Command: command, OS: p.OS, Arch: p.Arch, Version: b.Version, Commit: b.Commit}).Make(ctx, path); err != nil {
			return "", err
		}
		if b.built == nil {
			b.built = map[string]string{}
		}
		b.built[path] = path
	}
	return path, nil
}

// build makes the commands of a platform and tells what they are made of.
func (b *building) build(ctx context.Context, p Platform) ([]File, error) {
	commands, err := b.commands()
	if err != nil {
		return nil, err
	}
	var out []File
	var all []*debug.BuildInfo
	for _, command := range commands {
		path, err := b.binary(ctx, p, command)
		if err != nil {
			return nil, err
		}
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all = append(all, info)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		out = append(out, File{Name: executable(p, command), Text: text, Executable: true})
	}
	info := together(all)
	parts, err := sbom.Make(ctx, b.Root, info, b.Version)
	if err != nil {
		return nil, err
	}
	terms, err := sbom.Licenses(ctx, b.Root, info)
	if err != nil {
		return nil, err
	}
	return append(out, File{Name: sbomName, Text: parts}, File{Name: "licenses.txt", Text: terms}), nil
}

// together is what several binaries of one module are made of.
func together(all []*debug.BuildInfo) *debug.BuildInfo {
	out := *all[0]
	out.Deps = slices.Clone(out.Deps)
	for _, info := range all[1:] {
		for _, m := range info.Deps {
			if !slices.ContainsFunc(out.Deps, func(have *debug.Module) bool { return have.Path == m.Path }) {
				out.Deps = append(out.Deps, m)
			}
		}
	}
	return &out
}

// executable is what a platform calls a command.
func executable(p Platform, command string) string {
	if p.OS == "windows" {
		return command + ".exe"
	}
	return command
}

// completions are the files that shells read, by the shell.
var completions = map[string]string{"bash": "drawbridge.bash", "zsh": "_drawbridge", "fish": "drawbridge.fish", "powershell": "drawbridge.ps1"}

// around are the files that are the same everywhere. The command itself writes
// its manual and what shells read.
func (b *building) around(ctx context.Context) ([]File, error) {
	var out []File
	for _, name := range []string{"LICENSE", "NOTICE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(b.Root, name))
		if err != nil {
			return nil, err
		}
		out = append(out, File{Name: name, Text: text})
	}
	path, err := b.binary(ctx, Platform{runtime.GOOS, runtime.GOARCH}, "drawbridge")
	if err != nil {
		return nil, err
	}
	for shell, name := range completions {
		text, err := output(exec.CommandContext(ctx, path, "completion", shell))
		if err != nil {
			return nil, err
		}
		out = append(out, File{Name: "completions/" + name, Text: text})
	}
	pages := filepath.Join(b.work, "man")
	if _, err := output(exec.CommandContext(ctx, path, "man", pages)); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(pages)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(pages, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, File{Name: "man/man1/" + e.Name(), Text: text})
	}
	return out, nil
}

// output is what a command prints.
func output(command *exec.Cmd) ([]byte, error) {
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, errs.Bytes())
	}
	return out.Bytes(), nil
}
