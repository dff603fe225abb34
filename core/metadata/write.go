package metadata

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
)

// The directories that are taken unless a driver is told otherwise.
const (
	// PluginsDir holds one directory for each driver.
	PluginsDir = "/var/lib/kubelet/plugins"
	// CDIDir is where container runtimes look for specifications of devices.
	CDIDir = "/var/run/cdi"
	// containerDir is where containers find their files.
	containerDir = "/var/run/kubernetes.io/dra-device-attributes"
)

// BaseRequest is a request without the alternative that was chosen.
func BaseRequest(reference string) string {
	base, _, _ := strings.Cut(reference, "/")
	return base
}

// ContainerPath is where a container finds the file of a request: under the
// entry of the pod for a claim that was made from a template, and else under
// the name of the claim.
func ContainerPath(driver, claim string, podClaimName *string, request string) string {
	kind, name := "resourceclaims", claim
	if podClaimName != nil && *podClaimName != "" {
		kind, name = "resourceclaimtemplates", *podClaimName
	}
	return path.Join(containerDir, kind, name, request, driver+"-metadata.json")
}

// ClaimDir is the directory of the host that holds all files of a claim.
func ClaimDir(pluginDir, namespace, claim string) string {
	return path.Join(pluginDir, "dra-device-metadata", namespace+"_"+claim)
}

// Stream writes an object once for each of the versions, in their order, one
// behind the other.
func Stream(m *DeviceMetadata, versions []string) ([]byte, error) {
	var out bytes.Buffer
	for _, version := range versions {
		written := *m
		written.APIVersion, written.Kind = Group+"/"+version, Kind
		text, err := json.MarshalIndent(&written, "", "  ")
		if err != nil {
			return nil, err
		}
		out.Write(text)
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// Device names are unique below a driver, and carry the claim's UID.
func cdiDevice(uid, request string) string { return uid + "_" + request }

// CDIID is the name by which the kubelet hands a file to a container runtime.
func CDIID(driver, uid, request string) string {
	return driver + "/metadata=" + cdiDevice(uid, request)
}

// CDIPath is the file that tells container runtimes what that name means.
func CDIPath(cdiDir, driver, uid, request string) string {
	return path.Join(cdiDir, driver+"_metadata_"+uid+"_"+request+".json")
}

// These are the parts of the Container Device Interface that a mount takes.
type cdiSpec struct {
	Version        string     `json:"cdiVersion"`
	Kind           string     `json:"kind"`
	Devices        []cdiEntry `json:"devices"`
	ContainerEdits struct{}   `json:"containerEdits"`
}

type cdiEntry struct {
	Name           string   `json:"name"`
	ContainerEdits cdiEdits `json:"containerEdits"`
}

type cdiEdits struct {
	Mounts []cdiMount `json:"mounts"`
}

type cdiMount struct {
	HostPath      string   `json:"hostPath"`
	ContainerPath string   `json:"containerPath"`
	Options       []string `json:"options"`
}

// CDISpec is what the file says: mount this, read-only, over there.
func CDISpec(driver, uid, request, hostPath, containerPath string) ([]byte, error) {
	device := cdiDevice(uid, request)
	spec := cdiSpec{
		Version: "0.3.0",
		Kind:    driver + "/metadata",
		Devices: []cdiEntry{{Name: device, ContainerEdits: cdiEdits{Mounts: []cdiMount{{HostPath: hostPath, ContainerPath: containerPath, Options: []string{"ro", "bind"}}}}}},
	}
	// The oldest version that knows all that is said: names that start with a
	// digit came later.
	if device[0] >= '0' && device[0] <= '9' {
		spec.Version = "0.5.0"
	}
	return json.MarshalIndent(spec, "", "  ")
}
