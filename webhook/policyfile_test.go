package webhook

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const policyHead = "apiVersion: drawbridge-dra.github.io/v1\nkind: AdmissionPolicy\n"

// lockedBuffer takes the log of a goroutine.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// mount puts the policy behind two links, as a kubelet mounts a ConfigMap, and
// returns the path and a function that puts another in its place.
func mount(t *testing.T, text string) (path string, change func(text string)) {
	t.Helper()
	folder := t.TempDir()
	number := 0
	change = func(text string) {
		t.Helper()
		number++
		version := filepath.Join(folder, "..v"+strings.Repeat("i", number))
		for _, err := range []error{
			os.Mkdir(version, 0o700),
			os.WriteFile(filepath.Join(version, "policy.yaml"), []byte(text), 0o600),
			os.Symlink(filepath.Base(version), filepath.Join(folder, "..new")),
			os.Rename(filepath.Join(folder, "..new"), filepath.Join(folder, "..data")),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	change(text)
	path = filepath.Join(folder, "policy.yaml")
	if err := os.Symlink(filepath.Join("..data", "policy.yaml"), path); err != nil {
		t.Fatal(err)
	}
	return path, change
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("%s has not happened", what)
}

// The verdict follows the file while reviews come; a file with faults, or none
// at all, leaves the policy as it was, and the log says so once.
func TestPolicyFileIsFollowed(t *testing.T) {
	path, change := mount(t, policyHead+"rules: {api/compatibility-groups-max: warn}")
	log := &lockedBuffer{}
	var mu sync.Mutex
	var told []bool
	follower, err := ReadPolicyFile(path, slog.New(slog.NewTextHandler(log, nil)), func(_ context.Context, used bool) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, used)
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		follower.Follow(ctx, time.Millisecond)
	}()
	defer func() { cancel(); <-done }()

	w := New(Config{Logger: quiet(), Policy: follower.Policy})
	review := file(t, "slice-create.json")
	allowed := func() bool { return answer(t, w.Mutate(), review).Allowed }
	if !allowed() {
		t.Fatal("the policy does not hold from the start")
	}
	change(policyHead + "rules: {}")
	eventually(t, "the new policy", func() bool { return !allowed() })

	change(policyHead + "rules: {api/*: wran}")
	eventually(t, "the refusal", func() bool { return strings.Contains(log.String(), "has faults") })
	if allowed() || !strings.Contains(log.String(), "line 3, column 16") {
		t.Errorf("the old policy is gone, or the line is not told: %s", log)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the loss of the file", func() bool { return strings.Contains(log.String(), "cannot be read") })
	if allowed() {
		t.Error("the old policy is gone")
	}
	if err := os.WriteFile(path, []byte(policyHead+"rules: {api/*: off}"), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the last policy", allowed)
	eventually(t, "that all is told", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(told) >= 4
	})
	if n := strings.Count(log.String(), "cannot be read"); n != 1 {
		t.Errorf("the same is told %d times", n)
	}
	if !told[0] || told[1] || told[2] || !told[len(told)-1] {
		t.Errorf("got %v", told)
	}
}

// A server does not start with a policy that it cannot follow.
func TestPolicyFileAtTheStart(t *testing.T) {
	path, _ := mount(t, policyHead+"rule: {}")
	if _, err := ReadPolicyFile(path, quiet(), nil); err == nil || !strings.Contains(err.Error(), "line 3, column 1") {
		t.Errorf("got %v", err)
	}
	if _, err := ReadPolicyFile(path+"x", quiet(), nil); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("got %v", err)
	}
	path, _ = mount(t, strings.Repeat("#", mostPolicyBytes+1))
	if _, err := ReadPolicyFile(path, quiet(), nil); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("got %v", err)
	}
}
