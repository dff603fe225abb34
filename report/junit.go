package report

import (
	"encoding/xml"
	"strings"

	"github.com/drawbridge-dra/drawbridge/check"
)

// junit writes the XML that build servers show as tests: a suite for each
// file, a test for each object.
type junit struct {
	printer
	o   Options
	any bool
}

func newJUnit(o Options) Reporter { return &junit{printer: printer{out: o.Out}, o: o} }

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name     string         `xml:"name,attr"`
	Class    string         `xml:"classname,attr"`
	Time     string         `xml:"time,attr"`
	Failures []junitFailure `xml:"failure"`
	Out      string         `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func (j *junit) begin() {
	if !j.any {
		j.any = true
		j.print(xml.Header + "<testsuites name=\"drawbridge\">\n")
	}
}

func (j *junit) File(r *check.Report) error {
	j.begin()
	suite := junitSuite{Name: r.Name}
	for _, e := range examples(r, j.o.FailOn) {
		one := junitCase{Name: e.name, Class: r.Name, Time: "0"}
		var below []string
		for i := range e.findings {
			f := &e.findings[i]
			text := plainText(f)
			if f.Level < j.o.FailOn {
				below = append(below, text)
				continue
			}
			one.Failures = append(one.Failures, junitFailure{Message: sentence(f), Type: f.Rule, Text: text})
		}
		one.Out = strings.Join(below, "\n")
		if suite.Tests++; len(one.Failures) > 0 {
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, one)
	}
	text, err := xml.MarshalIndent(suite, "  ", "  ")
	if err != nil {
		return err
	}
	j.print(string(text) + "\n")
	return j.err
}

// plainText is a finding in one line.
func plainText(f *check.Finding) string {
	return f.Place.String() + ": " + f.Level.String() + "[" + f.Rule + "]: " + sentence(f)
}

func (j *junit) Close(*check.Summary) error {
	j.begin()
	j.print("</testsuites>\n")
	return j.err
}
