package core

import (
	"fmt"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// mostFindings is how many findings about single objects one answer holds
// before it becomes brief. Nobody reads more, and a text can be made to hold
// millions.
const mostFindings = 10_000

// gathering collects the findings about the objects of a bundle, one object
// after the other. When there are very many it keeps of each further object
// only that it is wrong, and of each gate that it drops something.
type gathering struct {
	list  []diag.Diagnostic
	left  int
	gates map[string]bool
}

// add takes the findings about one object.
func (g *gathering) add(found []diag.Diagnostic) {
	brief, wrong := len(g.list)+len(found) > mostFindings, false
	for _, d := range found {
		first := d.Severity == diag.Error && !wrong || d.Source == diag.Gate && !g.gates[d.Gate]
		if brief && !first {
			g.left++
			continue
		}
		wrong = wrong || d.Severity == diag.Error
		if d.Source == diag.Gate {
			if g.gates == nil {
				g.gates = map[string]bool{}
			}
			g.gates[d.Gate] = true
		}
		g.list = append(g.list, d)
	}
}

// all returns what was collected, with a word about what was left out.
func (g *gathering) all() []diag.Diagnostic {
	if g.left > 0 {
		g.list = append(g.list, diag.Diagnostic{
			Severity: diag.Warning, Source: diag.Decode, Rule: "limit",
			Message: fmt.Sprintf("%d more findings are left out; mend those that are here, then ask again", g.left),
		})
	}
	return g.list
}
