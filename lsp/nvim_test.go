package lsp

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/drawbridge-dra/drawbridge/core"
)

// blocks are the parts of docs/editors.md in a language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile("../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	if len(out) == 0 {
		t.Fatalf("docs/editors.md has no %s", language)
	}
	return out
}

// TestNeovim lets a real editor work with the real binary, set up with what
// docs/editors.md says. Without Neovim it fails: task programs installs it.
func TestNeovim(t *testing.T) {
	editor, err := exec.LookPath("nvim")
	if err != nil {
		t.Fatalf("%v: install Debian's neovim, or run the tests by task", err)
	}
	folder, bin := t.TempDir(), t.TempDir()
	write := func(path, text string) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	claimText, class, _ := strings.Cut(claim, "---\n")
	path := write(filepath.Join(folder, "claim.yaml"), claimText)
	write(filepath.Join(folder, "class.yaml"), class)
	snippet := write(filepath.Join(bin, "snippet.lua"), blocks(t, "lua")[0])
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "drawbridge"), "../cmd/drawbridge")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	ctx, cancel := context.WithTimeout(context.Background(), 5*patience)
	defer cancel()
	script, err := filepath.Abs("testdata/nvim.lua")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, editor, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile "+script)
	cmd.WaitDelay = 10 * time.Second
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "FOLDER="+folder, "SNIPPET="+snippet,
		"HOME="+home, "XDG_CACHE_HOME="+home, "XDG_STATE_HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	if out, err := cmd.CombinedOutput(); err != nil {
		log, _ := os.ReadFile(filepath.Join(home, "nvim", "lsp.log"))
		t.Fatalf("%v\n%s\n%s", err, out, log)
	}

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"🦑yy", "deviceClassName: gpu.example.com\n        allocationMode: All\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	result, err := core.Validate(context.Background(), append(text, "---\n"+class...), core.Options{})
	if err != nil || len(result.Diagnostics) > 0 {
		t.Errorf("%v, %+v of\n%s", err, result.Diagnostics, text)
	}
}

// The VS Code extension of the document is well formed, and its settings are
// those that the server knows.
func TestExtension(t *testing.T) {
	var manifest struct {
		Main        string
		Contributes struct {
			Configuration struct {
				Properties map[string]struct{ Default json.RawMessage }
			}
		}
	}
	if err := json.Unmarshal([]byte(blocks(t, "json")[0]), &manifest); err != nil {
		t.Fatal(err)
	}
	properties := manifest.Contributes.Configuration.Properties
	if len(properties) != 4 || manifest.Main != "./extension.js" {
		t.Errorf("got %+v", manifest)
	}
	want := map[string]bool{"kubernetesVersion": true, "featureGates": true, "scope": true, "rulesURL": true}
	values := map[string]json.RawMessage{}
	for name, p := range properties {
		key := strings.TrimPrefix(name, section+".")
		if !want[key] {
			t.Errorf("the server has no setting %s", name)
		}
		values[key] = p.Default
	}
	raw, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	// What it says where nobody chose must not look like a choice.
	var settings Settings
	if err := settings.read(raw, Settings{}); err != nil || settings != (Settings{}) {
		t.Errorf("got %+v, %v", settings, err)
	}
	script := filepath.Join(t.TempDir(), "extension.js")
	if err := os.WriteFile(script, []byte(blocks(t, "js")[0]), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("node", "--check", script).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
