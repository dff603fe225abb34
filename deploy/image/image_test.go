package image

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

const root = "../.."

// The same sources in another folder, at another time, give the same bytes.
func TestReproducible(t *testing.T) {
	elsewhere := t.TempDir()
	copySources(t, elsewhere)
	// A relative folder, as the tasks name it.
	folder, err := os.MkdirTemp(".", "out-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	var made [2]map[string]string
	for i, from := range []string{root, elsewhere} {
		c := Context{Root: from, Folder: filepath.Join(folder, []string{"here", "elsewhere"}[i]), Arch: runtime.GOARCH, Version: "v1.2.3", Epoch: time.Unix(1_700_000_000, 0)}
		if err := c.Make(t.Context()); err != nil {
			t.Fatal(err)
		}
		made[i] = contents(t, c.Folder)
	}
	if len(made[0]) != len(made[1]) {
		t.Errorf("%d and %d files", len(made[0]), len(made[1]))
	}
	for name, text := range made[0] {
		if made[1][name] != text {
			t.Errorf("%s differs", name)
		}
	}
	inspect(t, made[0])
}

// copySources takes along what is in the repository, and the page that was
// built from it.
func copySources(t *testing.T, to string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ".", ":!conformance", ":!testdata")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Split(strings.Trim(string(out), "\x00"), "\x00")
	page, err := filepath.Glob(filepath.Join(root, "web", "dist"))
	if err != nil || len(page) != 1 {
		t.Fatal("web/dist is missing", err)
	}
	if err := os.CopyFS(filepath.Join(to, "web", "dist"), os.DirFS(page[0])); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || strings.HasPrefix(name, "web/dist/") {
			continue // deleted, or there already
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// contents are the files of a folder with what a layer holds of them.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String() + info.ModTime().UTC().String()
		if !d.IsDir() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += string(b)
		}
		name, err := filepath.Rel(folder, path)
		out[name] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// inspect looks at what was made: nothing of this machine in the binary, and
// everything that is linked in among the parts and the licences.
func inspect(t *testing.T, made map[string]string) {
	t.Helper()
	binary := made[filepath.Join(runtime.GOARCH, "drawbridge")]
	if len(binary) < 1<<20 {
		t.Fatalf("got %d bytes", len(binary))
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{here, runtime.GOROOT() + "/src", os.TempDir() + "/go-build"} {
		if bytes.Contains([]byte(binary), []byte(path)) {
			t.Errorf("the binary has %s in it", path)
		}
	}
	doc := filepath.Join(runtime.GOARCH, "usr", "share", "doc", "drawbridge")
	text := made[filepath.Join(doc, "sbom.cdx.json")]
	var bom cdx.BOM
	if err := json.Unmarshal([]byte(text[strings.Index(text, "{"):]), &bom); err != nil {
		t.Fatal(err)
	}
	if bom.Metadata.Component.Version != "v1.2.3" || bom.SerialNumber == "" || bom.Metadata.Timestamp != "" {
		t.Errorf("got %+v", bom.Metadata)
	}
	var names []string
	for _, c := range *bom.Components {
		if c.PackageURL == "" || c.Version == "" || c.Hashes == nil && c.Name != "std" {
			t.Errorf("got %+v", c)
		}
		names = append(names, c.Name)
	}
	for _, want := range []string{"std", "k8s.io/api", "github.com/go-chi/chi/v5", "preact", "@codemirror/view"} {
		if !slices.ContainsFunc(names, func(name string) bool { return name == want || "@codemirror/"+name == want }) {
			t.Errorf("%s is not among the parts: %q", want, names)
		}
	}
	licenses := made[filepath.Join(doc, "licenses.txt")]
	for _, name := range names {
		if strings.Contains(name, ".") && strings.Contains(name, "/") && !strings.Contains(licenses, "\n"+name+" ") && !strings.Contains(licenses, name+" v") {
			t.Errorf("%s has no licence", name)
		}
	}
}

// Every package that is linked in exists for the other architecture too.
func TestOtherArchitectures(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{if .Error}}{{.ImportPath}}: {{.Error}}{{end}}", "./cmd/drawbridge")
		list.Dir = root
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
		out, err := list.CombinedOutput()
		if text := strings.TrimSpace(string(out)); err != nil || text != "" {
			t.Errorf("%s: %v %s", arch, err, text)
		}
	}
}

func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nFROM scratch\n", "\nUSER 65532:65532\n", `ENTRYPOINT ["/drawbridge"]`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("missing: %s", want)
		}
	}
	if strings.Contains(string(text), "\nRUN ") {
		t.Error("something runs while the image is built: it would not be the same twice")
	}
}
