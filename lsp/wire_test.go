package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

func framed(messages ...string) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	return b.String()
}

const (
	hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":null,"capabilities":{}}}`
	bye   = `{"jsonrpc":"2.0","id":99,"method":"shutdown"}`
	exit  = `{"jsonrpc":"2.0","method":"exit"}`
)

// talk lets a server read what is given and returns what it wrote.
func talk(t *testing.T, input string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() { ended <- Serve(context.Background(), strings.NewReader(input), &out, Options{}) }()
	select {
	case err := <-ended:
		return out.String(), err
	case <-time.After(patience):
		t.Fatal("the server does not end")
		return "", nil
	}
}

func TestWire(t *testing.T) {
	for _, tt := range []struct {
		name, input string
		want        []string
		err         error
	}{
		{"as it should be", framed(hello, bye, exit), []string{`"id":0`, `"hoverProvider":true`, `"result":null`}, nil},
		{"no shutdown", framed(hello, exit), nil, errNoShutdown},
		{"cut off", framed(hello), nil, errNoShutdown},
		{"cut off inside", framed(hello)[:70], nil, errNoShutdown},
		{"cut off after the shutdown", framed(hello, bye), nil, nil},
		{"nothing", "", nil, errNoShutdown},
		{"too early", framed(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover"}`, hello), []string{`-32002`, `"id":7`}, errNoShutdown},
		{"too late", framed(hello, bye, `{"jsonrpc":"2.0","id":8,"method":"textDocument/hover"}`, exit), []string{`-32600`, `"id":8`}, nil},
		{"twice", framed(hello, strings.Replace(hello, `"id":0`, `"id":"b"`, 1)), []string{`-32600`, `"id":"b"`}, errNoShutdown},
		{"unknown", framed(hello, `{"jsonrpc":"2.0","id":9,"method":"textDocument/dance"}`, `{"jsonrpc":"2.0","method":"$/dance"}`, bye), []string{`-32601`}, nil},
		{"not open", framed(hello, `{"jsonrpc":"2.0","id":9,"method":"textDocument/hover","params":{"textDocument":{"uri":"a"}}}`, bye), []string{`-32602`}, nil},
		{"wrong parameters", framed(hello, `{"jsonrpc":"2.0","id":9,"method":"textDocument/hover","params":[1]}`, bye), []string{`-32602`}, nil},
		{"wrong notification", framed(hello, `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":7}`, bye), nil, nil},
		{"not JSON", framed("{oops", hello, bye), []string{`-32700`, `"id":null`, `"result":null`}, nil},
		{"neither", framed(`{"jsonrpc":"2.0"}`, `[1]`, `7`, hello, bye), []string{`-32600`, `"result":null`}, nil},
		{"other headers", strings.ReplaceAll(framed(hello, bye), "\r\n\r\n", "\r\nContent-Type: x; charset=utf-8\r\n\r\n"), []string{`"result":null`}, nil},
		{"no length", "X: y\r\n\r\n", nil, errNoShutdown},
		{"a length of words", "Content-Length: many\r\n\r\n", nil, errNoShutdown},
		{"a length below nothing", "Content-Length: -1\r\n\r\n", nil, errNoShutdown},
		{"a huge length", "Content-Length: 9999999999\r\n\r\n", nil, errNoShutdown},
		{"a long header", strings.Repeat("x", 1<<20), nil, errNoShutdown},
		{"many headers", strings.Repeat("x: y\r\n", 1<<16), nil, errNoShutdown},
		{"a shell", "ls -la\n\n", nil, errNoShutdown},
	} {
		out, err := talk(t, tt.input)
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: ended with %v", tt.name, err)
		}
		for _, want := range tt.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %s in %s", tt.name, want, out)
			}
		}
	}
}

// gate is a disk that keeps everybody waiting.
type gate struct {
	waiting chan string
	open    chan struct{}
}

func (g gate) List(context.Context, string, bool) ([]string, bool) {
	g.waiting <- "here"
	<-g.open
	return nil, true
}

func (gate) Read(string, string) ([]byte, string, error) { return nil, "", io.EOF }

// A request that is cancelled is answered at once, and neither it nor the
// answers to older texts keep anybody waiting.
func TestCancel(t *testing.T) {
	g := gate{make(chan string, 100), make(chan struct{})}
	c := start(t, Options{Disk: g})
	// It pulls, so that nobody else comes to the gate.
	c.initialize(object{"textDocument": object{"diagnostic": object{}}}, "")
	const uri = "file:///nowhere/a.yaml"
	c.openText(uri, claim)
	slots := max(2, runtime.GOMAXPROCS(0))
	answers := make([]chan error, slots+2)
	ask := func(i int) {
		answers[i] = make(chan error, 1)
		id := jsonrpc2.PickID(jsonrpc2.ID{Num: uint64(1000 + i)})
		call, err := c.conn.DispatchCall(context.Background(), "textDocument/hover", placeAt(uri, position{0, 1}), id)
		if err != nil {
			t.Fatal(err)
		}
		go func() { answers[i] <- call.Wait(context.Background(), nil) }()
	}
	for i := range slots {
		ask(i)
		<-g.waiting
	}
	code := func(i int) int64 {
		t.Helper()
		select {
		case err := <-answers[i]:
			var wrong *jsonrpc2.Error
			if errors.As(err, &wrong) {
				return wrong.Code
			}
			return 0
		case <-time.After(patience):
			t.Fatal("no answer")
			return 0
		}
	}
	cancel := func(i int) { c.tell("$/cancelRequest", object{"id": 1000 + i}) }
	ask(slots) // waits for its turn
	cancel(slots)
	if got := code(slots); got != codeCancelled {
		t.Errorf("got %d", got)
	}
	cancel(0)
	if got := code(0); got != codeCancelled {
		t.Errorf("got %d", got)
	}
	cancel(4711) // of nobody
	ask(slots + 1)
	c.edit(uri, 2, textEdit{textRange{}, "# new\n"})
	_ = c.try("textDocument/dance", nil, nil)
	close(g.open)
	if got := code(slots + 1); got != codeContentModified {
		t.Errorf("got %d", got)
	}
	for i := 1; i < slots; i++ {
		if got := code(i); got != 0 {
			t.Errorf("request %d: got %d", i, got)
		}
	}
}

// What fails while it answers does not take the server along.
type broken struct{}

func (broken) List(context.Context, string, bool) ([]string, bool) { panic("broken") }

func (broken) Read(string, string) ([]byte, string, error) { return nil, "", io.EOF }

func TestPanic(t *testing.T) {
	c := start(t, Options{Disk: broken{}})
	c.initialize(object{}, "")
	const uri = "file:///nowhere/a.yaml"
	c.openText(uri, claim)
	for range 3 {
		var wrong *jsonrpc2.Error
		if err := c.try("textDocument/hover", placeAt(uri, position{0, 1}), nil); !errors.As(err, &wrong) || wrong.Code != jsonrpc2.CodeInternalError {
			t.Errorf("got %v", err)
		}
	}
	var symbols []symbolInformation
	c.call("textDocument/documentSymbol", uriParams(uri), &symbols)
	if len(symbols) != 3 || symbols[1].ContainerName != "gpu" {
		t.Errorf("got %+v", symbols)
	}
}

// The server does not outlive its editor.
func TestOrphan(t *testing.T) {
	parent := exec.Command("sleep", "600")
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	c := start(t, Options{})
	c.call("initialize", object{"processId": parent.Process.Pid, "capabilities": object{}}, nil)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	if err := c.end(); !errors.Is(err, errOrphaned) {
		t.Errorf("ended with %v", err)
	}
}

// FuzzServe lets the server read anything, and each line as a message.
func FuzzServe(f *testing.F) {
	f.Add(framed(hello, bye, exit))
	f.Add("Content-Length: 3\r\n\r\n{}}")
	f.Add(strings.Join([]string{
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"u:a","languageId":"yaml","version":1,"text":"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec:\n  🧠"}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"u:a","version":2},"contentChanges":[{"range":{"start":{"line":3,"character":3},"end":{"line":1,"character":99}},"text":"\r\n"}]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"textDocument/completion","params":{"textDocument":{"uri":"u:a"},"position":{"line":2,"character":4}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"textDocument/codeAction","params":{"textDocument":{"uri":"u:a"},"range":{"start":{"line":0,"character":0},"end":{"line":9,"character":0}},"context":{"diagnostics":[]}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"textDocument/formatting","params":{"textDocument":{"uri":"u:a"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"workspace/executeCommand","params":{"command":"drawbridge.explain","arguments":["u:a",{"pod":"a/b"}]}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":4}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"drawbridge":{"featureGates":{"A":true}}}}}`,
	}, "\n"))
	f.Fuzz(func(t *testing.T, input string) {
		if len(input) > 1<<16 {
			return // longer than what tells anything new
		}
		_, _ = talk(t, input)
		messages := []string{hello}
		for line := range strings.SplitSeq(input, "\n") {
			var m map[string]any
			if json.Unmarshal([]byte(line), &m) == nil && (m["method"] == "exit" || m["method"] == "shutdown") {
				continue // the end comes later
			}
			messages = append(messages, line)
		}
		if out, err := talk(t, framed(append(messages, bye)...)); err != nil || !strings.Contains(out, `"id":99`) {
			t.Errorf("it did not live to its end: %v\n%s", err, out)
		}
	})
}

// BenchmarkFindings works out what is found in 20 documents after each change.
func BenchmarkFindings(b *testing.B) {
	text := strings.Repeat(claim+"---\n", 10)
	for i := range 10 {
		text = strings.Replace(text, "name: gpu\n", fmt.Sprintf("name: gpu-%d\n", i), 1)
	}
	s := newServer(context.Background(), nil, Options{})
	for b.Loop() {
		d := &document{uri: "file:///a.yaml", path: "/a.yaml", language: "yaml", serial: s.serial()}
		d.read([]byte(text))
		w := *s.now()
		w.put(d)
		if _, err := s.findings(context.Background(), &w, d); err != nil {
			b.Fatal(err)
		}
	}
}
