package rights

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// some picks one of a list. Repeating an item makes it likelier.
func some[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

var drivers = []string{"gpu.example.com", "nic.example.com", "fpga.example.com"}

// subject is somebody who writes.
type subject struct {
	user, node string
	groups     []string
}

func anybody(r *rand.Rand) subject {
	return some(r,
		subject{user: "system:serviceaccount:gpu:driver", node: "n1"},
		subject{user: "system:serviceaccount:gpu:driver", node: "n1"},
		subject{user: "system:serviceaccount:gpu:driver", node: "n2"},
		subject{user: "system:serviceaccount:gpu:driver"},
		subject{user: "system:serviceaccount:gpu:driver", node: "N_1"},
		subject{user: "system:serviceaccount:ml:driver", node: "n1"},
		subject{user: "system:serviceaccount:ml:other.one", node: "n1", groups: []string{"dra"}},
		subject{user: "system:serviceaccount:gpu:a:b", node: "n1"},
		subject{user: "system:serviceaccount:GPU:driver", node: "n1"},
		subject{user: "system:serviceaccount:kube-system:resource-claim-controller"},
		subject{user: "system:kube-scheduler"},
		subject{user: "system:node:n1", node: "n1", groups: []string{"system:nodes"}},
		subject{user: "alice", node: "n1", groups: []string{"dra"}},
		subject{user: "bob"},
		subject{user: "root", groups: []string{"system:masters"}},
		subject{user: "system:anonymous"},
	)
}

func list(items []string) string {
	quoted := make([]string, len(items))
	for i, s := range items {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func few(r *rand.Rand, pool ...string) string {
	var out []string
	for range 1 + r.IntN(3) {
		out = append(out, some(r, pool...))
	}
	return list(out)
}

// rules are likely to be about the status of claims.
func rules(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("rules:\n")
	for range 1 + r.IntN(3) {
		fmt.Fprintf(&b, "- apiGroups: %s\n", some(r, `["resource.k8s.io"]`, `["resource.k8s.io"]`, `["resource.k8s.io"]`, `["*"]`, `["apps", "resource.k8s.io"]`, `[""]`))
		fmt.Fprintf(&b, "  resources: %s\n", few(r, "resourceclaims/status", "resourceclaims/status", "resourceclaims/binding", "resourceclaims/driver", "resourceclaims/driver", "resourceclaims", "*", "*/status", "*/driver", "*/binding", "resourceclaims/*", "status"))
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "  resourceNames: %s\n", few(r, "gpu.example.com", "gpu.example.com", "nic.example.com", "train", "", "*"))
		}
		fmt.Fprintf(&b, "  verbs: %s\n", few(r, "update", "update", "patch", "patch", "*", "get", "associated-node:update", "associated-node:patch", "arbitrary-node:update", "arbitrary-node:patch", "associated-node:*"))
	}
	return b.String()
}

func subjects(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("subjects:\n")
	for range 1 + r.IntN(3) {
		b.WriteString(some(r,
			"- {kind: ServiceAccount, name: driver, namespace: gpu}\n",
			"- {kind: ServiceAccount, name: driver, namespace: gpu}\n",
			"- {kind: ServiceAccount, name: driver}\n",
			"- {kind: ServiceAccount, name: other.one, namespace: ml}\n",
			"- {kind: User, name: alice, apiGroup: rbac.authorization.k8s.io}\n",
			"- {kind: User, name: \"system:serviceaccount:gpu:driver\"}\n",
			"- {kind: User, name: \"system:serviceaccount:gpu:a:b\"}\n",
			"- {kind: Group, name: dra, apiGroup: rbac.authorization.k8s.io}\n",
			"- {kind: Group, name: \"system:serviceaccounts\"}\n",
			"- {kind: Group, name: \"system:serviceaccounts:gpu\"}\n",
			"- {kind: Group, name: \"system:authenticated\"}\n",
			"- {kind: Group, name: \"system:nodes\"}\n",
		))
	}
	return b.String()
}

// manifests are roles and bindings, of which some lead nowhere.
func manifests(r *rand.Rand) string {
	const head = "apiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata: {name: %s%s}\n"
	var out []string
	for i := range 3 {
		labels := some(r, "", ", labels: {collect: a}", ", labels: {collect: b}", `, labels: {rbac.authorization.k8s.io/aggregate-to-edit: "true"}`)
		out = append(out, fmt.Sprintf(head, "ClusterRole", fmt.Sprintf("c%d", i), labels)+rules(r))
	}
	out = append(out, fmt.Sprintf(head, "ClusterRole", "sum", ", labels: {collect: a}")+"aggregationRule: {clusterRoleSelectors: ["+some(r, "{matchLabels: {collect: a}}", "{matchLabels: {collect: b}}, {matchLabels: {collect: c}}", "{matchExpressions: [{key: collect, operator: Exists}]}")+"]}\n"+rules(r))
	out = append(out, fmt.Sprintf(head, "ClusterRole", "all", "")+"aggregationRule: {clusterRoleSelectors: [{matchLabels: {collect: a}}]}\nrules: []\n")
	for _, namespace := range []string{"ml", "gpu"} {
		out = append(out, fmt.Sprintf(head, "Role", "r0", ", namespace: "+namespace)+rules(r))
		out = append(out, fmt.Sprintf(head, "RoleBinding", "b0", ", namespace: "+namespace)+subjects(r)+
			fmt.Sprintf("roleRef: {apiGroup: rbac.authorization.k8s.io, kind: %s}\n", some(r, "Role, name: r0", "ClusterRole, name: c0", "ClusterRole, name: sum", "ClusterRole, name: edit", "Role, name: none")))
	}
	for i := range 1 + r.IntN(2) {
		out = append(out, fmt.Sprintf(head, "ClusterRoleBinding", fmt.Sprintf("b%d", i), "")+subjects(r)+
			fmt.Sprintf("roleRef: {apiGroup: rbac.authorization.k8s.io, kind: %s}\n", some(r, "ClusterRole, name: c0", "ClusterRole, name: c1", "ClusterRole, name: c2", "ClusterRole, name: sum", "ClusterRole, name: all", "ClusterRole, name: none", "Role, name: r0")))
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return strings.Join(out, "---\n")
}

const claimSpec = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: train, namespace: ml, uid: 0f0e0d0c-0b0a-0908-0706-050403020100, resourceVersion: "1"}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}
`

// claim has one of the statuses that a claim goes through.
func claim(r *rand.Rand) string {
	allocated := r.IntN(5) > 0
	var b strings.Builder
	if allocated {
		b.WriteString("  allocation:\n    devices:\n      results:\n")
		for i, driver := range drivers[:1+r.IntN(3)] {
			toleration := some(r, "", "", ", tolerations: [{key: a}]", ", tolerations: [{key: a, operator: Equal}]")
			share := some(r, "", "", "", ", shareID: 11111111-1111-1111-1111-111111111111")
			fmt.Fprintf(&b, "      - {request: gpu, driver: %s, pool: p, device: d%d%s%s}\n", driver, i, toleration, share)
		}
		b.WriteString(some(r, "",
			"    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}\n",
			"    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}\n",
			"    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}\n",
			"    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [N_1]}]}]}\n",
			"    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1, n2]}]}]}\n",
			"    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: NotIn, values: [n1]}]}]}\n",
			"    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}], matchExpressions: [{key: a, operator: Exists}]}]}\n",
			"    nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: metadata.name, operator: In, values: [n1]}]}]}\n",
		))
	}
	b.WriteString(some(r, "", "", "  reservedFor: [{resource: pods, name: p, uid: u}]\n", "  reservedFor: []\n"))
	if r.IntN(3) > 0 {
		b.WriteString("  devices:\n")
		for i, driver := range drivers[:1+r.IntN(3)] {
			share := some(r, "", "", "", ", shareID: 11111111-1111-1111-1111-111111111111")
			data := some(r, "", "", ", data: {a: 1}", ", networkData: {interfaceName: eth0}", ", conditions: []")
			fmt.Fprintf(&b, "  - {driver: %s, pool: p, device: d%d%s%s}\n", driver, i, share, data)
		}
		if r.IntN(8) == 0 {
			b.WriteString("  - {driver: gpu.example.com, pool: p, device: d0, data: {a: 2}}\n")
		}
	}
	if b.Len() == 0 {
		return claimSpec
	}
	return claimSpec + "status:\n" + b.String()
}
