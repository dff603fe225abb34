package lint

import "github.com/drawbridge-dra/drawbridge/core/nearest"

// budget bounds the work of a part of the rules that is not linear in the
// size of the bundle. When it is spent, findings merely lack a hint, or are
// not made: they would be one of very many.
type budget int

const (
	// mostGuesses is how many pairs of names are compared for one bundle.
	mostGuesses budget = 200_000
	// mostVisits is how many devices or nodes are looked at in passes that a
	// claim, a constraint or a selector calls for.
	mostVisits budget = 1_000_000
)

// spend takes n from the budget and tells whether there was as much.
func (b *budget) spend(n int) bool {
	*b -= budget(min(n, int(mostVisits)))
	if *b < 0 {
		*b = -1
		return false
	}
	return true
}

// guess returns the candidate that word is a likely misspelling of, or "".
func (c *cluster) guess(word string, candidates []string) string {
	if !c.guesses.spend(len(candidates)) {
		return ""
	}
	return nearest.Name(word, candidates)
}

// guessWithin returns the candidate nearest to word, at most limit edits
// away.
func (c *cluster) guessWithin(word string, candidates []string, limit int) string {
	if !c.guesses.spend(len(candidates)) {
		return ""
	}
	return nearest.Within(word, candidates, limit)
}
