package validate

import (
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"strings"
	"testing"
)

// What the short ways take for right must be right by the rules themselves.
func TestPlainlyRightIsRight(t *testing.T) {
	taken := 0
	for _, name := range []string{"", "a", "A_1", "1a", "a-b", "/", "a/", "/a", "a/b", "a/b/c", "a.b/c", "A.b/c", "a..b/c", "a.b/1", "a b", "é",
		strings.Repeat("a", 32), strings.Repeat("a", 33), strings.Repeat("a", 63) + "/" + strings.Repeat("b", 32), strings.Repeat("a", 64) + "/b", "a/" + strings.Repeat("b", 33)} {
		if plainlyNamed(name) {
			taken++
			if found := (&checker{minor: feature.Newest.Minor}).qualifiedName("r", "name", name); len(found) > 0 {
				t.Errorf("%q is taken for right: %s", name, found[0].message)
			}
		}
	}
	for _, version := range []string{"", "1", "1.2", "1.2.3", "1.2.3.4", "0.0.0", "00.1.2", "01.2.3", "1.02.3", "1.2.03", "10.20.30", "1..3", ".1.2", "1.2.", "1.2.3-a", "1.2.3+b", "v1.2.3", "1.2.x"} {
		if isRelease(version) {
			taken++
			if !semver.MatchString(version) {
				t.Errorf("%q is taken for a version", version)
			}
		}
	}
	if taken < 9 {
		t.Errorf("only %d are taken for right", taken)
	}
}
