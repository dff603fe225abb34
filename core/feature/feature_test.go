package feature

import (
	"slices"
	"strings"
	"testing"
)

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]string{
		"1.37": "1.37", "v1.37": "1.37", "1.37.2": "1.37", " v1.31.0 ": "1.31", "v1.36.3-gke.1": "1.36", "v1.35.1+k3s1": "1.35",
	} {
		v, err := ParseVersion(text)
		if err != nil || v.String() != want {
			t.Errorf("%q: got %v, %v; want %s", text, v, err, want)
		}
	}
	for text, want := range map[string]string{
		"1.38":     "Kubernetes 1.38 is not a version that Drawbridge knows; it knows 1.37, 1.36, 1.35, 1.34, 1.33, 1.32, 1.31",
		"1.30":     "Kubernetes 1.30 is not",
		"2.0":      "Kubernetes 2.0 is not",
		"":         `"" is not a Kubernetes version; write it like 1.37`,
		"latest":   `"latest" is not a Kubernetes version`,
		"1.":       `"1." is not`,
		"1.37.":    `"1.37." is not`,
		"1.37.x":   `"1.37.x" is not`,
		"1.37.2.1": `"1.37.2.1" is not`,
		"1.-1":     `"1.-1" is not`,
	} {
		if _, err := ParseVersion(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v; want %s", text, err, want)
		}
	}
}

func TestNewSetErrors(t *testing.T) {
	tests := []struct {
		version string
		gates   string
		want    string
	}{
		{"1.37", "DRAPartitionableDevice=true", "DRAPartitionableDevice is not one of the gates that matter to DRA that Drawbridge knows; did you mean DRAPartitionableDevices?"},
		{"1.37", "dradevicetaints=true", "did you mean DRADeviceTaints?"},
		{"1.37", "SidecarContainers=true", "SidecarContainers is not one of the gates that matter to DRA that Drawbridge knows"},
		{"1.34", "DRADerivedAttributes=true", "Kubernetes 1.34 does not have DRADerivedAttributes: it exists since 1.37; leave it out or choose that version"},
		{"1.34", "DRADerivedAttributes=false", "Kubernetes 1.34 does not have DRADerivedAttributes"},
		{"1.32", "DRAControlPlaneController=true", "Kubernetes 1.32 does not have DRAControlPlaneController any more: it was removed in 1.32; leave it out"},
		{"1.37", "DynamicResourceAllocation=false", "DynamicResourceAllocation cannot be set to false: Kubernetes 1.37 locks it to true; leave it out"},
		{"1.37", "DRADeviceCompatibilityGroups=true,DRAPartitionableDevices=false", "DRADeviceCompatibilityGroups needs DRAPartitionableDevices, which is off; set DRAPartitionableDevices=true as well, or DRADeviceCompatibilityGroups=false"},
		{"1.37", "DRAWorkloadResourceClaims=true", "DRAWorkloadResourceClaims needs GenericWorkload, which is off"},
		{"1.36", "DRADeviceTaintRules=true,DRADeviceTaints=false", "DRADeviceTaintRules needs DRADeviceTaints"},
		{"1.33", "DRAPartitionableDevices=true", "DRAPartitionableDevices needs DynamicResourceAllocation, which is off"},
		{"1.37", "DRADeviceTaints", `"DRADeviceTaints" does not set a feature gate; write it like DRADeviceTaints=true`},
		{"1.37", "DRADeviceTaints=maybe", `"DRADeviceTaints=maybe" does not set a feature gate; write it like DRADeviceTaints=true`},
		{"1.37", "=true", `"=true" does not set a feature gate; write it like DRAPartitionableDevices=true`},
		{"1.37", "DRADeviceTaints=true,DRADeviceTaints=false", "DRADeviceTaints is set to true and to false; keep one of them"},
		{"1.37", strings.Repeat("X=true,", 1) + strings.Repeat("é", 500), "…"},
	}
	for _, tt := range tests {
		v, err := ParseVersion(tt.version)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewSet(v, tt.gates); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s:\n got %v\nwant %s", tt.version, tt.gates, err, tt.want)
		}
	}
	if _, err := NewSet(Version{Minor: 12}, ""); err == nil {
		t.Error("a version that nobody knows is accepted")
	}
}

func TestNewSet(t *testing.T) {
	tests := []struct {
		version Version
		gates   string
		on      []Gate
		off     []Gate
	}{
		{Newest, "", []Gate{DRAPartitionableDevices, DRADeviceTaintRules}, []Gate{DRADeviceCompatibilityGroups, DRAFractionalCapacityRange, GenericWorkload}},
		{Newest, "AllAlpha=true", []Gate{DRADeviceCompatibilityGroups, DRAPartitionableDevicesType}, []Gate{DRAFractionalCapacityRange, DRAWorkloadResourceClaims}},
		{Newest, "AllBeta=true", []Gate{DRAFractionalCapacityRange, DRAWorkloadResourceClaims}, []Gate{DRADeviceCompatibilityGroups, DeclarativeValidationTakeover}},
		{Newest, "DRADerivedAttributes=false, AllAlpha=true,", []Gate{DRAListTypeAttributes}, []Gate{DRADerivedAttributes}},
		{Newest, "AllBeta=false", []Gate{DRADeviceTaints}, []Gate{DRAPartitionableDevices, DRAConsumableCapacity}},
		{Newest, "DRADeviceTaints=1,DRADeviceTaints=true", []Gate{DRADeviceTaints}, nil},
		{Version{34}, "", []Gate{DynamicResourceAllocation, DRAAdminAccess}, []Gate{DRAPartitionableDevices}},
		// Before 1.35 nothing checked what gates need.
		{Version{34}, "DynamicResourceAllocation=false", []Gate{DRAAdminAccess}, []Gate{DynamicResourceAllocation}},
		{Version{31}, "DynamicResourceAllocation=true,DRAControlPlaneController=true", []Gate{DRAControlPlaneController}, []Gate{DRAAdminAccess}},
	}
	for _, tt := range tests {
		s, err := NewSet(tt.version, tt.gates)
		if err != nil {
			t.Errorf("%s %q: %v", tt.version, tt.gates, err)
			continue
		}
		for _, g := range tt.on {
			if !s.Enabled(g) {
				t.Errorf("%s %q: %s is off", tt.version, tt.gates, g)
			}
		}
		for _, g := range tt.off {
			if s.Enabled(g) {
				t.Errorf("%s %q: %s is on", tt.version, tt.gates, g)
			}
		}
	}
}

func TestExplicit(t *testing.T) {
	s, err := NewSet(Newest, "AllAlpha=true,DRADeviceTaints=true")
	if err != nil {
		t.Fatal(err)
	}
	for g, want := range map[Gate]bool{DRADerivedAttributes: true, DRADeviceTaints: true, DRAPartitionableDevices: false} {
		if s.Explicit(g) != want {
			t.Errorf("Explicit(%s) is %t", g, !want)
		}
	}
}

func TestWith(t *testing.T) {
	base := Default(Newest)
	more, err := base.With(DRADeviceCompatibilityGroups)
	if err != nil {
		t.Fatal(err)
	}
	if !more.Enabled(DRADeviceCompatibilityGroups) || base.Enabled(DRADeviceCompatibilityGroups) {
		t.Error("With must change the copy and only the copy")
	}
	if _, err := base.With(DRAPartitionableDevicesType); err == nil {
		t.Error("DRAPartitionableDevicesType came on without DRAResourcePoolStatus")
	}
	if _, err := Default(Version{34}).With(DRADerivedAttributes); err == nil {
		t.Error("1.34 got a gate that it does not have")
	}
}

func TestGates(t *testing.T) {
	states := Default(Newest).Gates()
	i := slices.IndexFunc(states, func(s GateState) bool { return s.Name == DRADeviceCompatibilityGroups })
	if i < 0 {
		t.Fatal("DRADeviceCompatibilityGroups is missing")
	}
	got := states[i]
	if got.Stage != Alpha || got.Default || got.Enabled || got.Locked || !slices.Equal(got.Needs, []Gate{DynamicResourceAllocation, DRAPartitionableDevices}) {
		t.Errorf("got %+v", got)
	}
	if !slices.IsSortedFunc(states, func(a, b GateState) int { return strings.Compare(string(a.Name), string(b.Name)) }) {
		t.Error("the gates are not in order")
	}
	old := Default(Oldest)
	if old.Exists(DRAAdminAccess) || !old.Exists(DRAControlPlaneController) || Default(Newest).Exists(DRAControlPlaneController) {
		t.Error("gates exist at the wrong versions")
	}
}

// Every version's defaults, and everything on, must be a set that Kubernetes
// accepts.
func TestDefaultsAreConsistent(t *testing.T) {
	for _, v := range Versions() {
		gates := []string{""}
		if v.Minor >= 32 {
			gates = append(gates, "AllAlpha=true,AllBeta=true")
		}
		for _, g := range gates {
			if _, err := NewSet(v, g); err != nil {
				t.Errorf("%s %q: %v", v, g, err)
			}
		}
	}
}

func TestTableIsInOrder(t *testing.T) {
	for _, g := range table {
		if len(g.Specs) == 0 || !slices.IsSortedFunc(g.Specs, func(a, b spec) int { return a.Since - b.Since }) {
			t.Errorf("%s: specs out of order", g.Name)
		}
		for _, need := range g.Needs {
			if _, ok := lookup(need); !ok {
				t.Errorf("%s needs %s, which is not in the table", g.Name, need)
			}
		}
	}
}

func TestServed(t *testing.T) {
	tests := []struct {
		version    string
		apiVersion string
		kind       string
		want       Serving
	}{
		{"1.37", "resource.k8s.io/v1", "ResourceClaim", On},
		{"1.33", "resource.k8s.io/v1", "ResourceClaim", NotKnown},
		{"1.34", "resource.k8s.io/v1", "ResourceSlice", On},
		{"1.36", "resource.k8s.io/v1", "DeviceTaintRule", NotKnown},
		{"1.37", "resource.k8s.io/v1", "DeviceTaintRule", On},
		{"1.37", "resource.k8s.io/v1beta1", "ResourceClaim", OffByDefault},
		{"1.37", "resource.k8s.io/v1beta1", "DeviceTaintRule", NotKnown},
		{"1.36", "resource.k8s.io/v1beta2", "DeviceTaintRule", OffByDefault},
		{"1.35", "resource.k8s.io/v1beta2", "DeviceTaintRule", NotKnown},
		{"1.33", "resource.k8s.io/v1alpha3", "ResourceClaim", OffByDefault},
		{"1.34", "resource.k8s.io/v1alpha3", "ResourceClaim", NotKnown},
		{"1.31", "resource.k8s.io/v1alpha3", "PodSchedulingContext", OffByDefault},
		{"1.32", "resource.k8s.io/v1alpha3", "PodSchedulingContext", NotKnown},
		{"1.36", "resource.k8s.io/v1alpha3", "ResourcePoolStatusRequest", OffByDefault},
		{"1.31", "v1", "Pod", On},
		{"1.37", "resource.k8s.io/v1alpha2", "ResourceClaim", NotKnown},
	}
	for _, tt := range tests {
		v, err := ParseVersion(tt.version)
		if err != nil {
			t.Fatal(err)
		}
		if got := Served(v, tt.apiVersion, tt.kind); got != tt.want {
			t.Errorf("%s %s %s: got %d, want %d", tt.version, tt.apiVersion, tt.kind, got, tt.want)
		}
	}
	if got := ServedVersions(Version{33}, "ResourceClaim"); !slices.Equal(got, []string{"resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1", "resource.k8s.io/v1alpha3"}) {
		t.Errorf("ServedVersions: %v", got)
	}
	if got := KnownIn("resource.k8s.io/v1alpha3", "ResourceClaim"); !slices.Equal(got, []Version{{31}, {32}, {33}}) {
		t.Errorf("KnownIn: %v", got)
	}
}
