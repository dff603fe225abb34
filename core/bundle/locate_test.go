package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const located = `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: s
  labels: {a.b/c: "x",
    d: y}
spec:
  driver: "é.example"
  pool: {name: p, generation: 1}
  nodeName:
  devices:
  - name: d0
    attributes:
      resource.kubernetes.io/pcieRoot: {string: "x"}
      a.b: {string: q}
      a: {b: {c: 1}}
      odd]key: {int: 1}
      aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/one: {int: 1}
      aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/two: {int: 1}
  - &second
    name: d1
    bindingConditions: [x, y]
    consumesCounters:
    - counterSet: c
      counters: {memory: {value: 8Gi}}
  - {name: d2, taints: [{key: k}]}
  - *second
  -
  sharedCounters: []
`

func TestLocate(t *testing.T) {
	b := Parse([]byte(located), Options{FieldValidation: Ignore})
	if len(b.Objects) != 1 {
		t.Fatal(b.Diagnostics)
	}
	o := b.Objects[0]
	for path, want := range map[string]string{
		"":                             "1:1-11",
		"kind":                         "2:7-20",
		"metadata":                     "3:1-9",
		"metadata.name":                "4:9-10",
		"metadata.namespace":           "3:1-9",
		"metadata.labels":              "5:3-9",
		"metadata.labels[a.b/c]":       "5:19-22",
		"metadata.labels[d]":           "6:8-9",
		"metadata.labels[none]":        "5:3-9",
		"spec.driver":                  "8:11-22",
		"spec.pool":                    "9:3-33",
		"spec.pool.generation":         "9:31-32",
		"spec.pool.resourceSliceCount": "9:3-33",
		"spec.nodeName":                "10:3-11",
		"spec.devices":                 "11:3-10",
		"spec.devices[0]":              "12:5-9",
		"spec.devices[0].name":         "12:11-13",
		"spec.devices[0].attributes":   "13:5-15",
		"spec.devices[0].attributes[resource.kubernetes.io/pcieRoot]":                                           "14:7-53",
		"spec.devices[0].attributes[resource.kubernetes.io/pcieRoot].string":                                    "14:49-52",
		"spec.devices[0].attributes.resource.kubernetes.io/pcieRoot.string":                                     "14:49-52",
		"spec.devices[0].attributes[a.b].string":                                                                "15:21-22",
		"spec.devices[0].attributes.a.b.string":                                                                 "15:21-22",
		"spec.devices[0].attributes[a].b.c":                                                                     "16:18-19",
		"spec.devices[0].attributes[odd]key].int":                                                               "17:22-23",
		"spec.devices[0].attributes[" + strings.Repeat("a", 48) + "..." + strings.Repeat("a", 43) + "/two].int": "19:124-125",
		"spec.devices[0].attributes[" + strings.Repeat("a", 48) + "..." + "aaa]":                                "13:5-15",
		"spec.devices[0].attributes[none].string":                                                               "13:5-15",
		"spec.devices[1]":                                            "21:5-9",
		"spec.devices[1].bindingConditions":                          "22:5-30",
		"spec.devices[1].bindingConditions[1]":                       "22:28-29",
		"spec.devices[1].consumesCounters[0].counters[memory].value": "25:34-37",
		"spec.devices[2]":                                            "26:5-35",
		"spec.devices[2].taints":                                     "26:16-34",
		"spec.devices[2].taints[0]":                                  "26:25-33",
		"spec.devices[2].taints[0].key":                              "26:31-32",
		"spec.devices[3].name":                                       "21:11-13",
		"spec.devices[4].name":                                       "11:3-10",
		"spec.devices[9].name":                                       "11:3-10",
		"spec.devices[x].name":                                       "11:3-10",
		"spec.sharedCounters":                                        "29:3-21",
		"spec.sharedCounters[0].name":                                "29:3-21",
		"spec.none.deeper[0]":                                        "7:1-5",
		"nothing":                                                    "1:1-11",
		"<nil>":                                                      "?",
	} {
		if got := place(o.Locate(path)); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	for _, tt := range []struct{ path, key, want string }{
		{"spec.devices[0].attributes", "a.b", "15:7-10"},
		{"metadata.labels", "d", "6:5-6"},
		{"metadata", "labels", "5:3-9"},
		{"metadata", "none", "?"},
		{"none", "labels", "?"},
		{"spec.devices", "name", "?"},
		{"spec.devices[0].attributes", strings.Repeat("a", 48) + "..." + strings.Repeat("a", 43) + "/one", "18:7-116"},
	} {
		if got := place(o.LocateKey(tt.path, tt.key)); got != tt.want {
			t.Errorf("key %s of %s: got %s, want %s", tt.key, tt.path, got, tt.want)
		}
	}
	if got, _ := o.At("spec.devices[3].name").Str(); got != "d1" {
		t.Errorf("At: got %q", got)
	}
}

// Kubernetes validates the newest shape, and prints its paths for older ones.
func TestLocateOlderShape(t *testing.T) {
	b := Parse([]byte(`apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
spec:
  devices:
    requests:
    - name: r
      count: 2
---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
spec:
  devices:
  - name: d
    basic:
      attributes:
        x: {int: 1}
`), Options{})
	for _, tt := range []struct {
		object     int
		path, want string
	}{
		{0, "spec.devices.requests[0].exactly.count", "7:14-15"},
		{0, "spec.devices.requests[0].count", "7:14-15"},
		{0, "spec.devices.requests[0].exactly.deviceClassName", "6:7-11"},
		{0, "spec.devices.requests[0].exactly", "6:7-11"},
		{1, "spec.devices[0].attributes[x].int", "16:18-19"},
		{1, "spec.devices[0].basic.attributes[x].int", "16:18-19"},
		{1, "spec.devices[0].basic.attributes[x]", "16:9-20"},
		{1, "spec.devices[0].name", "13:11-12"},
		{1, "spec.devices[0].capacity", "13:5-9"},
	} {
		if got := place(b.Objects[tt.object].Locate(tt.path)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.path, got, tt.want)
		}
	}
}

// allPaths visits every value of an object with its path as Kubernetes prints
// it.
func allPaths(n *Node, path string, depth int, visit func(path string, n *Node)) {
	if depth > 20 {
		return
	}
	visit(path, n)
	for _, e := range n.Entries() {
		allPaths(e.Value, path+"["+e.Key+"]", depth+1, visit)
	}
	for i, item := range n.Items() {
		allPaths(item, path+pathString([]segment{{index: i, item: true}}), depth+1, visit)
	}
}

// Every scalar of every case is found where it is written.
func TestScalarsAreWhereTheyStand(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		scalars := 0
		for _, o := range Parse(text, Options{}).Objects {
			allPaths(o.Raw, "", 0, func(path string, n *Node) {
				if n.Kind() == Null && n.Written() == "" {
					return
				}
				if n.Location() == nil {
					t.Errorf("%s: %s has no place", file, path)
				}
				if n.Kind() == List || n.Kind() == Map {
					return
				}
				scalars++
				if got := o.Locate(path); got == nil || *got != *n.Location() {
					t.Errorf("%s: %s is at %s, Locate says %s", file, path, place(n.Location()), place(got))
				}
				if n.style == plainStyle && n.kind == String && strings.Join(strings.Fields(n.Written()), " ") != shorten(strings.Join(strings.Fields(n.text), " ")) {
					t.Errorf("%s: %s is %q, and %q stands there", file, path, n.text, n.Written())
				}
			})
		}
		if scalars < 5 {
			t.Errorf("%s: only %d scalars", file, scalars)
		}
	}
}
