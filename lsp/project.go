package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/input"
	"github.com/drawbridge-dra/drawbridge/project"
)

// looked is how long it takes until a change of a settings file is seen that
// the editor does not tell of.
const looked = 2 * time.Second

// settled is a settings file, read.
type settled struct {
	document *document
	settings *project.Settings
	problem  *project.Problem
}

// project is the settings file for a folder; nil where there is none.
func (s *shelf) project(folder string) *settled {
	if s.disk == nil || folder == "" {
		return nil
	}
	for _, path := range project.Candidates(folder) {
		if d := s.read(path); d != nil {
			return s.settled(d)
		}
	}
	return nil
}

// settled reads a settings file, once for each of its states.
func (s *shelf) settled(d *document) *settled {
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.projects[d.path]
	if have == nil || have.document != d {
		have = readProject(d)
		if len(s.projects) > 100 {
			clear(s.projects)
		}
		s.projects[d.path] = have
	}
	return have
}

func readProject(d *document) *settled {
	out := &settled{document: d}
	var err error
	if out.settings, err = project.Read(d.path, d.text); err != nil {
		out.settings = nil
		if !errors.As(err, &out.problem) {
			out.problem = &project.Problem{Path: d.path, Message: err.Error()}
		}
	}
	return out
}

// isProject tells whether a file is one with settings.
func isProject(path string) bool { return path != "" && filepath.Base(path) == project.Name }

// project is the settings file for a document: of its folder or above, or, for
// what was never stored, of the workspace.
func (w *world) project(d *document) *settled {
	switch {
	case d.path != "":
		return w.shelf.project(filepath.Dir(d.path))
	case len(w.folders) > 0:
		return w.shelf.project(w.folders[0])
	}
	return nil
}

// chosen is what holds for a document: what the editor says, then the
// command's flags, then the project's file.
type chosen struct {
	Settings
	versions   []string
	validation string
	// show is the least level that is shown, failOn the least that the project
	// does not accept; Fine where it does not say.
	show, failOn check.Level
	ignored      []check.Ignore
	excluded     []string
	// misfit says what of the file does not fit what was chosen elsewhere.
	misfit string
	// serial is that of the file; 0 where there is none.
	serial uint64
}

// scopes are those of the file by what they are here: to look at everything
// together ends here, too, where that is too much.
var scopes = map[input.Scope]Scope{input.Auto: ScopeWorkspace, input.All: ScopeWorkspace, input.Folder: ScopeFolder, input.Single: ScopeFile}

func (w *world) chosen(d *document) chosen {
	c := chosen{Settings: w.settings.over(w.flags)}
	if file := w.project(d); file != nil {
		c.serial = file.document.serial
		if file.settings != nil {
			c.take(file.settings)
		}
	}
	if len(c.versions) == 0 {
		c.versions = []string{c.KubernetesVersion}
	}
	c.KubernetesVersion = c.versions[0]
	c.Settings = c.over(Settings{Scope: ScopeFolder, RulesURL: defaultRules})
	return c
}

// take takes from the file what nobody chose.
func (c *chosen) take(file *project.Settings) {
	theirs := Settings{Scope: scopes[file.Scope], FeatureGates: file.FeatureGates}
	if file.RulesURL != "" {
		theirs.RulesURL = strings.TrimSuffix(file.RulesURL, "/") + "/rules.html"
	}
	if c.KubernetesVersion == "" {
		c.versions = slices.Compact(slices.Clone(file.Versions))
	}
	before := c.Settings
	c.Settings = c.over(theirs)
	versions := c.versions
	if len(versions) == 0 {
		versions = []string{c.KubernetesVersion}
	}
	for _, version := range versions {
		if err := c.at(version).CheckFeatures(); err != nil {
			// Each by itself was found right, and so was what is chosen elsewhere.
			c.misfit = fmt.Sprintf("kubernetesVersions and featureGates of %s do not fit the editor's settings and are left out: %v", input.Name(filepath.Join(file.Folder, project.Name)), err)
			c.FeatureGates, c.versions = before.FeatureGates, nil
			break
		}
	}
	c.validation, c.show, c.failOn = file.FieldValidation, file.Show, file.FailOn
	c.ignored, c.excluded = file.Ignored(), file.Excluded()
	if c.failOn != check.Fine && c.show != check.Fine {
		c.show = min(c.show, c.failOn) // as at the terminal
	}
}

// options are those of questions that have one answer.
func (c *chosen) options() core.Options { return c.at(c.versions[0]) }

// at are the options for one of the versions.
func (c *chosen) at(version string) core.Options {
	return core.Options{KubernetesVersion: version, FeatureGates: c.FeatureGates, FieldValidation: c.validation}
}

// excludes tells whether a file is none of those that the project checks.
func (c *chosen) excludes(path string) bool {
	return path != "" && input.MatchAny(c.excluded, filepath.ToSlash(path))
}

// hides tells whether the project does not want to hear of a finding.
func (c *chosen) hides(f diag.Diagnostic, path string) bool {
	rule := string(f.Source) + "/" + f.Rule
	return check.LevelOf(f) < c.show || slices.ContainsFunc(c.ignored, func(i check.Ignore) bool { return i.Matches(rule, filepath.ToSlash(path)) })
}

// severity is that of a finding: what the project does not accept is an error.
func (c *chosen) severity(f diag.Diagnostic) diag.Severity {
	if c.failOn != check.Fine && check.LevelOf(f) >= c.failOn {
		return diag.Error
	}
	return f.Severity
}

// used notes by which state of a settings file a document was judged.
func (s *server) used(d *document, serial uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.judged[d.uri] = serial
}

// stale tells, once, that another settings file holds for a document than when
// it was judged.
func (s *server) stale(w *world) bool {
	stale := false
	for uri, d := range w.documents {
		now := uint64(0)
		if file := w.project(d); file != nil {
			now = file.document.serial
		}
		s.mu.Lock()
		if before, ok := s.judged[uri]; ok && before != now {
			s.judged[uri], stale = now, true
		}
		s.mu.Unlock()
	}
	return stale
}

// broken are the settings files of open documents that cannot be used and are
// not open themselves, by their URI.
func (w *world) broken() map[string]*settled {
	out := map[string]*settled{}
	for _, d := range w.documents {
		if file := w.project(d); file != nil && file.problem != nil && w.documents[file.document.uri] == nil {
			out[file.document.uri] = file
		}
	}
	return out
}

// complain says what of the settings files cannot be used: as findings where
// they are not open, and once to the person.
func (s *server) complain(ctx context.Context, w *world, told map[string][]byte, said map[string]bool) {
	defer s.recovered("settings", func() {})
	messages := map[string]bool{}
	for _, d := range w.documents {
		if !d.manifest() || !input.HasObjects(d.text) {
			continue
		}
		if file := w.project(d); file != nil && file.problem != nil {
			messages[file.problem.Error()+"; nothing of the file is used"] = true
		} else if c := w.chosen(d); c.misfit != "" {
			messages[c.misfit] = true
		}
	}
	for _, message := range slices.Sorted(maps.Keys(messages)) {
		if !said[message] {
			s.warn(ctx, message)
		}
	}
	clear(said)
	maps.Copy(said, messages)
	broken := w.broken()
	for _, uri := range slices.Sorted(maps.Keys(broken)) {
		s.publishOne(ctx, publishParams{URI: uri, Diagnostics: problemsOf(broken[uri].document, w.encoding)}, told)
	}
}

// problemsOf are the findings of a settings file.
func problemsOf(d *document, e encoding) []diagnostic {
	p := readProject(d).problem
	if p == nil {
		return []diagnostic{}
	}
	line := max(p.Line, 1)
	where := textRange{d.position(line, cmp.Or(p.Column, 1), e), d.position(line, len(d.text)+1, e)}
	return []diagnostic{{Range: where, Severity: 1, Code: "settings", Source: section, Message: p.Message}}
}
