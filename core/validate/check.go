package validate

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/nearest"
)

// passes tells which of the API server's passes over an object make a check.
// The hand-written pass works on the internal type and stops at some points
// where the declared one, which works on the version of the request, goes on.
// A check that both make is reported once, with the declared path.
type passes uint8

const (
	byHand passes = 1 << iota
	// declared rules are in beta: a feature gate turns them off, and then
	// the hand-written ones decide alone.
	declared
	// standard rules are declared too, have no hand-written twin and are
	// always on.
	standard
	byBoth = byHand | declared
)

// problem is what is wrong with a value.
type problem struct {
	rule    string
	kind    field.ErrorType
	value   string
	message string
	// exact and reason tell whether two hand-written problems at one place
	// are the same to Kubernetes, which then reports one of them: exact is
	// the value as it prints it, reason stands for its message.
	exact, reason string
	// focus is where in the text the problem lies, when that is more exact
	// than the path that the API server reports.
	focus *path
	// line and column count from 1 inside of a text value, such as an
	// expression; 0 where they are not known.
	line, column int
	// hint says how to mend it; replacement is the text to put instead of
	// what is at focus.
	hint        string
	replacement string
	// cause is another place that has a part in the problem, and why.
	cause       *path
	causeReason string
}

// finding is a problem at a place.
type finding struct {
	problem
	at      *path
	passes  passes
	subject subject
}

// checker walks over an object and collects findings.
type checker struct {
	// minor is the version of Kubernetes that checks.
	minor int
	// on tells whether a feature gate is on.
	on func(feature.Gate) bool
	// beta1 is set for objects written in v1beta1.
	beta1 bool
	// running are the passes that come along at this point of the walk.
	running passes
	// subject names the device or request that is being looked at.
	subject subject
	// dropped knows which fields the API server removed before it looked.
	dropped *droppedFields
	// history is what was before an update; nil on creation.
	history *history
	// storedSelectors and storedConfig tell that an update leaves the
	// expressions, or the configuration, of a class as they are: those are
	// not measured by today's limits.
	storedSelectors, storedConfig bool
	// closing says why an updated claim takes no further consumers.
	closing string
	// namespaces are those of the bundle, by name.
	namespaces map[string]*corev1.Namespace

	// expressions are those that were compiled already.
	expressions *Expressions

	found []finding
	// more counts the findings beyond mostFound, which are not kept.
	more int
}

// mostFound is how many findings are kept. Only maxFindings of them are told,
// but more are needed to recognize those that are twice there.
const mostFound = 4 * maxFindings

// add reports problems that the given passes find at a place.
func (c *checker) add(who passes, at *path, problems ...problem) {
	who &= c.running
	if who == 0 {
		return
	}
	for _, p := range problems {
		if p.reason == identifierReason && !c.does(identifiersInvalid) {
			p.kind = field.ErrorTypeTypeInvalid
		}
		if p.kind == field.ErrorTypeTooMany && !c.does(listsTooMany) {
			p.kind = field.ErrorTypeTooLong
		}
		left := who
		if left&(declared|standard) != 0 && c.history.skips(at, &p) {
			left &^= declared | standard
		}
		switch {
		case left == 0:
		case len(c.found) < mostFound:
			c.found = append(c.found, finding{problem: p, at: at, passes: left, subject: c.subject})
		default:
			c.more++
		}
	}
}

func (c *checker) hand(at *path, problems ...problem) { c.add(byHand, at, problems...) }
func (c *checker) both(at *path, problems ...problem) { c.add(byBoth, at, problems...) }
func (c *checker) decl(at *path, problems ...problem) { c.add(declared, at, problems...) }
func (c *checker) std(at *path, problems ...problem)  { c.add(standard, at, problems...) }

// once drops hand-written findings that say the same of the same value at the
// same place, as Kubernetes does when it merges its passes.
func (c *checker) once() {
	if len(c.found) < 2 {
		return
	}
	type key struct{ place, kind, exact, reason string }
	seen := map[key]bool{}
	c.found = slices.DeleteFunc(c.found, func(f finding) bool {
		if f.passes != byHand || f.reason == "" {
			return false
		}
		k := key{f.at.render(false), string(f.kind), f.exact, f.reason}
		again := seen[k]
		seen[k] = true
		return again
	})
}

// merge reports what the two passes find for one value where their rules
// differ: a declared problem stands for every hand-written one of its type.
func (c *checker) merge(at *path, hand, decl []problem) {
	if c.running&declared == 0 || c.history.unchanged(at) {
		c.hand(at, hand...)
		return
	}
	stands := map[field.ErrorType]bool{}
	for _, d := range decl {
		who := declared
		if slices.ContainsFunc(hand, func(h problem) bool { return h.kind == d.kind }) {
			who = byBoth
		}
		c.add(who, at, d)
		stands[d.kind] = true
	}
	for _, h := range hand {
		if !stands[h.kind] {
			c.hand(at, h)
		}
	}
}

// declaredOnly walks on where the hand-written pass has stopped.
func (c *checker) declaredOnly(walk func()) {
	before := c.running
	c.running &^= byHand
	walk()
	c.running = before
}

// about walks with findings that name a device or a request.
func (c *checker) about(what subject, walk func()) {
	before := c.subject
	c.subject = what
	walk()
	c.subject = before
}

// subject is an item of a list that findings name: by what it is called, or by
// its place when it has no name. The zero value is none.
type subject struct {
	kind, name, list string
	index            int
}

func named(kind, name, list string, index int) subject { return subject{kind, name, list, index} }

func (s subject) String() string {
	switch {
	case s == subject{}:
		return ""
	case s.name == "":
		return s.list + "[" + strconv.Itoa(s.index) + "]"
	}
	return s.kind + " " + short(s.name)
}

// short cuts a value for display.
func short(s string) string {
	const longest = 60
	if utf8.RuneCountInString(s) <= longest {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	runes := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	return string(runes[:longest]) + "…"
}

// quote shows a value as text, on one line.
func quote(s string) string { return strconv.Quote(short(s)) }

// plural prints a number with its noun.
func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return strconv.Itoa(n) + " " + strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "sh"):
		return strconv.Itoa(n) + " " + noun + "es"
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// tooMany is the problem of a list or map with n items where only limit are
// allowed.
func tooMany(rule string, n, limit int, noun, advice string) problem {
	return problem{
		rule: rule, kind: field.ErrorTypeTooMany, value: strconv.Itoa(n),
		message: "has " + plural(n, noun) + ", at most " + strconv.Itoa(limit) + " are allowed; " + advice,
	}
}

// tooLong is the problem of a value that is too long.
func tooLong(rule, value, noun string, limit int) problem {
	return problem{
		rule: rule, kind: field.ErrorTypeTooLong, value: short(value), reason: "length " + strconv.Itoa(limit),
		message: noun + " is " + strconv.Itoa(len(value)) + " bytes long, at most " + strconv.Itoa(limit) + " are allowed; shorten it",
	}
}

// required is the problem of a value that is not there.
func required(rule, message string) problem {
	return problem{rule: rule, kind: field.ErrorTypeRequired, message: message}
}

// invalid is the problem of a value that breaks a rule.
func invalid(rule, value, message string) problem {
	return problem{rule: rule, kind: field.ErrorTypeInvalid, value: short(value), message: message, exact: value, reason: message}
}

// forbidden is the problem of a value that may not be there.
func forbidden(rule, value, message string) problem {
	return problem{rule: rule, kind: field.ErrorTypeForbidden, value: short(value), message: message}
}

// duplicate is the problem of an item that was there before.
func duplicate(rule, value, noun string) problem {
	return problem{
		rule: rule, kind: field.ErrorTypeDuplicate, value: short(value),
		message: noun + " " + quote(value) + " is there more than once; it may appear once only, so rename or remove this one",
	}
}

// oneOf is the problem of a value that is none of those allowed.
func oneOf(rule, value, noun string, allowed ...string) problem {
	p := problem{rule: rule, kind: field.ErrorTypeNotSupported, value: short(value)}
	p.message = noun + " " + quote(value) + " is not known; use " + orList(allowed)
	if meant := nearest.Name(value, allowed); meant != "" {
		p.message += "; did you mean " + meant + "?"
		p.hint, p.replacement = "use "+meant, meant
	}
	return p
}

// orList joins words of which one is to be chosen.
func orList(words []string) string {
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// unique reports the second and later of equal items.
func unique[T any, K comparable](list []T, key func(T) K, report func(index int)) {
	if len(list) < 2 {
		return
	}
	seen := make(map[K]bool, len(list))
	for i, item := range list {
		k := key(item)
		if seen[k] {
			report(i)
		}
		seen[k] = true
	}
}

func itself[T any](item T) T { return item }
