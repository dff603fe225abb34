// Package rulebook writes the registry of rules down for people: as
// docs/rules.md and as the page to which findings link. Both say the same.
package rulebook

import (
	"strings"

	"github.com/drawbridge-dra/drawbridge/core"
)

// Chapter is the rules of one source.
type Chapter struct {
	Source string
	// Words say what the findings of the source have in common.
	Words string
	Rules []Entry
}

// Entry is one rule.
type Entry struct {
	core.RuleInfo
	// Anchor is the part of the rule's URL behind "#".
	Anchor string
	// Links and Functions are where Kubernetes states the rule.
	Links, Functions []string
	// Shown is what stands above the example.
	Shown string
	// Under are the options of the example, as name=value.
	Under []string
	// Gates are the feature gates that mend the example, in the form of the
	// option; KeepGates tells that it is mended by leaving them as they are.
	Gates     string
	KeepGates bool
	// Changes lead from the example to its mend; none where only the options
	// differ.
	Changes []Line
}

// words introduce the sources, in the order of the registry.
var words = map[string]string{
	"decode": "The text cannot be read as an object of its kind.",
	"api":    "The API server refuses the object. The type of a finding is the field.ErrorType that the API server gives.",
	"gate":   "The API server accepts the object and silently drops a field at this version with these feature gates.",
	"bundle": "The objects do not fit each other. No API server checks that.",
}

// headings stand above the examples of an operation.
var headings = map[string]string{
	"create": "Wrong",
	"update": "Wrong, as an update of the object above",
	"status": "Wrong, as an update of the status of the object above",
}

// Intro is what stands at the top.
const Intro = "The id of a rule is stable. Each finding links to its entry here. A line that ends in “# × 33” stands for 33 lines, with their numbers in place of “#”."

// ReasonsIntro is what stands above the codes of reasons.
const ReasonsIntro = "Why a pod or claim does not fit on a node (reasons[].code), and why a request cannot have a device (reasons[].devices[].code). The codes are stable."

// Chapters returns the whole registry.
func Chapters() []Chapter {
	var out []Chapter
	for _, r := range core.RuleBook().Rules {
		if len(out) == 0 || out[len(out)-1].Source != r.Source {
			out = append(out, Chapter{Source: r.Source, Words: words[r.Source]})
		}
		last := &out[len(out)-1]
		last.Rules = append(last.Rules, entry(r))
	}
	return out
}

func entry(r core.RuleInfo) Entry {
	e := Entry{RuleInfo: r, Shown: headings[r.Example.Operation], Under: options(r.Example.Options)}
	_, e.Anchor, _ = strings.Cut(r.URL, "#")
	for _, part := range strings.Split(r.Reference, ", ") {
		switch {
		case part == "":
		case strings.HasPrefix(part, "https://"):
			e.Links = append(e.Links, part)
		default:
			e.Functions = append(e.Functions, part)
		}
	}
	if o, mend := r.Example.Options, r.Example.MendOptions; o != mend {
		e.Gates, e.KeepGates = mend.FeatureGates, mend.FeatureGates == ""
	}
	if r.Example.Wrong != r.Example.Mend {
		e.Changes = hunks(diff(r.Example.Wrong, r.Example.Mend), 3)
	}
	return e
}

func options(o core.ExampleOptions) []string {
	var out []string
	for _, option := range []struct{ name, value string }{
		{"kubernetesVersion", o.KubernetesVersion}, {"featureGates", o.FeatureGates}, {"fieldValidation", o.FieldValidation},
	} {
		if option.value != "" {
			out = append(out, option.name+"="+option.value)
		}
	}
	return out
}

// visible shows the control characters that YAML does not allow, and that
// neither a page nor a document can hold, as the pictures that Unicode has of
// them.
func visible(text string) string {
	return strings.Map(func(c rune) rune {
		if c < 0x20 && c != '\n' && c != '\t' {
			return '␀' + c
		}
		return c
	}, text)
}
