package main

import (
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what is printed into the scripts")

// folder holds the binary that all tests run.
var folder string

func TestMain(m *testing.M) {
	code := 1
	var err error
	if folder, err = os.MkdirTemp("", "drawbridge"); err == nil {
		code = m.Run()
		err = os.RemoveAll(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// TestScripts runs what is in testdata/script: commands as they are typed, with
// what they print and how they end.
func TestScripts(t *testing.T) {
	path := filepath.Dir(binary(t))
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		// What a process ends with is promised, so the scripts say it.
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"ends": ends, "unhex": unhex, "apiserver": apiserver(t)},
		Setup: func(e *testscript.Env) error {
			e.Setenv("NO_COLOR", "")
			e.Setenv("PATH", path+string(os.PathListSeparator)+e.Getenv("PATH"))
			return nil
		},
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// ends runs a command and compares its exit code: ends CODE COMMAND ARGS...
func ends(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: ends CODE COMMAND ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			ts.Fatalf("%v", err)
		}
		got = failed.ExitCode()
	}
	if got != want {
		ts.Fatalf("it ends with %d, not %d", got, want)
	}
}

// unhex writes bytes that a script cannot hold: unhex FROM TO
func unhex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unhex FROM TO")
	}
	text, err := hex.DecodeString(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text, 0o644))
}
