package web

import (
	"fmt"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core"
)

// What the examples promise that are about more than an allocation, in short
// lines.

func describeHealth(result *core.ResourceHealthResult) []string {
	var lines []string
	for _, p := range result.Pods {
		for _, d := range p.Devices {
			lines = append(lines, fmt.Sprintf("%s %s %s", p.Name, d.Device, d.Health))
		}
		for _, c := range p.ContainerStatuses {
			for _, s := range c.AllocatedResourcesStatus {
				for _, r := range s.Resources {
					lines = append(lines, fmt.Sprintf("%s %s is told %s %s", p.Name, c.Name, s.Name, r.Health))
				}
			}
		}
	}
	for _, rule := range result.TaintRules {
		for _, p := range rule.Pods {
			lines = append(lines, fmt.Sprintf("a rule for %s evicts %s", rule.Device, p.Pod))
		}
	}
	return lines
}

func describeMetadata(result *core.DeviceMetadataResult) []string {
	var lines []string
	for _, p := range result.Pods {
		for _, c := range p.Containers {
			for _, seen := range c.Sees {
				lines = append(lines, fmt.Sprintf("%s %s sees %s", p.Name, c.Name, seen.Path))
			}
			for _, missed := range c.Misses {
				lines = append(lines, fmt.Sprintf("%s %s misses %s", p.Name, c.Name, result.Files[missed.File].ContainerPath))
			}
		}
	}
	return lines
}

func describeRights(result *core.StatusAuthorizationResult) []string {
	words := map[bool]string{true: "allowed", false: "refused"}
	var lines []string
	for _, c := range result.Claims {
		for _, check := range c.Checks {
			lines = append(lines, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", c.Claim, check.Field, check.Driver, words[check.Allowed])), " "))
		}
	}
	if result.Mend != "" {
		lines = append(lines, "a role would do")
	}
	return lines
}

func describeNegotiation(result *core.NegotiateResult) []string {
	var lines []string
	for _, p := range result.Pods {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("pod %s %s %s", p.Name, p.Outcome, p.Node)))
		for _, s := range p.Steps {
			lines = append(lines, strings.TrimSpace(s.Actor+" "+s.Writes))
		}
	}
	return lines
}
