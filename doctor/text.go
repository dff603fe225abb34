package doctor

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// marks stand before the checks.
var marks = map[Status]string{OK: "ok      ", Info: "note    ", Unknown: "unknown ", Problem: "PROBLEM "}

// WriteText writes a report for people.
func (r *Report) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	line := func(form string, args ...any) { _, _ = fmt.Fprintf(out, form+"\n", args...) }
	area := ""
	for _, c := range r.Checks {
		if c.Area != area {
			area = c.Area
			line("%s", area)
		}
		line("  %s%s", marks[c.Status], c.Message)
		for _, d := range c.Details {
			line("            %s", d)
		}
	}
	if len(r.Drivers) > 0 {
		line("")
		line("%-40s %7s %6s %8s %6s %8s", "DRIVER", "SLICES", "POOLS", "DEVICES", "NODES", "PLUGINS")
		for _, d := range r.Drivers {
			line("%-40s %7d %6d %8d %6d %8d", d.Name, d.Slices, d.Pools, d.Devices, d.Nodes, d.Plugins)
		}
	}
	problems, unknown := 0, 0
	for _, c := range r.Checks {
		switch c.Status {
		case Problem:
			problems++
		case Unknown:
			unknown++
		}
	}
	line("")
	end := map[string]string{Healthy: "healthy", Problems: counted(problems, "problem"), NoLook: "the cluster could not be looked at"}[r.Outcome]
	if unknown > 0 && r.Outcome != NoLook {
		end += ", and " + counted(unknown, "thing") + " that could not be looked at"
	}
	line("%s", strings.ToUpper(end[:1])+end[1:]+".")
	return out.Flush()
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
