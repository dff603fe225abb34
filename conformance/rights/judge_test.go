package rights

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/filters"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/resource"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
	"sigs.k8s.io/yaml"
)

// policy is what an API server knows of roles.
type policy struct {
	roles           []*rbacv1.Role
	clusterRoles    []*rbacv1.ClusterRole
	bindings        []*rbacv1.RoleBinding
	clusterBindings []*rbacv1.ClusterRoleBinding
}

// read takes the roles and bindings of a text, strictly.
func read(t *testing.T, text string) *policy {
	t.Helper()
	p := &policy{}
	for _, document := range strings.Split(text, "---\n") {
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
			t.Fatal(err)
		}
		strict := func(into any) {
			if err := yaml.UnmarshalStrict([]byte(document), into); err != nil {
				t.Fatalf("%v\n%s", err, document)
			}
		}
		switch kind.Kind {
		case "Role":
			o := &rbacv1.Role{}
			strict(o)
			p.roles = append(p.roles, o)
		case "ClusterRole":
			o := &rbacv1.ClusterRole{}
			strict(o)
			p.clusterRoles = append(p.clusterRoles, o)
		case "RoleBinding":
			o := &rbacv1.RoleBinding{}
			strict(o)
			p.bindings = append(p.bindings, o)
		case "ClusterRoleBinding":
			o := &rbacv1.ClusterRoleBinding{}
			strict(o)
			p.clusterBindings = append(p.clusterBindings, o)
		}
	}
	return p
}

// startup is what every cluster starts with; it depends on feature gates.
type startup struct {
	roles    []rbacv1.ClusterRole
	bindings []rbacv1.ClusterRoleBinding
}

func newStartup() startup {
	return startup{
		slices.Concat(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()),
		slices.Concat(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()),
	}
}

// start adds what every cluster starts with, and does what the controller of
// aggregates does until nothing changes any more.
func (p *policy) start(s startup) *policy {
	for i := range s.roles {
		one := s.roles[i] // whose rules may be replaced, and are not changed
		p.clusterRoles = append(p.clusterRoles, &one)
	}
	for i := range s.bindings {
		p.clusterBindings = append(p.clusterBindings, &s.bindings[i])
	}
	for _, r := range p.clusterRoles {
		if r.AggregationRule != nil {
			r.Rules = nil
		}
	}
	for changed := true; changed; {
		changed = false
		for _, r := range p.clusterRoles {
			if r.AggregationRule == nil {
				continue
			}
			if rules := p.aggregated(r); len(rules) != len(r.Rules) {
				r.Rules, changed = rules, true
			}
		}
	}
	return p
}

func (p *policy) aggregated(r *rbacv1.ClusterRole) []rbacv1.PolicyRule {
	var out []rbacv1.PolicyRule
	have := map[string]bool{}
	for i := range r.AggregationRule.ClusterRoleSelectors {
		selector, err := metav1.LabelSelectorAsSelector(&r.AggregationRule.ClusterRoleSelectors[i])
		if err != nil {
			continue
		}
		for _, other := range p.clusterRoles {
			if other.Name == r.Name || !selector.Matches(labels.Set(other.Labels)) {
				continue
			}
			for _, rule := range other.Rules {
				if key := rule.String(); !have[key] {
					have[key] = true
					out = append(out, rule)
				}
			}
		}
	}
	return out
}

// chain asks one authorizer after the other, as an API server does with
// --authorization-mode=RBAC.
type chain []authorizer.UnconditionalAuthorizer

func (c chain) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	for _, one := range c {
		if decision, reason, err := one.Authorize(ctx, a); decision != authorizer.DecisionNoOpinion {
			return decision, reason, err
		}
	}
	return authorizer.DecisionNoOpinion, "", nil
}

func (p *policy) authorizer() chain {
	_, static := validation.NewTestRuleResolver(p.roles, p.bindings, p.clusterRoles, p.clusterBindings)
	return chain{authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup), rbac.New(static, static, static, static)}
}

// verdict is what comes of a request.
type verdict struct {
	// status tells whether the request as such is allowed, binding whether
	// the scheduler's part of it is; refused are the drivers whose part is
	// not.
	status, binding bool
	refused         []string
}

func (v verdict) allowed() bool { return v.status && v.binding && len(v.refused) == 0 }

func (v verdict) String() string {
	return fmt.Sprintf("status %v, binding %v, refused drivers %v", v.status, v.binding, v.refused)
}

// decode makes of a claim in YAML the API server's own object, with defaults.
func decode(t *testing.T, text string) *resource.ResourceClaim {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	claim := &resource.ResourceClaim{}
	decoder := legacyscheme.Codecs.UniversalDecoder(schema.GroupVersion{Group: resourceapi.GroupName, Version: runtime.APIVersionInternal})
	if err := runtime.DecodeInto(decoder, raw, claim); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return claim
}

// judge asks Kubernetes about an update of the status: first the authorizer,
// as the server's filter does, then the strategy.
func judge(t *testing.T, p *policy, who user.Info, verb string, old, now *resource.ResourceClaim, drivers []string) verdict {
	t.Helper()
	chain := p.authorizer()
	ctx := genericapirequest.WithUser(genericapirequest.WithNamespace(context.Background(), now.Namespace), who)
	ctx = genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: verb, APIGroup: resourceapi.GroupName, APIVersion: "v1",
		Resource: "resourceclaims", Subresource: "status", Namespace: now.Namespace, Name: now.Name,
	})
	attributes, err := filters.GetAuthorizerAttributes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	decision, _, err := chain.Authorize(ctx, attributes)
	out := verdict{status: decision == authorizer.DecisionAllow, binding: true}
	if err != nil && out.status {
		t.Fatal(err)
	}
	strategy := resourceclaim.NewStatusStrategy(resourceclaim.NewStrategy(nil, chain))
	old, now = old.DeepCopy(), now.DeepCopy()
	strategy.PrepareForUpdate(ctx, now, old)
	for _, e := range strategy.ValidateUpdate(ctx, now, old) {
		if e.Type != field.ErrorTypeForbidden {
			continue
		}
		switch {
		case e.Field == "status.allocation" && strings.Contains(e.Detail, "resourceclaims/binding"):
			out.binding = false
		case e.Field == "status.devices" && strings.Contains(e.Detail, "resourceclaims/driver"):
			named := 0
			for _, driver := range drivers {
				if strings.Contains(e.Detail, `"`+driver+`"`) {
					out.refused, named = append(out.refused, driver), named+1
				}
			}
			if named != 1 {
				t.Fatalf("the refusal names %d drivers: %s", named, e.Detail)
			}
		}
	}
	slices.Sort(out.refused)
	return out
}
