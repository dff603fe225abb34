package allocate

import (
	"cmp"
	"slices"
)

// matching is Kuhn's algorithm: it gives needs on the left, each of which
// wants several, to what there is on the right.
type matching struct {
	right int
	edge  func(left, right int) bool

	owner   []int // of each on the right, -1 for none
	seen    []int // round in which one on the right was last looked at
	round   int
	visited []int // needs on the current alternating tree
	// reached counts the right side of the tree that could not grow.
	reached int
	// looked counts the edges that were looked at.
	looked int
}

// fill gives every need what it wants. Where that fails it returns the needs
// that compete for too little.
func (m *matching) fill(lefts int, wanted func(left int) int) []int {
	m.owner = slices.Repeat([]int{-1}, m.right)
	m.seen = make([]int, m.right)
	order := make([]int, lefts)
	for i := range order {
		order[i] = i
	}
	// Whoever wants most comes first: that fails soonest.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(wanted(b), wanted(a)) })
	for _, n := range order {
		for range wanted(n) {
			m.round++
			m.visited = m.visited[:0]
			if m.augment(n) {
				continue
			}
			for _, round := range m.seen {
				if round == m.round {
					m.reached++
				}
			}
			slices.Sort(m.visited)
			return slices.Compact(m.visited)
		}
	}
	return nil
}

func (m *matching) augment(n int) bool {
	m.visited = append(m.visited, n)
	m.looked += m.right
	for i := range m.right {
		if m.seen[i] == m.round || !m.edge(n, i) {
			continue
		}
		m.seen[i] = m.round
		if m.owner[i] < 0 || m.augment(m.owner[i]) {
			m.owner[i] = n
			return true
		}
	}
	return false
}
