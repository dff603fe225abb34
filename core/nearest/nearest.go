// Package nearest finds the name that somebody most likely meant when they
// wrote one that does not exist.
package nearest

import (
	"strings"
	"unicode/utf8"
)

// longest is the length up to which words are compared. Names of Kubernetes
// end at 253 characters; anything longer is no slip of the keyboard.
const longest = 253

// Name returns the candidate that word is a likely misspelling of, or "".
// Likely means: about one edit for each three characters, three in all,
// where a difference in case alone counts as none. Of equally near candidates
// the first wins.
func Name(word string, candidates []string) string {
	return Within(word, candidates, min(3, (utf8.RuneCountInString(word)+1)/3))
}

// Within returns the candidate with the fewest edits from word, or "" where
// every candidate needs more than limit. Of equally near candidates the first
// wins. A candidate that equals word is no answer.
func Within(word string, candidates []string, limit int) string {
	best, found := limit+1, ""
	for _, c := range candidates {
		if c == word || c == "" {
			continue
		}
		if strings.EqualFold(c, word) {
			return c
		}
		if d := Distance(word, c, best-1); d < best {
			best, found = d, c
		}
	}
	return found
}

// Distance counts the edits (insert, delete or replace a character, swap two
// neighbours) that turn a into b. Above limit it returns limit+1 without
// counting on.
func Distance(a, b string, limit int) int {
	if limit < 0 || len(a) > 4*longest || len(b) > 4*longest {
		return limit + 1
	}
	m, n := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	if m > longest || n > longest || abs(m-n) > limit {
		return limit + 1
	}
	a, b = different(a, b)
	// Short words fit into these, so that nothing is allocated.
	var first, second [64]rune
	return table(runes(first[:0], a), runes(second[:0], b), limit)
}

// different cuts off what two words have in common at their ends. It only looks
// at ASCII, where bytes are characters.
func different(a, b string) (string, string) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] && a[0] < utf8.RuneSelf {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] && a[len(a)-1] < utf8.RuneSelf {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

func runes(out []rune, s string) []rune {
	for _, r := range s {
		out = append(out, r)
	}
	return out
}

// table fills the classic table of edits, three rows at a time: two back for
// swaps, one back, and the one being filled. Of each row only the cells near
// the diagonal matter; all others are above the limit.
func table(x, y []rune, limit int) int {
	above := limit + 1
	var space [3 * 66]int
	width := len(y) + 2 // a cell more, so that the last has one behind it
	rows := space[:]
	if 3*width > len(rows) {
		rows = make([]int, 3*width)
	}
	before, last, row := rows[:width], rows[width:2*width], rows[2*width:3*width]
	for j := range last {
		last[j] = min(j, above)
	}
	for i := 1; i <= len(x); i++ {
		from, to := max(1, i-limit), min(len(y), i+limit)
		row[from-1] = above
		if from == 1 {
			row[0] = min(i, above)
		}
		lowest := row[from-1]
		for j := from; j <= to; j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d := min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = min(d, above)
			lowest = min(lowest, d)
		}
		row[to+1] = above
		// A swap reaches two rows back, so one row above the limit is not
		// yet the end; the row before must be above it too.
		if lowest > above {
			return above
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], above)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
