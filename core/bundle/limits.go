package bundle

import "fmt"

// budget counts what one text may still use up.
type budget struct {
	depth int
	nodes int
	bytes int // of scalars, after aliases are expanded
	limit Limits
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&l.Bytes, 32 << 20},
		{&l.Documents, 50_000},
		{&l.Objects, 100_000},
		{&l.Depth, 100},
		{&l.Nodes, 5_000_000},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	return l
}

// Values are what memory is spent on: one of two characters may take several
// hundred bytes. A text may therefore hold freeValues, and one more for each
// charsPerValue of its characters, up to Limits.Nodes. What people and kubectl
// write needs eight characters and more for each value.
const (
	freeValues    = 100_000
	charsPerValue = 4
)

// forText lowers the limit of values to what a text of that length may hold.
func (l Limits) forText(length int) Limits {
	l.Nodes = min(l.Nodes, freeValues+length/charsPerValue)
	return l
}

func newBudget(limit Limits) *budget {
	return &budget{depth: limit.Depth, nodes: limit.Nodes, bytes: limit.Bytes, limit: limit}
}

// node takes one value from the budget.
func (b *budget) node(d *document, offset int) *syntaxError {
	if b.nodes--; b.nodes < 0 {
		return b.tooMany(offset)
	}
	return nil
}

// expand takes what an alias stands for.
func (b *budget) expand(offset, nodes, bytes int) *syntaxError {
	b.nodes -= nodes
	b.bytes -= bytes
	if b.nodes < 0 || b.bytes < 0 {
		return b.tooMany(offset)
	}
	return nil
}

func (b *budget) tooMany(offset int) *syntaxError {
	return &syntaxError{"limit", offset, offset, fmt.Sprintf("the text holds more than %d values, or %d bytes of them, once every alias is expanded; split it", b.limit.Nodes, b.limit.Bytes)}
}

func (b *budget) tooDeep(offset int) *syntaxError {
	return &syntaxError{"limit", offset, offset, fmt.Sprintf("values are nested more than %d deep here; no Kubernetes object needs that", b.limit.Depth)}
}
