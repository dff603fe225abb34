package bundle

// builder makes the nodes of a text. Nodes, entries and items are taken from
// blocks, and those of a list or map that is still being read wait on a stack,
// so that a text of many small values does not make as many allocations.
type builder struct {
	nodes    []Node
	children []children
	lists    []*Node
	maps     []Entry
	// items and entries are the stacks.
	items   []*Node
	entries []Entry
	// size is that of the next blocks. Small texts get small ones.
	size int
}

const (
	smallestBlock = 16
	largestBlock  = 512
)

// block is the size of the next block, for at least n items.
func (b *builder) block(n int) int {
	b.size = min(max(2*b.size, smallestBlock), largestBlock)
	return max(b.size, n)
}

// node makes a node without a value.
func (b *builder) node(doc *document) *Node {
	if len(b.nodes) == 0 {
		b.nodes = make([]Node, b.block(1))
	}
	n := &b.nodes[0]
	b.nodes = b.nodes[1:]
	n.doc, n.children = doc, &noChildren
	return n
}

// collection gives a node of the kind List or Map what it holds.
func (b *builder) collection(n *Node, list []*Node, entries []Entry) {
	if len(list) == 0 && len(entries) == 0 {
		return
	}
	if len(b.children) == 0 {
		b.children = make([]children, max(1, b.block(1)/4))
	}
	n.children = &b.children[0]
	b.children = b.children[1:]
	n.list, n.entries = list, entries
}

// takeItems takes what was put on the stack since it was as high as base.
func (b *builder) takeItems(base int) []*Node {
	out := carve(&b.lists, b.items[base:], b)
	clear(b.items[base:])
	b.items = b.items[:base]
	return out
}

// takeEntries does so for the entries of a map.
func (b *builder) takeEntries(base int) []Entry {
	out := carve(&b.maps, b.entries[base:], b)
	clear(b.entries[base:])
	b.entries = b.entries[:base]
	return out
}

// carve copies what is given into the rest of a block, or into a new one.
func carve[T any](rest *[]T, from []T, b *builder) []T {
	if len(from) == 0 {
		return nil
	}
	if len(*rest) < len(from) {
		*rest = make([]T, b.block(len(from)))
	}
	out := (*rest)[:len(from):len(from)]
	*rest = (*rest)[len(from):]
	copy(out, from)
	return out
}

// index finds the entries of a map while it is being read. Most maps are
// small; only larger ones need it.
type index struct {
	base   int // where the entries start on the stack
	places map[string]int
}

// small is how many entries are searched one by one.
const small = 16

func (x *index) find(entries []Entry, key string) (int, bool) {
	if len(entries) <= small {
		for i := range entries {
			if entries[i].Key == key {
				return i, true
			}
		}
		return 0, false
	}
	if x.places == nil {
		x.places = make(map[string]int, 2*len(entries))
		for i, e := range entries {
			x.places[e.Key] = i
		}
	}
	i, ok := x.places[key]
	return i, ok
}

// put adds an entry to the map that is being read. A key that stands there
// already is replaced in its place: the last one counts, as for kubectl.
func (b *builder) put(n *Node, x *index, e Entry, report bool) {
	entries := b.entries[x.base:]
	i, ok := x.find(entries, e.Key)
	if !ok {
		if x.places != nil {
			x.places[e.Key] = len(entries)
		}
		b.entries = append(b.entries, e)
		return
	}
	if report && !entries[i].merged {
		if n.doc.duplicates == nil {
			n.doc.duplicates = map[*Node][]duplicate{}
		}
		old := entries[i]
		n.doc.duplicates[n] = append(n.doc.duplicates[n], duplicate{e.Key, e.start, e.end, old.start, old.end})
	}
	entries[i] = e
}
