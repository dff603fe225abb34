package cluster

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core"
)

// The scheduler words its reasons in its own way: for each node one, and the
// nodes counted by it; for an error that ends the attempt a sentence. These
// are the sentences that this package knows, and our codes that mean the same.
// What is not in the tables is reported as a difference.

// A cause is one thing that the scheduler can say.
type cause struct {
	name  string
	words *regexp.Regexp
	codes []string
}

// onNodes are the causes that are counted over nodes.
var onNodes = []cause{
	{"node affinity", regexp.MustCompile(`^node\(s\) didn't match Pod's node affinity/selector$`), []string{"node-affinity"}},
	{"node taint", regexp.MustCompile(`^node\(s\) had untolerated taint\(s\)$`), []string{"node-taint"}},
	{"unschedulable", regexp.MustCompile(`^node\(s\) were unschedulable$`), []string{"node-unschedulable"}},
	{"host port", regexp.MustCompile(`^node\(s\) didn't have free ports for the requested pod ports$`), []string{"host-port"}},
	{"too many pods", regexp.MustCompile(`^Too many pods$`), []string{"too-many-pods"}},
	{"cpu", regexp.MustCompile(`^Insufficient cpu$`), []string{"insufficient-cpu"}},
	{"memory", regexp.MustCompile(`^Insufficient memory$`), []string{"insufficient-memory"}},
	{"storage", regexp.MustCompile(`^Insufficient ephemeral-storage$`), []string{"insufficient-ephemeral-storage"}},
	{"other resource", regexp.MustCompile(`^Insufficient |^cannot fit resource$`), []string{"insufficient-resource"}},
	{"node features", regexp.MustCompile(`^node\(s\) didn't match Pod's required features$`), []string{"node-features"}},
	{"node operations", regexp.MustCompile(`allocation requires DRAOptionalNodeOperations feature`), []string{"allocated-node-operations"}},
	{"pod level", regexp.MustCompile(`^pod level (request|limit) for `), []string{"pod-level-resources"}},
	{"shared mapping", regexp.MustCompile(`^node allocatable resource claim .* cannot be shared across pods$`), []string{"node-resources-shared"}},
	{"elsewhere", regexp.MustCompile(`^resourceclaim not available on the node$`), []string{"allocated-elsewhere", "binding-failed", "binding-timeout"}},
	{"pool invalid", regexp.MustCompile(`^invalid resource pools were encountered`), []string{"pool-invalid"}},
	{"devices", regexp.MustCompile(`^cannot allocate all claims$`), []string{
		"no-slices", "no-pools", "no-devices", "pool-incomplete", "pool-invalid", "too-few-devices", "combination",
		"class-selector", "request-selector", "node-selection", "binding-conditions-off", "in-use", "picked",
		"capacity-missing", "capacity-policy", "capacity", "skip-node-operations", "partitionable-devices-off",
		"compatibility-groups", "counters", "taint", "match-attribute", "distinct-attribute", "device-limit",
	}},
}

// forAll are the causes that end the attempt, whatever the nodes.
var forAll = []cause{
	{"class missing", regexp.MustCompile(`device class .* does not exist|could not retrieve device class`), []string{"class-missing"}},
	{"selector", regexp.MustCompile(`selector #\d+.*(CEL compile error|CEL runtime error)|CEL runtime error`), []string{"selector-error"}},
	{"derived attribute", regexp.MustCompile(`derived attribute .* failed`), []string{"derived-attribute-error"}},
	{"pool incomplete", regexp.MustCompile(`asks for all devices, but resource pool .* is currently being updated`), []string{"pool-incomplete"}},
	{"pool invalid", regexp.MustCompile(`asks for all devices, but resource pool .* is currently invalid`), []string{"pool-invalid"}},
	{"constraint", regexp.MustCompile(`because a claim constraint would not be satisfied`), []string{"constraint-on-all"}},
	{"limit", regexp.MustCompile(`exceeds the claim limit`), []string{"device-limit"}},
	{"capacity", regexp.MustCompile(`(checking|rechecking|computing consumed) capacity for device`), []string{"capacity-error"}},
	{"mapping", regexp.MustCompile(`ConsumedCapacity is nil`), []string{"node-resources-mapping"}},
	{"reservations", regexp.MustCompile(`add reservation to claim .*status.reservedFor: Too many`), []string{"reservation-limit"}},
	{"plugin and claims", regexp.MustCompile(`nil or empty request mappings`), []string{"device-plugin-and-claims"}},
	{"gate", regexp.MustCompile(`feature is disabled`), []string{"gate-off"}},
	{"node selector", regexp.MustCompile(`unsupported ResourceSlice.NodeSelector|create NodeSelector|node selector`), []string{"node-selector"}},
	{"unsupported", regexp.MustCompile(`unsupported|unknown request type`), []string{"unsupported-request"}},
}

var counted = regexp.MustCompile(`^(\d+) (.*)$`)

// compareReasons compares why a pod was not placed.
func compareReasons(pod *ObservedPod, ours *core.PodResult, nodes int) []string {
	theirs, whole := causesOf(pod.Message)
	if whole != "" {
		return compareWhole(pod, ours, whole)
	}
	// The barrier's node is not ours.
	if theirs["node taint"]--; theirs["node taint"] == 0 {
		delete(theirs, "node taint")
	}
	got := map[string]int{}
	for _, n := range ours.Nodes {
		got[causeOf(n, theirs)]++
	}
	if inJSON(got) != inJSON(theirs) {
		return []string{fmt.Sprintf("pod %s: reasons by node\n  cluster %s (%s)\n  ours    %s (%s)", pod.Name, inJSON(theirs), pod.Message, inJSON(got), ours.Message)}
	}
	return nil
}

func compareWhole(pod *ObservedPod, ours *core.PodResult, whole string) []string {
	i := slices.IndexFunc(forAll, func(c cause) bool { return c.words.MatchString(whole) })
	if i < 0 {
		return []string{fmt.Sprintf("pod %s: the scheduler says %q, which is not in the table of causes", pod.Name, whole)}
	}
	for _, n := range ours.Nodes {
		for _, r := range n.Reasons {
			if slices.Contains(forAll[i].codes, r.Code) {
				return nil
			}
		}
	}
	return []string{fmt.Sprintf("pod %s: reason\n  cluster %s (%s)\n  ours    %s", pod.Name, forAll[i].name, whole, ours.Message)}
}

// causesOf reads a message of the scheduler: causes with the number of nodes,
// or what ended the attempt as a whole.
func causesOf(message string) (byNode map[string]int, whole string) {
	head, rest, ok := strings.Cut(message, " nodes are available: ")
	if !ok || !strings.HasPrefix(head, "0/") {
		return nil, message
	}
	// After the causes come remarks about preemption.
	rest, _, _ = strings.Cut(rest, ". ")
	rest = strings.TrimSuffix(rest, ".")
	byNode = map[string]int{}
	for _, part := range strings.Split(rest, ", ") {
		m := counted.FindStringSubmatch(part)
		if m == nil {
			return nil, rest
		}
		n, _ := strconv.Atoi(m[1])
		i := slices.IndexFunc(onNodes, func(c cause) bool { return c.words.MatchString(m[2]) })
		if i < 0 {
			byNode[m[2]] += n
			continue
		}
		byNode[onNodes[i].name] += n
	}
	return byNode, ""
}

// causeOf is the cause that our first reason on a node stands for. Where a
// code can mean several, that which the cluster named is taken.
func causeOf(n core.NodeResult, named map[string]int) string {
	if n.Fits || len(n.Reasons) == 0 {
		return "fits"
	}
	code := n.Reasons[0].Code
	var first string
	for _, c := range onNodes {
		if !slices.Contains(c.codes, code) {
			continue
		}
		if named[c.name] > 0 {
			return c.name
		}
		if first == "" {
			first = c.name
		}
	}
	if first == "" {
		return code
	}
	return first
}
