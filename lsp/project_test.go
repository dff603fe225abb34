package lsp

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drawbridge-dra/drawbridge/project"
)

// store writes a file and makes its folder.
func store(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// slice has a field that a gate drops, unless it is on.
const slice = `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: worker-1-gpu}
spec:
  driver: gpu.example.com
  nodeName: worker-1
  pool: {name: worker-1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    allowMultipleAllocations: true
    capacity: {memory: {value: 1Gi}}
`

// shifting is a disk on which the settings file becomes another one once it has
// been read a few times.
type shifting struct {
	Files
	before  string
	after   string
	patient int
	mu      sync.Mutex
}

func (d *shifting) Read(path, known string) ([]byte, string, error) {
	if !isProject(path) {
		return d.Files.Read(path, known)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	mark := d.after
	if d.patient--; d.patient >= 0 {
		mark = d.before
	}
	if mark == known {
		return nil, mark, nil
	}
	return []byte(mark), mark, nil
}

// Whenever a settings file changes, in the middle of looking at it, too, what
// is said of it in the end is what is wrong with it now.
func TestSettingsChangeMeanwhile(t *testing.T) {
	for patient := 1; patient <= 8; patient++ {
		t.Run(strconv.Itoa(patient), func(t *testing.T) {
			folder := t.TempDir()
			c := start(t, Options{Disk: &shifting{before: "failOn: all\n", after: "show: info\nscope: none\n", patient: patient}, look: 50 * time.Millisecond})
			c.initialize(everything, folder)
			c.openText(uriOf(filepath.Join(folder, "slice.yaml")), slice)
			c.await(uriOf(filepath.Join(folder, project.Name)), func(p publishParams) bool {
				return len(p.Diagnostics) == 1 && strings.HasPrefix(p.Diagnostics[0].Message, "scope: ")
			})
		})
	}
}

// What the project has settled holds in the editor as at the terminal, from
// the next file upwards, and changes of it are seen although nobody tells.
func TestProject(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, project.Name)
	store(t, file, "featureGates: {DRAConsumableCapacity: false}\n")
	path := filepath.Join(root, "deep", "er", "slice.yaml")
	uri := uriOf(path)
	c := start(t, Options{Disk: Files{}, look: 50 * time.Millisecond})
	c.initialize(everything, filepath.Join(root, "deep")) // the file lies above
	c.openText(uri, slice)
	const dropped = "gate/allow-multiple-allocations-dropped"
	p := c.await(uri, has(1, dropped))
	if p.Diagnostics[0].Severity != 2 {
		t.Errorf("got %+v", p.Diagnostics[0])
	}

	store(t, file, "featureGates: {DRAConsumableCapacity: false}\nfailOn: gate\nrulesURL: https://rules.example.test/\n")
	p = c.await(uri, func(p publishParams) bool { return len(p.Diagnostics) == 1 && p.Diagnostics[0].Severity == 1 })
	if got := p.Diagnostics[0].CodeDescription.Href; !strings.HasPrefix(got, "https://rules.example.test/rules.html#") {
		t.Errorf("got %s", got)
	}
	store(t, file, "featureGates: {DRAConsumableCapacity: false}\nignore: ['gate/*@deep/**']\n")
	c.await(uri, has(1))
	store(t, file, "featureGates: {DRAConsumableCapacity: false}\nignore: ['gate/*@shallow/**']\n")
	c.await(uri, has(1, dropped))
	store(t, file, "featureGates: {DRAConsumableCapacity: false}\nexclude: [deep]\n")
	c.await(uri, has(1))

	// A file that is nearer goes before, alone.
	near := filepath.Join(root, "deep", project.Name)
	store(t, near, "kubernetesVersions: ['1.34', '1.37']\n")
	p = c.await(uri, has(1, dropped))
	if got := p.Diagnostics[0].Message; !strings.HasSuffix(got, " (Kubernetes 1.34)") {
		t.Errorf("got %q", got)
	}
	// The person's own settings go before all files.
	c.tell("workspace/didChangeConfiguration", object{"settings": object{"drawbridge": object{"kubernetesVersion": "1.37"}}})
	c.await(uri, has(1))
	c.tell("workspace/didChangeConfiguration", object{"settings": object{"drawbridge": object{"kubernetesVersion": "", "featureGates": object{}, "scope": "", "rulesURL": ""}}})
	c.await(uri, has(1, dropped))
	if err := os.Remove(near); err != nil {
		t.Fatal(err)
	}
	c.await(uri, has(1))
}

// What is wrong with the file is found in it, at its line.
func TestBrokenProject(t *testing.T) {
	root := t.TempDir()
	file, uri := filepath.Join(root, project.Name), uriOf(filepath.Join(root, "slice.yaml"))
	store(t, file, "show: info\nfailOn: fatal # 🧠\n")
	c := start(t, Options{Disk: Files{}, look: 50 * time.Millisecond})
	c.initialize(everything, root)
	c.openText(uri, slice)
	p := c.await(uriOf(file), func(p publishParams) bool { return len(p.Diagnostics) > 0 })
	if d := p.Diagnostics[0]; d.Range != (textRange{position{1, 8}, position{1, 18}}) || !strings.Contains(d.Message, `"fatal" is no level`) || d.Severity != 1 || p.Version != nil {
		t.Errorf("got %+v", p)
	}
	if got := c.message(); !strings.Contains(got, project.Name+":2:9: failOn: ") || !strings.HasSuffix(got, "; nothing of the file is used") {
		t.Errorf("got %q", got)
	}

	// Open, it is judged as it stands in the editor.
	c.openText(uriOf(file), "failOn: gate\nsurplus: 1\n")
	p = c.await(uriOf(file), has(1, "settings"))
	if d := p.Diagnostics[0]; d.Range.Start != (position{1, 0}) || !strings.Contains(d.Message, `no setting "surplus"`) {
		t.Errorf("got %+v", p)
	}
	c.edit(uriOf(file), 2, textEdit{spot(t, "failOn: gate\nsurplus: 1\n", "surplus: 1\n"), ""})
	c.await(uriOf(file), has(2))
	store(t, file, "failOn: gate\n")
	c.tell("textDocument/didSave", uriParams(uriOf(file)))
	c.tell("textDocument/didClose", uriParams(uriOf(file)))
	c.await(uriOf(file), func(p publishParams) bool { return len(p.Diagnostics) == 0 && p.Version == nil })

	// What is right by itself may not fit what the editor says.
	store(t, file, "featureGates: {DRAOptionalNodeOperations: true}\n")
	c.tell("workspace/didChangeConfiguration", object{"settings": object{"drawbridge": object{"kubernetesVersion": "1.34"}}})
	if got := c.message(); !strings.Contains(got, "do not fit the editor's settings") || !strings.Contains(got, "DRAOptionalNodeOperations") {
		t.Errorf("got %q", got)
	}
	c.await(uri, has(1, "gate/allow-multiple-allocations-dropped"))
}

// A client that pulls findings is told to ask again.
func TestProjectIsPulled(t *testing.T) {
	root := t.TempDir()
	file, uri := filepath.Join(root, project.Name), uriOf(filepath.Join(root, "slice.yaml"))
	c := start(t, Options{Disk: Files{}, look: 50 * time.Millisecond})
	c.initialize(object{
		"workspace":    object{"diagnostics": object{"refreshSupport": true}},
		"textDocument": object{"diagnostic": object{}},
	}, root)
	c.openText(uri, slice)
	pull := func(uri string) []string {
		var report diagnosticReport
		c.call("textDocument/diagnostic", uriParams(uri), &report)
		if report.Items == nil {
			t.Fatalf("got %+v", report)
		}
		return codes(*report.Items)
	}
	if got := pull(uri); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	store(t, file, "kubernetesVersions: '1.34'\n")
	for deadline, method := time.After(patience), ""; method != "workspace/diagnostic/refresh"; {
		select {
		case method = <-c.asked:
		case <-deadline:
			t.Fatal("it does not say that findings are to be asked for again")
		}
	}
	if got := pull(uri); len(got) != 1 {
		t.Errorf("got %v", got)
	}
	c.openText(uriOf(file), "a: b\n")
	if got := pull(uriOf(file)); len(got) != 1 || got[0] != "settings" {
		t.Errorf("got %v", got)
	}
}
