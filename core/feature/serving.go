package feature

// Serving tells whether an API server answers for a kind in an API version.
type Serving int

// The answers of Served.
const (
	// NotKnown: the version's API server does not have it.
	NotKnown Serving = iota
	// OffByDefault: it exists, and must be enabled by --runtime-config (and,
	// where a gate decides over the kind, by that gate).
	OffByDefault
	// On: it is served by default.
	On
)

// Group is the API group of DRA.
const Group = "resource.k8s.io"

// served is one row: the minor versions in which a kind exists, and those in
// which it is on without being asked for.
type served struct {
	apiVersion string
	kind       string
	since      int
	removed    int // first version without it; 0 if none of the known
	onSince    int // 0 if never
}

const never = 0

// servedTable is what the API servers of 1.26 to 1.37 register.
var servedTable = []served{
	{"resource.k8s.io/v1alpha1", "PodScheduling", 26, 27, never},
	{"resource.k8s.io/v1alpha1", "ResourceClaim", 26, 27, never},
	{"resource.k8s.io/v1alpha1", "ResourceClaimTemplate", 26, 27, never},
	{"resource.k8s.io/v1alpha1", "ResourceClass", 26, 27, never},
	{"resource.k8s.io/v1alpha2", "PodSchedulingContext", 27, 31, never},
	{"resource.k8s.io/v1alpha2", "ResourceClaim", 27, 31, never},
	{"resource.k8s.io/v1alpha2", "ResourceClaimTemplate", 27, 31, never},
	{"resource.k8s.io/v1alpha2", "ResourceClass", 27, 31, never},
	{"resource.k8s.io/v1alpha2", "ResourceClaimParameters", 30, 31, never},
	{"resource.k8s.io/v1alpha2", "ResourceClassParameters", 30, 31, never},
	{"resource.k8s.io/v1alpha2", "ResourceSlice", 30, 31, never},
	{"resource.k8s.io/v1alpha3", "DeviceClass", 31, 34, never},
	{"resource.k8s.io/v1alpha3", "ResourceClaim", 31, 34, never},
	{"resource.k8s.io/v1alpha3", "ResourceClaimTemplate", 31, 34, never},
	{"resource.k8s.io/v1alpha3", "ResourceSlice", 31, 34, never},
	{"resource.k8s.io/v1alpha3", "PodSchedulingContext", 31, 32, never},
	{"resource.k8s.io/v1alpha3", "DeviceTaintRule", 33, 0, never},
	{"resource.k8s.io/v1alpha3", "ResourcePoolStatusRequest", 36, 0, never},
	{"resource.k8s.io/v1beta1", "DeviceClass", 32, 0, never},
	{"resource.k8s.io/v1beta1", "ResourceClaim", 32, 0, never},
	{"resource.k8s.io/v1beta1", "ResourceClaimTemplate", 32, 0, never},
	{"resource.k8s.io/v1beta1", "ResourceSlice", 32, 0, never},
	{"resource.k8s.io/v1beta2", "DeviceClass", 33, 0, never},
	{"resource.k8s.io/v1beta2", "ResourceClaim", 33, 0, never},
	{"resource.k8s.io/v1beta2", "ResourceClaimTemplate", 33, 0, never},
	{"resource.k8s.io/v1beta2", "ResourceSlice", 33, 0, never},
	{"resource.k8s.io/v1beta2", "DeviceTaintRule", 36, 0, never},
	{"resource.k8s.io/v1", "DeviceClass", 34, 0, 34},
	{"resource.k8s.io/v1", "ResourceClaim", 34, 0, 34},
	{"resource.k8s.io/v1", "ResourceClaimTemplate", 34, 0, 34},
	{"resource.k8s.io/v1", "ResourceSlice", 34, 0, 34},
	{"resource.k8s.io/v1", "DeviceTaintRule", 37, 0, 37},
	{"v1", "Node", 0, 0, 1},
	{"v1", "Pod", 0, 0, 1},
	{"v1", "Namespace", 0, 0, 1},
}

func (row served) at(v Version) Serving {
	switch {
	case v.Minor < row.since || (row.removed != 0 && v.Minor >= row.removed):
		return NotKnown
	case row.onSince != never && v.Minor >= row.onSince:
		return On
	}
	return OffByDefault
}

// Served tells whether the API server of the version answers for the kind in
// the API version, such as "resource.k8s.io/v1". It knows the kinds of DRA
// and Node, Pod and Namespace.
func Served(v Version, apiVersion, kind string) Serving {
	for _, row := range servedTable {
		if row.apiVersion == apiVersion && row.kind == kind {
			return row.at(v)
		}
	}
	return NotKnown
}

// ServedVersions lists the API versions in which the version's API server
// has the kind, most stable first.
func ServedVersions(v Version, kind string) []string {
	var found []string
	for _, row := range servedTable {
		if row.kind == kind && row.at(v) != NotKnown {
			found = append([]string{row.apiVersion}, found...)
		}
	}
	return found
}

// KnownIn lists the Kubernetes versions whose API server has the kind in the
// API version, oldest first.
func KnownIn(apiVersion, kind string) []Version {
	var found []Version
	for minor := First.Minor; minor <= Newest.Minor; minor++ {
		if v := (Version{Minor: minor}); Served(v, apiVersion, kind) != NotKnown {
			found = append(found, v)
		}
	}
	return found
}

// Kinds lists the kinds of DRA that any known version has.
func Kinds() []string {
	return []string{"DeviceClass", "DeviceTaintRule", "PodSchedulingContext", "ResourceClaim", "ResourceClaimTemplate", "ResourcePoolStatusRequest", "ResourceSlice"}
}
