package bridge

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/wasm/slim"
)

const slice = `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: s
spec:
  driver: gpu.example.com
  nodeName: worker-1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
`

const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"worker-1",
	"containers":[{"name":"c","image":"i"}],"resourceClaims":[{"name":"gpu","resourceClaimName":"gpu"}]}}`

// change is an update of a slice.
var change = func() string {
	text, err := json.Marshal(core.Change{Before: slice, After: slice})
	if err != nil {
		panic(err)
	}
	return string(text)
}()

func TestCallAnswersWithTheBytesOfTheFacade(t *testing.T) {
	result, err := core.Validate(context.Background(), []byte(slice), core.Options{KubernetesVersion: "1.35"})
	if err != nil {
		t.Fatal(err)
	}
	want, err := core.JSON(result)
	if err != nil {
		t.Fatal(err)
	}
	if got := Call("validate", []byte(slice), `{"kubernetesVersion":"1.35"}`); got != string(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOperations(t *testing.T) {
	want := "admit allocate capacity checkMetadata checkMetadataUpdate complete convert definition deviceMetadata diff explain fixes format hover mutatePod negotiation nodeOperations outline podResources references resourceHealth roles rules statusAuthorization validate validateUpdate version versions"
	if got := strings.Join(Operations(), " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	tests := []struct {
		operation, text, options string
		part                     string // of the answer
	}{
		{"versions", "", "", `{"version":"1.37","gates":[{"name":"`},
		{"rules", "", "", `{"rules":[{"id":"`},
		{"rules", "", `{"source":"api","id":"count"}`, `{"rules":[{"id":"count","source":"api"`},
		{"rules", "", `{"rule":"count"}`, `{"error":{"option":"",`},
		{"validateUpdate", change, "", `"operation":"update"`},
		{"validateUpdate", change, `{"subresource":"scale"}`, `{"error":{"option":"subresource",`},
		{"validateUpdate", change, `{"kubernetesVersion":"1.34","subresource":"status"}`, `"kubernetesVersion":"1.34"`},
		{"validateUpdate", change, `{"sub":"status"}`, `{"error":{"option":"",`},
		{"validateUpdate", slice, "", `{"error":{"option":"","message":"the body must be`},
		{"version", "", "", `{"version":"development"}`},
		{"statusAuthorization", change, `{"user":"system:kube-scheduler","writes":["allocation"]}`, `"allowed":true`},
		{"statusAuthorization", change, "", `{"error":{"option":"serviceAccount",`},
		{"roles", "", `{"for":"node-driver","driver":"gpu.example.com","serviceAccount":"gpu/driver"}`, `resources: [resourceclaims/driver]`},
		{"roles", "", `{"for":"nobody"}`, `{"error":{"option":"for",`},
		{"admit", pod, "", `"verdict":"patched"`},
		{"admit", slice, `{"phase":"validating","policy":"apiVersion: v1"}`, `{"error":{"option":"policy",`},
		{"admit", slice, `{"phase":"late"}`, `{"error":{"option":"phase",`},
		{"mutatePod", pod, "", `"outcome":"Patched"`},
		{"mutatePod", pod, `{"operation":"UPDATE"}`, `"outcome":"Unchanged"`},
		{"nodeOperations", pod, "", `"state":"Waits"`},
		{"nodeOperations", pod, `{"absentDrivers":"a b"}`, `{"error":{"option":"absentDrivers",`},
		{"resourceHealth", slice, `{"kubernetesVersion":"1.36"}`, `{"kubernetesVersion":"1.36","pods":[]`},
		{"mutatePod", "[]", "", `{"error":{"option":"",`},
		{"mutatePod", pod, `{"operatoin":"UPDATE"}`, `{"error":{"option":"",`},
	}
	for _, test := range tests {
		if got := Call(test.operation, []byte(test.text), test.options); !strings.Contains(got, test.part) {
			t.Errorf("%s %s: got %s, want %s in it", test.operation, test.options, got, test.part)
		}
	}
}

func TestCallTurnsFailuresIntoErrors(t *testing.T) {
	operations["panic"] = func([]byte, string) (any, error) { panic("boom") }
	operations["option"] = func([]byte, string) (any, error) {
		return nil, &core.OptionError{Option: "featureGates", Message: "no such gate"}
	}
	operations["unwritable"] = func([]byte, string) (any, error) { return make(chan int), nil }
	defer func() {
		for _, name := range []string{"panic", "option", "unwritable"} {
			delete(operations, name)
		}
	}()

	tests := []struct {
		name, operation, options string
		option, message          string // message is a part of the message
	}{
		{"a panic", "panic", "", "", "boom"},
		{"an option that cannot be used", "option", "", "featureGates", "no such gate"},
		{"a result that is not JSON", "unwritable", "", "", "chan int"},
		{"an unknown operation", "launch", "", "", `"launch"`},
		{"options that are not JSON", "validate", "{", "", "options cannot be read"},
		{"a misspelt option", "allocate", `{"featureGate":"A=true"}`, "", "featureGate"},
		{"two options objects", "allocate", `{} {}`, "", "more than one"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got failure
			answer := Call(test.operation, nil, test.options)
			if err := json.Unmarshal([]byte(answer), &got); err != nil {
				t.Fatalf("%s: %v", answer, err)
			}
			if got.Error.Option != test.option || !strings.Contains(got.Error.Message, test.message) {
				t.Errorf("got %s, want option %q and a message with %q", answer, test.option, test.message)
			}
		})
	}
}

func TestCallWatchedTellsAndAnswersTheSame(t *testing.T) {
	for operation, options := range map[string]string{
		"allocate": `{"picture":true}`, "explain": `{"pod":"default/p"}`, "capacity": `{"pod":"default/p"}`, "validate": "{}",
	} {
		var told []core.Progress
		text := slice + "---\n" + pod + "\n---\n" + `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"gpu"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c"}}]}}}` + "\n"
		got := CallWatched(operation, []byte(text), options, func(p core.Progress) { told = append(told, p) })
		if want := Call(operation, []byte(text), options); got != want || strings.Contains(got, `{"error"`) {
			t.Errorf("%s: got %s\nwant %s", operation, got, want)
		}
		if (len(told) == 0) != (operation == "validate") {
			t.Errorf("%s: told %v", operation, told)
		}
		for _, p := range told {
			if p.Done > p.Total || p.What == "" {
				t.Errorf("%s: told %+v", operation, p)
			}
		}
	}
	if got := CallWatched("allocate", nil, `{"nonsense":1}`, func(core.Progress) {}); !strings.Contains(got, `{"error"`) {
		t.Errorf("got %s", got)
	}
}

// TestModuleInNode builds the module, runs it in Node, and expects of every
// operation the bytes that the same call gives here.
func TestModuleInNode(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a wasm module")
	}
	module := filepath.Join(t.TempDir(), "drawbridge.wasm")
	if err := slim.Build(filepath.Join("..", ".."), module, "-ldflags=-s -w"); err != nil {
		t.Fatal(err)
	}

	type request struct {
		ID      int             `json:"id"`
		Op      string          `json:"op"`
		Text    string          `json:"text,omitempty"`
		Base64  []byte          `json:"base64,omitempty"`
		Options json.RawMessage `json:"options,omitempty"`
	}
	var requests []request
	for _, operation := range Operations() {
		requests = append(requests,
			request{Op: operation, Text: slice},
			request{Op: operation, Text: slice, Options: json.RawMessage(`{"kubernetesVersion":"1.34"}`)},
			request{Op: operation, Text: slice + "# Ü \u2028 😀\n", Options: json.RawMessage(`{"nonsense":1}`)},
			request{Op: operation, Base64: []byte("a: \xff\n")},
			request{Op: operation},
			request{Op: operation, Text: change, Options: json.RawMessage(`{"kubernetesVersion":"1.35"}`)},
		)
	}
	var input strings.Builder
	for i := range requests {
		requests[i].ID = i
		line, err := json.Marshal(requests[i])
		if err != nil {
			t.Fatal(err)
		}
		input.Write(line)
		input.WriteByte('\n')
	}

	node := exec.Command("node", "../run-node.mjs", module,
		filepath.Join(goroot(t), "lib", "wasm", "wasm_exec.js"))
	node.Stdin = strings.NewReader(input.String())
	node.Stderr = os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(requests) {
		t.Fatalf("%d answers to %d requests", len(lines), len(requests))
	}
	for i, line := range lines {
		var answer struct {
			ID     int    `json:"id"`
			Result string `json:"result"`
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		r := requests[i]
		text := []byte(r.Text)
		if r.Base64 != nil {
			text = r.Base64
		}
		options := string(r.Options)
		if options == "" {
			options = "{}"
		}
		if want := Call(r.Op, text, options); answer.ID != i || answer.Result != want {
			t.Errorf("%s %q: got %d %s\nwant %s", r.Op, text, answer.ID, answer.Result, want)
		}
	}
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("go env GOROOT: %v (%s, %s)", err, runtime.GOOS, runtime.GOARCH)
	}
	return strings.TrimSpace(string(out))
}

// FuzzCall calls the operations as a page might: whatever comes in, JSON comes
// out.
func FuzzCall(f *testing.F) {
	for i, text := range []string{slice, pod, "", "\xff", "[", "{}"} {
		for j, options := range []string{"", "{}", `{"kubernetesVersion":"1.35","featureGates":"AllAlpha=true"}`, `{"fieldValidation":"Never"}`, `{"operation":"CREATE"}`, `{"unknown":1}`, "[]", "{} {}"} {
			f.Add(byte(i*8+j), []byte(text), options)
		}
	}
	names := Operations()
	f.Fuzz(func(t *testing.T, operation byte, text []byte, options string) {
		if len(text) > 32<<10 {
			return
		}
		name := names[int(operation)%len(names)]
		answer := Call(name, text, options)
		if !json.Valid([]byte(answer)) {
			t.Fatalf("%s answers %q", name, answer)
		}
		if strings.Contains(answer, "the core stopped on this input") {
			t.Fatalf("%s: %s", name, answer)
		}
		if again := Call(name, text, options); again != answer {
			t.Fatalf("%s answers %s and then %s", name, answer, again)
		}
	})
}
