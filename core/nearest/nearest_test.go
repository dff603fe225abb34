package nearest

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 0, 0},
		{"abc", "abc", 0, 0},
		{"abc", "abd", 3, 1},
		{"abc", "abcd", 3, 1},
		{"abc", "bc", 3, 1},
		{"abc", "acb", 3, 1},
		{"counterSet", "coutnerSte", 3, 2},
		{"kitten", "sitting", 5, 3},
		{"kitten", "sitting", 2, 3},
		{"abc", "", 5, 3},
		{"größe", "grösse", 3, 2},
		{"a", "abcdef", 2, 3},
		{"abc", "abc", -1, 0},
		{strings.Repeat("a", 254), strings.Repeat("a", 254), 3, 4},
	}
	for _, tt := range tests {
		if got := Distance(tt.a, tt.b, tt.limit); got != tt.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", tt.a, tt.b, tt.limit, got, tt.want)
		}
		if got := Distance(tt.b, tt.a, tt.limit); got != tt.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", tt.b, tt.a, tt.limit, got, tt.want)
		}
	}
}

func TestName(t *testing.T) {
	tests := []struct {
		word       string
		candidates []string
		want       string
	}{
		{"gpu-0-memroy", []string{"gpu-1-memory", "gpu-0-memory"}, "gpu-0-memory"},
		{"memory", []string{"cores", "memory"}, ""},
		{"Memory", []string{"memoru", "memory"}, "memory"},
		{"gpu", []string{"net", "acc"}, ""},
		{"gpu", []string{"gpus"}, "gpus"},
		{"a", []string{"b"}, ""},
		{"", []string{"x"}, ""},
		{"resource.example.com", []string{"other.domain.test"}, ""},
		{"ab", []string{"", "ac"}, "ac"},
	}
	for _, tt := range tests {
		if got := Name(tt.word, tt.candidates); got != tt.want {
			t.Errorf("Name(%q, %q) = %q, want %q", tt.word, tt.candidates, got, tt.want)
		}
	}
}

func TestWithinTakesTheFirstOfEquals(t *testing.T) {
	if got := Within("node-3", []string{"node-2", "node-1"}, 2); got != "node-2" {
		t.Errorf("got %q, want node-2", got)
	}
	if got := Within("acc.example.test", []string{"acc-daemon.example.test"}, 7); got != "acc-daemon.example.test" {
		t.Errorf("got %q, want acc-daemon.example.test", got)
	}
	if got := Within("acc.example.test", []string{"acc-daemon.example.test"}, 6); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}

// plainDistance fills the whole table.
func plainDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	table := make([][]int, len(x)+1)
	for i := range table {
		table[i] = make([]int, len(y)+1)
		for j := range table[i] {
			if i == 0 || j == 0 {
				table[i][j] = i + j
				continue
			}
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			table[i][j] = min(table[i-1][j]+1, table[i][j-1]+1, table[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				table[i][j] = min(table[i][j], table[i-2][j-2]+1)
			}
		}
	}
	return table[len(x)][len(y)]
}

// The short ways must not change the number.
func TestDistanceIsThatOfTheWholeTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		var b strings.Builder
		for range r.IntN(9) {
			b.WriteString([]string{"a", "b", "c", "é", "\xff", "\xe2\x82"}[r.IntN(6)])
		}
		return strings.Repeat("x", r.IntN(2)*70) + b.String()
	}
	for range 20_000 {
		a, b, limit := word(), word(), r.IntN(6)
		if want, got := min(plainDistance(a, b), limit+1), Distance(a, b, limit); got != want {
			t.Fatalf("Distance(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
		}
	}
}
