package web

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// A binary without its page must still answer with a page that says why, so
// this holds before and after npm run build.
func TestFSHasAPage(t *testing.T) {
	page, err := fs.ReadFile(FS(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	if built := bytes.Contains(page, []byte("<script")); built != Built() {
		t.Errorf("Built() is %t, but the page has a script: %t", Built(), built)
	}
}

// People wait for the module when they come for the first time, and a phone's
// network is slow.
func TestModuleIsSmall(t *testing.T) {
	const limit = 5_000_000
	if !Built() {
		if os.Getenv("CI") != "" {
			t.Fatal("the page is not built, so nothing was measured")
		}
		t.Skip("the page is not built; the test command builds it first")
	}
	found := false
	err := fs.WalkDir(FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".wasm.br") {
			return err
		}
		found = true
		info, err := d.Info()
		if err != nil {
			return err
		}
		t.Logf("%s has %d bytes", name, info.Size())
		if info.Size() > limit {
			t.Errorf("%s has %d bytes, more than %d", name, info.Size(), limit)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Error("no compressed module among the files")
	}
}
