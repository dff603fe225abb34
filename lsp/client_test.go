package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/sourcegraph/jsonrpc2"
)

// patience is how long the tests wait for something to happen.
const patience = time.Minute

// client is an editor's side of a connection, with the library's own framing.
type client struct {
	t       *testing.T
	conn    *jsonrpc2.Conn
	found   chan publishParams
	shown   chan string
	asked   chan string
	setting chan any
	ended   chan error
	texts   map[string]string
}

type pipes struct {
	io.Reader
	io.WriteCloser
	other io.Closer
}

func (p pipes) Close() error { return errors.Join(p.WriteCloser.Close(), p.other.Close()) }

// start runs a server and connects to it.
func start(t *testing.T, opts Options) *client {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	c := &client{
		t: t, found: make(chan publishParams, 1000), shown: make(chan string, 100), asked: make(chan string, 100),
		setting: make(chan any, 10), ended: make(chan error, 1), texts: map[string]string{},
	}
	go func() { c.ended <- Serve(context.Background(), toServer, fromServer, opts) }()
	codec := jsonrpc2.VSCodeObjectCodec{}
	c.conn = jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(pipes{toClient, fromClient, toClient}, codec), jsonrpc2.AsyncHandler(c))
	t.Cleanup(func() { _ = c.conn.Close() })
	return c
}

// Handle takes what the server has to say.
func (c *client) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	switch r.Method {
	case "textDocument/publishDiagnostics":
		var p publishParams
		if err := json.Unmarshal(*r.Params, &p); err != nil {
			c.t.Error(err)
		}
		c.found <- p
	case "window/showMessage":
		var p struct{ Message string }
		if err := json.Unmarshal(*r.Params, &p); err != nil {
			c.t.Error(err)
		}
		c.shown <- p.Message
	case "workspace/configuration":
		_ = conn.Reply(ctx, r.ID, []any{<-c.setting})
	default:
		c.asked <- r.Method
		if !r.Notif {
			_ = conn.Reply(ctx, r.ID, nil)
		}
	}
}

func (c *client) call(method string, params, result any) {
	c.t.Helper()
	if err := c.try(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) try(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return c.conn.Call(ctx, method, params, result)
}

func (c *client) tell(method string, params any) {
	c.t.Helper()
	if err := c.conn.Notify(context.Background(), method, params); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

type object = map[string]any

// initialize begins with capabilities, and returns those of the server.
func (c *client) initialize(capabilities object, folder string) object {
	c.t.Helper()
	params := object{"processId": nil, "capabilities": capabilities}
	if folder != "" {
		params["workspaceFolders"] = []any{object{"uri": uriOf(folder), "name": "w"}}
	}
	var result struct{ Capabilities object }
	c.call("initialize", params, &result)
	c.tell("initialized", object{})
	return result.Capabilities
}

func (c *client) openText(uri, text string) {
	c.t.Helper()
	c.texts[uri] = text
	c.tell("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
}

// edit makes changes here and lets the server make them.
func (c *client) edit(uri string, version int, edits ...textEdit) {
	c.t.Helper()
	var changes []any
	for _, e := range edits {
		c.texts[uri] = applied(c.t, c.texts[uri], []textEdit{e})
		changes = append(changes, object{"range": e.Range, "text": e.NewText})
	}
	c.tell("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": version}, "contentChanges": changes})
}

// await waits for findings that are as they should be.
func (c *client) await(uri string, good func(publishParams) bool) publishParams {
	c.t.Helper()
	deadline := time.After(patience)
	var last publishParams
	for {
		select {
		case p := <-c.found:
			last = p
			if p.URI == uri && good(p) {
				return p
			}
		case <-deadline:
			c.t.Fatalf("the findings of %s are never as they should be; the last were %+v", uri, last)
		}
	}
}

func (c *client) end() error {
	c.t.Helper()
	select {
	case err := <-c.ended:
		return err
	case <-time.After(patience):
		c.t.Fatal("the server does not end")
		return nil
	}
}

// message is the next that is shown to the person.
func (c *client) message() string {
	c.t.Helper()
	select {
	case text := <-c.shown:
		return text
	case <-time.After(patience):
		c.t.Fatal("nothing is shown")
		return ""
	}
}

// codes are those of findings.
func codes(list []diagnostic) []string {
	out := []string{}
	for _, d := range list {
		out = append(out, d.Code)
	}
	return out
}

// has waits for a version with exactly these findings.
func has(version int32, want ...string) func(publishParams) bool {
	return func(p publishParams) bool {
		return p.Version != nil && *p.Version == version && slices.Equal(codes(p.Diagnostics), append([]string{}, want...))
	}
}

// offsetIn finds a position in UTF-16 units, in a way of its own.
func offsetIn(t *testing.T, text string, p position) int {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	if int(p.Line) >= len(lines) {
		t.Fatalf("line %d of %d", p.Line, len(lines))
	}
	units := utf16.Encode([]rune(lines[p.Line]))
	if int(p.Character) > len(units) {
		t.Fatalf("character %d of %d in line %d", p.Character, len(units), p.Line)
	}
	return len(strings.Join(lines[:p.Line], "")) + len(string(utf16.Decode(units[:p.Character])))
}

// applied is a text after edits, which do not overlap.
func applied(t *testing.T, text string, edits []textEdit) string {
	t.Helper()
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b textEdit) int { return offsetIn(t, text, b.Range.Start) - offsetIn(t, text, a.Range.Start) })
	for _, e := range edits {
		text = text[:offsetIn(t, text, e.Range.Start)] + e.NewText + text[offsetIn(t, text, e.Range.End):]
	}
	return text
}

// part is what stands in a range.
func within16(t *testing.T, text string, r textRange) string {
	t.Helper()
	return text[offsetIn(t, text, r.Start):offsetIn(t, text, r.End)]
}

// spot is the range of the first occurrence of a text, in UTF-16 units.
func spot(t *testing.T, text, what string) textRange {
	t.Helper()
	at := strings.Index(text, what)
	if at < 0 {
		t.Fatalf("%q is not there", what)
	}
	find := func(at int) position {
		begin := strings.LastIndexByte(text[:at], '\n') + 1
		return position{uint32(strings.Count(text[:at], "\n")), uint32(len(utf16.Encode([]rune(text[begin:at]))))}
	}
	return textRange{find(at), find(at + len(what))}
}

func uriParams(uri string) object { return object{"textDocument": object{"uri": uri}} }

func placeAt(uri string, p position) object {
	return object{"textDocument": object{"uri": uri}, "position": p}
}
