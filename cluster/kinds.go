package cluster

import (
	"slices"
	"strings"
)

// Use is what objects are read for.
type Use int

// The uses: a plan says who gets which device, Check whether the objects are
// right, and Convert writes them in another version.
const (
	Plan Use = 1 << iota
	Check
	Convert
)

// kind is a kind of object that is read.
type kind struct {
	name, resource, group string
	// versions are those that can be read, best first.
	versions   []string
	namespaced bool
	// uses are those that read it; essential those that are nothing without.
	uses, essential Use
	// without is what an answer lacks if none can be read, elsewhere if only
	// those of one namespace can.
	without, elsewhere string
}

const resourceGroup = "resource.k8s.io"

var resourceVersions = []string{"v1", "v1beta2", "v1beta1", "v1alpha3"}

// kinds are all that is ever read, in the order in which texts hold them. Role
// makes the rights of it.
var kinds = []kind{
	{name: "Namespace", resource: "namespaces", versions: []string{"v1"}, uses: Plan | Check,
		without: "their labels are not known, so pod affinity that selects namespaces by labels finds none"},
	{name: "Node", resource: "nodes", versions: []string{"v1"}, uses: Plan | Check,
		without: "nodes are assumed from the slices, without their labels, taints and room"},
	{name: "DeviceClass", resource: "deviceclasses", group: resourceGroup, versions: resourceVersions, uses: Plan | Check | Convert, essential: Plan,
		without: "every class that a claim names seems to be missing"},
	{name: "ResourceSlice", resource: "resourceslices", group: resourceGroup, versions: resourceVersions, uses: Plan | Check | Convert, essential: Plan,
		without: "which devices there are is not known"},
	{name: "DeviceTaintRule", resource: "devicetaintrules", group: resourceGroup, versions: resourceVersions, uses: Plan | Check | Convert,
		without: "taints that rules put on devices are not known"},
	{name: "ResourcePoolStatusRequest", resource: "resourcepoolstatusrequests", group: resourceGroup, versions: resourceVersions, uses: Check | Convert,
		without: "they are not looked at"},
	{name: "ResourceClaimTemplate", resource: "resourceclaimtemplates", group: resourceGroup, versions: resourceVersions, namespaced: true, uses: Plan | Check | Convert,
		without:   "pods whose claims have not been made yet seem to lack their templates",
		elsewhere: "pods of other namespaces whose claims have not been made yet seem to lack their templates"},
	{name: "ResourceClaim", resource: "resourceclaims", group: resourceGroup, versions: resourceVersions, namespaced: true, uses: Plan | Check | Convert, essential: Plan,
		without:   "which devices are in use is not known",
		elsewhere: "devices that claims of other namespaces hold count as free"},
	{name: "PodGroup", resource: "podgroups", group: "scheduling.k8s.io", versions: []string{"v1beta1", "v1alpha3"}, namespaced: true, uses: Plan | Check,
		without:   "pods that belong to one seem to wait for it",
		elsewhere: "pods of other namespaces that belong to one seem to wait for it"},
	{name: "Pod", resource: "pods", versions: []string{"v1"}, namespaced: true, uses: Plan | Check,
		without:   "no pod is looked at, and the room that pods take on nodes is not known",
		elsewhere: "the room that pods of other namespaces take on nodes, and which of them wait for devices, is not known"},
}

// path is where the objects of a version are listed: those of a namespace, or
// all.
func (k *kind) path(version, namespace string) string {
	path := "/api/" + version
	if k.group != "" {
		path = "/apis/" + k.group + "/" + version
	}
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	return path + "/" + k.resource
}

// kindOf finds a kind by what an object says of itself; nil for one that is
// not read.
func kindOf(apiVersion, name string) *kind {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		group = ""
	}
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name && k.group == group }); i >= 0 {
		return &kinds[i]
	}
	return nil
}

// plural names several of the kind.
func (k *kind) plural() string {
	if strings.HasSuffix(k.name, "s") {
		return k.name + "es"
	}
	return k.name + "s"
}
