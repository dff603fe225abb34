package rights

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// setups are the API servers that are compared with.
var setups = []struct {
	name  string
	opts  core.Options
	apply func(*testing.T)
	cases int
}{
	{"1.37", core.Options{}, func(*testing.T) {}, 450},
	{"1.37 without the gate", core.Options{FeatureGates: "DRAResourceClaimGranularStatusAuthorization=false"}, func(t *testing.T) {
		featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.DRAResourceClaimGranularStatusAuthorization, false)
	}, 100},
	{"1.36", core.Options{KubernetesVersion: "1.36"}, func(t *testing.T) {
		featuregatetesting.SetFeatureGateEmulationVersionDuringTest(t, utilfeature.DefaultFeatureGate, version.MustParse("1.36"))
	}, 150},
	{"1.35", core.Options{KubernetesVersion: "1.35"}, func(t *testing.T) {
		featuregatetesting.SetFeatureGateEmulationVersionDuringTest(t, utilfeature.DefaultFeatureGate, version.MustParse("1.35"))
	}, 100},
}

// TestParity compares generated roles, users and updates. What is refused is
// mended as Drawbridge says, and asked again.
func TestParity(t *testing.T) {
	for i, s := range setups {
		t.Run(s.name, func(t *testing.T) {
			s.apply(t)
			with := newStartup()
			r := rand.New(rand.NewPCG(20261130, uint64(i)))
			allowed, refused, mended := 0, 0, 0
			for range s.cases {
				text, old, now, who, verb := manifests(r), claim(r), claim(r), anybody(r), some(r, "update", "patch")
				ours := ask(t, core.Change{Before: text + "---\n" + old, After: now}, s.opts, who, verb)
				info := account(ours, who)
				theirs := judge(t, read(t, text).start(with), info, verb, decode(t, old), decode(t, now), drivers)
				if got := verdictOf(ours); got.String() != theirs.String() || ours.Allowed != theirs.allowed() {
					t.Fatalf("Kubernetes: %s\nDrawbridge: %s, %s\n%s as %+v\n%s---\n%s---\n%s", theirs, got, ours.Message, verb, who, text, old, now)
				}
				if ours.Allowed {
					allowed++
					continue
				}
				refused++
				if ours.Mend == "" {
					continue
				}
				mended++
				more := text + "---\n" + ours.Mend
				if again := judge(t, read(t, more).start(with), info, verb, decode(t, old), decode(t, now), drivers); !again.allowed() {
					t.Fatalf("still refused: %s\n%s as %+v\n%s---\n%s---\n%s", again, verb, who, more, old, now)
				}
			}
			t.Logf("%d allowed, %d refused, %d of them mended", allowed, refused, mended)
			if allowed < s.cases/10 || refused < s.cases/10 || mended < refused*9/10 {
				t.Errorf("the cases are lopsided: %d allowed, %d refused, %d mended", allowed, refused, mended)
			}
		})
	}
}

func ask(t *testing.T, change core.Change, opts core.Options, who subject, verb string) *core.StatusAuthorizationResult {
	t.Helper()
	out, err := core.StatusAuthorization(context.Background(), change, core.StatusOptions{Options: opts, User: who.user, Groups: who.groups, Node: who.node, Verb: verb})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range out.Diagnostics {
		if d.Severity == diag.Error && d.Source == diag.Decode {
			t.Fatalf("%+v", d)
		}
	}
	if len(out.Claims) != 1 {
		t.Fatalf("%d claims", len(out.Claims))
	}
	return out
}

// account is the user as an API server knows them. The groups are those that
// Drawbridge says it adds, which another test compares.
func account(ours *core.StatusAuthorizationResult, who subject) user.Info {
	info := &user.DefaultInfo{Name: who.user, Groups: ours.Subject.Groups}
	if who.node != "" {
		info.Extra = map[string][]string{serviceaccount.NodeNameKey: {who.node}}
	}
	return info
}

func verdictOf(ours *core.StatusAuthorizationResult) verdict {
	out := verdict{binding: true}
	for _, check := range ours.Claims[0].Checks {
		switch {
		case check.Field == "":
			out.status = check.Allowed
		case check.Driver == "":
			out.binding = check.Allowed
		case !check.Allowed:
			out.refused = append(out.refused, check.Driver)
		}
	}
	slices.Sort(out.refused)
	return out
}

// TestGroups compares the groups of service accounts with those that
// Kubernetes gives them.
func TestGroups(t *testing.T) {
	ours := ask(t, core.Change{After: claimSpec}, core.Options{}, subject{user: "system:serviceaccount:gpu:driver"}, "update")
	want := append(serviceaccount.UserInfo("gpu", "driver", "uid").GetGroups(), user.AllAuthenticated)
	if !slices.Equal(ours.Subject.Groups, want) {
		t.Errorf("got %v, want %v", ours.Subject.Groups, want)
	}
}

// TestRolesAreTheFewest judges the roles that Drawbridge writes: they allow
// what they are for; and with any of the rules about a status left out, or any
// of their verbs, they no longer do.
func TestRolesAreTheFewest(t *testing.T) {
	bare := claimSpec
	bound := claimSpec + "status:\n  allocation:\n    devices: {results: [{request: gpu, driver: gpu.example.com, pool: p, device: d0}]}\n    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}\n"
	told := bound + "  devices: [{driver: gpu.example.com, pool: p, device: d0}]\n"
	foreign := bound + "  devices: [{driver: nic.example.com, pool: p, device: d0}]\n"
	for _, c := range []struct {
		part, old, now, node string
		allowed              bool
	}{
		{"scheduler", bare, bound, "", true},
		{"scheduler", bound, told, "n1", false},
		{"node-driver", bound, told, "n1", true},
		{"node-driver", bound, told, "n2", false},
		{"node-driver", bound, foreign, "n1", false},
		{"node-driver", bare, bound, "n1", false},
		{"controller", bound, told, "n2", true},
		{"controller", bound, foreign, "n2", false},
		{"controller", bare, bound, "", false},
	} {
		for _, verb := range []string{"update", "patch"} {
			opts := core.RolesOptions{For: c.part, ServiceAccount: "gpu/driver"}
			if c.part != "scheduler" {
				opts.Driver = "gpu.example.com"
			}
			made, err := core.RolesFor(context.Background(), opts)
			if err != nil {
				t.Fatal(err)
			}
			who := subject{user: "system:serviceaccount:gpu:driver", node: c.node}
			info := account(ask(t, core.Change{After: c.now}, core.Options{}, who, verb), who)
			p := read(t, made.Text)
			if got := judge(t, p, info, verb, decode(t, c.old), decode(t, c.now), drivers); got.allowed() != c.allowed {
				t.Errorf("%s, %s on %q: %s", c.part, verb, c.node, got)
			}
			if !c.allowed {
				continue
			}
			rules := p.clusterRoles[0].Rules
			for i := range rules {
				if !strings.Contains(strings.Join(rules[i].Resources, " "), "/") {
					continue
				}
				less := read(t, made.Text)
				verbs := less.clusterRoles[0].Rules[i].Verbs
				less.clusterRoles[0].Rules[i].Verbs = slices.DeleteFunc(verbs, func(v string) bool { return strings.HasSuffix(v, verb) })
				if got := judge(t, less, info, verb, decode(t, c.old), decode(t, c.now), drivers); got.allowed() {
					t.Errorf("%s needs no %s in rule %d", c.part, verb, i+1)
				}
			}
		}
	}
}
