package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sourcegraph/jsonrpc2"
)

// everything is what an able editor can do.
var everything = object{
	"workspace": object{"workspaceEdit": object{"documentChanges": true}},
	"textDocument": object{
		"publishDiagnostics": object{
			"relatedInformation": true, "codeDescriptionSupport": true, "dataSupport": true, "tagSupport": object{"valueSet": []int{1, 2}},
		},
		"completion": object{"completionItem": object{
			"snippetSupport": true, "documentationFormat": []string{"markdown"}, "insertTextModeSupport": object{"valueSet": []int{1, 2}},
		}},
		"hover":          object{"contentFormat": []string{"markdown", "plaintext"}},
		"documentSymbol": object{"hierarchicalDocumentSymbolSupport": true},
	},
}

const claim = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: gpu
  annotations: {note: "🧠🧠 thinks", other: "x"}
spec:
  devices:
    requests:
    - name: one
      exactly:
        deviceClassName: gpu.example.com
        count: 1
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: gpu.example.com
`

// TestSession is an hour at the editor.
func TestSession(t *testing.T) {
	c := start(t, Options{Version: "v9"})
	offered := c.initialize(everything, "")
	if offered["positionEncoding"] != "utf-16" || offered["diagnosticProvider"] != nil {
		t.Errorf("got %v", offered)
	}
	const uri = "untitled:one"
	c.openText(uri, claim)
	c.await(uri, has(1))

	// Typing beside characters of two units each, and a mistake.
	// The second change counts on the first.
	grown := strings.Replace(claim, "thinks", "thinks é🦑", 1)
	c.edit(uri, 2, textEdit{spot(t, claim, "thinks"), "thinks é🦑"}, textEdit{spot(t, grown, `"x"`), `"y"`})
	c.edit(uri, 3, textEdit{spot(t, c.texts[uri], "count: 1"), "count: -1"})
	p := c.await(uri, has(3, "api/count"))
	d := p.Diagnostics[0]
	if got := within16(t, c.texts[uri], d.Range); got != "-1" {
		t.Errorf("the finding is at %q", got)
	}
	if d.Severity != 1 || d.Source != "drawbridge" || d.CodeDescription == nil || d.CodeDescription.Href != defaultRules+"#api-count" ||
		d.Data == nil || d.Data.Object != "ResourceClaim gpu" || !strings.Contains(d.Message, "must be 1 or more") {
		t.Errorf("got %+v", d)
	}

	// The fix that is offered makes the text valid.
	params := uriParams(uri)
	params["range"] = d.Range
	params["context"] = object{"diagnostics": p.Diagnostics, "only": []string{"quickfix"}}
	var actions []codeAction
	c.call("textDocument/codeAction", params, &actions)
	if len(actions) != 1 || len(actions[0].Diagnostics) != 1 || len(actions[0].Edit.DocumentChanges) != 1 || actions[0].Title != "Remove count" {
		t.Fatalf("got %+v", actions)
	}
	change := actions[0].Edit.DocumentChanges[0]
	if change.TextDocument.URI != uri || *change.TextDocument.Version != 3 {
		t.Errorf("got %+v", change.TextDocument)
	}
	c.edit(uri, 4, change.Edits...)
	c.await(uri, has(4))
	if strings.Contains(c.texts[uri], "count") {
		t.Error(c.texts[uri])
	}

	// Behind two characters of two units each columns are still right.
	c.edit(uri, 5, textEdit{spot(t, c.texts[uri], `"y"`), `"y", wrong: [z]`})
	p = c.await(uri, func(p publishParams) bool { return *p.Version == 5 && len(p.Diagnostics) > 0 })
	if got := within16(t, c.texts[uri], p.Diagnostics[0].Range); got != "wrong: [z]" {
		t.Errorf("the finding is at %q", got)
	}

	c.tell("textDocument/didClose", uriParams(uri))
	if p := c.await(uri, func(p publishParams) bool { return len(p.Diagnostics) == 0 }); p.Version != nil {
		t.Errorf("got %+v", p)
	}
	c.call("shutdown", nil, nil)
	c.tell("exit", nil)
	if err := c.end(); err != nil {
		t.Error(err)
	}
}

func TestHelp(t *testing.T) {
	c := start(t, Options{})
	c.initialize(everything, "")
	const uri = "file:///nowhere/one.yaml"
	text := strings.Replace(claim, "        count: 1\n", "        cou\n        selectors:\n        - cel:\n            expression: device.\n", 1)
	c.openText(uri, text)

	var h hover
	c.call("textDocument/hover", placeAt(uri, spot(t, text, "deviceClassName").Start), &h)
	if h.Contents.Kind != "markdown" || !strings.HasPrefix(h.Contents.Value, "**spec.devices.requests.exactly.deviceClassName**") ||
		!strings.Contains(h.Contents.Value, "("+defaultRules+"#api-") || h.Range == nil || within16(t, text, *h.Range) != "deviceClassName" {
		t.Errorf("got %+v", h)
	}
	var nothing *hover
	c.call("textDocument/hover", placeAt(uri, spot(t, text, "---").End), &nothing)
	if nothing != nil {
		t.Errorf("got %+v", nothing)
	}

	proposals := func(at position, label string) completionItem {
		t.Helper()
		var list completionList
		c.call("textDocument/completion", placeAt(uri, at), &list)
		i := slices.IndexFunc(list.Items, func(item completionItem) bool { return item.Label == label })
		if i < 0 {
			t.Fatalf("no %s among %d proposals", label, len(list.Items))
		}
		return list.Items[i]
	}
	item := proposals(spot(t, text, "cou").End, "count")
	if item.InsertTextMode != asIs || item.Kind != 5 || item.Documentation == nil {
		t.Errorf("got %+v", item)
	}
	got := applied(t, text, []textEdit{*item.TextEdit})
	if !strings.Contains(got, "        count: \n") && !strings.Contains(got, "        count: $0\n") {
		t.Errorf("accepted: %q", item.TextEdit.NewText)
	}
	item = proposals(spot(t, text, "gpu.example.com\n").Start, "gpu.example.com")
	if item.Kind != 18 || within16(t, text, item.TextEdit.Range) != "gpu.example.com" {
		t.Errorf("got %+v", item)
	}
	item = proposals(spot(t, text, "device.\n").Start.plus(7), "driver")
	if item.InsertTextFormat != asPlain {
		t.Errorf("got %+v", item)
	}
	// On the empty line at the end, a field with what is in it.
	const short = "file:///nowhere/two.yaml"
	c.openText(short, "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\n")
	var list completionList
	c.call("textDocument/completion", placeAt(short, position{3, 0}), &list)
	if len(list.Items) == 0 || list.Items[0].Label != "spec" || list.Items[0].InsertTextFormat != asSnippet ||
		!strings.HasPrefix(list.Items[0].TextEdit.NewText, "spec:\n  devices:\n    requests:\n    - name: $0\n") {
		t.Errorf("got %q", list.Items[0].TextEdit.NewText)
	}

	var places []location
	c.call("textDocument/definition", placeAt(uri, spot(t, text, "gpu.example.com").Start), &places)
	if len(places) != 1 || places[0].Range != (textRange{position{19, 8}, position{19, 23}}) {
		t.Errorf("got %+v", places)
	}
	references := placeAt(uri, places[0].Range.Start)
	references["context"] = object{"includeDeclaration": false}
	c.call("textDocument/references", references, &places)
	if len(places) != 1 || places[0].Range != spot(t, text, "gpu.example.com") {
		t.Errorf("got %+v", places)
	}

	var symbols []documentSymbol
	c.call("textDocument/documentSymbol", uriParams(uri), &symbols)
	if len(symbols) != 2 || symbols[0].Name != "gpu" || symbols[0].Detail != "ResourceClaim" || len(symbols[0].Children) != 1 ||
		within16(t, text, symbols[0].Children[0].SelectionRange) != "one" {
		t.Errorf("got %+v", symbols)
	}
}

// Objects and their parts can be folded to their first line.
func TestFolding(t *testing.T) {
	c := start(t, Options{})
	if offered := c.initialize(everything, ""); offered["foldingRangeProvider"] != true {
		t.Errorf("got %v", offered)
	}
	const uri = "untitled:folds"
	c.openText(uri, claim)
	var folds []fold
	c.call("textDocument/foldingRange", uriParams(uri), &folds)
	if want := []fold{{0, 11, "region"}, {8, 11, "region"}, {13, 16, "region"}}; !slices.Equal(folds, want) {
		t.Errorf("got %v, want %v", folds, want)
	}
}

func (p position) plus(n uint32) position { return position{p.Line, p.Character + n} }

func TestFormatting(t *testing.T) {
	c := start(t, Options{})
	c.initialize(everything, "")
	for name, newline := range map[string]string{"lf": "\n", "crlf": "\r\n"} {
		uri := "file:///nowhere/" + name + ".yaml"
		text := strings.ReplaceAll("# 🦑\napiVersion: v1\nkind: Namespace\nmetadata:\n      name: a\n# end\n", "\n", newline)
		c.openText(uri, text)
		var edits []textEdit
		c.call("textDocument/formatting", uriParams(uri), &edits)
		want := strings.ReplaceAll("# 🦑\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n# end\n", "\n", newline)
		if got := applied(t, text, edits); got != want || len(edits) != 1 || edits[0].Range.Start.Line != 4 {
			t.Errorf("%s: %q by %+v", name, got, edits)
		}
	}
}

// A whole folder counts by default, a setting can narrow that, and what
// changes on the disk is seen.
func TestScopes(t *testing.T) {
	folder := t.TempDir()
	claimText, class, _ := strings.Cut(claim, "---\n")
	classPath := filepath.Join(folder, "sub", "class.yaml")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(classPath, class)
	write(filepath.Join(folder, "sub", "values.yaml"), "apiVersions: [1]\n{{ nothing to read }}\n")
	able := object{"workspace": object{
		"configuration": true, "didChangeWatchedFiles": object{"dynamicRegistration": true}, "didChangeConfiguration": object{"dynamicRegistration": true},
	}}
	c := start(t, Options{Disk: Files{}})
	c.setting <- nil
	c.initialize(able, folder)
	uri := uriOf(filepath.Join(folder, "sub", "claim 1.yaml"))
	c.openText(uri, claimText)
	c.await(uri, has(1))
	var places []location
	c.call("textDocument/definition", placeAt(uri, spot(t, claimText, "gpu.example.com").Start), &places)
	if len(places) != 1 || places[0].URI != uriOf(classPath) || within16(t, class, places[0].Range) != "gpu.example.com" {
		t.Errorf("got %+v", places)
	}

	configure := func(setting any) {
		t.Helper()
		c.setting <- setting
		c.tell("workspace/didChangeConfiguration", object{"settings": nil})
	}
	configure(object{"scope": "file"})
	c.await(uri, has(1, "bundle/missing-class"))
	configure(object{"scope": "workspace"})
	c.await(uri, has(1))

	if err := os.Remove(classPath); err != nil {
		t.Fatal(err)
	}
	c.tell("workspace/didChangeWatchedFiles", object{"changes": []any{object{"uri": uriOf(classPath), "type": 3}}})
	c.await(uri, has(1, "bundle/missing-class"))

	// What is open counts although it was never stored.
	c.openText(uriOf(filepath.Join(folder, "elsewhere", "new.yaml")), class)
	c.await(uri, has(1))
	configure(object{"scope": "folder"})
	c.await(uri, has(1, "bundle/missing-class"))

	configure(object{"scope": "galaxy"})
	if got := c.message(); !strings.Contains(got, `"galaxy" is no scope`) {
		t.Errorf("got %q", got)
	}
	configure(object{"kubernetesVersion": "0.1"})
	if got := c.message(); !strings.Contains(got, "drawbridge.kubernetesVersion") {
		t.Errorf("got %q", got)
	}
	configure(object{"kubernetesVersion": "1.33", "scope": "file"})
	p := c.await(uri, func(p publishParams) bool { return slices.Contains(codes(p.Diagnostics), "decode/unknown-version") })
	if len(p.Diagnostics) == 0 {
		t.Error("nothing is found")
	}
}

// Names in other files are in the findings' ranges of those files.
func TestFindingsAcrossFiles(t *testing.T) {
	c := start(t, Options{})
	c.initialize(everything, "")
	claimText, class, _ := strings.Cut(claim, "---\n")
	a, b := "file:///nowhere/a.yaml", "file:///nowhere/b.yaml"
	c.openText(a, "# first\n"+class)
	c.openText(b, "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"n\"}}")
	c.openText(b+".yaml", class+"---\n"+claimText)
	p := c.await(b+".yaml", has(1, "bundle/duplicate-object"))
	if r := p.Diagnostics[0].Related; len(r) == 0 || r[0].Location.URI != a || within16(t, c.texts[a], r[0].Location.Range) != "gpu.example.com" {
		t.Errorf("got %+v", p.Diagnostics[0])
	}
}

func TestOthersAreLeftAlone(t *testing.T) {
	c := start(t, Options{})
	c.initialize(everything, "")
	for name, text := range map[string]string{
		"values.yaml":     "replicas: 1\nimage: x\n",
		"deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n",
		"template.yaml":   "apiVersion: apps/v1\nkind: Deployment\n{{- if .Values.x }}\nmetadata: {name: a}\n",
		"package.json":    "{\"name\": \"x\"}",
		"empty.yaml":      "",
	} {
		uri := "file:///others/" + name
		c.openText(uri, text)
		c.await(uri, has(1))
	}
	uri := "file:///others/readme.md"
	c.tell("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": "markdown", "version": 1, "text": "# " + claim}})
	c.await(uri, has(1))
	var actions []codeAction
	params := uriParams(uri)
	params["context"] = object{"diagnostics": []any{}}
	c.call("textDocument/codeAction", params, &actions)
	if len(actions) != 0 {
		t.Errorf("got %+v", actions)
	}
	// What is about devices is told that it cannot be read.
	c.openText("file:///broken/a.yaml", claim+"---\n{{ oops }}: [\n")
	c.await("file:///broken/a.yaml", func(p publishParams) bool { return len(p.Diagnostics) > 0 })
}

func TestPull(t *testing.T) {
	c := start(t, Options{Settings: Settings{RulesURL: "https://d.example.com/rules.html"}})
	offered := c.initialize(object{"textDocument": object{"diagnostic": object{}}, "general": object{"positionEncodings": []string{"utf-9", "utf-8", "utf-16"}}}, "")
	if offered["positionEncoding"] != "utf-8" || offered["diagnosticProvider"] == nil {
		t.Errorf("got %v", offered)
	}
	const uri = "untitled:a.yaml"
	text := "# 🧠\n" + strings.Replace(claim, `other: "x"`, "other: [x]", 1)
	c.openText(uri, text)
	var report diagnosticReport
	c.call("textDocument/diagnostic", uriParams(uri), &report)
	if report.Kind != "full" || report.Items == nil || len(*report.Items) != 1 {
		t.Fatalf("got %+v", report)
	}
	d := (*report.Items)[0]
	line := strings.Split(text, "\n")[d.Range.Start.Line]
	if got := line[d.Range.Start.Character:d.Range.End.Character]; got != "other: [x]" {
		t.Errorf("the finding is at %q", got)
	}
	if d.CodeDescription == nil || !strings.HasPrefix(d.CodeDescription.Href, "https://d.example.com/rules.html#decode-") {
		t.Errorf("got %+v", d)
	}
	again := uriParams(uri)
	again["previousResultId"] = report.ResultID
	report = diagnosticReport{}
	c.call("textDocument/diagnostic", again, &report)
	if report.Kind != "unchanged" || report.Items != nil {
		t.Errorf("got %+v", report)
	}
	if len(c.found) > 0 {
		t.Error("findings came although they are asked for")
	}
}

func TestCommands(t *testing.T) {
	text, err := os.ReadFile("../web/src/examples/34-compatibility-groups.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, Options{})
	c.initialize(everything, "")
	const uri = "untitled:a.yaml"
	c.openText(uri, string(text))
	var answer string
	c.call("workspace/executeCommand", object{"command": "drawbridge.allocate", "arguments": []any{uri}}, &answer)
	if !strings.Contains(answer, "default/one goes to worker-1") || c.message() != answer {
		t.Errorf("got %q", answer)
	}
	// A person asks with an action on the pod.
	params := uriParams(uri)
	params["range"] = textRange{spot(t, string(text), "  name: two").End, spot(t, string(text), "  name: two").End}
	params["context"] = object{"diagnostics": []any{}}
	var actions []codeAction
	i := strings.Index(string(text), "kind: Pod\n")
	params["range"] = spot(t, string(text), string(text)[i:i+len("kind: Pod")])
	c.call("textDocument/codeAction", params, &actions)
	if len(actions) == 0 || actions[len(actions)-1].Command == nil {
		t.Fatalf("got %+v", actions)
	}
	ask := actions[len(actions)-1].Command
	c.call("workspace/executeCommand", object{"command": ask.Command, "arguments": ask.Arguments}, &answer)
	if !strings.Contains(answer, "It fits on worker-1 if count of request gpus of template default/two is 1.") {
		t.Errorf("got %q", answer)
	}
	for _, wrong := range []object{
		{"command": "rm"}, {"command": "drawbridge.allocate"}, {"command": "drawbridge.explain", "arguments": []any{uri}},
		{"command": "drawbridge.explain", "arguments": []any{uri, object{"pod": "default/none"}}},
	} {
		var failed *jsonrpc2.Error
		if err := c.try("workspace/executeCommand", wrong, nil); err == nil {
			t.Errorf("%v is executed", wrong)
		} else if raw, _ := json.Marshal(err); json.Unmarshal(raw, &failed) != nil || failed.Message == "" {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}
