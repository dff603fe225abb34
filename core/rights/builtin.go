package rights

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/role"
)

// BuiltIn makes the roles and bindings that an API server starts with, as far
// as they say who may create claims or write their status.
func BuiltIn(set *feature.Set) []any {
	if !set.Enabled(feature.DynamicResourceAllocation) {
		return []any{clusterRole("cluster-admin", allow("*", "*", "*"))}
	}
	writers := []role.Rule{allow(resourceGroup, "resourceclaims resourceclaims/status", "update patch")}
	scheduler, controller := writers, writers
	if set.Enabled(feature.DRAExtendedResource) {
		scheduler = append(scheduler[:1:1], allow(resourceGroup, "resourceclaims", "create delete"))
	}
	controller = append(controller[:1:1], allow(resourceGroup, "resourceclaims", "get list watch create delete"))
	if Granular(set) {
		scheduler = append(scheduler[:len(scheduler):len(scheduler)], allow(resourceGroup, "resourceclaims/binding", "update patch"))
		controller = append(controller, allow(resourceGroup, "resourceclaims/binding", "update patch"))
	}
	edit := clusterRole("system:aggregate-to-edit", allow(resourceGroup, "resourceclaims resourceclaimtemplates", "create update patch delete deletecollection"))
	edit.Metadata.Labels = map[string]string{aggregates + "edit": "true"}
	const claimController = "system:controller:resource-claim-controller"
	return []any{
		clusterRole("cluster-admin", allow("*", "*", "*")),
		edit,
		aggregate("view", "edit"), aggregate("edit", "admin"), aggregate("admin", ""),
		clusterRole("system:kube-scheduler", scheduler...),
		clusterRole(claimController, controller...),
		bind("cluster-admin", "cluster-admin", role.Subject{Kind: role.UserGroup, APIGroup: role.Group, Name: masters}),
		bind("system:kube-scheduler", "system:kube-scheduler", role.Subject{Kind: role.User, APIGroup: role.Group, Name: "system:kube-scheduler"}),
		bind(claimController, claimController, role.Subject{Kind: role.ServiceAccount, Namespace: "kube-system", Name: "resource-claim-controller"}),
	}
}

const aggregates = "rbac.authorization.k8s.io/aggregate-to-"

func clusterRole(name string, rules ...role.Rule) *role.ClusterRole {
	return &role.ClusterRole{Metadata: metav1.ObjectMeta{Name: name}, Rules: rules}
}

// aggregate is a role of those that are marked for it, itself marked for
// another.
func aggregate(name, into string) *role.ClusterRole {
	r := clusterRole(name)
	r.AggregationRule = &role.Aggregation{ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: map[string]string{aggregates + name: "true"}}}}
	if into != "" {
		r.Metadata.Labels = map[string]string{aggregates + into: "true"}
	}
	return r
}

func bind(name, to string, subject role.Subject) *role.ClusterRoleBinding {
	return &role.ClusterRoleBinding{
		Metadata: metav1.ObjectMeta{Name: name},
		Subjects: []role.Subject{subject},
		RoleRef:  role.Ref{APIGroup: role.Group, Kind: "ClusterRole", Name: to},
	}
}

func builtInRef(value any) diag.Object {
	ref := diag.Object{APIVersion: role.APIVersion}
	switch v := value.(type) {
	case *role.ClusterRole:
		ref.Kind, ref.Name = "ClusterRole", v.Metadata.Name
	case *role.ClusterRoleBinding:
		ref.Kind, ref.Name = "ClusterRoleBinding", v.Metadata.Name
	}
	return ref
}
