package cluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// program is one executable of the control plane.
type program struct {
	name string
	// pkg is its main package, a tool of the module in dir.
	pkg string
	// dir is relative to this package.
	dir string
	// ldflags are those of a release: kubectl cannot read the version of an
	// API server that has none.
	ldflags string
}

const kubernetesVersion = "v1.37.2"

const kubernetesLdflags = "-s -w -X k8s.io/component-base/version.gitVersion=" + kubernetesVersion

var programs = []program{
	{"etcd", "go.etcd.io/etcd/server/v3", "etcd", "-s -w"},
	{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver", "..", kubernetesLdflags},
	{"kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager", "..", kubernetesLdflags},
	{"kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler", "..", kubernetesLdflags},
	{"kubectl", "k8s.io/kubernetes/cmd/kubectl", "..", kubernetesLdflags},
}

// sourceDir is where this package stands, which is where its modules are.
func sourceDir() (string, error) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "", errors.New("the place of the package is not in the binary: build without -trimpath")
	}
	return filepath.Dir(file), nil
}

// Build compiles the programs, unless that was done before with the same
// versions, and returns the directory that holds them. The first time it
// takes minutes.
func Build(ctx context.Context) (string, error) {
	source, err := sourceDir()
	if err != nil {
		return "", err
	}
	cache := filepath.Join(source, "..", "..", ".task", "controlplane")
	key, err := buildKey(source)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, key)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	// Test packages run at the same time; one of them builds, the rest wait.
	unlock, err := lock(filepath.Join(cache, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	for _, p := range programs {
		if _, err := os.Stat(filepath.Join(dir, p.name)); err == nil {
			continue
		}
		if err := p.build(ctx, source, dir); err != nil {
			return "", err
		}
	}
	return dir, prune(cache, key)
}

// prune removes what was built from other versions: 250 MB each.
func prune(cache, keep string) error {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != keep {
			err = errors.Join(err, os.RemoveAll(filepath.Join(cache, e.Name())))
		}
	}
	return err
}

func (p program) build(ctx context.Context, source, dir string) error {
	// Written aside first, so that a build that is cut short leaves nothing
	// that looks finished.
	partial := filepath.Join(dir, p.name+".partial")
	// With the flags of the tests, so that they share what is compiled.
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags="+p.ldflags, "-o", partial, p.pkg)
	cmd.Dir = filepath.Join(source, p.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", p.name, err, out)
	}
	return os.Rename(partial, filepath.Join(dir, p.name))
}

// buildKey changes with everything that the programs are built from.
func buildKey(source string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), runtime.GOOS, runtime.GOARCH, programs)
	for _, p := range programs {
		for _, file := range []string{"go.mod", "go.sum"} {
			text, err := os.ReadFile(filepath.Join(source, p.dir, file))
			if err != nil {
				return "", err
			}
			sum.Write(text)
		}
	}
	return fmt.Sprintf("%s-%x", strings.TrimPrefix(kubernetesVersion, "v"), sum.Sum(nil)[:6]), nil
}

func lock(name string) (unlock func(), err error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		file.Close()
		return nil, err
	}
	return func() { file.Close() }, nil
}
