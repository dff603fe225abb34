// Package binary builds the commands as they are passed on: static, and the
// same bytes wherever and whenever they are built from the same sources with
// the same Go.
package binary

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Build is one command for one platform.
type Build struct {
	Root     string // the checkout
	Command  string // a folder of cmd/
	OS, Arch string
	Version  string // that the binary tells; empty: that of the build
	Commit   string // likewise
}

const variables = "github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli."

// Make writes the binary: no paths of this machine, no version control, no C.
func (b Build) Make(ctx context.Context, path string) error {
	flags := "-s -w -buildid="
	// In this order always: the flags become part of the build information.
	if b.Version != "" {
		flags += " -X " + variables + "version=" + b.Version
	}
	if b.Commit != "" {
		flags += " -X " + variables + "commit=" + b.Commit
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags="+flags, "-o", path, "./cmd/"+b.Command)
	build.Dir = b.Root
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+b.OS, "GOARCH="+b.Arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s for %s/%s: %w\n%s", b.Command, b.OS, b.Arch, err, out)
	}
	return nil
}
