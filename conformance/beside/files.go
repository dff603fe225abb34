package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// fault is a way in which a manifest is wrong.
type fault struct {
	name string
	// from in the manifest of that kind becomes to.
	kind, from, to string
}

// faults are from what any schema knows to what only the API server's code does.
var faults = []fault{
	{"YAML that does not parse", "ResourceClaim", "requests:\n", "requests: [\n"},
	{"a key twice", "ResourceSlice", "  nodeName:", "  nodeName: again\n  nodeName:"},
	{"a field that does not exist", "ResourceSlice", "    attributes:", "    attribute: {}\n    attributes:"},
	{"a string instead of a number", "ResourceClaim", "count: 1", `count: "1"`},
	{"a required field is missing", "ResourceSlice", "  driver: gpu.example.com\n", ""},
	{"a quantity that is none", "ResourceSlice", "value: 80Gi", "value: 80GiB"},
	{"a name with a capital", "DeviceClass", "  name: gpu", "  name: Gpu"},
	{"a mode that does not exist", "ResourceClaimTemplate", "allocationMode: ExactCount", "allocationMode: Exact"},
	{"a count below 1", "ResourceClaim", "count: 1", "count: -1"},
	{"two devices of one name", "ResourceSlice", "- name: gpu-1", "- name: gpu-0"},
	{"two kinds of value in an attribute", "ResourceSlice", "{int: 3}", "{int: 3, string: three}"},
	{"a constraint on a request that is not there", "ResourceClaim", "- requests: [gpu, nic]", "- requests: [gpu, nics]"},
	{"CEL that does not compile", "DeviceClass", `device.driver == "gpu.example.com"`, `device.driver = "gpu.example.com"`},
	{"CEL that compares what cannot be compared", "DeviceClass", `device.driver == "gpu.example.com"`, `device.driver == 8`},
}

// wrongOf says which fault, if any, the file has: one in twenty has one.
func wrongOf(i int) *fault {
	if i%20 != 7 {
		return nil
	}
	return &faults[i/20%len(faults)]
}

// kinds are those of the manifests, in turn.
var kinds = []struct {
	name  string
	write func(i int) string
}{{"ResourceSlice", slice}, {"ResourceClaim", claim}, {"ResourceClaimTemplate", template}, {"DeviceClass", class}}

// manifest writes the file of a number: one object, of about two kilobytes.
func manifest(i int) (string, error) {
	wrong := wrongOf(i)
	kind := kinds[i%len(kinds)]
	if wrong != nil {
		for _, k := range kinds {
			if k.name == wrong.kind {
				kind = k
			}
		}
	}
	text := kind.write(i)
	if wrong == nil {
		return text, nil
	}
	out := strings.Replace(text, wrong.from, wrong.to, 1)
	if out == text {
		return "", fmt.Errorf("%s: %s has nowhere to go", kind.name, wrong.name)
	}
	return out, nil
}

// nameOf is the name of a file.
func nameOf(i int) string { return fmt.Sprintf("m%05d.yaml", i) }

// write writes that many files into a folder.
func write(folder string, count int) error {
	for i := range count {
		text, err := manifest(i)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, nameOf(i)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func slice(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: slice-%[1]d
  labels:
    app.kubernetes.io/managed-by: gpu-driver
spec:
  driver: gpu.example.com
  nodeName: node-%[1]d
  pool:
    name: node-%[1]d
    generation: 1
    resourceSliceCount: 1
  devices:
`, i)
	for d := range 6 {
		fmt.Fprintf(&b, `  - name: gpu-%[1]d
    attributes:
      model: {string: A100-SXM4}
      uuid: {string: gpu-%08[2]x-%[1]d}
      driverVersion: {version: 550.54.%[3]d}
      index: {int: %[1]d}
      resource.kubernetes.io/pcieRoot: {string: "pci0000:%02[1]x"}
    capacity:
      memory:
        value: 80Gi
`, d, i, i%16)
	}
	return b.String()
}

// devices is the spec of a claim. Of its three expressions two are among a
// few that all files share and one is among fifty.
func devices(i int, indent string) string {
	text := fmt.Sprintf(`devices:
  requests:
  - name: gpu
    exactly:
      deviceClassName: gpu-%[1]d
      allocationMode: ExactCount
      count: 1
      selectors:
      - cel:
          expression: device.attributes["gpu.example.com"].index < 8
      - cel:
          expression: |-
            device.attributes["gpu.example.com"].model == "A100-SXM4" &&
            device.capacity["gpu.example.com"].memory.compareTo(quantity("%[2]dGi")) >= 0
  - name: nic
    firstAvailable:
    - name: fast
      deviceClassName: nic
      count: 2
      selectors:
      - cel:
          expression: device.attributes["nic.example.com"].speed >= 400
    - name: slow
      deviceClassName: nic
      count: 4
  constraints:
  - requests: [gpu, nic]
    matchAttribute: resource.kubernetes.io/pcieRoot
  config:
  - requests: [gpu]
    opaque:
      driver: gpu.example.com
      parameters:
        apiVersion: gpu.example.com/v1
        kind: GpuConfig
        sharing:
          strategy: TimeSlicing
          timeSlicing: {interval: Long}
`, i, i%50+1)
	return indent + strings.TrimSuffix(strings.ReplaceAll(text, "\n", "\n"+indent), indent)
}

func claim(i int) string {
	return fmt.Sprintf(`apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: claim-%[1]d
  namespace: team-%[2]d
  labels:
    app.kubernetes.io/name: training
  annotations:
    example.com/note: %[3]s
spec:
%[4]s`, i, i%7, strings.Repeat("one of many ", 60), devices(i, "  "))
}

func template(i int) string {
	return fmt.Sprintf(`apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: template-%[1]d
  namespace: team-%[2]d
spec:
  metadata:
    labels:
      app.kubernetes.io/name: training
    annotations:
      example.com/note: %[3]s
  spec:
%[4]s`, i, i%7, strings.Repeat("one of many ", 60), devices(i, "    "))
}

func class(i int) string {
	return fmt.Sprintf(`apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: gpu-%[1]d
  annotations:
    example.com/note: %[2]s
spec:
  selectors:
  - cel:
      expression: device.driver == "gpu.example.com"
  - cel:
      expression: device.attributes["gpu.example.com"].driverVersion.isGreaterThan(semver("550.%[3]d.0"))
  config:
  - opaque:
      driver: gpu.example.com
      parameters:
        apiVersion: gpu.example.com/v1
        kind: GpuConfig
        sharing:
          strategy: TimeSlicing
          timeSlicing: {interval: Long}
`, i, strings.Repeat("one of many ", 90), i%50)
}
