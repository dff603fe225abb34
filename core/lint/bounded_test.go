//go:build !js

// Time is measured once, on the machine itself.

package lint

import (
	"testing"
	"time"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// The limits are far above what the work takes, and far below what a loop in
// a loop would take.
func TestWorkIsBounded(t *testing.T) {
	for _, tt := range []struct {
		name  string
		b     *made
		limit time.Duration
	}{
		{"big", bigCluster(), 60 * time.Second},
		{"hostile", hostile(), 120 * time.Second},
		{"costly", costly(), 120 * time.Second},
	} {
		start := time.Now()
		found := Check(&tt.b.Bundle, feature.Default(feature.Version{Minor: 37}), nil)
		took := time.Since(start)
		t.Logf("%s: %d objects, %d findings, %s", tt.name, len(tt.b.Objects), len(found), took)
		if took > tt.limit {
			t.Errorf("%s took %s", tt.name, took)
		}
		if tt.name == "big" && len(found) > 0 {
			t.Errorf("a healthy cluster has findings: %+v", found[0])
		}
		if tt.name == "hostile" && len(found) == 0 {
			t.Error("nothing found")
		}
	}
}
