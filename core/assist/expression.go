package assist

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// expressions are the fields that hold CEL.
var expressions = map[string]bool{
	"CELDeviceSelector.expression":      true,
	"DeviceDerivedAttribute.expression": true,
}

// word of an expression that can be completed, or be told of.
type word struct {
	name, doc string
	gate      feature.Gate
	// call is set for functions; args for those that have any.
	call, args bool
}

// deviceFields are what the variable device has.
var deviceFields = []word{
	{name: "driver", doc: "The driver of the device."},
	{name: "attributes", doc: "The attributes of the device: a map of domains, each a map of names. A domain that the device does not have is empty, a name that it lacks is an error."},
	{name: "capacity", doc: "The capacities of the device: a map of domains, each a map of names to quantities."},
	{name: "allowMultipleAllocations", doc: "Whether several claims may have the device.", gate: feature.DRAConsumableCapacity},
}

// global are the words that stand for themselves.
var global = []word{
	{name: "device", doc: "The device that is looked at: driver, attributes, capacity, allowMultipleAllocations."},
	{name: "has", doc: "Whether a field is there: has(device.attributes[\"domain\"].name).", call: true, args: true},
	{name: "quantity", doc: "A quantity of a string, to compare capacities with: quantity(\"40Gi\").", call: true, args: true},
	{name: "isQuantity", doc: "Whether a string is a quantity.", call: true, args: true},
	{name: "semver", doc: "A version of a string, to compare versions with: semver(\"1.2.0\").", call: true, args: true},
	{name: "isSemver", doc: "Whether a string is a semantic version.", call: true, args: true},
	{name: "cel.bind", doc: "Gives a value a name for the rest: cel.bind(a, device.attributes[\"domain\"], a.x == 1).", call: true, args: true},
	{name: "size", doc: "The length of a string, list or map.", call: true, args: true},
	{name: "int", doc: "A whole number of a string or number.", call: true, args: true},
	{name: "string", doc: "A string of a value.", call: true, args: true},
	{name: "true"}, {name: "false"},
}

// methods are what values of a type can be asked, by type.
var methods = map[string][]word{
	"string": {
		{name: "startsWith", doc: "Whether the string begins with another.", call: true, args: true},
		{name: "endsWith", doc: "Whether the string ends with another.", call: true, args: true},
		{name: "contains", doc: "Whether another string is inside.", call: true, args: true},
		{name: "matches", doc: "Whether a regular expression (RE2) finds something.", call: true, args: true},
		{name: "lowerAscii", doc: "The string in lower case.", call: true},
		{name: "upperAscii", doc: "The string in upper case.", call: true},
		{name: "split", doc: "The parts between separators.", call: true, args: true},
		{name: "size", doc: "How many characters.", call: true},
	},
	"semver": {
		{name: "isGreaterThan", doc: "Whether the version is later than another.", call: true, args: true},
		{name: "isLessThan", doc: "Whether the version is earlier than another.", call: true, args: true},
		{name: "compareTo", doc: "1, 0 or -1: later, the same, earlier.", call: true, args: true},
		{name: "major", doc: "The first number.", call: true},
		{name: "minor", doc: "The second number.", call: true},
		{name: "patch", doc: "The third number.", call: true},
	},
	"quantity": {
		{name: "isGreaterThan", doc: "Whether it is more than another quantity.", call: true, args: true},
		{name: "isLessThan", doc: "Whether it is less than another quantity.", call: true, args: true},
		{name: "compareTo", doc: "1, 0 or -1: more, the same, less.", call: true, args: true},
		{name: "asInteger", doc: "The quantity as a whole number; an error if it is none.", call: true},
		{name: "isInteger", doc: "Whether asInteger would do.", call: true},
		{name: "asApproximateFloat", doc: "The quantity as a number that may be a little off.", call: true},
		{name: "add", doc: "The sum with a quantity or whole number.", call: true, args: true},
		{name: "sub", doc: "What is left without a quantity or whole number.", call: true, args: true},
	},
	"list": {
		{name: "exists", doc: "Whether one item meets a condition: exists(x, x == 1).", call: true, args: true},
		{name: "all", doc: "Whether all items meet a condition.", call: true, args: true},
		{name: "includes", doc: "Whether a value is in the list, or is the value itself.", gate: feature.DRAListTypeAttributes, call: true, args: true},
		{name: "size", doc: "How many items.", call: true},
	},
}

// chain is device.attributes["domain"].name, as far as it is written.
var chain = regexp.MustCompile(`device\.(attributes|capacity)(?:\[\s*\\?["']([^"'\\]*)(?:(\\?["'])\s*\](?:\.([A-Za-z0-9_]*)|\[\s*\\?["']([^"'\\]*)(?:\\?["']\])?)?)?)?`)

// member is a name of what the variable device has.
var member = regexp.MustCompile(`device\.([A-Za-z]*)`)

// within returns the part of an expression before an offset, and the whole, as
// written; false if the node holds none or the offset is not in it.
func (d *Desk) within(n *node, p place, offset int) (begin, end int, ok bool) {
	if n == nil || !expressions[p.id()] || n.start < 0 || n.bracket != 0 {
		return 0, 0, false
	}
	begin, end = n.start, n.end
	switch n.quote {
	case '"', '\'':
		begin++
		if end > begin && d.text[end-1] == n.quote {
			end--
		}
	case '|', '>':
		line := lineOf(d.lines, n.start)
		begin = min(d.lines[line+1], n.end)
	}
	return begin, end, begin <= offset && offset <= end
}

// maxExpression bounds what is looked at around the cursor.
const maxExpression = 12_000

// hoverExpression tells of what an expression reads; nil where it is none, or
// there is nothing to tell.
func (d *Desk) hoverExpression(n *node, p place, offset int) *Hover {
	begin, end, ok := d.within(n, p, offset)
	if !ok || end-begin > maxExpression {
		return nil
	}
	text := string(d.text[begin:end])
	at := offset - begin
	for _, m := range chain.FindAllStringSubmatchIndex(text, -1) {
		if at < m[0] || at > m[1] || m[4] < 0 {
			continue
		}
		group := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		name := group(4) + group(5)
		out := &Hover{Title: text[m[0]:m[1]], Location: d.location(begin+m[0], begin+m[1]), Facts: []Fact{}, Rules: []RuleLink{}}
		d.tellRead(out, group(1) == "capacity", group(2), name)
		return out
	}
	for _, m := range member.FindAllStringSubmatchIndex(text, -1) {
		for _, w := range deviceFields {
			if m[0] <= at && at <= m[1] && w.name == text[m[2]:m[3]] {
				return d.hoverWord(w, "device."+w.name, begin+m[0], begin+m[1])
			}
		}
	}
	from, to := at, at
	for from > 0 && isWord(text[from-1]) {
		from--
	}
	for to < len(text) && isWord(text[to]) {
		to++
	}
	for _, list := range [][]word{global, methods["string"], methods["semver"], methods["quantity"], methods["list"]} {
		for _, w := range list {
			if w.name == text[from:to] && w.doc != "" {
				return d.hoverWord(w, w.name, begin+from, begin+to)
			}
		}
	}
	return nil
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (d *Desk) hoverWord(w word, title string, start, end int) *Hover {
	out := &Hover{Title: title, Text: w.doc, Location: d.location(start, end), Facts: []Fact{}, Rules: []RuleLink{}}
	if w.gate != "" {
		out.Facts = append(out.Facts, Fact{"gate", d.gate(w.gate)})
	}
	return out
}

// tellRead says who publishes what an expression reads.
func (d *Desk) tellRead(out *Hover, capacity bool, domain, name string) {
	all, what := d.names.attributes, "attribute"
	if capacity {
		all, what = d.names.capacities, "capacity"
	}
	if a := all[domain+"/"+name]; a != nil {
		out.Text = fmt.Sprintf("The %s %s of the domain %s.", what, name, domain)
		out.Facts = append(out.Facts, Fact{"published", a.published()})
		return
	}
	var known []string
	for _, a := range sorted(all) {
		if rest, ok := strings.CutPrefix(a.name, domain+"/"); ok {
			known = append(known, rest)
		}
	}
	switch {
	case name == "" && len(known) > 0:
		out.Text = fmt.Sprintf("The domain %s, in which slices of this text publish %s.", domain, strings.Join(known, ", "))
	case name == "":
		out.Text = fmt.Sprintf("The domain %s, in which no slice of this text publishes anything.", domain)
	default:
		out.Text = fmt.Sprintf("The %s %s of the domain %s, which no device of this text has.", what, name, domain)
	}
}

func sorted(all map[string]*attribute) []*attribute {
	var out []*attribute
	for _, a := range all {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *attribute) int { return cmp.Compare(a.name, b.name) })
	return out
}

// completeExpression lists what may follow in an expression. The text before
// the cursor decides.
func (d *Desk) completeExpression(begin, offset int) ([]Completion, *diag.Location) {
	text := string(d.text[max(begin, offset-maxExpression):offset])
	from := len(text)
	for from > 0 && isWord(text[from-1]) {
		from--
	}
	here := d.location(offset-(len(text)-from), offset)
	before := text[:from]
	if loc := openDomain.FindStringSubmatchIndex(text); loc != nil {
		list, quote, typed := text[loc[2]:loc[3]], text[loc[4]:loc[5]], text[loc[6]:loc[7]]
		// What closes the bracket already, as editors put it there, is written
		// anew, so that the cursor comes behind it.
		behind := closing.Find(d.text[offset:min(offset+8, len(d.text))])
		dot := "."
		if end := offset + len(behind); len(behind) > 0 && end < len(d.text) && d.text[end] == '.' {
			dot = ""
		}
		fresh := `"`
		if begin > 0 && d.text[begin-1] == '"' {
			fresh = "'" // another would end the string around
		}
		return d.domains(list == "capacity", quote, fresh, dot), d.location(offset-len(typed), offset+len(behind))
	}
	if m := openName.FindStringSubmatch(before); m != nil {
		return d.namesIn(m[1] == "capacity", m[2]), here
	}
	switch {
	case strings.HasSuffix(before, "device."):
		return d.words(deviceFields, "field"), here
	case strings.HasSuffix(before, "."):
		return d.words(d.methodsFor(before), "function"), here
	case strings.HasSuffix(before, `"`), strings.HasSuffix(before, `'`):
		return nil, here
	}
	return d.words(global, "function"), here
}

var (
	// openDomain is a bracket behind attributes or capacity that is open yet.
	openDomain = regexp.MustCompile(`device\.(attributes|capacity)\[\s*(\\?["']|)([^"'\\\]]*)$`)
	// closing is what ends a domain and its bracket.
	closing = regexp.MustCompile(`^(\\?["'])?\]`)
	// openName is a domain with a dot behind.
	openName = regexp.MustCompile(`device\.(attributes|capacity)\[\s*\\?["']([^"'\\]*)\\?["']\s*\]\.$`)
	// wholeName is an attribute with a dot behind.
	wholeName = regexp.MustCompile(`device\.(attributes|capacity)\[\s*\\?["']([^"'\\]*)\\?["']\s*\]\.([A-Za-z0-9_]+)\.$`)
)

// domains lists the domains in which something is published, with the quote
// that is there or a fresh one, and what follows.
func (d *Desk) domains(capacity bool, quote, fresh, dot string) []Completion {
	all := d.names.attributes
	if capacity {
		all = d.names.capacities
	}
	count := map[string]int{}
	var order []string
	for _, a := range sorted(all) {
		domain, _, ok := strings.Cut(a.name, "/")
		if !ok {
			continue
		}
		if count[domain]++; count[domain] == 1 {
			order = append(order, domain)
		}
	}
	var out []Completion
	for _, domain := range order {
		insert := domain + quote + "]" + dot
		if quote == "" {
			insert = fresh + domain + fresh + "]" + dot
		}
		out = append(out, Completion{Label: domain, Kind: "name", Detail: plural(count[domain], "name"), Insert: insert})
	}
	return out
}

// namesIn lists what is published in a domain.
func (d *Desk) namesIn(capacity bool, domain string) []Completion {
	all := d.names.attributes
	if capacity {
		all = d.names.capacities
	}
	var out []Completion
	for _, a := range sorted(all) {
		if name, ok := strings.CutPrefix(a.name, domain+"/"); ok && name != "" {
			out = append(out, Completion{Label: name, Kind: "attribute", Detail: a.published(), Insert: name})
		}
	}
	return out
}

// methodsFor guesses from the text before the dot what the value can do.
func (d *Desk) methodsFor(before string) []word {
	if m := wholeName.FindStringSubmatch(before); m != nil {
		if m[1] == "capacity" {
			return methods["quantity"]
		}
		if a := d.names.attributes[m[2]+"/"+m[3]]; a != nil {
			for _, t := range a.types {
				if strings.HasSuffix(t, "s") {
					return methods["list"]
				}
				if list, ok := methods[attributeTypes[t]]; ok {
					return list
				}
			}
			return nil
		}
	}
	for _, kind := range []string{"quantity", "semver"} {
		if i := strings.LastIndex(before, kind+"("); i >= 0 && strings.HasSuffix(before, ").") && strings.Count(before[i:], ")") == 1 {
			return methods[kind]
		}
	}
	if strings.HasSuffix(before, "device.driver.") {
		return methods["string"]
	}
	return slices.Concat(methods["string"], methods["semver"], methods["quantity"][3:], methods["list"][:3])
}

func (d *Desk) words(list []word, kind string) []Completion {
	var out []Completion
	for _, w := range list {
		if w.gate != "" && !d.features.Enabled(w.gate) {
			continue
		}
		c := Completion{Label: w.name, Kind: kind, Text: w.doc, Insert: w.name}
		switch {
		case w.args:
			c.Insert, c.Cursor = w.name+"()", len(w.name)+1
		case w.call:
			c.Insert = w.name + "()"
		case kind == "function" && !w.call:
			c.Kind = "value"
		}
		out = append(out, c)
	}
	return out
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
