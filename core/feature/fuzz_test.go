package feature

import (
	"strings"
	"testing"
)

// FuzzSet reads versions and gates that nobody would write. What is read must
// keep its word, and what is not must be answered in few words.
func FuzzSet(f *testing.F) {
	for _, s := range [][2]string{
		{"1.37", "AllAlpha=true,AllBeta=true"}, {"v1.34.4-gke.1", "DRAAdminAccess=false"}, {"1.99", ""}, {"", "A"},
		{"1.36", "DRADeviceCompatibilityGroups=true,DRAPartitionableDevices=true"}, {"1.37.0", " DRADeviceTaints = T ,,"}, {"1.37", "AllBeta=false,AllBeta=true"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, version, gates string) {
		v, err := ParseVersion(version)
		if err != nil {
			bounded(t, err)
			v = Newest
		} else if again, err := ParseVersion(v.String()); err != nil || again != v {
			t.Fatalf("%q is read as %s, and that as %s (%v)", version, v, again, err)
		}
		set, err := NewSet(v, gates)
		if err != nil {
			bounded(t, err)
			return
		}
		// The last word on a gate counts, if it is about the gate itself.
		last := map[string]string{}
		for part := range strings.SplitSeq(gates, ",") {
			if name, value, ok := strings.Cut(part, "="); ok {
				last[strings.TrimSpace(name)] = strings.TrimSpace(value)
			}
		}
		for name, value := range last {
			if _, special := stageOf(Gate(name)); !special && set.Enabled(Gate(name)) != strings.Contains("1tTtrueTRUETrue", value) {
				t.Fatalf("%q leaves %s at %t in %s", gates, name, set.Enabled(Gate(name)), v)
			}
		}
	})
}

func bounded(t *testing.T, err error) {
	t.Helper()
	if n := len(err.Error()); n == 0 || n > 2000 {
		t.Fatalf("the error has %d bytes: %.200q…", n, err)
	}
}
