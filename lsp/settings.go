package lsp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core"
)

// Settings are what the person chose in the editor, or with flags; empty is
// what nobody chose.
type Settings struct {
	KubernetesVersion string
	FeatureGates      string
	Scope             Scope
	// RulesURL is the page that findings link to; they are its fragments.
	RulesURL string
}

// defaultRules is where the rules can be read if nobody says another place.
const defaultRules = "https://github.com/drawbridge-dra/drawbridge/blob/main/docs/rules.md"

// section is under which name editors keep the settings.
const section = "drawbridge"

// read takes over what a client sent, and says what of it cannot be used,
// alone or over the flags. What is missing stays as it was.
func (s *Settings) read(raw json.RawMessage, flags Settings) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	var in struct {
		KubernetesVersion *string         `json:"kubernetesVersion"`
		FeatureGates      json.RawMessage `json:"featureGates"`
		Scope             *Scope          `json:"scope"`
		RulesURL          *string         `json:"rulesURL"`
		Section           json.RawMessage `json:"drawbridge"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return errors.New("drawbridge's settings are not of the form that docs/editors.md describes; they are left as they were")
	}
	if len(in.Section) > 0 {
		return s.read(in.Section, flags)
	}
	out, gates := *s, ""
	if in.FeatureGates != nil {
		var err error
		if gates, err = gatesOf(in.FeatureGates); err != nil {
			return err
		}
		out.FeatureGates = gates
	}
	if in.KubernetesVersion != nil {
		out.KubernetesVersion = *in.KubernetesVersion
	}
	if in.Scope != nil && *in.Scope == "" {
		out.Scope = ""
	} else if in.Scope != nil {
		if err := out.Scope.Set(string(*in.Scope)); err != nil {
			return fmt.Errorf("drawbridge.scope: %w", err)
		}
	}
	if in.RulesURL != nil {
		out.RulesURL = *in.RulesURL
	}
	merged := out.over(flags)
	if err := merged.options().CheckFeatures(); err != nil {
		return fmt.Errorf("drawbridge.%w", err)
	}
	*s = out
	return nil
}

// gatesOf reads gates as a text like that of the API server's flag, or as an
// object.
func gatesOf(raw json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var gates map[string]bool
	if json.Unmarshal(raw, &gates) != nil {
		return "", errors.New(`drawbridge.featureGates must be an object such as {"DRAConsumableCapacity": true}, or a text such as "DRAConsumableCapacity=true"`)
	}
	var list []string
	for name, on := range gates {
		list = append(list, fmt.Sprintf("%s=%t", name, on))
	}
	slices.Sort(list)
	return strings.Join(list, ","), nil
}

func (s Settings) options() core.Options {
	return core.Options{KubernetesVersion: s.KubernetesVersion, FeatureGates: s.FeatureGates}
}

// over takes from others what is not chosen here.
func (s Settings) over(others Settings) Settings {
	return Settings{
		KubernetesVersion: cmp.Or(s.KubernetesVersion, others.KubernetesVersion),
		FeatureGates:      cmp.Or(s.FeatureGates, others.FeatureGates),
		Scope:             cmp.Or(s.Scope, others.Scope),
		RulesURL:          cmp.Or(s.RulesURL, others.RulesURL),
	}
}

// rule is where a rule can be read, by the reference that findings have.
func (s Settings) rule(reference string) string {
	if _, fragment, ok := strings.Cut(reference, "#"); ok {
		return s.RulesURL + "#" + fragment
	}
	return s.RulesURL
}
