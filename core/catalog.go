package core

import (
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
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

// RuleInfo documents one rule that findings name.
type RuleInfo struct {
	ID        string `json:"id" doc:"The rule of a finding; unique within its source."`
	Source    string `json:"source" enum:"decode,api,gate,bundle"`
	Severity  string `json:"severity" enum:"error,warning,info" doc:"What its findings have unless they say otherwise."`
	Doc       string `json:"doc" doc:"What the rule demands, in one sentence."`
	Reference string `json:"reference,omitempty" doc:"Where Kubernetes states the rule."`
}

// RulesResult answers Rules.
type RulesResult struct {
	Rules []RuleInfo `json:"rules" doc:"By source and id."`
}

// Rules lists every rule that a finding can name.
func Rules() *RulesResult {
	out := &RulesResult{Rules: []RuleInfo{}}
	for _, r := range diag.Rules() {
		out.Rules = append(out.Rules, RuleInfo{
			ID: r.ID, Source: string(r.Source), Severity: string(r.Severity), Doc: r.Doc, Reference: r.Reference,
		})
	}
	return out
}
