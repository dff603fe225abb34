package selector

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

// TestSharedSaysTheSame asks from many goroutines what Compile says.
func TestSharedSaysTheSame(t *testing.T) {
	texts := []string{
		`device.driver == "a.example.com"`, `device.attributes["a.example.com"].list.includes("x")`, `device.allowMultipleAllocations`,
		`device.driver = "a"`, `1 + 1`, ``, `device.attributes["a"].all(x, device.attributes["b"].all(y, true))`,
	}
	asked := []Options{
		{}, {ListAttributes: true}, {ConsumableCapacity: true}, {Version: feature.Version{Minor: 34}},
		{Stored: true, Costs: true}, {Stored: true, Costs: true, NoIncludes: true}, {Derived: true},
	}
	want := map[string]Verdict{}
	name := func(text string, opts Options) string { return fmt.Sprint(opts, text) }
	differ := map[string]bool{}
	for _, text := range texts {
		for _, opts := range asked {
			p := Compile(text, opts)
			want[name(text, opts)] = Verdict{p.Err, p.MaxCost}
			differ[fmt.Sprint(p.Err != nil, p.MaxCost)] = true
		}
	}
	if len(differ) < 4 {
		t.Fatalf("the expressions are too much alike: %v", differ)
	}
	shared := &Shared{}
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range texts {
				text := texts[(i+n)%len(texts)]
				for _, opts := range asked {
					if got := shared.Judge(text, opts); !reflect.DeepEqual(got, want[name(text, opts)]) {
						t.Errorf("%q with %+v: %+v, want %+v", text, opts, got, want[name(text, opts)])
					}
				}
				p, fresh := shared.Stored(text, false), Compile(text, Options{Stored: true})
				if !reflect.DeepEqual(p.Err, fresh.Err) || !reflect.DeepEqual(p.Reads, fresh.Reads) || p.Driver != fresh.Driver || p.Expression != fresh.Expression {
					t.Errorf("%q differs once it is stored", text)
				}
			}
		})
	}
	all.Wait()
	first, again, derived := shared.Stored(texts[0], false), shared.Stored(texts[0], false), shared.Stored(texts[0], true)
	if first != again || first == derived {
		t.Error("an expression is compiled again, or taken for another")
	}
}

// TestSharedIsBounded brings more expressions, and more text, than are kept.
func TestSharedIsBounded(t *testing.T) {
	shared := &Shared{}
	most := 0
	for i := range mostCached + 10 {
		shared.Judge(fmt.Sprint(i, ")"), Options{})
		most = max(most, len(shared.verdicts.values))
	}
	if most != mostCached || len(shared.verdicts.values) > 10 {
		t.Errorf("%d are kept, and %d after that", most, len(shared.verdicts.values))
	}
	for i := range 20 {
		shared.Judge(fmt.Sprint(i, ")", strings.Repeat(" ", mostCachedText/8)), Options{})
		text := 0
		for k := range shared.verdicts.values {
			text += len(k.text)
		}
		if text != shared.verdicts.text || text > mostCachedText {
			t.Fatalf("%d bytes of text are kept, counted as %d", text, shared.verdicts.text)
		}
	}
	before := len(shared.verdicts.values)
	shared.Judge(strings.Repeat(" ", mostCachedText)+"1)", Options{})
	if len(shared.verdicts.values) != before {
		t.Error("keeps a text that is longer than all may be")
	}
}
