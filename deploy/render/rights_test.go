package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

// granted are all rights that the server's account gets, one by one.
func granted(t *testing.T, list []Object) []string {
	t.Helper()
	rules := map[string][]rbacv1.PolicyRule{}
	for _, r := range Of[*rbacv1.ClusterRole](list) {
		rules["ClusterRole "+r.Name] = r.Rules
	}
	for _, r := range Of[*rbacv1.Role](list) {
		rules["Role "+r.Name] = r.Rules
	}
	var out []string
	add := func(where string, ref rbacv1.RoleRef, subjects []rbacv1.Subject) {
		if len(subjects) != 1 || subjects[0].Kind != "ServiceAccount" || subjects[0].Name != "drawbridge" || subjects[0].Namespace != "drawbridge" {
			t.Errorf("%s goes to %+v", ref.Name, subjects)
		}
		if rules[ref.Kind+" "+ref.Name] == nil {
			t.Errorf("there is no %s %s", ref.Kind, ref.Name)
		}
		for _, rule := range rules[ref.Kind+" "+ref.Name] {
			for _, verb := range rule.Verbs {
				for _, what := range slices.Concat(rule.Resources, rule.NonResourceURLs) {
					right := fmt.Sprintf("%s%s %s", where, verb, what)
					if len(rule.ResourceNames) > 0 {
						right += " " + strings.Join(rule.ResourceNames, ",")
					}
					out = append(out, right)
				}
			}
		}
	}
	for _, b := range Of[*rbacv1.ClusterRoleBinding](list) {
		add("", b.RoleRef, b.Subjects)
	}
	for _, b := range Of[*rbacv1.RoleBinding](list) {
		add("here: ", b.RoleRef, b.Subjects)
	}
	slices.Sort(out)
	return out
}

// The server may do what is written here, and nothing else.
func TestRights(t *testing.T) {
	reading := []string{"get /metrics", "get /version"}
	for _, what := range []string{"deviceclasses", "devicetaintrules", "namespaces", "nodes", "pods", "resourceclaims", "resourceclaimtemplates", "resourceslices"} {
		reading = append(reading, "list "+what, "watch "+what)
	}
	certificates := []string{"here: create secrets"}
	for _, verb := range []string{"get", "list", "watch"} {
		for _, what := range []string{"mutatingwebhookconfigurations", "validatingwebhookconfigurations"} {
			certificates = append(certificates, verb+" "+what+" drawbridge")
		}
		certificates = append(certificates, "here: "+verb+" secrets drawbridge-certificates")
	}
	certificates = append(certificates, "patch mutatingwebhookconfigurations drawbridge", "patch validatingwebhookconfigurations drawbridge",
		"here: update secrets drawbridge-certificates")
	for overlay, want := range map[string][]string{
		"overlays/cert-manager": reading,
		"overlays/self-managed": slices.Concat(reading, certificates),
	} {
		list, err := Kustomize("../" + overlay)
		if err != nil {
			t.Fatal(err)
		}
		want = slices.Clone(want)
		slices.Sort(want)
		if got := granted(t, list); !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", overlay, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
