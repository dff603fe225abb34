package diag

import (
	"slices"
	"sync"
)

// Rule documents one rule. Its ID is stable: people write it into
// configuration and comments.
type Rule struct {
	// ID is the name of the rule, unique within its Source.
	ID string
	// Source is where the findings of the rule come from.
	Source Source
	// Severity is what a finding of the rule has unless it says otherwise.
	Severity Severity
	// Doc is one sentence that says what the rule demands.
	Doc string
	// Reference says where Kubernetes states the rule, or what it goes by:
	// links or functions, with commas between; empty for our own.
	Reference string
}

// Rules lists every rule, by source and then by id.
func Rules() []Rule {
	var all []Rule
	for _, list := range [][]Rule{decodeRules, slices.Concat(apiRules, updateRules), gateRules, bundleRules} {
		sorted := slices.Clone(list)
		slices.SortFunc(sorted, func(a, b Rule) int {
			if a.ID < b.ID {
				return -1
			}
			return 1
		})
		all = append(all, sorted...)
	}
	return all
}

// Lookup finds a rule by its source and id.
func Lookup(source Source, id string) (Rule, bool) {
	r := byKey()[ruleKey{source, id}]
	if r == nil {
		return Rule{}, false
	}
	return *r, true
}

type ruleKey struct {
	source Source
	id     string
}

// byKey finds rules; for each object some seventy are looked up.
var byKey = sync.OnceValue(func() map[ruleKey]*Rule {
	found := map[ruleKey]*Rule{}
	for _, list := range [][]Rule{decodeRules, apiRules, updateRules, gateRules, bundleRules} {
		for i := range list {
			if key := (ruleKey{list[i].Source, list[i].ID}); found[key] == nil {
				found[key] = &list[i]
			}
		}
	}
	return found
})

// URL is where the rule is explained; see the function.
func (r Rule) URL() string { return URL(r.Source, r.ID) }

// URL is where a rule is explained: a reference relative to the server that
// is asked, and without the slash to the folder of the playground. Whoever
// gave the answer is not known here, so that it is the same everywhere.
func URL(source Source, rule string) string { return "/rules.html#" + string(source) + "-" + rule }
