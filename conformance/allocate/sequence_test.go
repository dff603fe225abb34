package allocate

import (
	"context"
	"flag"
	"fmt"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drawbridge-dra/drawbridge/core/allocate"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
)

var sequences = flag.Int("sequences", 8_000, "how many generated worlds to fill claim by claim")

// rounds is how often each claim of a world comes again, under another name.
const rounds = 3

// sequence fills two nodes of a world with one claim after the other, with
// what a view remembers from one attempt to the next. The scheduler's
// allocator starts anew each time.
type sequence struct {
	world
	nodes []*corev1.Node
	inv   *inventory.Inventory
	state *inventory.Held
	views []*allocate.View
	m     memory
}

// TestSequences demands the same of a view that has seen attempts and
// allocations as of a new one.
func TestSequences(t *testing.T) {
	var shown atomic.Int32
	m := memory{}
	counts := map[string]int{}
	for seed := *first; seed < *first+uint64(*sequences) && shown.Load() < 3; seed++ {
		gates := allGates
		if seed%4 == 0 {
			gates = otherGates
		}
		s := &sequence{world: generate(seed, gates), m: m}
		if !s.fill(t, seed, counts) {
			shown.Add(1)
		}
		if seed%5_000 == 0 {
			clear(m)
		}
	}
	t.Logf("%d worlds: %v", *sequences, counts)
	for _, kind := range []string{fits, notHere, podWide, "not here again"} {
		if *sequences >= 1000 && counts[kind] < *sequences/4 {
			t.Errorf("only %d attempts end with %q: the sequences have gone blind", counts[kind], kind)
		}
	}
}

func (s *sequence) fill(t *testing.T, seed uint64, counts map[string]int) bool {
	other := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n2", Labels: map[string]string{"zone": "b", "kubernetes.io/hostname": "n2"}}}
	s.nodes = []*corev1.Node{s.node, other}
	s.inv, s.state = inventory.New(s.slices, nil, s.features), inventory.NewHeld()
	s.views = make([]*allocate.View, len(s.nodes))
	for _, claim := range s.held {
		s.state.Add(claim, s.features)
	}
	templates := s.claims
	for round := range rounds {
		for i, template := range templates {
			c := template.DeepCopy()
			c.Name = fmt.Sprintf("%s-%d", c.Name, round)
			c.UID = types.UID(c.Name)
			s.claims = []*resourceapi.ResourceClaim{c}
			for n := range s.nodes {
				kind, same := s.attempt(t, n, (round+i)%2 == 0, counts)
				if !same {
					t.Errorf("seed %d differs with claim %s on %s; the world is\n%s", seed, c.Name, s.node.Name, show(t, s.print()))
					return false
				}
				if kind != notHere {
					break
				}
			}
		}
	}
	return true
}

// attempt tries the claim on a node, by us twice where that must not change
// anything, and commits what fits.
func (s *sequence) attempt(t *testing.T, n int, explain bool, counts map[string]int) (kind string, same bool) {
	s.node = s.nodes[n]
	want := upstream(t, s.world)
	if want.Kind == undecided {
		return want.Kind, true
	}
	counts[want.Kind]++
	got := s.ours(t, n, explain)
	same = s.equal(t, want, got)
	if same && got.Kind == notHere {
		counts["not here again"]++
		got = s.ours(t, n, false)
		same = s.equal(t, want, got)
	}
	if same && got.Kind == fits {
		taken := s.claims[0].DeepCopy()
		taken.Status.Allocation = &got.Allocations[0]
		s.state.Add(taken, s.features)
		s.held = append(s.held, taken)
	}
	return want.Kind, same
}

func (s *sequence) equal(t *testing.T, want, got verdict) bool {
	if got.Kind == want.Kind && equality.Semantic.DeepEqual(comparable(got.Allocations), comparable(want.Allocations)) {
		return true
	}
	t.Errorf("upstream: %s\nours: %s", show(t, want), show(t, got))
	return false
}

func (s *sequence) ours(t *testing.T, n int, explain bool) verdict {
	programs := s.m.programs(s.features)
	if s.views[n] == nil {
		pools, err := s.inv.Pools(s.nodes[n])
		if err != nil {
			return verdict{Kind: podWide, Detail: err.Error()}
		}
		s.views[n] = allocate.NewView(s.nodes[n], pools, s.state, s.features, programs)
	}
	answer, err := allocate.Allocate(context.Background(), allocate.Problem{
		View: s.views[n], Claims: allocate.Prepare(s.claims, s.classes, s.features, programs), Explain: explain, Steps: patientSteps})
	if err != nil {
		t.Error(err)
		return verdict{}
	}
	return s.verdict(t, answer, explain)
}

func (s *sequence) verdict(t *testing.T, answer *allocate.Answer, explain bool) verdict {
	if answer.Fits {
		return verdict{Kind: fits, Allocations: answer.Allocations}
	}
	v := verdict{Kind: map[allocate.Kind]string{allocate.NotHere: notHere, allocate.PodWide: podWide, allocate.Undecided: undecided}[answer.Failure.Kind]}
	if explain && len(answer.Failure.Reasons) == 0 {
		t.Error("a failure without a reason")
	}
	return v
}
