// Package container tests the image in a container: that it starts, answers,
// and leaves as an orchestrator wants it to.
package container

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/moby/moby/client"
)

// engine is where containers run.
type engine struct {
	// hostNetwork: it can give containers no network of their own.
	hostNetwork bool
	stop        func()
}

// attempts are the flags with which dockerd is started, one after the other:
// inside of containers not everything works.
var attempts = []struct {
	flags       []string
	hostNetwork bool
}{
	{nil, false},
	{[]string{"--storage-driver=vfs"}, false},
	{[]string{"--storage-driver=vfs", "--iptables=false", "--ip6tables=false", "--bridge=none"}, true},
}

// start finds an engine that works, or starts one that lives as long as the
// tests: with folders of its own, so that nothing of the machine's is touched.
// Whether one works, only a container shows: works is asked to run one.
func start(ctx context.Context, works func(*engine) error) (*engine, error) {
	// The reaper is an image that would have to be pulled.
	setDefault("TESTCONTAINERS_RYUK_DISABLED", "true")
	if _, err := os.Stat("/.dockerenv"); err == nil {
		// The engine is beside us, not around us.
		setDefault("TESTCONTAINERS_HOST_OVERRIDE", "127.0.0.1")
	}
	var errs []error
	if err := answers(ctx, os.Getenv("DOCKER_HOST")); err == nil {
		for _, hostNetwork := range []bool{false, true} {
			e := &engine{hostNetwork: hostNetwork, stop: func() {}}
			if err = works(e); err == nil {
				return e, nil
			}
			errs = append(errs, fmt.Errorf("the engine that is there: %w", err))
		}
	}
	if os.Geteuid() != 0 {
		return nil, errors.Join(append(errs, errors.New("only root can start a container engine: start Docker, or set DOCKER_HOST"))...)
	}
	if err := install(ctx); err != nil {
		return nil, errors.Join(append(errs, err)...)
	}
	for _, a := range attempts {
		stop, err := dockerd(ctx, a.flags)
		if err == nil {
			e := &engine{hostNetwork: a.hostNetwork, stop: stop}
			if err = works(e); err == nil {
				return e, nil
			}
			stop()
		}
		errs = append(errs, fmt.Errorf("dockerd %s: %w", strings.Join(a.flags, " "), err))
	}
	return nil, errors.Join(errs...)
}

func setDefault(name, value string) {
	if os.Getenv(name) == "" {
		_ = os.Setenv(name, value)
	}
}

// answers asks an engine for its version.
func answers(ctx context.Context, host string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	options := []client.Opt{}
	if host != "" {
		options = append(options, client.WithHost(host))
	}
	c, err := client.New(options...)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Ping(ctx, client.PingOptions{})
	return err
}

// install gets Debian's engine where there is none.
func install(ctx context.Context) error {
	if _, err := exec.LookPath("dockerd"); err == nil {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("no container engine answers, and there is no apt-get to install one with")
	}
	for _, args := range [][]string{{"update", "-qq"}, {"install", "-y", "-qq", "--no-install-recommends", "docker.io", "iptables"}} {
		apt := exec.CommandContext(ctx, "apt-get", args...)
		apt.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := apt.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// dockerd starts an engine and waits until it answers.
func dockerd(ctx context.Context, flags []string) (stop func(), err error) {
	folder, err := os.MkdirTemp("", "drawbridge-engine")
	if err != nil {
		return nil, err
	}
	host := "unix://" + filepath.Join(folder, "engine.sock")
	// A file and no pipe, which a child that outlives the daemon would hold.
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	defer log.Close()
	daemon := exec.Command("dockerd", append([]string{
		"--host=" + host, "--data-root=" + filepath.Join(folder, "data"), "--exec-root=" + filepath.Join(folder, "exec"),
		"--pidfile=" + filepath.Join(folder, "pid"),
	}, flags...)...)
	daemon.Stdout, daemon.Stderr = log, log
	if err := daemon.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	ended := make(chan error, 1)
	go func() { ended <- daemon.Wait() }()
	stop = func() {
		_ = daemon.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			_ = daemon.Process.Kill()
			<-ended
		}
		_ = os.RemoveAll(folder)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if answers(ctx, host) == nil {
			return stop, os.Setenv("DOCKER_HOST", host)
		}
		select {
		case <-ended:
			err := fmt.Errorf("it ended: %s", last(log.Name()))
			return nil, errors.Join(err, os.RemoveAll(folder))
		default:
		}
		if time.Now().After(deadline) {
			err := fmt.Errorf("it does not answer within a minute: %s", last(log.Name()))
			stop()
			return nil, err
		}
	}
}

// last is the end of a log, which says most.
func last(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
