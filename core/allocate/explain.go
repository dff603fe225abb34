package allocate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

// maxDeviceReasons bounds how many devices one reason lists.
const maxDeviceReasons = 64

// explain says why there is no solution, after the search has proven it. It
// looks for the simplest true cause first: no devices, a request that has
// too few candidates on its own, requests that compete, and then the one
// rule without which everything would fit.
func (s *search) explain() []Reason {
	pools := s.poolReasons()
	if len(s.devices) == 0 {
		if len(pools) > 0 {
			return pools
		}
		return []Reason{{Code: NoPools, Claim: -1,
			Message: fmt.Sprintf("no ResourceSlice offers devices to %s", s.nodeLabel())}}
	}
	reasons := s.shortRequests()
	if len(reasons) == 0 {
		reasons = s.competition()
	}
	if len(reasons) == 0 {
		reasons = []Reason{s.blame()}
	}
	return append(reasons, pools...)
}

func (s *search) nodeLabel() string {
	if s.view.node.Name == "" {
		return "this node"
	}
	return "node " + s.view.node.Name
}

func (s *search) poolReasons() []Reason {
	var out []Reason
	for _, pool := range s.view.raw {
		if pool.Usable() {
			continue
		}
		out = append(out, poolReason(pool))
	}
	return out
}

func poolReason(pool *inventory.Pool) Reason {
	code, word := PoolIncomplete, "incomplete"
	if pool.Invalid {
		code, word = PoolInvalid, "invalid"
	}
	return Reason{Code: code, Claim: -1, At: pool.At,
		Message: fmt.Sprintf("pool %s of %s is %s: %s; none of its devices can be used", pool.ID.Pool, pool.ID.Driver, word, pool.Reason)}
}

// tally is what became of every device for one ask, looked at on its own.
type tally struct {
	devices  []DeviceReason
	free     int
	byCode   map[Code]int
	furthest Code
}

// stages orders the rules as the allocator checks them; the later a device
// fails, the closer it came.
var stages = []Code{BindingOff, ClassSelector, RequestSelector, NodeSelection, InUse, Picked, CapacityMissing, CapacityPolicy, Capacity,
	SkipNodeOperations, CountersOff, Groups, Counters, Taint, MatchAttribute, DistinctAttribute}

// takeStock checks every device for an ask in the state that the attempt is
// in.
func (s *search) takeStock(a *ask) tally {
	t := tally{byCode: map[Code]int{}}
	for i := range s.devices {
		r := s.refusal(a, i)
		if r.Code == "" {
			t.free++
			continue
		}
		t.byCode[r.Code]++
		if t.furthest == "" || slices.Index(stages, r.Code) > slices.Index(stages, t.furthest) {
			t.furthest = r.Code
		}
		if len(t.devices) < maxDeviceReasons {
			t.devices = append(t.devices, r)
		}
	}
	return t
}

// shortRequests finds requests for which too few devices qualify even if they
// were alone.
func (s *search) shortRequests() []Reason {
	var out []Reason
	for c := range s.claims {
		for _, r := range s.claims[c].requests {
			var short []Reason
			for _, a := range r.asks {
				t := s.takeStock(a)
				if reason, ok := s.shortReason(a, t); ok {
					short = append(short, reason)
				}
			}
			if len(short) == len(r.asks) {
				out = append(out, short...)
			}
		}
	}
	return out
}

// shortReason tells whether an ask has too few devices, and why.
func (s *search) shortReason(a *ask, t tally) (Reason, bool) {
	who := s.who(a)
	r := Reason{Claim: a.claim, Request: a.name, Field: a.field(), Devices: t.devices}
	if a.wantsAll() {
		free := 0
		for _, i := range s.asks[a.id].all {
			if s.refusal(a, i).Code == "" {
				free++
			}
		}
		switch {
		case len(s.asks[a.id].all) == 0:
			r.Code = NoDevices
			r.Message = fmt.Sprintf("%s wants all matching devices on %s, and there is none: %s", who, s.nodeLabel(), s.describe(a, t))
			return r, true
		case free < len(s.asks[a.id].all):
			r.Devices = nil
			for _, i := range s.asks[a.id].all {
				if refusal := s.refusal(a, i); refusal.Code != "" {
					r.Devices = append(r.Devices, refusal)
					r.Code = refusal.Code
				}
			}
			r.Message = fmt.Sprintf("%s wants all %s that match on %s, and %d of %d cannot be given: %s",
				who, plural(len(s.asks[a.id].all), "device"), s.nodeLabel(), len(r.Devices), len(s.asks[a.id].all), s.listRefusals(r.Devices, len(r.Devices)))
			return r, true
		}
		return r, false
	}
	if t.free >= s.asks[a.id].num {
		return r, false
	}
	r.Code = t.furthest
	wants := fmt.Sprintf("%s wants %s", who, plural(s.asks[a.id].num, "device"))
	if r.Code == "" {
		r.Code = TooFewDevices
		r.Message = fmt.Sprintf("%s, and %s has only %d", wants, s.nodeLabel(), len(s.devices))
		return r, true
	}
	if t.free > 0 {
		wants += fmt.Sprintf(" and only %d %s", t.free, verb(t.free, "qualifies", "qualify"))
	}
	r.Message = wants + "; " + s.describe(a, t)
	if r.Code == RequestSelector || r.Code == ClassSelector {
		if field, ok := s.selectorField(a, t.furthest); ok {
			r.Field = field
		}
	}
	if r.Code == MatchAttribute || r.Code == DistinctAttribute {
		r.Field = s.constraintField(a, r.Code)
	}
	if r.Code == CapacityMissing || r.Code == CapacityPolicy || r.Code == Capacity {
		r.Field = s.capacityField(a, r.Code)
	}
	return r, true
}

// whoIs names a request and its claim.
func (s *search) whoIs(claim int, request string) string {
	return fmt.Sprintf("request %s of %s", request, placeholder(claim))
}

func (s *search) who(a *ask) string {
	return s.whoIs(a.claim, a.name)
}

// describe sums up a tally: how many devices fell at which rule, and in full
// the refusal of those that came closest.
func (s *search) describe(a *ask, t tally) string {
	var parts []string
	total := len(s.devices)
	for _, code := range stages {
		if n := t.byCode[code]; n > 0 && code != t.furthest {
			parts = append(parts, fmt.Sprintf("%d of %s %s", n, plural(total, "device"), s.phrase(a, code, n)))
		}
	}
	if t.furthest != "" {
		var closest []DeviceReason
		for _, d := range t.devices {
			if d.Code == t.furthest {
				closest = append(closest, d)
			}
		}
		parts = append(parts, s.closest(a, t.furthest, closest, t.byCode[t.furthest]))
	}
	return strings.Join(parts, "; ")
}

func (s *search) closest(a *ask, code Code, list []DeviceReason, n int) string {
	switch code {
	case RequestSelector, ClassSelector:
		return s.describeSelector(a, code, n)
	case MatchAttribute:
		if text := s.describeMissingAttribute(a, n); text != "" {
			return text
		}
	}
	return s.listRefusals(list, n)
}

// listRefusals gives up to three reasons, each with up to three of the
// devices that it is true of.
func (s *search) listRefusals(list []DeviceReason, n int) string {
	const most = 3
	devices := map[string][]string{}
	var messages []string
	for _, d := range list {
		if devices[d.Message] == nil {
			messages = append(messages, d.Message)
		}
		devices[d.Message] = append(devices[d.Message], d.ID.Device)
	}
	var parts []string
	told := 0
	for _, message := range messages[:min(len(messages), most)] {
		names := devices[message]
		told += len(names)
		who := names[0]
		switch {
		case len(names) > most:
			who = fmt.Sprintf("each of %s and %d more", strings.Join(names[:most], ", "), len(names)-most)
		case len(names) > 1:
			last := len(names) - 1
			who = "each of " + strings.Join(names[:last], ", ") + " and " + names[last]
		}
		parts = append(parts, who+" "+message)
	}
	if more := n - told; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// phrase says briefly what a code means for an ask.
func (s *search) phrase(a *ask, code Code, n int) string {
	is := verb(n, "is ", "are ")
	switch code {
	case ClassSelector:
		return is + "not of class " + a.class.Name
	case RequestSelector:
		return is + "not selected by the request"
	case InUse:
		return is + "held by other claims"
	case Taint:
		return is + "tainted"
	case NodeSelection:
		return is + "for other nodes"
	case Picked:
		return is + "given out already"
	case Counters:
		return verb(n, "needs", "need") + " more than the counters have left"
	case Groups:
		return verb(n, "shares", "share") + " no compatibility group"
	case Capacity:
		return verb(n, "has", "have") + " too little capacity left"
	}
	for _, c := range codes {
		if c.Code == code {
			return "(" + c.Doc + ")"
		}
	}
	return string(code)
}

// competition finds requests that together want more devices than qualify
// for any of them.
func (s *search) competition() []Reason {
	if !s.prune.active {
		if s.planPruning(); !s.prune.active {
			return nil
		}
	}
	f := s.shortage(position{})
	if f == nil || len(f.needs) < 2 {
		return nil
	}
	requests := make([]*request, len(f.needs))
	for i, n := range f.needs {
		requests[i] = n.request
	}
	last := requests[len(requests)-1].asks[0]
	claim, request := last.claim, last.name
	if last.parent != "" {
		request = last.parent
	}
	listed := s.requestNames(requests)
	return []Reason{{Code: TooFewDevices, Claim: claim, Request: request, Field: last.field(),
		Message: fmt.Sprintf("%s (%s) together want %s of their own, and only %s on %s %s for them; proven by matching, without a search",
			plural(len(f.needs), "request"), listed, plural(f.wanted, "device"), plural(f.free, "device"), s.nodeLabel(), verb(f.free, "qualifies", "qualify"))}}
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// notes tell for each prioritized list which alternatives before the chosen
// one did not fit.
func (s *search) notes() []Reason {
	var out []Reason
	for c := range s.claims {
		for _, r := range s.claims[c].requests {
			for _, a := range r.asks[:s.chosen[r.id]] {
				out = append(out, s.passedOver(a))
			}
		}
		out = append(out, s.roundingNotes(c)...)
	}
	return out
}

// passedOver explains an alternative in a fresh attempt.
func (s *search) passedOver(a *ask) Reason {
	p := s.Problem
	fresh := newSearch(s.ctx, p)
	defer fresh.giveBack()
	if fresh.prepare() == nil {
		if reason, short := fresh.shortReason(a, fresh.takeStock(a)); short {
			return reason
		}
	}
	return Reason{Code: Combination, Claim: a.claim, Request: a.name, Field: a.field(),
		Message: fmt.Sprintf("alternative %s of %s could be satisfied alone, but not together with everything else", a.name, placeholder(a.claim))}
}

// roundingNotes say where a claim takes more of a capacity than it asked for.
func (s *search) roundingNotes(c int) []Reason {
	var out []Reason
	for _, p := range s.picks[c] {
		asked := p.ask.amounts()
		d := &s.devices[p.device]
		if !p.shared {
			continue
		}
		consumed := s.view.room(p.ask, p.device).consumed(d)
		for _, name := range d.capacities {
			request, named := asked[name]
			taken := consumed[name]
			policy := d.Capacity[name].RequestPolicy
			if !named || policy == nil || taken.Cmp(request) == 0 {
				continue
			}
			how := "the next valid value"
			if v := policy.ValidRange; v != nil && v.Min != nil {
				how = "at least " + text(*v.Min)
				if v.Step != nil {
					how = fmt.Sprintf("%s plus steps of %s", text(*v.Min), text(*v.Step))
				}
			}
			out = append(out, Reason{Code: CapacityPolicy, Claim: c, Request: p.ask.name, Field: p.ask.field() + ".capacity",
				Message: fmt.Sprintf("%s asks for %s of %s and takes %s: device %s gives %s", s.who(p.ask), request.String(), name, taken.String(), d.id.Device, how)})
		}
	}
	return out
}
