package assist

import (
	"slices"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/role"
)

// besides are the kinds beside those of DRA and of pods that a text can hold,
// by their API version.
var besides = []struct {
	apiVersion string
	kinds      []string
}{
	{role.APIVersion, []string{"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"}},
	{bundle.Own, []string{"DeviceHealth"}},
}

// versionsBeside are the API versions of such a kind, or of all.
func versionsBeside(kind string) (out []string) {
	for _, b := range besides {
		if kind == "" || slices.Contains(b.kinds, kind) {
			out = append(out, b.apiVersion)
		}
	}
	return out
}

// kindsBeside are such kinds of an API version, or of all.
func kindsBeside(apiVersion string) (out []string) {
	for _, b := range besides {
		if apiVersion == "" || b.apiVersion == apiVersion {
			out = append(out, b.kinds...)
		}
	}
	return out
}

// bundleFields are those of what is only read beside: reports of drivers, and
// roles.
var bundleFields = []entry{
	{"DeviceHealth.metadata", "A name for the report.", "", "", "", ""},
	{"DeviceHealth.spec", "What a driver reports about its devices to a kubelet. No cluster has such an object.", "", "", "", ""},
	{"DeviceHealthSpec.driver", "The driver that reports.", driverForm, "", "", ""},
	{"DeviceHealthSpec.nodeName", "The node whose kubelet gets the report.", "", "all nodes", "", ""},
	{"DeviceHealthSpec.devices", "The devices, with the health of each.", "16384 of a driver count", "", "", ""},
	{"ReportedDevice.pool", "The pool of the device.", "", "", "", ""},
	{"ReportedDevice.device", "The device.", label, "", "", ""},
	{"ReportedDevice.health", "Whether the device works.", "Healthy, Unhealthy or Unknown", "", "", ""},
	{"ReportedDevice.message", "More about the health, in words; a kubelet cuts it.", "1024 bytes", "", "", ""},
	{"ReportedDevice.ageSeconds", "How long ago the kubelet received the report.", "0 or more", "0", "", ""},
	{"ReportedDevice.timeoutSeconds", "For how long the report counts; then the health is unknown.", "0 or more", "30", "", ""},
	{"ReportedDevice.cdiDevices", "The CDI devices that the driver names for it. The status of a pod calls the device by the first.", "", "", "", ""},

	{"Role.metadata", "The name of the role and its namespace, in which it counts.", "", "", "", "role-name"},
	{"Role.rules", "What whoever is bound to the role may do.", "", "", "", "role-verbs role-resources role-urls"},
	{"ClusterRole.metadata", "The name of the role; it is in no namespace.", "", "", "", "role-name"},
	{"ClusterRole.rules", "What whoever is bound to the role may do, in a namespace or everywhere as the binding says.", "", "", "", "role-verbs role-resources role-urls"},
	{"ClusterRole.aggregationRule", "Makes the rules those of other ClusterRoles; what stands in rules is replaced.", "", "", "", "role-aggregation"},
	{"Aggregation.clusterRoleSelectors", "The labels of the ClusterRoles whose rules are gathered.", "1 or more", "", "", "role-aggregation"},
	{"Rule.verbs", "What is allowed: get, list, watch, create, update, patch, delete, or * for all. On resourceclaims/driver a verb says of which node, such as associated-node:update.", "1 or more", "", "", "role-verbs"},
	{"Rule.apiGroups", "The API groups of the resources, such as resource.k8s.io; an empty one is that of pods, * is all.", "1 or more with resources", "", "", "role-resources"},
	{"Rule.resources", "The resources, or subresources such as resourceclaims/status; * is all.", "1 or more with apiGroups", "", "", "role-resources"},
	{"Rule.resourceNames", "The objects by name. For resourceclaims/driver these are names of drivers.", "", "all", "", ""},
	{"Rule.nonResourceURLs", "Paths such as /metrics, instead of resources; a * at the end stands for what follows.", "only in a ClusterRole", "", "", "role-urls"},
	{"RoleBinding.metadata", "The name of the binding and its namespace, in which the rules count.", "", "", "", "role-name"},
	{"RoleBinding.subjects", "Who gets the rules.", "", "nobody", "", "role-subject"},
	{"RoleBinding.roleRef", "The role whose rules they get. It cannot be changed.", "", "", "", "role-ref"},
	{"ClusterRoleBinding.metadata", "The name of the binding; the rules count everywhere.", "", "", "", "role-name"},
	{"ClusterRoleBinding.subjects", "Who gets the rules.", "", "nobody", "", "role-subject"},
	{"ClusterRoleBinding.roleRef", "The ClusterRole whose rules they get. It cannot be changed.", "", "", "", "role-ref"},
	{"Subject.kind", "Whether it is a service account, a user or a group.", "ServiceAccount, User or Group", "", "", "role-subject"},
	{"Subject.apiGroup", "The API group of users and groups; service accounts have none.", "", "rbac.authorization.k8s.io for users and groups", "", "role-subject"},
	{"Subject.name", "The name.", "", "", "", "role-subject"},
	{"Subject.namespace", "The namespace of a service account.", "", "", "", "role-subject"},
	{"Ref.apiGroup", "The API group of roles.", "rbac.authorization.k8s.io", "rbac.authorization.k8s.io", "", "role-ref"},
	{"Ref.kind", "Whether it is a Role of the namespace, which only a RoleBinding can name, or a ClusterRole.", "Role or ClusterRole", "", "", "role-ref"},
	{"Ref.name", "The name of the role.", "", "", "", "role-ref"},
	{"LabelSelector.matchLabels", "Labels that the object has, all of them.", "", "", "", "role-aggregation"},
	{"LabelSelector.matchExpressions", "Conditions on labels, all of which hold.", "", "", "", "role-aggregation"},
	{"LabelSelectorRequirement.key", "The label.", "", "", "", "role-aggregation"},
	{"LabelSelectorRequirement.operator", "How the label is compared.", "In, NotIn, Exists or DoesNotExist", "", "", "role-aggregation"},
	{"LabelSelectorRequirement.values", "What In and NotIn compare with.", "none with Exists and DoesNotExist", "", "", "role-aggregation"},
}
