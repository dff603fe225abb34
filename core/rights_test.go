package core

import (
	"context"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// driverRoles are those of a driver as charts had them before 1.36.
const driverRoles = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: gpu-driver}
rules:
- apiGroups: [resource.k8s.io]
  resources: [resourceclaims/status]
  verbs: [update, patch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: gpu-driver}
subjects: [{kind: ServiceAccount, name: driver, namespace: gpu}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gpu-driver}
`

// allocatedClaim is a claim of one node; its device has a status.
const allocatedClaim = `---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: train, namespace: ml}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}
status:
  allocation:
    devices: {results: [{request: gpu, driver: gpu.example.com, pool: n1, device: gpu-0}]}
    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}
`

const deviceStatus = `  devices: [{driver: gpu.example.com, pool: n1, device: gpu-0, conditions: [{type: Ready, status: "True", reason: Up, message: "", lastTransitionTime: "2026-11-01T00:00:00Z"}]}]
`

func mayWrite(t *testing.T, before, after string, opts StatusOptions) *StatusAuthorizationResult {
	t.Helper()
	out, err := StatusAuthorization(context.Background(), Change{Before: before, After: after}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestStatusAuthorization(t *testing.T) {
	own := strings.Replace(driverRoles, "---\n", "- apiGroups: [resource.k8s.io]\n  resources: [resourceclaims/driver]\n  resourceNames: [gpu.example.com]\n  verbs: [\"associated-node:update\"]\n---\n", 1)
	bare := strings.Replace(driverRoles, "[resourceclaims/status]", "[resourceclaims/status, resourceclaims/driver]", 1)
	local := strings.Replace(driverRoles, "[resourceclaims/status]", "[resourceclaims/status, resourceclaims/binding]", 1)
	local = strings.Replace(local, "kind: ClusterRoleBinding\nmetadata: {name: gpu-driver}", "kind: RoleBinding\nmetadata: {name: gpu-driver, namespace: ml}", 1)
	unallocated := allocatedClaim[:strings.Index(allocatedClaim, "status:")]
	driver := StatusOptions{ServiceAccount: "gpu/driver", Node: "n1"}
	with := func(o StatusOptions, change func(*StatusOptions)) StatusOptions { change(&o); return o }
	for name, c := range map[string]struct {
		before, after string
		opts          StatusOptions
		allowed       bool
		message       string // a part of it
		mend          string
	}{
		"a chart of 1.35": {driverRoles + allocatedClaim, allocatedClaim + deviceStatus, driver, false,
			"no rule gives ServiceAccount gpu/driver the verb associated-node:update on resourceclaims/driver named gpu.example.com in namespace ml", `verbs: ["associated-node:update"]`},
		"on 1.35": {driverRoles + allocatedClaim, allocatedClaim + deviceStatus, with(driver, func(o *StatusOptions) { o.KubernetesVersion = "1.35" }), true,
			"which came with Kubernetes 1.36", ""},
		"on its own node": {own + allocatedClaim, allocatedClaim + deviceStatus, driver, true, "may update status.devices of claim ml/train.", ""},
		"on another node": {own + allocatedClaim, allocatedClaim + deviceStatus, with(driver, func(o *StatusOptions) { o.Node = "n2" }), false,
			"the token of ServiceAccount gpu/driver is one of node n2, and the claim is allocated to n1", `verbs: ["arbitrary-node:update"]`},
		"no node in the token": {own + allocatedClaim, allocatedClaim + deviceStatus, with(driver, func(o *StatusOptions) { o.Node = "" }), false, "names no node", "arbitrary-node:update"},
		"with another verb": {own + allocatedClaim, allocatedClaim + deviceStatus, with(driver, func(o *StatusOptions) { o.Verb = "patch" }), false,
			"has the verb associated-node:update only", "associated-node:patch"},
		"with bare verbs":     {bare + allocatedClaim, allocatedClaim + deviceStatus, driver, false, "has the verb update, which nobody asks for there; it must be associated-node:update", "associated-node:update"},
		"removes an entry":    {own + allocatedClaim + deviceStatus, allocatedClaim, driver, true, "status.devices", ""},
		"changes nothing":     {driverRoles + allocatedClaim, allocatedClaim, driver, true, "nothing that rights are asked for", ""},
		"takes the device":    {own + allocatedClaim + deviceStatus, unallocated, driver, false, "the verb update on resourceclaims/binding in all namespaces", "kind: ClusterRoleBinding"},
		"binds in one place":  {local + unallocated, allocatedClaim, driver, false, "RoleBinding ml/gpu-driver gives it in namespace ml, and this is asked for all namespaces", "kind: ClusterRoleBinding"},
		"the scheduler":       {unallocated, allocatedClaim, StatusOptions{User: "system:kube-scheduler", Verb: "patch"}, true, "user system:kube-scheduler may patch status.allocation", ""},
		"not without roles":   {unallocated, allocatedClaim, StatusOptions{User: "system:kube-scheduler", WithoutBuiltIn: true}, false, "may not update", "name: system:kube-scheduler"},
		"writes for a driver": {allocatedClaim, allocatedClaim + deviceStatus, StatusOptions{User: "system:kube-scheduler"}, false, "is no service account", "arbitrary-node:update"},
		"the controller":      {allocatedClaim, unallocated, StatusOptions{ServiceAccount: "kube-system/resource-claim-controller"}, true, "may update", ""},
		"the administrator":   {unallocated, allocatedClaim + deviceStatus, StatusOptions{User: "root", Groups: []string{"system:masters"}}, true, "may update status.allocation and status.devices", ""},
		"creates":             {unallocated, allocatedClaim, with(driver, func(o *StatusOptions) { o.Verb = "create" }), false, "may not create claim ml/train", "verbs: [create]"},
		"supposed":            {own, "", with(driver, func(o *StatusOptions) { o.Drivers, o.AllocatedNode = []string{"gpu.example.com"}, "n1" }), true, "of claim default/any", ""},
		"another's entries":   {own, "", with(driver, func(o *StatusOptions) { o.Drivers, o.AllocatedNode = []string{"nic.example.com"}, "n1" }), false, "is for drivers named gpu.example.com", "[nic.example.com]"},
		"supposed to bind":    {own, "", with(driver, func(o *StatusOptions) { o.Writes = []string{"reservedFor"}; o.Claim = "ml/x" }), false, "resourceclaims/binding", "[resourceclaims/binding]"},
	} {
		t.Run(name, func(t *testing.T) {
			got := mayWrite(t, c.before, c.after, c.opts)
			if got.Allowed != c.allowed || !strings.Contains(got.Message, c.message) || !strings.HasSuffix(got.Message, ".") {
				t.Errorf("%v %s", got.Allowed, got.Message)
			}
			if (got.Mend == "") != (c.mend == "") || !strings.Contains(got.Mend, c.mend) {
				t.Errorf("mended by %s", got.Mend)
			}
			if diag.HasErrors(got.Diagnostics) {
				t.Errorf("%+v", got.Diagnostics)
			}
			if got.Mend != "" && !mayWrite(t, c.before+"---\n"+got.Mend, c.after, c.opts).Allowed {
				t.Errorf("still refused with %s", got.Mend)
			}
		})
	}
}

// TestRightsLeadToTheText follows an answer to the lines behind it.
func TestRightsLeadToTheText(t *testing.T) {
	got := mayWrite(t, driverRoles, allocatedClaim, StatusOptions{ServiceAccount: "gpu/driver"})
	by := got.Claims[0].Checks[0].Asked[0].By
	if by == nil || by.Role.Text != "before" || by.Role.Location == nil || by.Role.Location.Line != 5 || by.Binding.Location.Line != 11 || by.Subject != "ServiceAccount gpu/driver" {
		t.Errorf("%+v", by)
	}
	if c := got.Claims[0]; c.Location == nil || c.Location.Line != 4 || strings.Join(c.Writes, " ") != "allocation" || c.Node != "n1" {
		t.Errorf("%+v", c)
	}
	// What stands in both texts counts as it is after.
	after := strings.Replace(driverRoles, "[update, patch]", "[get]", 1) + allocatedClaim
	if got := mayWrite(t, driverRoles, after, StatusOptions{ServiceAccount: "gpu/driver"}); got.Claims[0].Checks[0].Allowed {
		t.Errorf("%+v", got.Claims[0].Checks[0])
	}
}

// TestAggregates gives somebody the rules of a role that another collects.
func TestAggregates(t *testing.T) {
	text := strings.Replace(driverRoles, "{name: gpu-driver}\nrules", "{name: part, labels: {collect: x}}\nrules", 1) + `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: gpu-driver, labels: {collect: z}}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {collect: x}}, {matchExpressions: [{key: collect, operator: In, values: [z]}]}]}
rules: []
`
	got := mayWrite(t, text, allocatedClaim, StatusOptions{ServiceAccount: "gpu/driver"})
	by := got.Claims[0].Checks[0].Asked[0].By
	if by == nil || by.Role.Name != "part" || by.Into == nil || by.Into.Name != "gpu-driver" {
		t.Errorf("%+v", by)
	}
}

func TestStatusOptions(t *testing.T) {
	for option, o := range map[string]StatusOptions{
		"serviceAccount":    {},
		"user":              {User: "a", ServiceAccount: "a/b"},
		"verb":              {User: "a", Verb: "get"},
		"writes":            {User: "a", Writes: []string{"devices"}},
		"claim":             {User: "a", Writes: []string{"allocation"}, Claim: "x"},
		"kubernetesVersion": {User: "a", Options: Options{KubernetesVersion: "2"}},
		"drivers":           {User: "a", Drivers: make([]string, 101)},
	} {
		_, err := StatusAuthorization(context.Background(), Change{}, o)
		wrong, ok := err.(*OptionError)
		if !ok || wrong.Option != option {
			t.Errorf("%s: %v", option, err)
		}
	}
	if _, err := StatusAuthorization(context.Background(), Change{}, StatusOptions{User: "a", Drivers: []string{"gpu example"}}); err == nil || !strings.HasPrefix(err.Error(), "drivers: must be names of drivers") {
		t.Errorf("%v", err)
	}
	if _, err := StatusAuthorization(context.Background(), Change{After: driverRoles}, StatusOptions{User: "a"}); err == nil || !strings.Contains(err.Error(), "writes: must say what is written") {
		t.Errorf("%v", err)
	}
}

func TestRolesFor(t *testing.T) {
	for _, version := range []string{"1.34", "1.36", "1.37"} {
		for _, part := range []string{"scheduler", "node-driver", "controller"} {
			opts := RolesOptions{KubernetesVersion: version, For: part, ServiceAccount: "gpu/driver", Verbs: []string{"patch"}}
			if part != "scheduler" {
				opts.Driver = "gpu.example.com"
			}
			got, err := RolesFor(context.Background(), opts)
			if err != nil {
				t.Fatal(err)
			}
			b := bundle.Parse([]byte(got.Text), bundle.Options{})
			if len(b.Objects) != 2 || len(b.Diagnostics) > 0 || got.Name != "driver-"+part || len(got.Tries) < 2 || strings.Contains(got.Text, "update]") {
				t.Errorf("%s\n%+v", got.Text, b.Diagnostics)
			}
			checked, err := Validate(context.Background(), []byte(got.Text), Options{KubernetesVersion: version})
			if err != nil || len(checked.Diagnostics) > 0 {
				t.Errorf("%v %+v", err, checked)
			}
		}
	}
	for option, o := range map[string]RolesOptions{
		"for":            {For: "nobody"},
		"serviceAccount": {For: "scheduler", ServiceAccount: "x"},
		"driver":         {For: "controller", ServiceAccount: "a/b", Driver: "GPU"},
		"name":           {For: "scheduler", ServiceAccount: "a/b", Name: "a b"},
		"verbs":          {For: "scheduler", ServiceAccount: "a/b", Verbs: []string{"update", "update"}},
		"featureGates":   {For: "scheduler", ServiceAccount: "a/b", FeatureGates: "x"},
	} {
		_, err := RolesFor(context.Background(), o)
		if wrong, ok := err.(*OptionError); !ok || wrong.Option != option {
			t.Errorf("%s: %v", option, err)
		}
	}
	if _, err := RolesFor(context.Background(), RolesOptions{For: "scheduler", ServiceAccount: "a/b", Driver: "gpu.example.com"}); err == nil {
		t.Error("a scheduler got a driver")
	}
}
