package release

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/drawbridge-dra/drawbridge/deploy/binary"
)

// TestInstall builds what go install gets: the module as it is packed, which
// holds what is in the repository and no page.
func TestInstall(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Replace) > 0 || len(file.Exclude) > 0 {
		t.Error("go install takes no module that replaces or excludes others")
	}
	sources := module.Version{Path: file.Module.Mod.Path, Version: "v0.0.1"}
	packed := filepath.Join(t.TempDir(), "module.zip")
	out, err := os.Create(packed)
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.Create(out, sources, listed(t)); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "module")
	if err := zip.Unzip(folder, sources, packed); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "web", "dist", "index.html")); err == nil {
		t.Fatal("the page is in it, so this shows nothing")
	}
	path := filepath.Join(t.TempDir(), "drawbridge")
	if err := (binary.Build{Root: folder, Command: "drawbridge", OS: runtime.GOOS, Arch: runtime.GOARCH}).Make(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	serve(t, path)
}

// serve looks at what a binary without the page says of that.
func serve(t *testing.T, path string) {
	t.Helper()
	server := exec.CommandContext(t.Context(), path, "serve", "--https-listen=", "--http-listen=127.0.0.1:0", "--shutdown-delay=0s")
	var log strings.Builder
	server.Stderr = &log
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), " listens on ")
	if err != nil || !ok {
		t.Fatalf("it says %q, %v", line, err)
	}
	client := http.Client{Timeout: time.Minute}
	answer, err := client.Get(url + "/")
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil || !strings.Contains(string(page), "The playground is not part of this build") {
		t.Errorf("got %v\n%s", err, page)
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait() // how it ends is for others to test
	if !strings.Contains(log.String(), "the playground is not part of this binary") {
		t.Errorf("it does not say that the playground is missing: %s", log.String())
	}
}

// tracked is a file of the repository.
type tracked struct{ name string }

func (f tracked) Path() string                 { return f.name }
func (f tracked) Lstat() (os.FileInfo, error)  { return os.Lstat(filepath.Join(root, f.name)) }
func (f tracked) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(root, f.name)) }

// listed are the files that the module is packed from: those of the
// repository, without the modules in it that are of their own.
func listed(t *testing.T) []zip.File {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Split(strings.Trim(string(out), "\x00"), "\x00")
	var apart []string
	for _, name := range names {
		if folder, ok := strings.CutSuffix(name, "/go.mod"); ok {
			apart = append(apart, folder+"/")
		}
	}
	var files []zip.File
next:
	for _, name := range names {
		for _, folder := range apart {
			if strings.HasPrefix(name, folder) {
				continue next
			}
		}
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil { // else it was deleted
			files = append(files, tracked{name})
		}
	}
	return files
}
