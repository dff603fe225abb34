package web

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core"
)

// The examples promise something; each promise is kept here by the core.
var promises = map[string][]string{
	"01-compatibility-groups.yaml": {
		"line 57 bundle/compatibility-group-alone",
		"pod two Unschedulable", "worker-1 compatibility-groups",
		"pod one Scheduled worker-1", "default/one-gpu gpu-0-mig",
	},
	"02-shared-counters.yaml": {
		"pod first Scheduled worker-1", "default/first-gpu device-1",
		"pod second Unschedulable", "worker-1 counters",
	},
	"03-consumable-capacity.yaml": {
		"pod stream-a Scheduled worker-1", "default/stream-a-net eth1 bandwidth=1G shared",
		"pod stream-b Scheduled worker-1", "default/stream-b-net eth1 bandwidth=1G shared",
	},
	"04-distinct-attribute.yaml": {
		"default/two-cards eth1 bandwidth=1G shared", "default/two-cards eth2 bandwidth=1G shared",
	},
	"05-skip-node-operations.yaml": {
		"pod tenant Scheduled worker-1", "default/tenant-device virtual-device-1 skips *",
	},
	"06-pod-with-cats.yaml": {
		"pod pod-with-cats Scheduled home", "default/pod-with-cats-cat-0 cat-1", "default/pod-with-cats-cat-1 cat-3",
	},
	"07-pre-scheduled-pod.yaml": {
		"line 53 bundle/pod-bound-unallocated",
		"pod bypassed AlreadyScheduled name-of-the-intended-node",
		"pod steered Scheduled name-of-the-intended-node", "default/steered-cat cat-0",
	},
	"08-wrong-slices.yaml": {
		"line 41 api/compatibility-groups-max", "line 57 api/skip-node-operations",
	},
}

func TestExamplesKeepTheirPromises(t *testing.T) {
	paths, err := filepath.Glob("src/examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != len(promises) {
		t.Errorf("%d examples, promises for %d", len(paths), len(promises))
	}
	for _, path := range paths {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			result, err := core.Allocate(context.Background(), text, core.Options{FeatureGates: gatesOf(text)})
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(result); !slices.Equal(got, promises[name]) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(promises[name], "\n\t"))
			}
		})
	}
}

var gatesLine = regexp.MustCompile(`(?m)^# Gates: (.*)$`)

func gatesOf(text []byte) string {
	if found := gatesLine.FindSubmatch(text); found != nil {
		return strings.ReplaceAll(string(found[1]), " ", "")
	}
	return ""
}

// describe says in short lines what a result holds.
func describe(result *core.AllocateResult) []string {
	var lines []string
	for _, d := range result.Diagnostics {
		line := 0
		if d.Location != nil {
			line = d.Location.Line
		}
		lines = append(lines, fmt.Sprintf("line %d %s/%s", line, d.Source, d.Rule))
	}
	described := map[string]bool{}
	for _, pod := range result.Pods {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("pod %s %s %s", pod.Name, pod.Outcome, pod.Node)))
		for _, claim := range result.Claims {
			if claim.Pod == pod.Namespace+"/"+pod.Name && claim.Claim != nil {
				described[claimKey(claim)] = true
				lines = append(lines, devicesOf(claim)...)
			}
		}
		for _, node := range pod.Nodes {
			for _, reason := range node.Reasons {
				lines = append(lines, node.Name+" "+reason.Code)
			}
		}
	}
	for _, claim := range result.Claims {
		if claim.Claim != nil && !described[claimKey(claim)] {
			lines = append(lines, devicesOf(claim)...)
		}
	}
	return lines
}

func claimKey(claim core.ClaimResult) string {
	name := claim.Claim.Name
	if prefix := claim.Claim.GenerateName; prefix != "" {
		name = strings.TrimSuffix(prefix, "-") // What follows is made up.
	}
	return claim.Claim.Namespace + "/" + name
}

func devicesOf(claim core.ClaimResult) []string {
	if claim.Claim.Status.Allocation == nil {
		return nil
	}
	var lines []string
	for _, device := range claim.Claim.Status.Allocation.Devices.Results {
		line := claimKey(claim) + " " + device.Device
		for name, amount := range device.ConsumedCapacity {
			line += fmt.Sprintf(" %s=%s", name, amount.String())
		}
		if device.ShareID != nil {
			line += " shared"
		}
		if len(device.SkipNodeOperations) > 0 {
			line += fmt.Sprintf(" skips %s", device.SkipNodeOperations[0])
		}
		lines = append(lines, line)
	}
	return lines
}
