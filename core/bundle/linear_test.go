//go:build !js

// Time is measured once, on the machine itself.

package bundle

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// The time grows with the length of the text, whatever it is made of.
func TestLinear(t *testing.T) {
	for name, unit := range map[string]string{
		"comments":         "#\n",
		"comments in list": "- #\n",
		"list":             "- a\n",
		"keys":             "? a\n: b\n",
		"map":              "%d: {a: [b, c]}\n",
		"anchors":          "- &a%d x\n",
		"aliases":          "- &a x\n- *a\n",
		"one line":         "[a, é], ",
		"documents":        "a: 1\n---\n",
		"broken documents": "a: [\n---\n",
		"bad colons":       "a: b: c\n---\n",
		"unclosed":         "'\n---\n",
		"blank lines":      "\n",
		"blocks":           "- |\n  x\n",
		"dashes":           "–-\n",
		"json":             `{"a": 1}`,
		"json bad":         `{"a" 1}` + "\n---\n",
		"unknown fields":   "---\napiVersion: v1\nkind: Node\nx: 1\n",
	} {
		measure := func(n int) time.Duration {
			var text bytes.Buffer
			if name == "one line" {
				text.WriteString("[")
			}
			for i := 0; text.Len() < n; i++ {
				if strings.Contains(unit, "%d") {
					fmt.Fprintf(&text, unit, i)
				} else {
					text.WriteString(unit)
				}
			}
			if name == "one line" {
				text.WriteString("]")
			}
			start := time.Now()
			Parse(text.Bytes(), Options{})
			return time.Since(start)
		}
		// Eight times the text; quadratic work would take 64 times as long. A
		// machine that is busy with other things gets more than one chance.
		var small, large time.Duration
		for range 4 {
			small, large = measure(1<<14), measure(1<<17)
			if large < 30*small || large < 500*time.Millisecond {
				break
			}
		}
		t.Logf("%s: %s, %s", name, small, large)
		if large >= 30*small && large >= 500*time.Millisecond {
			t.Errorf("%s: %s for 16 KiB, %s for 128 KiB", name, small, large)
		}
	}
}
