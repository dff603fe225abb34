package bundle

// index finds the entries of a map while it is being read. Most maps are
// small; only larger ones need it.
type index struct {
	places map[string]int
}

// small is how many entries are searched one by one.
const small = 16

func (x *index) find(n *Node, key string) (int, bool) {
	if len(n.entries) <= small {
		for i := range n.entries {
			if n.entries[i].Key == key {
				return i, true
			}
		}
		return 0, false
	}
	if x.places == nil {
		x.places = make(map[string]int, 2*len(n.entries))
		for i, e := range n.entries {
			x.places[e.Key] = i
		}
	}
	i, ok := x.places[key]
	return i, ok
}

// put adds an entry to a map. A key that stands there already is replaced in
// its place: the last one counts, as for kubectl.
func (n *Node) put(x *index, e Entry, report bool) {
	i, ok := x.find(n, e.Key)
	if !ok {
		if x.places != nil {
			x.places[e.Key] = len(n.entries)
		}
		n.entries = append(n.entries, e)
		return
	}
	if report && !n.entries[i].merged {
		if n.doc.duplicates == nil {
			n.doc.duplicates = map[*Node][]duplicate{}
		}
		old := n.entries[i]
		n.doc.duplicates[n] = append(n.doc.duplicates[n], duplicate{e.Key, e.start, e.end, old.start, old.end})
	}
	n.entries[i] = e
}
