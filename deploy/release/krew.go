package release

import (
	"bytes"
	"fmt"
	"slices"
)

// downloads is where the files of a release are.
const downloads = "https://github.com/drawbridge-dra/drawbridge/releases/download/"

// krew is the manifest by which kubectl's plugin manager installs: the archive
// of each platform with its checksum. Where there is no command of kubectl's
// own, drawbridge is it: krew links it by the plugin's name.
func (r Release) krew(commands []string, sums map[string]string) []byte {
	command := "drawbridge"
	if slices.Contains(commands, "kubectl-drawbridge") {
		command = "kubectl-drawbridge"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Made by the release task. Install it with
#   kubectl krew install --manifest-url=%s%s/drawbridge.krew.yaml
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: drawbridge
spec:
  version: %s
  homepage: https://github.com/drawbridge-dra/drawbridge
  shortDescription: Explain which device goes to which pod, and why not
  description: |
    Validates objects of Dynamic Resource Allocation, computes which devices
    the scheduler would give to which pods on which node, and explains for
    each node, request and device which rule said no. It only reads.
  platforms:
`, downloads, r.Version, r.Version)
	for _, p := range r.Platforms {
		fmt.Fprintf(&b, `  - selector:
      matchLabels:
        os: %s
        arch: %s
    uri: %s%s/%s
    sha256: %s
    bin: %s
    files:
    - {from: %s, to: .}
    - {from: LICENSE, to: .}
    - {from: NOTICE, to: .}
    - {from: licenses.txt, to: .}
`, p.OS, p.Arch, downloads, r.Version, r.archive(p), sums[r.archive(p)], executable(p, command), executable(p, command))
	}
	return b.Bytes()
}
