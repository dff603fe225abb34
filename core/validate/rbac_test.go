package validate

import "testing"

func roleOf(kind, rest string) string {
	return "apiVersion: rbac.authorization.k8s.io/v1\nkind: " + kind + "\nmetadata: {name: driver}\n" + rest
}

var roleExamples = []example{
	{name: "a role", text: roleOf("Role", "rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]")},
	{name: "a role without rules", text: roleOf("Role", "rules: []"), version: "1.34"},
	{name: "a wrong role", text: "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: a/b%, generateName: '..', labels: {a: '-'}}\nrules: [{}, {nonResourceURLs: [/x], apiGroups: ['']}]", want: []string{
		"api/role-name FieldValueInvalid metadata.generateName", "api/role-name FieldValueInvalid metadata.name", "api/role-name FieldValueInvalid metadata.name",
		"api/metadata-label-value FieldValueInvalid metadata.labels", "api/role-verbs FieldValueRequired rules[0].verbs", "api/role-resources FieldValueRequired rules[0].apiGroups",
		"api/role-resources FieldValueRequired rules[0].resources", "api/role-verbs FieldValueRequired rules[1].verbs", "api/role-urls FieldValueInvalid rules[1].nonResourceURLs",
		"api/role-urls FieldValueInvalid rules[1].nonResourceURLs"}},
	{name: "no name", text: "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {namespace: x}\nrules: [{nonResourceURLs: [/x], verbs: [get]}]", want: []string{
		"api/role-name FieldValueRequired metadata.name", "api/metadata-namespace-ignored - metadata.namespace"}},
	{name: "aggregates", text: roleOf("ClusterRole", "rules: []\naggregationRule: {clusterRoleSelectors: [{matchExpressions: [{key: a, operator: In}, {key: a, operator: Exists, values: [x]}, {key: /, operator: is}]}, {matchLabels: {a: b}}]}"), want: []string{
		"api/role-aggregation FieldValueRequired aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values",
		"api/role-aggregation FieldValueForbidden aggregationRule.clusterRoleSelectors[0].matchExpressions[1].values",
		"api/role-aggregation FieldValueInvalid aggregationRule.clusterRoleSelectors[0].matchExpressions[2].operator",
		"api/role-aggregation FieldValueInvalid aggregationRule.clusterRoleSelectors[0].matchExpressions[2].key",
		"api/role-aggregation FieldValueInvalid aggregationRule.clusterRoleSelectors[0].matchExpressions[2].key",
		"api/role-aggregation FieldValueInvalid aggregationRule.clusterRoleSelectors[0].matchExpressions[2].key",
		"api/role-aggregation FieldValueInvalid aggregationRule.clusterRoleSelectors[0]"}},
	{name: "nothing to aggregate", text: roleOf("ClusterRole", "rules: []\naggregationRule: {}"), want: []string{"api/role-aggregation FieldValueRequired aggregationRule.clusterRoleSelectors"}},
	{name: "a binding", text: roleOf("RoleBinding", "subjects: [{kind: ServiceAccount, name: x}, {kind: User, name: system:admin}]\nroleRef: {kind: ClusterRole, name: a:b}")},
	{name: "a wrong binding", text: roleOf("RoleBinding", "subjects: [{kind: ServiceAccount, name: X, apiGroup: apps}, {kind: User, apiGroup: apps}, {kind: Node, name: node}]\nroleRef: {kind: role, name: a/b, apiGroup: apps}"), want: []string{
		"api/role-ref FieldValueNotSupported roleRef.apiGroup", "api/role-ref FieldValueNotSupported roleRef.kind", "api/role-ref FieldValueInvalid roleRef.name",
		"api/role-subject FieldValueInvalid subjects[0].name", "api/role-subject FieldValueNotSupported subjects[0].apiGroup",
		"api/role-subject FieldValueRequired subjects[1].name", "api/role-subject FieldValueNotSupported subjects[1].apiGroup", "api/role-subject FieldValueNotSupported subjects[2].kind"}},
	{name: "everywhere", text: roleOf("ClusterRoleBinding", "subjects: [{kind: ServiceAccount, name: x}]\nroleRef: {kind: Role}"), want: []string{
		"api/role-ref FieldValueNotSupported roleRef.kind", "api/role-ref FieldValueRequired roleRef.name", "api/role-subject FieldValueRequired subjects[0].namespace"}},
}

func TestRoles(t *testing.T) { run(t, roleExamples) }

// A binding keeps its role; the group of the role is filled in.
func TestRoleStays(t *testing.T) {
	env := environment(t, "", "")
	for _, kind := range []string{"RoleBinding", "ClusterRoleBinding"} {
		was := parse(t, roleOf(kind, "roleRef: {kind: ClusterRole, name: a}"))
		same := parse(t, roleOf(kind, "roleRef: {kind: ClusterRole, name: a, apiGroup: rbac.authorization.k8s.io}"))
		if got := Update(was, same, env).Diagnostics; len(got) > 0 {
			t.Errorf("%s: the same role: %v", kind, got)
		}
		other := parse(t, roleOf(kind, "roleRef: {kind: ClusterRole, name: b}"))
		if got := Update(was, other, env).Diagnostics; len(got) != 1 || line(got[0]) != "api/role-ref FieldValueInvalid roleRef" {
			t.Errorf("%s: another role: %v", kind, got)
		}
		if got := UpdateStatus(was, other, env); got.Stored != nil || len(got.Diagnostics) > 0 {
			t.Errorf("%s has no status: %v", kind, got)
		}
	}
}
