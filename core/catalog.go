package core

import (
	"slices"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// GateInfo is a feature gate at one version of Kubernetes.
type GateInfo struct {
	Name    string   `json:"name"`
	Stage   string   `json:"stage" enum:"alpha,beta,GA,deprecated"`
	Default bool     `json:"default" doc:"Whether the gate is on unless somebody sets it."`
	Locked  bool     `json:"locked" doc:"True if the gate cannot be set to anything but its default."`
	Needs   []string `json:"needs" doc:"Gates that must be on for this one to be on."`
}

// VersionInfo is a version of Kubernetes with the gates that matter here.
type VersionInfo struct {
	Version string     `json:"version" example:"1.37"`
	Gates   []GateInfo `json:"gates" doc:"By name."`
}

// VersionsResult answers Versions.
type VersionsResult struct {
	Default  string        `json:"default" doc:"The version that applies when none is asked for."`
	Versions []VersionInfo `json:"versions" doc:"Newest first."`
}

// Versions lists the versions of Kubernetes that can be asked about.
func Versions() *VersionsResult {
	out := &VersionsResult{Default: feature.Newest.String(), Versions: []VersionInfo{}}
	for _, v := range feature.Versions() {
		info := VersionInfo{Version: v.String(), Gates: []GateInfo{}}
		for _, g := range feature.Default(v).Gates() {
			gate := GateInfo{Name: string(g.Name), Stage: string(g.Stage), Default: g.Default, Locked: g.Locked, Needs: []string{}}
			for _, need := range g.Needs {
				gate.Needs = append(gate.Needs, string(need))
			}
			info.Gates = append(info.Gates, gate)
		}
		out.Versions = append(out.Versions, info)
	}
	return out
}

// ExampleOptions are the options that an example needs; empty ones are left
// at their defaults.
type ExampleOptions struct {
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	FeatureGates      string `json:"featureGates,omitempty"`
	FieldValidation   string `json:"fieldValidation,omitempty"`
}

// RuleExample shows a rule at work.
type RuleExample struct {
	Operation   string         `json:"operation" enum:"create,update,status" doc:"What is done: an object is created, updated, or its status is."`
	Options     ExampleOptions `json:"options" doc:"Under which options the wrong text breaks the rule."`
	Before      string         `json:"before,omitempty" doc:"The stored objects, for an update."`
	Wrong       string         `json:"wrong" doc:"A text that breaks the rule."`
	Mend        string         `json:"mend" doc:"The same text, mended. Where it is no other, the options for it are."`
	MendOptions ExampleOptions `json:"mendOptions" doc:"Under which options the mended text is right."`
}

// RuleInfo documents one rule that findings name.
type RuleInfo struct {
	ID        string      `json:"id" doc:"The rule of a finding; unique within its source."`
	Source    string      `json:"source" enum:"decode,api,gate,bundle"`
	Severity  string      `json:"severity" enum:"error,warning,info" doc:"What its findings have unless they say otherwise."`
	Doc       string      `json:"doc" doc:"What the rule demands, in one sentence."`
	Reference string      `json:"reference,omitempty" doc:"Where Kubernetes states the rule: a link, or functions of its code. Missing for rules of our own."`
	URL       string      `json:"url" doc:"Where the rule is explained, relative to the server."`
	Example   RuleExample `json:"example"`
}

// RulesResult answers Rules.
type RulesResult struct {
	Rules []RuleInfo `json:"rules" doc:"By source and id."`
}

// RuleFilter chooses rules; empty fields choose all.
type RuleFilter struct {
	Source string `json:"source,omitempty"`
	ID     string `json:"id,omitempty"`
}

// Rules lists the rules that a finding can name, and that the filter lets
// through.
func Rules(filter RuleFilter) *RulesResult { return rules(filter, diag.Expand) }

// RuleBook lists every rule with examples as they are read best: a line that
// ends in "# × 33" stands for 33 of it.
func RuleBook() *RulesResult { return rules(RuleFilter{}, func(text string) string { return text }) }

func rules(filter RuleFilter, expand func(string) string) *RulesResult {
	out := &RulesResult{Rules: []RuleInfo{}}
	for _, r := range diag.Rules() {
		if filter.Source != "" && filter.Source != string(r.Source) || filter.ID != "" && filter.ID != r.ID {
			continue
		}
		info := RuleInfo{
			ID: r.ID, Source: string(r.Source), Severity: string(r.Severity), Doc: r.Doc, Reference: r.Reference, URL: r.URL(),
		}
		// That every rule has one that can be read is what a test is for.
		if e, err := r.Example(); err == nil {
			info.Example = RuleExample{
				Operation: string(e.Operation), Options: ExampleOptions(e.Options), Before: expand(e.Before),
				Wrong: expand(e.Wrong), Mend: expand(e.Right), MendOptions: ExampleOptions(e.RightOptions),
			}
		}
		out.Rules = append(out.Rules, info)
	}
	return out
}

// ReasonInfo documents one code that the reasons of an allocation have.
type ReasonInfo struct {
	Code string
	// Scope is what the reason is about: a pod, a device…
	Scope string
	Doc   string
}

// Reasons lists every code, in the order in which the checks are made.
func Reasons() []ReasonInfo {
	var out []ReasonInfo
	for _, c := range slices.Concat(allocate.Codes(), schedule.Codes()) {
		out = append(out, ReasonInfo{Code: string(c.Code), Scope: c.Scope, Doc: c.Doc})
	}
	return out
}
