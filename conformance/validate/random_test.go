package validate

import (
	"math/rand/v2"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// random makes values. Most are valid; each has a chance of faults to be
// near or beyond the border of what is allowed.
type random struct {
	*rand.Rand
	faults float64
}

// boost raises the chance of faults for a part of some objects, so that they
// break the rules of that part and few others.
func (r *random) boost() *random {
	if !r.chance(4) {
		return r
	}
	return &random{Rand: r.Rand, faults: max(r.faults, 0.3)}
}

// faulty decides for one value.
func (r *random) faulty() bool { return r.Float64() < r.faults }

// chance is true once in n times.
func (r *random) chance(n int) bool { return r.IntN(n) == 0 }

func pick[T any](r *random, list ...T) T { return list[r.IntN(len(list))] }

func ptr[T any](v T) *T { return &v }

// maybe returns a pointer to the value, or nil once in n times.
func maybe[T any](r *random, n int, v T) *T {
	if r.chance(n) {
		return nil
	}
	return &v
}

// count is the length of a list that may have limit items.
func (r *random) count(limit int) int {
	if r.faulty() {
		return pick(r, 0, limit-1, limit, limit+1, limit+2)
	}
	return r.IntN(min(limit, 3) + 1)
}

func list[T any](r *random, limit int, item func(i int) T) []T {
	n := r.count(limit)
	if n <= 0 {
		if r.chance(2) {
			return nil
		}
		return []T{}
	}
	out := make([]T, n)
	for i := range out {
		out[i] = item(i)
	}
	return out
}

// long is list for a list that often has as many items as it may have, or a
// few more.
func long[T any](r *random, limit int, item func(i int) T) []T {
	if !r.chance(12) {
		return list(r, limit, item)
	}
	out := make([]T, limit+r.IntN(3))
	for i := range out {
		out[i] = item(i)
	}
	return out
}

func mapping[K comparable, V any](r *random, limit int, key func(i int) K, value func() V) map[K]V {
	n := r.count(limit)
	if n <= 0 && r.chance(2) {
		return nil
	}
	out := make(map[K]V, n)
	for i := range n {
		out[key(i)] = value()
	}
	return out
}

func digits(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	return string(letters[n%26]) + strings.Repeat("x", n/26)
}

// oddText is text that breaks one format or another.
func (r *random) oddText() string {
	long := pick(r, 31, 32, 33, 62, 63, 64, 65, 96, 97, 98, 252, 253, 254, 300)
	return pick(r, "", "", "A", "a_b", "a.b", "a-b", "-a", "a-", "a..b", ".a", "a b", "ä", "1", "1a", "a/b", "a/b/c", "/", "/a", "a/", "//",
		"A/b", "A.example.com/b", "a.example.com/B", "a.example.com/b-c", "*", "NodePrepareResources", "a\nb", "\u212a", "\u017f.com", "İ.com", "\xff",
		strings.Repeat("a", long), strings.Repeat("A", long), strings.Repeat("ä", 40), strings.Repeat("a.", long/2)+"a", strings.Repeat("-", long),
		strings.Repeat("a", 63)+"/"+strings.Repeat("b", 32), strings.Repeat("a", 64)+"/"+strings.Repeat("b", 33), strings.Repeat("a", 63)+"."+strings.Repeat("b", 63),
		"example.com/"+strings.Repeat("c", long), strings.Repeat("d", long)+"/c", "kubernetes.io/a", "x.kubernetes.io/a", "requests.a/b", "requests.kubernetes.io")
}

// text returns the valid value, or an odd one.
func (r *random) text(valid string) string {
	if r.faulty() {
		return r.oddText()
	}
	return valid
}

// name is a DNS label; the same number gives the same name, save that now and
// then it repeats that of another.
func (r *random) name(i int) string {
	if r.faulty() && r.chance(2) {
		i = 0
	}
	return r.text("n" + digits(i))
}

func (r *random) driver() string {
	return r.text(pick(r, "gpu.example.com", "net.example.com", "GPU.example.com", "d"))
}

func (r *random) poolName() string { return r.text(pick(r, "pool", "node-1", "a/b", "a.b/c.d")) }

func (r *random) qualifiedName(i int) string {
	return r.text(pick(r, "a"+digits(i), "gpu.example.com/a"+digits(i), "Gpu.example.com/a"+digits(i), "_A"+digits(i)))
}

func (r *random) attributeName() string {
	return r.text(pick(r, "gpu.example.com/"+digits(r.IntN(3)), "net.example.com/a"))
}

func (r *random) labelKey(i int) string {
	return r.text(pick(r, "k"+digits(i), "example.com/K_"+digits(i)))
}

func (r *random) labelValue() string { return r.text(pick(r, "", "v", "V.a_l-ue")) }

func (r *random) quantity() resource.Quantity {
	if r.faulty() {
		return resource.MustParse(pick(r, "0", "-1", "500m", "1500m", "0.1", "1n", "100u", "9223372036854775807", "9223372036854775808", "18446744073709551616",
			"-9223372036854775808", "1E", "8Ei", "16Ei", "-500m", "9223372036854775807m", "9300000000000000", "9223372036854775.8", "1e3", "1.0", "1000m", "0.0005"))
	}
	return resource.MustParse(pick(r, "1", "2", "4", "8", "10", "16", "1Gi", "8Gi"))
}

func (r *random) version() string {
	if r.faulty() {
		return pick(r, "", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3-a..b", "1.2.3+", "1.2.3-01", "1.2.3+01", "1.2.3 ", "1.2.3-"+strings.Repeat("a", 58), "1.2.3-"+strings.Repeat("a", 59), strings.Repeat("1", 65))
	}
	return pick(r, "1.2.3", "0.0.0", "1.2.3-alpha.1", "1.2.3-alpha+build.01", "10.20.30+x")
}
