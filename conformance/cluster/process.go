package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// process is a program that runs. Its output goes to a file.
type process struct {
	name string
	log  string
	cmd  *exec.Cmd
	// done is closed once it has ended, err says how.
	done chan struct{}
	err  error
}

func start(name, path, logs string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(logs, name+".log"), done: make(chan struct{})}
	file, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p.cmd = exec.Command(path, args...)
	p.cmd.Stdout, p.cmd.Stderr = file, file
	p.cmd.SysProcAttr = attributes()
	started := make(chan error)
	go func() {
		// Who asks the kernel to end a child together with its parent means
		// the thread that started it, so that one has to stay.
		release := keepThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			close(p.done)
		}
		release()
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return p, nil
}

// ended is nil for a process that still runs.
func (p *process) ended() error {
	select {
	case <-p.done:
		return fmt.Errorf("%s has ended (%v); the end of its log:\n%s", p.name, p.err, tail(p.log))
	default:
		return nil
	}
}

// stop asks politely, waits, and then does not ask.
func (p *process) stop(patience time.Duration) error {
	group := -p.cmd.Process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM)
	select {
	case <-p.done:
		return nil
	case <-time.After(patience):
	}
	if err := syscall.Kill(group, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("killing %s: %w", p.name, err)
	}
	<-p.done
	return nil
}

// tail is the end of a log, without what every start says.
func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	const most = 25
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if len(lines) > most {
		lines = lines[len(lines)-most:]
	}
	return string(bytes.Join(lines, []byte("\n")))
}
