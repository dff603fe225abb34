package web

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core"
)

// promises is what the examples say comes of them: as they are, and after the
// change that they propose. The page's own tests read the same file.
func promises(t *testing.T) map[string]promise {
	t.Helper()
	text, err := os.ReadFile("src/examples/promises.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]promise
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

type promise struct {
	Changes []struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"changes"`
	// Ask is the operation whose answer is promised; empty for Allocate.
	Ask     string             `json:"ask"`
	Options core.StatusOptions `json:"options"`
	Before  []string           `json:"before"`
	After   []string           `json:"after"`
}

func TestExamplesKeepTheirPromises(t *testing.T) {
	paths, err := filepath.Glob("src/examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	promised := promises(t)
	if len(paths) != len(promised) {
		t.Errorf("%d examples, promises for %d", len(paths), len(promised))
	}
	for _, path := range paths {
		id := strings.TrimSuffix(filepath.Base(path), ".yaml")[len("00-"):]
		t.Run(id, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			options := core.Options{
				KubernetesVersion: headerOf(text, "Kubernetes"),
				FeatureGates:      strings.ReplaceAll(headerOf(text, "Gates"), " ", ""),
			}
			p := promised[id]
			p.keep(t, "as it is", text, options, p.Before)
			p.keep(t, "changed", p.changed(t, text), options, p.After)
			if slices.Equal(promised[id].Before, promised[id].After) {
				t.Error("the change changes nothing")
			}
		})
	}
}

func (p promise) keep(t *testing.T, which string, text []byte, options core.Options, want []string) {
	t.Helper()
	got, err := p.answer(text, options)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		lines, _ := json.MarshalIndent(got, "", "  ")
		t.Errorf("%s: got\n%s\nwant\n\t%s", which, lines, strings.Join(want, "\n\t"))
	}
}

// answer says in short lines what the core answers to what the example is about.
func (p promise) answer(text []byte, options core.Options) ([]string, error) {
	ctx := context.Background()
	switch p.Ask {
	case "resourceHealth":
		result, err := core.ResourceHealth(ctx, text, options)
		if err != nil {
			return nil, err
		}
		return describeHealth(result), nil
	case "deviceMetadata":
		result, err := core.DeviceMetadata(ctx, text, core.MetadataOptions{Options: options})
		if err != nil {
			return nil, err
		}
		return describeMetadata(result), nil
	case "statusAuthorization":
		p.Options.Options = options
		result, err := core.StatusAuthorization(ctx, core.Change{After: string(text)}, p.Options)
		if err != nil {
			return nil, err
		}
		return describeRights(result), nil
	case "negotiate":
		result, err := core.Negotiate(ctx, text, core.NegotiateOptions{Options: options})
		if err != nil {
			return nil, err
		}
		return describeNegotiation(result), nil
	case "":
		result, err := core.Allocate(ctx, text, options)
		if err != nil {
			return nil, err
		}
		return describe(result), nil
	}
	return nil, fmt.Errorf("nothing is known of the operation %q", p.Ask)
}

// changed makes the changes that an example proposes.
func (p promise) changed(t *testing.T, text []byte) []byte {
	t.Helper()
	if len(p.Changes) == 0 {
		t.Fatal("no change is proposed")
	}
	at := regexp.MustCompile(`(?m)^[^#]`).FindIndex(text)[0]
	header, body := string(text[:at]), string(text[at:])
	for _, change := range p.Changes {
		if n := strings.Count(body, change.From); n != 1 {
			t.Fatalf("%q is there %d times", change.From, n)
		}
		body = strings.Replace(body, change.From, change.To, 1)
	}
	return []byte(header + body)
}

func headerOf(text []byte, name string) string {
	found := regexp.MustCompile(`(?m)^# ` + name + `: ?(.*)$`).FindSubmatch(text)
	if found == nil {
		return ""
	}
	return string(found[1])
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
	for _, eviction := range result.Evictions {
		for _, pod := range eviction.Pods {
			lines = append(lines, fmt.Sprintf("%s evicts %s", eviction.Rule, pod.Pod))
		}
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
		for _, name := range slices.Sorted(maps.Keys(device.ConsumedCapacity)) {
			amount := device.ConsumedCapacity[name]
			line += fmt.Sprintf(" %s=%s", name, amount.String())
		}
		if device.ShareID != nil {
			line += " shared"
		}
		if device.AdminAccess != nil && *device.AdminAccess {
			line += " admin"
		}
		if len(device.SkipNodeOperations) > 0 {
			line += fmt.Sprintf(" skips %s", device.SkipNodeOperations[0])
		}
		lines = append(lines, line)
	}
	return lines
}
