package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/input"
)

// sarif writes SARIF 2.1.0. The results come first and the rules that they
// name behind them: only then is known which those are.
type sarif struct {
	printer
	o    Options
	any  bool
	seen map[string]bool
}

func newSARIF(o Options) Reporter {
	return &sarif{printer: printer{out: o.Out}, o: o, seen: map[string]bool{}}
}

const (
	sarifHead = `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"columnKind":"unicodeCodePoints","results":[`
	sarifTail = `],"invocations":[{"executionSuccessful":true}],"tool":{"driver":`
)

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifResult struct {
	RuleID    string            `json:"ruleId"`
	Level     string            `json:"level"`
	Message   sarifText         `json:"message"`
	Locations []sarifLocation   `json:"locations,omitempty"`
	Related   []sarifLocation   `json:"relatedLocations,omitempty"`
	Prints    map[string]string `json:"partialFingerprints"`
	Fixes     []sarifFix        `json:"fixes,omitempty"`
	More      *sarifProperties  `json:"properties,omitempty"`
}

type sarifProperties struct {
	Versions []string `json:"kubernetesVersions,omitempty"`
	Gate     string   `json:"featureGate,omitempty"`
}

type sarifLocation struct {
	ID       int            `json:"id,omitempty"`
	Message  *sarifText     `json:"message,omitempty"`
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  *sarifRegion `json:"deletedRegion"`
	Inserted sarifText    `json:"insertedContent"`
}

type sarifRule struct {
	ID       string      `json:"id"`
	Short    sarifText   `json:"shortDescription"`
	Help     sarifText   `json:"help"`
	HelpURI  string      `json:"helpUri,omitempty"`
	Defaults sarifConfig `json:"defaultConfiguration"`
}

type sarifConfig struct {
	Level string `json:"level"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

// sarifLevels are what SARIF calls the levels.
var sarifLevels = map[check.Level]string{check.Error: "error", check.Gate: "warning", check.Warning: "warning", check.Info: "note"}

func (s *sarif) File(r *check.Report) error {
	for i := range r.Findings {
		f := &r.Findings[i]
		s.seen[f.Rule] = true
		text, err := core.JSON(s.result(f))
		if err != nil {
			return err
		}
		if !s.any {
			s.any = true
			s.print(sarifHead + "\n")
		} else {
			s.print(",\n")
		}
		s.print(string(bytes.TrimRight(text, "\n")))
	}
	return s.err
}

func (s *sarif) result(f *check.Finding) sarifResult {
	out := sarifResult{RuleID: f.Rule, Level: sarifLevels[f.Level], Message: sarifText{Text: sentence(f)}, Prints: map[string]string{"objectField/v1": fingerprint(f)}}
	place := physical(f.Place)
	if place != nil || f.Object != nil {
		at := sarifLocation{Physical: place}
		if f.Object != nil {
			at.Logical = []sarifLogical{{Name: strings.TrimSuffix(f.Object.String()+" "+f.Field, " "), Kind: "object"}}
		}
		out.Locations = []sarifLocation{at}
	}
	for i, r := range f.Related {
		if place := physical(r.Place); place != nil {
			out.Related = append(out.Related, sarifLocation{ID: i + 1, Message: &sarifText{Text: r.Message}, Physical: place})
		}
	}
	if fix := f.Suggestion; fix != nil && fix.Place != nil {
		if place := physical(*fix.Place); place != nil && place.Region != nil {
			out.Fixes = []sarifFix{{Description: sarifText{Text: fix.Message}, Changes: []sarifChange{{
				Artifact: place.Artifact, Replacements: []sarifReplacement{{Deleted: place.Region, Inserted: sarifText{Text: fix.Replacement}}},
			}}}}
		}
	}
	if len(f.Versions) > 0 || f.Gate != "" {
		out.More = &sarifProperties{Versions: f.Versions, Gate: f.Gate}
	}
	return out
}

// physical is a place in a file. Lines of what was rendered are those of no
// file, and are left out.
func physical(at input.Place) *sarifPhysical {
	if at.File == "" || at.File == check.Everything {
		return nil
	}
	out := &sarifPhysical{Artifact: sarifArtifact{URI: reference(at.File)}}
	if at.Line > 0 && !at.Rendered {
		out.Region = &sarifRegion{at.Line, at.Column, at.EndLine, at.EndColumn}
	}
	return out
}

// reference is the name of a file as a URI, or as a reference relative to the
// working directory.
func reference(name string) string {
	if name == input.Stdin {
		return "stdin"
	}
	out := url.URL{Path: name}
	if filepath.IsAbs(filepath.FromSlash(name)) {
		out.Scheme = "file"
		out.Path = "/" + strings.TrimPrefix(name, "/")
	}
	return out.String()
}

// fingerprint stays the same when lines move.
func fingerprint(f *check.Finding) string {
	object := ""
	if f.Object != nil {
		object = f.Object.APIVersion + " " + f.Object.String()
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Rule, f.Place.File, object, f.Field}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

func (s *sarif) Close(*check.Summary) error {
	driver := sarifDriver{Name: "drawbridge", Version: s.o.Version, Rules: []sarifRule{}}
	for _, r := range core.Rules(core.RuleFilter{}).Rules {
		id := r.Source + "/" + r.ID
		if !s.seen[id] {
			continue
		}
		level := map[string]string{"error": "error", "warning": "warning", "info": "note"}[r.Severity]
		driver.Rules = append(driver.Rules, sarifRule{
			ID: id, Short: sarifText{Text: r.Doc}, HelpURI: s.o.url(r.URL), Defaults: sarifConfig{level},
			Help: sarifText{
				Text:     fmt.Sprintf("%s\n\nWrong:\n%s\nMended:\n%s", r.Doc, r.Example.Wrong, r.Example.Mend),
				Markdown: fmt.Sprintf("%s\n\nWrong:\n\n```yaml\n%s```\n\nMended:\n\n```yaml\n%s```\n", r.Doc, r.Example.Wrong, r.Example.Mend),
			},
		})
	}
	slices.SortFunc(driver.Rules, func(a, b sarifRule) int { return strings.Compare(a.ID, b.ID) })
	text, err := core.JSON(driver)
	if err != nil {
		return err
	}
	if !s.any {
		s.print(sarifHead)
	}
	s.printf("\n%s%s}}]}\n", sarifTail, bytes.TrimRight(text, "\n"))
	return s.err
}
