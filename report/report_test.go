package report

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/input"
)

// render checks files and writes what is found.
func render(t *testing.T, form string, files map[string]string, names ...string) []byte {
	t.Helper()
	folder := t.TempDir()
	t.Chdir(folder)
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := input.Gather(context.Background(), names, input.Options{Stdin: strings.NewReader(files["stdin"])})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	reporter, err := New(form, Options{Out: &out, RulesURL: "https://drawbridge.example.test/", FailOn: check.Error, Version: "v1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	opts := check.Options{Versions: []string{"1.34", core.Versions().Default}, Show: check.Info, FailOn: check.Error}
	summary, err := check.Run(context.Background(), [][]*input.File{found.Files}, opts, reporter.File)
	if err != nil {
		t.Fatal(err)
	}
	if err := reporter.Close(summary); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// examplesOfRules are texts that break every rule that a creation can break.
func examplesOfRules() (map[string]string, []string) {
	files, names := map[string]string{}, []string{}
	for i, r := range core.Rules(core.RuleFilter{}).Rules {
		if i%4 == 0 && r.Example.Operation == "create" && len(r.Example.Wrong) < 20_000 {
			name := r.Source + "/a b#" + r.ID + ".yaml"
			files[name] = r.Example.Wrong
			names = append(names, name)
		}
	}
	return files, names
}

// hostile has everything that could end a string, a line or a command.
const hostile = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\n" +
	`"x\n::error file=y::z\r\n# ]]> <&\u001b[31m\u202E": 1` + "\n"

func TestSARIFSchema(t *testing.T) {
	schema, err := filepath.Abs("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiled, err := compiler.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	files, names := examplesOfRules()
	files["hostile.yaml"] = hostile
	files["stdin"] = "---\n# Source: chart/templates/a.yaml\n" + hostile
	files["fine.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
	for what, list := range map[string][]string{"all": append(names, "hostile.yaml", "-"), "nothing": {"fine.yaml"}} {
		out := render(t, "sarif", files, list...)
		tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(tree); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestSARIF(t *testing.T) {
	out := render(t, "sarif", map[string]string{"a b/c.yaml": "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {nam: é, name: a}\n"}, "a b")
	var log struct {
		Runs []struct {
			ColumnKind string
			Results    []struct {
				RuleID    string
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
					}
				}
				Fixes []struct {
					ArtifactChanges []struct {
						Replacements []struct {
							DeletedRegion   struct{ StartLine, StartColumn, EndLine, EndColumn int }
							InsertedContent struct{ Text string }
						}
					}
				}
				Properties struct{ KubernetesVersions []string }
			}
			Tool struct {
				Driver struct {
					Name, Version string
					Rules         []struct{ ID, HelpURI string }
				}
			}
		}
	}
	if err := json.Unmarshal(out, &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if run.ColumnKind != "unicodeCodePoints" || run.Tool.Driver.Name != "drawbridge" || run.Tool.Driver.Version != "v1.2.3" {
		t.Errorf("%+v", run)
	}
	if len(run.Results) != 1 || len(run.Results[0].Fixes) != 1 {
		t.Fatalf("%s", out)
	}
	r := run.Results[0]
	where := r.Locations[0].PhysicalLocation
	if r.RuleID != "decode/unknown-field" || r.Level != "error" || where.ArtifactLocation.URI != "a%20b/c.yaml" || where.Region.StartLine != 3 || where.Region.StartColumn != 12 || where.Region.EndColumn != 15 {
		t.Errorf("%+v", r)
	}
	if change := r.Fixes[0].ArtifactChanges[0].Replacements[0]; change.InsertedContent.Text == "" || change.DeletedRegion.StartLine != 3 {
		t.Errorf("%+v", change)
	}
	if len(r.Properties.KubernetesVersions) != 2 {
		t.Errorf("%+v", r.Properties)
	}
	if rules := run.Tool.Driver.Rules; len(rules) != 1 || rules[0].HelpURI != "https://drawbridge.example.test/rules.html#decode-unknown-field" {
		t.Errorf("%+v", rules)
	}
}

func TestJUnit(t *testing.T) {
	files, names := examplesOfRules()
	files["hostile.yaml"] = hostile
	out := render(t, "junit", files, append(names, "hostile.yaml")...)
	var suites struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Cases    []struct {
				Failures []struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	decoder := xml.NewDecoder(bytes.NewReader(out))
	if err := decoder.Decode(&suites); err != nil {
		t.Fatal(err)
	}
	if rest := bytes.TrimSpace(out[decoder.InputOffset():]); len(rest) > 0 {
		t.Errorf("%q stands behind the end", rest)
	}
	if len(suites.Suites) < len(files) {
		t.Errorf("%d suites for %d files", len(suites.Suites), len(files))
	}
	for _, s := range suites.Suites {
		failed := 0
		for _, c := range s.Cases {
			if len(c.Failures) > 0 {
				failed++
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != failed {
			t.Errorf("%s: %d tests, %d failures; counted %d and %d", s.Name, s.Tests, s.Failures, len(s.Cases), failed)
		}
	}
}

func TestTAP(t *testing.T) {
	files, names := examplesOfRules()
	files["hostile.yaml"] = hostile
	out := string(render(t, "tap", files, append(names, "hostile.yaml")...))
	point := regexp.MustCompile(`^(not )?ok (\d+) - \S`)
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	if lines[0] != "TAP version 14" {
		t.Errorf("begins with %q", lines[0])
	}
	points, inside, block := 0, false, ""
	for _, line := range lines[1:] {
		switch {
		case line == "  ---" && !inside:
			inside, block = true, ""
		case line == "  ..." && inside:
			inside = false
			var findings struct{ Findings []map[string]any }
			if err := yaml.Unmarshal([]byte(block), &findings); err != nil || len(findings.Findings) == 0 {
				t.Errorf("%v in %q", err, block)
			}
		case inside:
			if !strings.HasPrefix(line, "  ") {
				t.Fatalf("%q is not indented", line)
			}
			block += line[2:] + "\n"
		case point.MatchString(line):
			points++
			if strings.Contains(strings.ReplaceAll(line, `\#`, ""), "#") {
				t.Errorf("%q has a directive", line)
			}
		case line != "1.."+itoa(points):
			t.Errorf("%q is nothing of the protocol", line)
		}
	}
	if points < len(files) {
		t.Errorf("%d tests for %d files", points, len(files))
	}
}

func itoa(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// Every line of the output is a command of ours: nobody else's text begins one.
func TestGitHubIsNotInjected(t *testing.T) {
	files, names := examplesOfRules()
	files["hostile.yaml"] = hostile
	out := string(render(t, "github", files, append(names, "hostile.yaml")...))
	command := regexp.MustCompile(`^::(error|warning|notice) [^:\n\r]*::[^\n\r\x1b]*$`)
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	for _, line := range lines[:len(lines)-1] {
		if !command.MatchString(line) {
			t.Errorf("%q", line)
		}
	}
	if last := lines[len(lines)-1]; strings.Contains(last, "::") || !strings.Contains(last, " with ") {
		t.Errorf("the summary is %q", last)
	}
	if !strings.Contains(out, "%0A::error file=y::z") || strings.Contains(out, "\n::error file=y") {
		t.Error("the hostile text is not there as text")
	}
}

// Whatever the texts hold, a terminal gets no control characters.
func TestHumanIsHarmless(t *testing.T) {
	files, names := examplesOfRules()
	files["hostile.yaml"] = hostile
	out := string(render(t, "human", files, append(names, "hostile.yaml")...))
	for _, bad := range []string{"\x1b", "\r", "\u202e"} {
		if strings.Contains(out, bad) {
			t.Errorf("%q gets through", bad)
		}
	}
	for _, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			t.Errorf("%q would be a command of a workflow", line)
		}
	}
}

// JSON and YAML say the same.
func TestDataAgrees(t *testing.T) {
	files, names := examplesOfRules()
	files["hostile.yaml"] = hostile
	names = append(names, "hostile.yaml")
	one := render(t, "json", files, names...)
	two := render(t, "yaml", files, names...)
	var a, b any
	if err := json.Unmarshal(one, &a); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(two, &b); err != nil {
		t.Fatal(err)
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if !bytes.Equal(x, y) {
		t.Errorf("JSON %s\nYAML %s", x, y)
	}
}
