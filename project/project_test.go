package project

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/input"
)

func TestRead(t *testing.T) {
	s, err := Read("/p/"+Name, []byte(`kubernetesVersions: ["1.36", "1.37"]
featureGates: {DRAConsumableCapacity: true, AllAlpha: false}
fieldValidation: Warn
failOn: gate
show: info
scope: folder
rulesURL: https://drawbridge.example.test
paths: [manifests, /abs]
exclude: [testdata/**]
ignore:
- bundle/*@overlays/**
- {rule: api/count, reason: ours}
`))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Versions, []string{"1.36", "1.37"}) || s.FeatureGates != "DRAConsumableCapacity=true,AllAlpha=false" || s.FieldValidation != "Warn" ||
		s.FailOn != check.Gate || s.Show != check.Info || s.Scope != input.Folder || s.RulesURL != "https://drawbridge.example.test" {
		t.Errorf("got %+v", s)
	}
	if !slices.Equal(s.Excluded(), []string{"/p/testdata/**"}) || s.Path("manifests") != filepath.Join("/p", "manifests") || s.Path("/abs") != "/abs" {
		t.Errorf("got %v %v", s.Excluded(), s.Path("manifests"))
	}
	ignored := func(rule, file string) bool {
		return slices.ContainsFunc(s.Ignored(), func(i check.Ignore) bool { return i.Matches(rule, file) })
	}
	if !ignored("bundle/missing-class", "/p/overlays/a/b.yaml") || ignored("bundle/missing-class", "/q/overlays/b.yaml") || ignored("bundle/missing-class", "/p/b.yaml") ||
		!ignored("api/count", "/elsewhere.yaml") || ignored("api/driver", "/p/overlays/a.yaml") {
		t.Error("other findings are left out than those that the file names")
	}
}

// What is wrong is told with the line and column where it stands.
func TestProblems(t *testing.T) {
	for text, want := range map[string]Problem{
		"failOn: gate\nshown: info\n":        {Line: 2, Column: 1, Message: `there is no setting "shown"; there are kubernetesVersions, `},
		"show: info\nfailOn: fatal\n":        {Line: 2, Column: 9, Message: `failOn: "fatal" is no level`},
		"show: info\nshow: error\n":          {Line: 2, Column: 1, Message: "show is set twice; keep one"},
		"scope: galaxy\n":                    {Line: 1, Column: 8, Message: `scope: "galaxy" is no scope`},
		"- a\n":                              {Line: 1, Column: 1, Message: "the file holds no settings"},
		"a: [\n":                             {Line: 1, Column: 1, Message: "a value is missing here"},
		"show: info\nfailOn: a: b\n":         {Line: 2, Column: 1, Message: "a colon cannot stand here"},
		"\tshow: info\n":                     {Line: 1, Column: 1, Message: ""},
		"show: \xff\n":                       {Line: 1, Column: 7, Message: "the byte 0xFF"},
		"show: info\n---\nshow: error\n":     {Line: 2, Column: 1, Message: "the file holds more than one document"},
		"exclude: ['[']\n":                   {Line: 1, Column: 11, Message: `exclude: "[" is no pattern`},
		"ignore:\n- api/nonsense\n":          {Line: 2, Column: 3, Message: `ignore: no rule is called "api/nonsense"`},
		"paths: {a: b}\n":                    {Line: 1, Column: 8, Message: "paths: must be a list of texts"},
		"# c\nkubernetesVersions: ['0.9']\n": {Line: 2, Column: 22, Message: "kubernetesVersions: "},
		"kubernetesVersions: '1.37'\nfeatureGates: {Nonsense: true}\n":     {Line: 2, Column: 16, Message: "featureGates: Nonsense "},
		"featureGates:\n  DRAConsumableCapacity: true\n  Nonsense: true\n": {Line: 3, Column: 3, Message: "featureGates: Nonsense "},
		"featureGates: {DRAConsumableCapacity: yes}\n":                     {Line: 1, Column: 39, Message: "featureGates: DRAConsumableCapacity must be true or false"},
		"featureGates: [a]\n":                                  {Line: 1, Column: 15, Message: "featureGates: must be gates with true or false"},
		"kubernetesVersions: ['1.37', '1.99']\n":               {Line: 1, Column: 30, Message: "kubernetesVersions: Kubernetes 1.99 "},
		"kubernetesVersions: ['1.37', v1.37.2]\n":              {Line: 1, Column: 30, Message: "kubernetesVersions: 1.37 is named twice"},
		"paths: [a, [b]]\n":                                    {Line: 1, Column: 12, Message: "paths: must be a list of texts"},
		"paths: [a, ]\nexclude: [a, '[']\n":                    {Line: 2, Column: 14, Message: "exclude: "},
		"failOn: [error]\n":                                    {Line: 1, Column: 9, Message: "failOn: must be a text"},
		"fieldValidation: strict\n":                            {Line: 1, Column: 18, Message: `fieldValidation: "strict" is no way`},
		"rulesURL: drawbridge.example.test\n":                  {Line: 1, Column: 11, Message: "rulesURL: "},
		"ignore:\n- api/count\n- rule: api/count\n  file: x\n": {Line: 4, Column: 3, Message: `ignore: there is no "file" here`},
		"ignore:\n- api/count\n- rule: nope\n":                 {Line: 3, Column: 3, Message: "ignore: no rule is called"},
		"ignore:\n- reason: x\n":                               {Line: 2, Column: 3, Message: "ignore: there is no rule"},
		"ignore:\n- {rule: api/count, files: [a]}\n":           {Line: 2, Column: 28, Message: "ignore: files must be a text"},
		"---\n---\nfailOn: gate\n":                             {Line: 2, Column: 1, Message: "the file holds more than one document"},
	} {
		_, err := Read("/p/"+Name, []byte(text))
		var p *Problem
		if !errors.As(err, &p) || p.Line != want.Line || p.Column != want.Column || !strings.HasPrefix(p.Message, want.Message) || p.Path != "/p/"+Name {
			t.Errorf("%q: got %#v, want %#v", text, err, want)
		}
	}
}

// What is left empty is as what is left out.
func TestAbsent(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n", "kubernetesVersions:\nfeatureGates:\nfieldValidation:\nfailOn:\nshow: ~\nscope:\nrulesURL: null\npaths:\nexclude:\nignore:\n"} {
		s, err := Read("/p/"+Name, []byte(text))
		if err != nil || len(s.Versions)+len(s.Paths)+len(s.Excluded())+len(s.Ignored()) > 0 || s.FeatureGates+s.FieldValidation+s.RulesURL+string(s.Scope) != "" || s.FailOn != check.Fine || s.Show != check.Fine {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
	}
	s, err := Read("/p/"+Name, []byte("failOn: &level gate\nshow: *level\nkubernetesVersions: v1.36.2\n"))
	if err != nil || s.Show != check.Gate || !slices.Equal(s.Versions, []string{"1.36"}) {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for folder, text := range map[string]string{root: "show: info\n", filepath.Join(root, "a"): "show: error\n"} {
		if err := os.WriteFile(filepath.Join(folder, Name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string]check.Level{deep: check.Error, filepath.Join(root, "a"): check.Error, root: check.Info} {
		s, err := Find(folder)
		if err != nil || s == nil || s.Show != want {
			t.Errorf("%s: got %+v, %v", folder, s, err)
		}
	}
	// A file that is there and cannot be read is not passed over.
	if err := os.Mkdir(filepath.Join(deep, Name), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(deep); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("got %v", err)
	}
	if list := Candidates(deep); list[0] != filepath.Join(deep, Name) || filepath.Dir(list[len(list)-1]) != filepath.Dir(filepath.Dir(list[len(list)-1])) {
		t.Errorf("got %v", list)
	}
}
