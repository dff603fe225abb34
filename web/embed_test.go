package web

import (
	"bytes"
	"io/fs"
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
