package feature

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// refused tries gates at a version and says what is wrong with the answer: the
// error must name all that is given.
func refused(v Version, gates string, names ...string) error {
	_, err := NewSet(v, gates)
	if err == nil {
		return fmt.Errorf("%s: %s is accepted", v, gates)
	}
	for _, name := range names {
		if !strings.Contains(err.Error(), name) {
			return fmt.Errorf("%s: %s: %q does not mention %s", v, gates, err, name)
		}
	}
	return nil
}

// At every version, each gate that it does not have, or that is locked, is
// refused with the reason.
func TestEveryVersionKnowsItsGates(t *testing.T) {
	for _, v := range Versions() {
		if err := refused(v, "DRAPartitionableDevice=true", "not one of the gates", "did you mean DRAPartitionableDevices?"); err != nil {
			t.Error(err)
		}
		for _, g := range table {
			spec, ok := specAt(g.Name, v)
			for _, on := range []bool{true, false} {
				gates := fmt.Sprintf("%s=%t", g.Name, on)
				var err error
				switch {
				case !ok && g.Specs[0].Since > v.Minor:
					err = refused(v, gates, string(g.Name), v.String(), "it exists since "+Version{Minor: g.Specs[0].Since}.String())
				case !ok:
					err = refused(v, gates, string(g.Name), v.String(), "it was removed in")
				case spec.Locked && spec.Default != on:
					err = refused(v, gates, string(g.Name), v.String(), fmt.Sprintf("locks it to %t", spec.Default))
				case spec.Locked:
					_, err = NewSet(v, gates)
				}
				if err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// At every version, each gate that is switched on without one that it needs is
// refused, and accepted once that is on.
func TestEveryVersionChecksWhatGatesNeed(t *testing.T) {
	count := map[Version]int{}
	for _, v := range Versions() {
		base := Default(v)
		for _, g := range table {
			spec, ok := specAt(g.Name, v)
			if !ok || spec.Locked && !spec.Default {
				continue
			}
			for _, need := range base.needs(g) {
				if needed, _ := specAt(need, v); needed.Locked {
					continue // it cannot be off
				}
				count[v]++
				if err := refused(v, fmt.Sprintf("%s=true,%s=false", g.Name, need), string(g.Name)+" needs "+string(need), "set "+string(need)+"=true"); err != nil {
					// What needs the same gate and is on by default may come first.
					others := slices.ContainsFunc(table, func(o gate) bool { return base.Enabled(o.Name) && slices.Contains(o.Needs, need) })
					if !others || refused(v, fmt.Sprintf("%s=true,%s=false", g.Name, need), " needs "+string(need)) != nil {
						t.Error(err)
					}
				}
			}
		}
	}
	for _, v := range Versions() {
		if count[v] == 0 {
			t.Errorf("%s: no gate needs another", v)
		}
	}
}
