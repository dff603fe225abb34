package cluster

import (
	"fmt"
	"slices"
	"strings"
)

// RoleName is how the role with the rights to read is called.
const RoleName = "drawbridge-reader"

// Role is a ClusterRole with what Read asks for, and nothing else.
func Role() string {
	var out strings.Builder
	fmt.Fprintf(&out, "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: %s\nrules:\n", RoleName)
	var groups []string
	resources := map[string][]string{}
	for i := range kinds {
		k := &kinds[i]
		if !slices.Contains(groups, k.group) {
			groups = append(groups, k.group)
		}
		resources[k.group] = append(resources[k.group], k.resource)
	}
	slices.Sort(groups)
	for _, group := range groups {
		slices.Sort(resources[group])
		name := group
		if name == "" {
			name = `""`
		}
		fmt.Fprintf(&out, "- apiGroups: [%s]\n  resources: [%s]\n  verbs: [list]\n", name, strings.Join(resources[group], ", "))
	}
	out.WriteString("# The feature gates. Without this those of the version are taken as they are by\n# default.\n- nonResourceURLs: [/metrics]\n  verbs: [get]\n")
	return out.String()
}
