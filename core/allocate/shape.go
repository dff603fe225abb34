package allocate

import "encoding/binary"

// spelling builds a key to which Programs gives a number. Every part is
// written so that none can be taken for another.
type spelling struct {
	programs *Programs
	key      []byte
}

// spell begins a key; the kind keeps keys of different things apart. One key
// must have its number before the next begins.
func (p *Programs) spell(kind byte) spelling {
	return spelling{p, append(p.scratch[:0], kind)}
}

func (k *spelling) int(n int64) { k.key = binary.AppendVarint(k.key, n) }

func (k *spelling) text(s string) {
	k.int(int64(len(s)))
	k.key = append(k.key, s...)
}

func (k *spelling) texts(list []string) {
	k.int(int64(len(list)))
	for _, s := range list {
		k.text(s)
	}
}

func (k *spelling) flag(is bool) {
	b := byte(0)
	if is {
		b = 1
	}
	k.key = append(k.key, b)
}

// number gives equal keys the same number, from 1 on.
func (k *spelling) number() int {
	k.programs.scratch = k.key
	n, ok := k.programs.numbers[string(k.key)]
	if !ok {
		n = len(k.programs.numbers) + 1
		k.programs.numbers[string(k.key)] = n
	}
	return n
}

// shapeOf numbers all of the claims that decides whether they fit on a node:
// everything but names and configuration.
func (c *Claims) shapeOf(programs *Programs) int {
	k := programs.spell('s')
	for i := range c.claims {
		k.int(int64(len(c.claims[i].requests)))
		for _, r := range c.claims[i].requests {
			k.flag(r.alternatives)
			k.int(int64(len(r.asks)))
			for _, a := range r.asks {
				a.spell(&k)
			}
		}
		k.int(int64(len(c.claims[i].constraints)))
		for _, con := range c.claims[i].constraints {
			k.flag(con.distinct)
			k.text(string(con.name))
		}
	}
	return k.number()
}

func (a *ask) spell(k *spelling) {
	k.int(int64(a.row))
	k.int(int64(a.amountsNumber))
	k.flag(a.capacity != nil)
	k.flag(a.admin())
	k.text(string(a.mode))
	k.int(a.count)
	k.int(int64(len(a.tolerations)))
	for i := range a.tolerations {
		t := &a.tolerations[i]
		k.text(t.Key)
		k.text(string(t.Operator))
		k.text(t.Value)
		k.text(string(t.Effect))
	}
	k.int(int64(len(a.derivedList)))
	for i := range a.derivedList {
		k.text(string(a.derivedList[i].Name))
		k.text(a.derivedList[i].Expression)
	}
	k.int(int64(len(a.constraints)))
	for _, con := range a.constraints {
		k.int(int64(con.index))
	}
}
