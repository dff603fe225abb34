package allocate

import (
	"slices"
	"strconv"
	"strings"
)

// What is said about claims holds for others of the same shape and with the
// same names inside as well: only the names of the claims differ. So messages
// are written with placeholders, kept with the view as long as nothing changes
// there, and get the names when they are given out.

// placeholder stands for the name of a claim in a message. No name holds its
// mark.
func placeholder(claim int) string { return mark + strconv.Itoa(claim) + mark }

const mark = "\x00"

// named fills the names of the claims into a message.
func (c *Claims) named(message string) string {
	if !strings.Contains(message, mark) {
		return message
	}
	parts := strings.Split(message, mark)
	for i := 1; i < len(parts); i += 2 {
		if claim, err := strconv.Atoi(parts[i]); err == nil && claim < len(c.claims) {
			parts[i] = claimName(c.claims[claim].ResourceClaim)
		}
	}
	return strings.Join(parts, "")
}

// fill fills the names into reasons, which stay as they are.
func (c *Claims) fill(reasons []Reason) []Reason {
	out := slices.Clone(reasons)
	for i := range out {
		out[i].Message = c.named(out[i].Message)
		marked := func(d DeviceReason) bool { return strings.Contains(d.Message, mark) }
		if !slices.ContainsFunc(out[i].Devices, marked) {
			continue
		}
		out[i].Devices = slices.Clone(out[i].Devices)
		for j := range out[i].Devices {
			out[i].Devices[j].Message = c.named(out[i].Devices[j].Message)
		}
	}
	return out
}

// failed is a failure with its names.
func (c *Claims) failed(f *Failure) *Answer {
	return &Answer{Failure: &Failure{Kind: f.Kind, Reasons: c.fill(f.Reasons)}}
}

// wordingOf numbers all of the claims that what is said about them depends on,
// but for their own names.
func (c *Claims) wordingOf(programs *Programs) int {
	k := programs.spell('w')
	k.int(int64(c.shape))
	for _, r := range c.requests {
		for _, a := range r.asks {
			k.text(a.name)
			k.text(a.className)
			k.int(int64(a.request))
			k.int(int64(a.alternative))
		}
	}
	return k.number()
}
