// Package role has the kinds of rbac.authorization.k8s.io as far as they say
// who may do what. Kubernetes' own package would bring a megabyte along into
// the browser, for nine fields; and so would the methods of ObjectMeta, if these
// kinds had them all.
package role

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// APIVersion is the one version that these kinds have.
const APIVersion = "rbac.authorization.k8s.io/v1"

// Group is the API group that references to users, groups and roles name.
const Group = "rbac.authorization.k8s.io"

// Role grants rules in its namespace.
type Role struct {
	APIVersion string            `json:"apiVersion,omitempty"`
	Kind       string            `json:"kind,omitempty"`
	Metadata   metav1.ObjectMeta `json:"metadata,omitempty"`
	Rules      []Rule            `json:"rules"`
}

// ClusterRole grants rules in a namespace or everywhere, as it is bound.
type ClusterRole struct {
	APIVersion      string            `json:"apiVersion,omitempty"`
	Kind            string            `json:"kind,omitempty"`
	Metadata        metav1.ObjectMeta `json:"metadata,omitempty"`
	Rules           []Rule            `json:"rules"`
	AggregationRule *Aggregation      `json:"aggregationRule,omitempty"`
}

// Aggregation makes the rules of a ClusterRole those of others.
type Aggregation struct {
	ClusterRoleSelectors []metav1.LabelSelector `json:"clusterRoleSelectors,omitempty"`
}

// Rule allows verbs on resources.
type Rule struct {
	Verbs           []string `json:"verbs"`
	APIGroups       []string `json:"apiGroups,omitempty"`
	Resources       []string `json:"resources,omitempty"`
	ResourceNames   []string `json:"resourceNames,omitempty"`
	NonResourceURLs []string `json:"nonResourceURLs,omitempty"`
}

// RoleBinding gives the rules of a role to subjects, in its namespace.
type RoleBinding struct {
	APIVersion string            `json:"apiVersion,omitempty"`
	Kind       string            `json:"kind,omitempty"`
	Metadata   metav1.ObjectMeta `json:"metadata,omitempty"`
	Subjects   []Subject         `json:"subjects,omitempty"`
	RoleRef    Ref               `json:"roleRef"`
}

// ClusterRoleBinding gives the rules of a ClusterRole to subjects, everywhere.
type ClusterRoleBinding struct {
	APIVersion string            `json:"apiVersion,omitempty"`
	Kind       string            `json:"kind,omitempty"`
	Metadata   metav1.ObjectMeta `json:"metadata,omitempty"`
	Subjects   []Subject         `json:"subjects,omitempty"`
	RoleRef    Ref               `json:"roleRef"`
}

// The kinds of subjects.
const (
	User           = "User"
	UserGroup      = "Group"
	ServiceAccount = "ServiceAccount"
)

// Subject is somebody who can be given rules.
type Subject struct {
	Kind      string `json:"kind"`
	APIGroup  string `json:"apiGroup,omitempty"`
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
}

// Ref names the role of a binding.
type Ref struct {
	APIGroup string `json:"apiGroup,omitempty"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}
