package rights

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// roleKinds are the kinds that are compared.
var roleKinds = []struct {
	kind, resource string
	namespaced     bool
	strategy       rest.RESTCreateStrategy
}{
	{"Role", "roles", true, role.Strategy},
	{"ClusterRole", "clusterroles", false, clusterrole.Strategy},
	{"RoleBinding", "rolebindings", true, rolebinding.Strategy},
	{"ClusterRoleBinding", "clusterrolebindings", false, clusterrolebinding.Strategy},
}

// words are good and bad ones, for names, groups, labels and paths.
var words = []string{"driver", "gpu:driver", "a/b", "50%", "..", ".", "", "Bad_Name-", strings.Repeat("x", 64), strings.Repeat("y", 254), "rbac.authorization.k8s.io", "a/b%c"}

// seldom gives something bad now and then.
func seldom(r *rand.Rand, good string) string {
	if r.IntN(5) > 0 {
		return good
	}
	return some(r, words...)
}

func texts(r *rand.Rand, good ...string) []string {
	if r.IntN(5) == 0 {
		return nil
	}
	return []string{some(r, good...)}
}

func metadataOf(r *rand.Rand) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Name: seldom(r, "driver"), Namespace: seldom(r, "gpu-system")}
	if r.IntN(6) == 0 {
		m.GenerateName = some(r, words...)
	}
	if r.IntN(6) == 0 {
		m.Labels = map[string]string{some(r, words...): some(r, words...)}
	}
	if r.IntN(8) == 0 {
		m.Annotations = map[string]string{some(r, words...): "x"}
	}
	if r.IntN(8) == 0 {
		m.Finalizers = []string{some(r, words...)}
	}
	return m
}

func policyRules(r *rand.Rand) []rbacv1.PolicyRule {
	var out []rbacv1.PolicyRule
	for range r.IntN(4) {
		rule := rbacv1.PolicyRule{Verbs: texts(r, "get", "*"), APIGroups: texts(r, "", "resource.k8s.io"), Resources: texts(r, "resourceclaims", "*")}
		if r.IntN(3) == 0 {
			rule.NonResourceURLs = texts(r, "/metrics", "*")
			if r.IntN(2) == 0 {
				rule.APIGroups, rule.Resources = nil, nil
			}
		}
		if r.IntN(4) == 0 {
			rule.ResourceNames = texts(r, "one")
		}
		out = append(out, rule)
	}
	return out
}

func aggregation(r *rand.Rand) *rbacv1.AggregationRule {
	if r.IntN(2) == 0 {
		return nil
	}
	out := &rbacv1.AggregationRule{}
	for range r.IntN(3) {
		s := metav1.LabelSelector{}
		if r.IntN(2) == 0 {
			s.MatchLabels = map[string]string{seldom(r, "a"): seldom(r, "x"), seldom(r, "b"): seldom(r, "y")}
		}
		for range r.IntN(3) {
			e := metav1.LabelSelectorRequirement{Key: seldom(r, "a"), Operator: metav1.LabelSelectorOperator(some(r, "In", "NotIn", "Exists", "DoesNotExist", "Is", ""))}
			for range r.IntN(3) {
				e.Values = append(e.Values, seldom(r, "x"))
			}
			s.MatchExpressions = append(s.MatchExpressions, e)
		}
		out.ClusterRoleSelectors = append(out.ClusterRoleSelectors, s)
	}
	return out
}

func anySubjects(r *rand.Rand) []rbacv1.Subject {
	var out []rbacv1.Subject
	for range r.IntN(3) {
		out = append(out, rbacv1.Subject{
			Kind: some(r, "ServiceAccount", "ServiceAccount", "User", "Group", "Node", ""), Name: seldom(r, "driver"),
			APIGroup: some(r, "", "", "rbac.authorization.k8s.io", "apps"), Namespace: some(r, "", "gpu-system"),
		})
	}
	return out
}

func roleObject(r *rand.Rand, kind string) runtime.Object {
	ref := rbacv1.RoleRef{APIGroup: some(r, "", "rbac.authorization.k8s.io", "rbac.authorization.k8s.io", "apps"), Kind: some(r, "Role", "ClusterRole", "ClusterRole", "role", ""), Name: seldom(r, "driver")}
	switch kind {
	case "Role":
		return &rbacv1.Role{ObjectMeta: metadataOf(r), Rules: policyRules(r)}
	case "ClusterRole":
		return &rbacv1.ClusterRole{ObjectMeta: metadataOf(r), Rules: policyRules(r), AggregationRule: aggregation(r)}
	case "RoleBinding":
		return &rbacv1.RoleBinding{ObjectMeta: metadataOf(r), RoleRef: ref, Subjects: anySubjects(r)}
	}
	return &rbacv1.ClusterRoleBinding{ObjectMeta: metadataOf(r), RoleRef: ref, Subjects: anySubjects(r)}
}

// TestRolesAreJudgedAlike creates generated roles and bindings as the API
// server does, and compares every error by its type and its path.
func TestRolesAreJudgedAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(20261130, 3))
	met := map[string]int{}
	for n := range 1600 {
		k := roleKinds[n%len(roleKinds)]
		object := roleObject(r, k.kind)
		object.GetObjectKind().SetGroupVersionKind(rbacv1.SchemeGroupVersion.WithKind(k.kind))
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		theirs := created(t, object, k.resource, k.namespaced, k.strategy)
		answer, err := core.Validate(context.Background(), text, core.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var ours []string
		for _, d := range answer.Diagnostics {
			if d.Source == diag.API && d.Severity == diag.Error {
				ours = append(ours, d.Type+" "+d.Field)
				met[d.Rule]++
				if d.Location == nil || d.Message == "" {
					t.Fatalf("%s: no place or no words: %+v", text, d)
				}
			}
		}
		slices.Sort(ours)
		if !slices.Equal(theirs, ours) {
			t.Fatalf("object %d\nKubernetes: %q\nDrawbridge: %q\n%s", n, theirs, ours, text)
		}
		if len(theirs) == 0 {
			met["none"]++
		}
	}
	t.Log(met)
	for _, what := range []string{"none", "role-name", "role-verbs", "role-resources", "role-urls", "role-aggregation", "role-ref", "role-subject"} {
		if met[what] < 20 {
			t.Errorf("%s was met %d times", what, met[what])
		}
	}
}

// created returns the errors of creating an object, as "type path", sorted.
func created(t *testing.T, versioned runtime.Object, resource string, namespaced bool, s rest.RESTCreateStrategy) []string {
	t.Helper()
	defaulted := versioned.DeepCopyObject()
	legacyscheme.Scheme.Default(defaulted)
	object, err := legacyscheme.Scheme.ConvertToVersion(defaulted, schema.GroupVersion{Group: rbacv1.GroupName, Version: runtime.APIVersionInternal})
	if err != nil {
		t.Fatal(err)
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		t.Fatal(err)
	}
	namespace := ""
	if namespaced {
		if accessor.GetNamespace() == "" {
			accessor.SetNamespace("default")
		}
		namespace = accessor.GetNamespace()
	}
	ctx := genericapirequest.WithRequestInfo(genericapirequest.WithNamespace(context.Background(), namespace),
		&genericapirequest.RequestInfo{APIGroup: rbacv1.GroupName, APIVersion: "v1", Resource: resource, Namespace: namespace, Verb: "create"})
	rest.FillObjectMetaSystemFields(accessor)
	if accessor.GetGenerateName() != "" && accessor.GetName() == "" {
		accessor.SetName(s.GenerateName(accessor.GetGenerateName()))
	}
	refused := rest.BeforeCreate(s, ctx, object)
	if refused == nil {
		return nil
	}
	var status *apierrors.StatusError
	if !errors.As(refused, &status) || status.ErrStatus.Details == nil {
		t.Fatalf("refused without causes: %v", refused)
	}
	var out []string
	for _, c := range status.ErrStatus.Details.Causes {
		out = append(out, fmt.Sprintf("%s %s", c.Type, c.Field))
	}
	slices.Sort(out)
	return out
}
