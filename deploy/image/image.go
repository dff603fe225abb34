// Package image makes the folder from which the Dockerfile builds: the same
// bytes wherever and whenever it is made from the same sources with the same
// Go.
package image

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/drawbridge-dra/drawbridge/deploy/binary"
	"github.com/drawbridge-dra/drawbridge/deploy/sbom"
)

// Context says what to make, and where.
type Context struct {
	Root    string    // the checkout
	Folder  string    // becomes the build context
	Arch    string    // amd64, arm64…
	Version string    // that the binary tells; empty: that of the build
	Epoch   time.Time // the time that all files get
}

// Make fills the folder for one architecture. Several may share a folder.
func (c Context) Make(ctx context.Context) error {
	// go build runs in another folder.
	folder, err := filepath.Abs(c.Folder)
	if err != nil {
		return err
	}
	c.Folder = folder
	doc := filepath.Join(c.Folder, c.Arch, "usr", "share", "doc", "drawbridge")
	if err := os.MkdirAll(doc, 0o755); err != nil {
		return err
	}
	path := filepath.Join(c.Folder, c.Arch, "drawbridge")
	if err := (binary.Build{Root: c.Root, Command: "drawbridge", OS: "linux", Arch: c.Arch, Version: c.Version}).Make(ctx, path); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	for name, write := range map[string]func() ([]byte, error){
		"sbom.cdx.json": func() ([]byte, error) { return sbom.Make(ctx, c.Root, info, c.Version) },
		"licenses.txt":  func() ([]byte, error) { return sbom.Licenses(ctx, c.Root, info) },
		"LICENSE":       func() ([]byte, error) { return os.ReadFile(filepath.Join(c.Root, "LICENSE")) },
		"NOTICE":        func() ([]byte, error) { return os.ReadFile(filepath.Join(c.Root, "NOTICE")) },
	} {
		text, err := write()
		if err == nil {
			err = os.WriteFile(filepath.Join(doc, name), text, 0o644)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	dockerfile, err := os.ReadFile(filepath.Join(c.Root, "deploy", "Dockerfile"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(c.Folder, "Dockerfile"), dockerfile, 0o644); err != nil {
		return err
	}
	return c.settle()
}

// settle gives every file the same time and plain rights, which become part
// of the image's layers.
func (c Context) settle() error {
	return filepath.WalkDir(c.Folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if d.IsDir() || path == filepath.Join(c.Folder, c.Arch, "drawbridge") {
			mode = 0o755
		}
		if err := os.Chmod(path, mode); err != nil {
			return err
		}
		return os.Chtimes(path, c.Epoch, c.Epoch)
	})
}
