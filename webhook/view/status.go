package view

import (
	"fmt"
	"io"
	"time"
)

// WriteStatus says in words what is known, a line for each kind.
func (v *View) WriteStatus(w io.Writer) error {
	now := v.cfg.Now()
	for _, k := range v.kinds {
		s := state(k.state.Load())
		line := fmt.Sprintf("cluster %s: %s", k.name, stateNames[s])
		if s == known {
			line += fmt.Sprintf(", %d objects in %s, last heard of %d s ago", k.objects.Load(), k.version.Load(), k.age(now)/time.Second)
		}
		if trouble := k.trouble.Load(); trouble != "" {
			line += fmt.Sprintf("; cut off: %s", trouble)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
