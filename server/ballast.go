package server

// ballastBytes is how much is allocated before garbage is collected, at the
// least. Answers leave garbage and nothing else behind, and so little lives
// that without this the collector would run every few reviews, for a third of
// the processor's time (docs/benchmarks.md).
const ballastBytes = 32 << 20

// newBallast takes address space and no memory: it is never written to. The
// collector starts when the heap has doubled, and this counts as heap. A lower
// frequency by GOGC would instead multiply what a large bundle needs.
func newBallast() []byte { return make([]byte, ballastBytes) }
