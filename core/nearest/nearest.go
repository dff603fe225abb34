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
	x, y := []rune(a), []rune(b)
	if len(x) > longest || len(y) > longest || abs(len(x)-len(y)) > limit {
		return limit + 1
	}
	// Three rows of the classic table: two back for swaps, one back, and the
	// one being filled.
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		lowest := i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			lowest = min(lowest, row[j])
		}
		// A swap reaches two rows back, so one row above the limit is not
		// yet the end; the row before must be above it too.
		if lowest > limit+1 {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], limit+1)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
