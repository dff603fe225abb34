package check

import (
	"fmt"
	"path"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/input"
)

// Ignore leaves findings out.
type Ignore struct {
	rule, files string
}

// ParseIgnore reads "rule@files": a rule such as bundle/missing-class, of which
// either part may be a pattern, and a pattern of file names. Without files it
// is for all of them.
func ParseIgnore(text string) (Ignore, error) {
	rule, files, restricted := strings.Cut(text, "@")
	ignore := Ignore{rule, files}
	if restricted && !input.ValidPattern(files) || restricted && files == "" {
		return ignore, fmt.Errorf("%q does not say which files; write a pattern behind the @, such as bundle/*@overlays/**", text)
	}
	if _, err := path.Match(rule, ""); err != nil {
		return ignore, fmt.Errorf("%q is no pattern of rules; write a rule such as bundle/missing-class, or bundle/*", rule)
	}
	for _, r := range core.Rules(core.RuleFilter{}).Rules {
		if ignore.covers(r.Source + "/" + r.ID) {
			return ignore, nil
		}
	}
	return ignore, fmt.Errorf("no rule is called %q; drawbridge rules lists them, such as bundle/missing-class", rule)
}

func (i Ignore) covers(rule string) bool {
	ok, _ := path.Match(i.rule, rule)
	return ok
}

// Matches tells whether findings of a rule in a file are left out.
func (i Ignore) Matches(rule, file string) bool {
	return i.covers(rule) && (i.files == "" || input.MatchAny([]string{i.files}, file))
}
