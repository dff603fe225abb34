package report

import (
	"bytes"
	"encoding/json"

	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/core"
)

// asJSON writes JSON, a finding each line.
type asJSON struct {
	printer
	any bool
}

func newJSON(o Options) Reporter { return &asJSON{printer: printer{out: o.Out}} }

func (j *asJSON) File(r *check.Report) error {
	for i := range r.Findings {
		text, err := core.JSON(&r.Findings[i])
		if err != nil {
			return err
		}
		j.print(j.comma())
		j.print(string(bytes.TrimRight(text, "\n")))
	}
	return j.err
}

// comma is what stands before a finding.
func (j *asJSON) comma() string {
	if j.any {
		return ",\n"
	}
	j.any = true
	return "{\"diagnostics\":[\n"
}

func (j *asJSON) Close(s *check.Summary) error {
	text, err := core.JSON(s)
	if err != nil {
		return err
	}
	if j.any {
		j.print("\n],\"summary\":")
	} else {
		j.print("{\"diagnostics\":[],\"summary\":")
	}
	j.printf("%s}\n", bytes.TrimRight(text, "\n"))
	return j.err
}

// asYAML writes the same as YAML.
type asYAML struct {
	printer
	any bool
}

func newYAML(o Options) Reporter { return &asYAML{printer: printer{out: o.Out}} }

func (y *asYAML) File(r *check.Report) error {
	for i := range r.Findings {
		if !y.any {
			y.any = true
			y.print("diagnostics:\n")
		}
		if err := y.part([]*check.Finding{&r.Findings[i]}); err != nil {
			return err
		}
	}
	return y.err
}

func (y *asYAML) part(value any) error {
	text, err := json.Marshal(value)
	if err == nil {
		text, err = yaml.JSONToYAML(text)
	}
	if err != nil {
		return err
	}
	y.print(string(text))
	return y.err
}

func (y *asYAML) Close(s *check.Summary) error {
	if !y.any {
		y.print("diagnostics: []\n")
	}
	return y.part(map[string]any{"summary": s})
}
