package core

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/rights"
)

// RolesOptions say for whom roles are made.
type RolesOptions struct {
	// KubernetesVersion is the one that they are tried at; empty for the
	// newest known.
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	FeatureGates      string `json:"featureGates,omitempty"`
	// For is scheduler, node-driver or controller.
	For string `json:"for"`
	// Driver is the name of the driver, for the latter two.
	Driver string `json:"driver,omitempty"`
	// ServiceAccount is whose rights they are, as namespace/name.
	ServiceAccount string `json:"serviceAccount"`
	// Name is that of the role and its binding; empty for one that is made of
	// the account and the part.
	Name string `json:"name,omitempty"`
	// Verbs are those with which the status is written: update, patch or, the
	// default, both.
	Verbs []string `json:"verbs,omitempty"`
}

// RolesResult answers RolesFor.
type RolesResult struct {
	KubernetesVersion string      `json:"kubernetesVersion" doc:"The version whose rules the roles were tried by, such as 1.37."`
	For               string      `json:"for" enum:"scheduler,node-driver,controller"`
	Name              string      `json:"name" doc:"Name of the role and of its binding."`
	Text              string      `json:"text" doc:"A ClusterRole and its ClusterRoleBinding, as YAML with comments."`
	Tries             []RoleTrial `json:"tries" doc:"What was tried with them."`
}

// RoleTrial is something that roles were tried with.
type RoleTrial struct {
	Message string `json:"message" doc:"What was tried, and what came of it."`
	Allowed bool   `json:"allowed"`
}

// RolesFor writes the roles with the fewest rights for a scheduler, for a
// driver on every node, or for one that runs once, and tries them: they allow
// what is needed and refuse what is not. The error is an *OptionError.
func RolesFor(ctx context.Context, opts RolesOptions) (*RolesResult, error) {
	plan, set, err := opts.plan()
	if err != nil {
		return nil, err
	}
	out := &RolesResult{KubernetesVersion: set.Version().String(), For: plan.Part, Name: plan.Name, Text: rights.Roles(plan), Tries: []RoleTrial{}}
	subject := rights.NewSubject(rights.AccountName(plan.Namespace, plan.Account), nil, rights.TriedOn)
	b := bundle.Parse([]byte(out.Text), bundle.Options{Features: set})
	asker := rights.NewPolicy(b.Objects, nil).Asks(subject)
	may, mayNot := plan.Tries()
	tried := append(slices.Clone(may), mayNot...)
	for i, r := range tried {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		allowed, want := allows(asker, r, subject, set), i < len(may)
		if allowed != want && (want || rights.Granular(set)) {
			return nil, fmt.Errorf("the roles were tried and are wrong: %s", said(r, allowed))
		}
		out.Tries = append(out.Tries, RoleTrial{Message: said(r, allowed), Allowed: allowed})
	}
	return out, nil
}

func allows(asker *rights.Asker, r rights.Request, s rights.Subject, set *feature.Set) bool {
	for _, d := range rights.Demands(r, s, set) {
		if !slices.ContainsFunc(d.Any, func(at rights.Attributes) bool { return asker.May(at) != nil }) {
			return false
		}
	}
	return true
}

// said tells what was tried, and what came of it.
func said(r rights.Request, allowed bool) string {
	verdict := "refused"
	if allowed {
		verdict = "allowed"
	}
	what := "status.allocation and status.reservedFor"
	if len(r.Changes.Drivers) > 0 {
		what = "entries of driver " + strings.Join(r.Changes.Drivers, ", ") + " in status.devices"
	}
	where := "the node of the token"
	if r.Changes.Node != rights.TriedOn {
		where = "another node"
	}
	return fmt.Sprintf("to %s %s of a claim that is allocated to %s is %s", r.Verb, what, where, verdict)
}

// plan checks the options.
func (o RolesOptions) plan() (rights.Plan, *feature.Set, error) {
	none := rights.Plan{}
	set, err := Options{KubernetesVersion: o.KubernetesVersion, FeatureGates: o.FeatureGates}.features()
	if err != nil {
		return none, nil, err
	}
	if !slices.Contains(rights.Parts(), o.For) {
		return none, nil, &OptionError{"for", "must be scheduler, node-driver or controller"}
	}
	namespace, account, found := strings.Cut(o.ServiceAccount, "/")
	if _, _, ok := (rights.Subject{User: rights.AccountName(namespace, account)}).ServiceAccount(); !found || !ok {
		return none, nil, &OptionError{"serviceAccount", "must be namespace/name, such as gpu-system/driver"}
	}
	switch {
	case o.For == rights.Scheduler && o.Driver != "":
		return none, nil, &OptionError{"driver", "must be left out for a scheduler, which writes for no driver"}
	case o.For != rights.Scheduler && (len(o.Driver) > 63 || len(validation.IsDNS1123Subdomain(o.Driver)) > 0):
		return none, nil, &OptionError{"driver", "must be the name of the driver, such as gpu.example.com: at most 63 lower-case letters, digits, - and dots"}
	}
	name := cmp.Or(o.Name, account+"-"+o.For)
	if len(name) > 253 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return none, nil, &OptionError{"name", "must be at most 253 lower-case letters, digits, - and dots"}
	}
	verbs := o.Verbs
	if len(verbs) == 0 {
		verbs = []string{"update", "patch"}
	}
	for i, verb := range verbs {
		if verb != "update" && verb != "patch" || slices.Contains(verbs[:i], verb) {
			return none, nil, &OptionError{"verbs", "must be update, patch or both"}
		}
	}
	return rights.Plan{Part: o.For, Driver: o.Driver, Namespace: namespace, Account: account, Name: name, Verbs: verbs}, set, nil
}
