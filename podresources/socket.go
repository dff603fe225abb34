package podresources

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// socketMode lets nobody else connect.
const socketMode fs.FileMode = 0o600

// Listen makes a socket that only this user can connect to. It never takes the
// place of anything but a socket that an earlier run left behind.
func Listen(path string) (net.Listener, error) {
	if err := free(path); err != nil {
		return nil, err
	}
	// It comes to life in a directory of its own, so that at no time others can
	// connect, and is then moved.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".dra")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	born := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: born, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("%w (a path of a socket has at most about 100 bytes, and 16 of them are needed for a moment)", err)
	}
	l.SetUnlinkOnClose(false)
	out := &listener{UnixListener: l, path: path}
	if out.info, err = move(born, path); err != nil {
		_ = l.Close() // the first error counts
		return nil, fmt.Errorf("%s cannot be made: %w", path, err)
	}
	return out, nil
}

// move gives a socket its mode and its place, where nothing may be.
func move(from, to string) (os.FileInfo, error) {
	if err := os.Chmod(from, socketMode); err != nil {
		return nil, err
	}
	info, err := os.Lstat(from)
	if err != nil {
		return nil, err
	}
	return info, os.Link(from, to)
}

// free makes sure that there is nothing at a path, and removes a socket that an
// earlier run left behind.
func free(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s exists and is no socket; name another path", path)
	}
	if c, err := net.Dial("unix", path); err == nil {
		_ = c.Close() // nothing was said
		return fmt.Errorf("somebody listens on %s already; end that, or name another path", path)
	}
	if info.Mode().Perm() != socketMode || !mine(info) {
		return fmt.Errorf("%s is a socket of somebody else; remove it, or name another path", path)
	}
	return os.Remove(path)
}

// listener takes its socket away at the end, if it is still there.
type listener struct {
	*net.UnixListener
	path string
	info os.FileInfo
	once sync.Once
}

// Close ends listening.
func (l *listener) Close() error {
	err := l.UnixListener.Close()
	l.once.Do(func() {
		if now, e := os.Lstat(l.path); e == nil && os.SameFile(now, l.info) {
			err = errors.Join(err, os.Remove(l.path))
		}
	})
	return err
}

// Addr is where clients connect.
func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: l.path, Net: "unix"} }
