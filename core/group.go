package core

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// Explanation says how much an answer tells about nodes.
type Explanation string

// The lengths of an explanation.
const (
	ExplainFull    Explanation = "full"
	ExplainSummary Explanation = "summary"
	ExplainNone    Explanation = "none"
)

// NodeGroup are nodes on which the same can be said of a pod or claim.
type NodeGroup struct {
	Nodes   int           `json:"nodes" doc:"How many nodes these are."`
	Example string        `json:"example" doc:"The first of them, in the bundle's order."`
	Fits    bool          `json:"fits"`
	Message string        `json:"message" doc:"All of it in one sentence."`
	Reasons []ReasonGroup `json:"reasons,omitempty" doc:"What the nodes have in common; messages and places are those of the example."`
}

// ReasonGroup is a reason that several nodes have in common.
type ReasonGroup struct {
	Code     string         `json:"code" doc:"Stable code of the reason."`
	Message  string         `json:"message" doc:"The reason as the example has it."`
	Claim    string         `json:"claim,omitempty" doc:"Namespace and name of the claim."`
	Request  string         `json:"request,omitempty" doc:"The request of the claim, or request/subrequest."`
	PodWide  bool           `json:"podWide,omitempty" doc:"True if Kubernetes gives up on the whole pod for this, whatever other nodes offer."`
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the reason lies."`
	Devices  []DeviceGroup  `json:"devices,omitempty" doc:"The devices that were considered on all nodes of the group, counted by the rule that refused them, most first."`
}

// DeviceGroup are devices that one rule refused.
type DeviceGroup struct {
	Code     string         `json:"code" doc:"Stable code of the rule that refused the devices."`
	Count    int            `json:"count" doc:"How many devices, on all nodes of the group together."`
	Example  string         `json:"example" doc:"The first of them, as driver/pool/device."`
	Message  string         `json:"message" doc:"What is said of that one."`
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the cause for that one lies."`
}

// tally collects a group.
type tally struct {
	group   NodeGroup
	reasons []reasonTally
}

type reasonTally struct {
	first  *schedule.Reason
	differ bool // others word it otherwise
	counts []deviceTally
}

type deviceTally struct {
	code  allocate.Code
	count int
	first *allocate.DeviceReason
	// each is how many there are on every node, -1 if that differs.
	each int
}

// groupNodes puts nodes together that have the same reasons, by codes, claims
// and requests, and devices refused by the same rules; in the order of the
// first of each. total is how many nodes there are.
func groupNodes(nodes []schedule.Node, pod *bundle.Object, in *positions) []NodeGroup {
	byKey := map[string]*tally{}
	var order []*tally
	var key []byte
	counts := make([][]deviceTally, 0, 4)
	for i := range nodes {
		n := &nodes[i]
		key, counts = strconv.AppendBool(key[:0], n.Fits), counts[:0]
		for j := range n.Reasons {
			r := &n.Reasons[j]
			counts = append(counts, countDevices(r.Devices))
			key = keyOf(key, r, counts[j])
		}
		t := byKey[string(key)]
		if t == nil {
			t = &tally{group: NodeGroup{Example: n.Name, Fits: n.Fits}}
			for j := range n.Reasons {
				t.reasons = append(t.reasons, reasonTally{first: &n.Reasons[j], counts: counts[j]})
			}
			byKey[string(key)] = t
			order = append(order, t)
		} else {
			t.add(n, counts)
		}
		t.group.Nodes++
	}
	out := make([]NodeGroup, len(order))
	for i, t := range order {
		out[i] = t.finish(len(nodes), pod, in)
	}
	return out
}

func keyOf(key []byte, r *schedule.Reason, counts []deviceTally) []byte {
	claim := ""
	if r.Claim != nil {
		claim = r.Claim.Name()
	}
	key = fmt.Appendf(key, "|%s %s %s", r.Code, claim, r.Request)
	for i := range counts {
		key = append(append(key, ' '), counts[i].code...)
	}
	return key
}

// countDevices counts by code, in the order of the codes.
func countDevices(devices []allocate.DeviceReason) []deviceTally {
	if len(devices) == 0 {
		return nil
	}
	out := make([]deviceTally, 0, 4)
	for i := range devices {
		d := &devices[i]
		at := slices.IndexFunc(out, func(t deviceTally) bool { return t.code == d.Code })
		if at < 0 {
			at = len(out)
			out = append(out, deviceTally{code: d.Code, first: d})
		}
		out[at].count++
		out[at].each++
	}
	slices.SortFunc(out, func(a, b deviceTally) int { return strings.Compare(string(a.code), string(b.code)) })
	return out
}

func (t *tally) add(n *schedule.Node, counts [][]deviceTally) {
	for i := range t.reasons {
		mine := &t.reasons[i]
		mine.differ = mine.differ || mine.first.Message != n.Reasons[i].Message
		for j := range mine.counts {
			c := &mine.counts[j]
			if c.each != counts[i][j].count {
				c.each = -1
			}
			c.count += counts[i][j].count
		}
	}
}

func (t *tally) finish(total int, pod *bundle.Object, in *positions) NodeGroup {
	out := t.group
	var parts []string
	for i := range t.reasons {
		mine := &t.reasons[i]
		first := *mine.first
		first.Devices = nil
		of := reason(first, pod, in)
		group := ReasonGroup{Code: of.Code, Message: of.Message, Claim: of.Claim, Request: of.Request, PodWide: of.PodWide, Location: of.Location}
		slices.SortStableFunc(mine.counts, func(a, b deviceTally) int { return b.count - a.count })
		for _, c := range mine.counts {
			group.Devices = append(group.Devices, DeviceGroup{Code: string(c.code), Count: c.count, Example: c.first.ID.String(), Message: c.first.Message, Location: in.locate(c.first.At)})
		}
		out.Reasons = append(out.Reasons, group)
		parts = append(parts, mine.text(out.Nodes, out.Example))
	}
	if len(parts) == 0 {
		parts = []string{"it fits"}
	}
	out.Message = where(out.Nodes, total, out.Example) + strings.Join(parts, "; ")
	return out
}

func where(nodes, total int, example string) string {
	switch {
	case nodes == 1 && example == "":
		return "on the assumed node: "
	case nodes == 1:
		return "on " + example + ": "
	}
	return fmt.Sprintf("on %d of %d nodes: ", nodes, total)
}

// refusedBy says in few words what a rule has against devices.
var refusedBy = map[allocate.Code]string{
	allocate.InUse: "held", allocate.Picked: "given to another request", allocate.BindingOff: "with binding conditions, for which the gates are off",
	allocate.ClassSelector: "refused by the class's selector", allocate.RequestSelector: "refused by the claim's selector",
	allocate.NodeSelection: "for other nodes", allocate.CapacityMissing: "without the capacity that is asked for",
	allocate.CapacityPolicy: "whose request policy does not allow the amount", allocate.Capacity: "with too little capacity left",
	allocate.SkipNodeOperations: "that skip node operations, which are not supported", allocate.CountersOff: "that draw from counters, for which the gate is off",
	allocate.Groups: "of another compatibility group", allocate.Counters: "whose counters have too little left", allocate.Taint: "tainted",
	allocate.MatchAttribute: "ruled out by matchAttribute", allocate.DistinctAttribute: "ruled out by distinctAttribute",
}

// text says the reason for so many nodes: with devices, how many of them
// which rule refused; else in the words of the example.
func (r *reasonTally) text(nodes int, example string) string {
	if len(r.counts) == 0 || nodes == 1 {
		if r.differ {
			return fmt.Sprintf("for example on %s: %s", example, r.first.Message)
		}
		return r.first.Message
	}
	total, each := 0, 0
	for _, c := range r.counts {
		if total += c.count; c.each < 0 || each < 0 {
			each = -1
		} else {
			each += c.each
		}
	}
	// Only refused devices are counted: others may be free, and too few.
	amount, of := total, ""
	if each >= 0 {
		amount, of = each, " each"
	}
	head := fmt.Sprintf("%d devices%s do not serve: ", amount, of)
	if amount == 1 {
		head = fmt.Sprintf("1 device%s does not serve: ", of)
	}
	var parts []string
	for _, c := range r.counts {
		n := c.count
		if each >= 0 {
			n = c.each
		}
		words := refusedBy[c.code]
		if words == "" {
			words = string(c.code)
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, words))
	}
	return head + strings.Join(parts, ", ")
}
