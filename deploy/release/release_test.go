package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"sigs.k8s.io/yaml"
)

const root = "../.."

var epoch = time.Unix(1_700_000_000, 0)

// opened is an archive: its files with their rights and times.
func opened(t *testing.T, path string) map[string]string {
	t.Helper()
	out := map[string]string{}
	take := func(name string, mode os.FileMode, at time.Time, r io.Reader) {
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if want := os.FileMode(0o644); mode != want && !strings.HasPrefix(strings.TrimSuffix(name, ".exe"), "drawbridge") && !strings.HasPrefix(name, "kubectl-") {
			t.Errorf("%s has the mode %v", name, mode)
		}
		if !at.Equal(epoch) {
			t.Errorf("%s is of %v", name, at)
		}
		out[name] = string(text)
	}
	if strings.HasSuffix(path, ".zip") {
		z, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			take(f.Name, f.Mode(), f.Modified, r)
		}
		return out
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(unpacked); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" {
			t.Errorf("%s belongs to %d %d %s", h.Name, h.Uid, h.Gid, h.Uname)
		}
		take(h.Name, h.FileInfo().Mode(), h.ModTime, r)
	}
}

// folder is what is in a folder.
func folder(t *testing.T, path string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(path, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(text)
	}
	return out
}

// All platforms are packed, the same whenever, with stand-ins for what takes
// long to build.
func TestPlatforms(t *testing.T) {
	var made [2]map[string]string
	var path string
	for i := range made {
		path = filepath.Join(t.TempDir(), "out")
		r := Release{
			Root: root, Folder: path, Version: "v0.1.0", Epoch: epoch, Platforms: Platforms, Log: func(string) {},
			contents: func(_ context.Context, p Platform) ([]File, error) {
				files := []File{
					{Name: executable(p, "drawbridge"), Text: []byte("for " + p.OS + p.Arch), Executable: true},
					{Name: executable(p, "kubectl-drawbridge"), Text: []byte("likewise"), Executable: true},
					{Name: sbomName, Text: []byte("{}")}, {Name: "licenses.txt", Text: []byte("free")},
				}
				if i > 0 { // in which order they were made must not matter
					slices.Reverse(files)
				}
				return files, nil
			},
			shared: func(context.Context) ([]File, error) {
				return []File{{Name: "man/man1/drawbridge.1", Text: []byte("read")}, {Name: "LICENSE", Text: []byte("all")}}, nil
			},
		}
		if err := r.Make(t.Context()); err != nil {
			t.Fatal(err)
		}
		made[i] = folder(t, path)
	}
	if len(made[0]) != 14 {
		t.Errorf("got %d files", len(made[0]))
	}
	for name, text := range made[0] {
		if made[1][name] != text {
			t.Errorf("%s differs", name)
		}
	}
	for _, p := range Platforms {
		end, suffix := ".tar.gz", ""
		if p.OS == "windows" {
			end, suffix = ".zip", ".exe"
		}
		name := "drawbridge_0.1.0_" + p.OS + "_" + p.Arch + end
		files := opened(t, filepath.Join(path, name))
		if files["drawbridge"+suffix] != "for "+p.OS+p.Arch || files["kubectl-drawbridge"+suffix] != "likewise" || files["man/man1/drawbridge.1"] != "read" || files["LICENSE"] != "all" || len(files) != 6 {
			t.Errorf("%s holds %v", name, files)
		}
		sum := sha256.Sum256([]byte(made[0][name]))
		if !strings.Contains(made[0]["checksums.txt"], hex.EncodeToString(sum[:])+"  "+name+"\n") {
			t.Errorf("no checksum of %s", name)
		}
		if made[0][name+".cdx.json"] != "{}" {
			t.Errorf("nothing says what %s is made of", name)
		}
	}
	inspectKrew(t, made[0])
}

// The manifest installs what was packed.
func inspectKrew(t *testing.T, made map[string]string) {
	t.Helper()
	var manifest struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
		Spec             struct {
			Version, ShortDescription string
			Platforms                 []struct {
				Selector         struct{ MatchLabels map[string]string }
				URI, Sha256, Bin string
				Files            []struct{ From, To string }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(made["drawbridge.krew.yaml"]), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Metadata.Name != "drawbridge" || manifest.Spec.Version != "v0.1.0" || len(manifest.Spec.ShortDescription) > 80 || len(manifest.Spec.Platforms) != len(Platforms) {
		t.Fatalf("got %+v", manifest)
	}
	for _, p := range manifest.Spec.Platforms {
		name := p.URI[strings.LastIndex(p.URI, "/")+1:]
		sum := sha256.Sum256([]byte(made[name]))
		if made[name] == "" || p.Sha256 != hex.EncodeToString(sum[:]) || !strings.Contains(name, p.Selector.MatchLabels["os"]+"_"+p.Selector.MatchLabels["arch"]) || !strings.Contains(p.URI, "/v0.1.0/") {
			t.Errorf("got %+v", p)
		}
		if p.Files[0].From != p.Bin {
			t.Errorf("%s is not unpacked", p.Bin)
		}
	}
}

// What is passed on for this machine's platform works, and all that belongs to
// it is there.
func TestRelease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	here := Platform{runtime.GOOS, runtime.GOARCH}
	r := Release{Root: root, Folder: path, Version: "v0.1.0-rc.1", Commit: "0123456789abcdef", Epoch: epoch, Platforms: []Platform{here}, Log: func(string) {}}
	if err := r.Make(t.Context()); err != nil {
		t.Fatal(err)
	}
	check := exec.Command("sha256sum", "--check", "--strict", "checksums.txt")
	check.Dir = path
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	files := opened(t, filepath.Join(path, r.archive(here)))
	for _, name := range []string{"LICENSE", "NOTICE", "README.md", "licenses.txt", "sbom.cdx.json", "man/man1/drawbridge-validate.1", "completions/drawbridge.bash", "completions/_drawbridge", "completions/drawbridge.fish", "completions/drawbridge.ps1"} {
		if len(files[name]) < 100 {
			t.Errorf("%s has %d bytes", name, len(files[name]))
		}
	}
	entries, err := os.ReadDir(filepath.Join(root, "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if len(files[e.Name()]) < 1<<20 {
			t.Errorf("cmd/%s is not packed", e.Name())
		}
	}
	binary := filepath.Join(t.TempDir(), "drawbridge")
	if err := os.WriteFile(binary, []byte(files["drawbridge"]), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(binary, "version").CombinedOutput()
	want := "drawbridge v0.1.0-rc.1 " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + "\ncommit 0123456789abcdef\nkubernetes "
	if err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("got %s, %v", out, err)
	}
	if !strings.Contains(files["man/man1/drawbridge.1"], "v0.1.0-rc.1") || !strings.Contains(files["completions/drawbridge.bash"], "drawbridge") {
		t.Error("the manual is of another version")
	}
	var bom cdx.BOM
	if err := json.Unmarshal([]byte(files[sbomName]), &bom); err != nil || bom.Metadata.Component.Version != "v0.1.0-rc.1" || len(*bom.Components) < 50 {
		t.Errorf("got %v, %+v", err, bom.Metadata)
	}
	follow(t, path, here)
	beside, err := os.ReadFile(filepath.Join(path, r.archive(here)+".cdx.json"))
	if err != nil || string(beside) != files[sbomName] {
		t.Errorf("beside the archive stands another list of parts: %v", err)
	}
}

// follow does what docs/install.md says, with the release at hand.
func follow(t *testing.T, path string, p Platform) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile("(?s)```sh\n(version=.*?)```").FindStringSubmatch(string(text))
	if script == nil {
		t.Fatal("the document does not say how to install a release")
	}
	lines := regexp.MustCompile(`(?m)^(version|base)=.*$`)
	count := 0
	run := exec.Command("bash", "-e", "-c", lines.ReplaceAllStringFunc(script[1], func(line string) string {
		if count++; strings.HasPrefix(line, "base=") {
			return "base=file://" + path
		}
		return "version=0.1.0-rc.1 os=" + p.OS + " arch=" + p.Arch
	}))
	run.Dir = t.TempDir()
	out, err := run.CombinedOutput()
	if err != nil || count != 2 || !strings.Contains(string(out), ": OK\n") || !strings.Contains(string(out), "drawbridge v0.1.0-rc.1 ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// What only one of the commands is made of is listed, too.
func TestTogether(t *testing.T) {
	info := func(paths ...string) *debug.BuildInfo {
		out := &debug.BuildInfo{}
		for _, path := range paths {
			out.Deps = append(out.Deps, &debug.Module{Path: path, Version: "v1.0.0"})
		}
		return out
	}
	first := info("a", "b")
	var got []string
	for _, m := range together([]*debug.BuildInfo{first, info("b", "c"), info("a", "d")}).Deps {
		got = append(got, m.Path)
	}
	if !slices.Equal(got, []string{"a", "b", "c", "d"}) || len(first.Deps) != 2 {
		t.Errorf("got %v of %v", got, first.Deps)
	}
}

func TestVersions(t *testing.T) {
	for _, wrong := range []string{"", "0.1.0", "v1", "v0.1.0 -X evil", "latest"} {
		r := Release{Root: root, Folder: filepath.Join(t.TempDir(), "out"), Version: wrong}
		if err := r.Make(t.Context()); err == nil || !strings.Contains(err.Error(), "v0.1.0") {
			t.Errorf("%q: got %v", wrong, err)
		}
	}
}

// Every package that is linked in exists for the other systems. Whether it
// compiles there, which takes minutes, the release itself shows, and the
// workflow of this repository before it.
func TestPackagesExist(t *testing.T) {
	for _, p := range []Platform{{"darwin", "arm64"}, {"windows", "amd64"}} {
		list := exec.Command("go", "list", "-deps", "-f", "{{if .Error}}{{.ImportPath}}: {{.Error}}{{end}}", "./cmd/...")
		list.Dir = root
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Arch)
		out, err := list.CombinedOutput()
		if text := strings.TrimSpace(string(out)); err != nil || text != "" {
			t.Errorf("%v: %v %s", p, err, text)
		}
	}
}
