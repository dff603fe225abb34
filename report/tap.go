package report

import (
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/check"
	"github.com/drawbridge-dra/drawbridge/terminal"
)

// tap writes version 14 of the Test Anything Protocol: a test for each object,
// with the findings below it as YAML, and the plan at the end.
type tap struct {
	printer
	o Options
	n int
}

func newTAP(o Options) Reporter { return &tap{printer: printer{out: o.Out}, o: o} }

const tapHead = "TAP version 14\n"

// description keeps a name from ending the description or beginning a
// directive.
var description = strings.NewReplacer(`\`, `\\`, "#", `\#`)

func (t *tap) File(r *check.Report) error {
	for _, e := range examples(r, t.o.FailOn) {
		if t.n++; t.n == 1 {
			t.print(tapHead)
		}
		verdict := "ok"
		if e.failed {
			verdict = "not ok"
		}
		t.printf("%s %d - %s\n", verdict, t.n, description.Replace(terminal.Clean(r.Name+": "+e.name)))
		if len(e.findings) == 0 {
			continue
		}
		text, err := yaml.Marshal(map[string]any{"findings": e.findings})
		if err != nil {
			return err
		}
		t.print("  ---\n")
		for line := range strings.Lines(string(text)) {
			t.print("  " + line)
		}
		t.print("  ...\n")
	}
	return t.err
}

func (t *tap) Close(*check.Summary) error {
	if t.n == 0 {
		t.print(tapHead)
	}
	t.printf("1..%d\n", t.n)
	return t.err
}
