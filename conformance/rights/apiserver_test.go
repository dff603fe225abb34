package rights

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/conformance/cluster"
	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/doctor"
)

// within bounds what is waited for: API servers hear of new roles by and by.
const within = time.Minute

func eventually(t *testing.T, what string, try func() error) {
	t.Helper()
	end := time.Now().Add(within)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Errorf("%s: %v", what, err)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// apply creates the roles and bindings of a text.
func apply(t *testing.T, client kubernetes.Interface, text string) {
	t.Helper()
	ctx, p := t.Context(), read(t, text)
	var errs []error
	for _, o := range p.clusterRoles {
		_, err := client.RbacV1().ClusterRoles().Create(ctx, o, metav1.CreateOptions{})
		errs = append(errs, err)
	}
	for _, o := range p.clusterBindings {
		_, err := client.RbacV1().ClusterRoleBindings().Create(ctx, o, metav1.CreateOptions{})
		errs = append(errs, err)
	}
	for _, o := range p.roles {
		_, err := client.RbacV1().Roles(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
		errs = append(errs, err)
	}
	for _, o := range p.bindings {
		_, err := client.RbacV1().RoleBindings(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
		errs = append(errs, err)
	}
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// hand are roles as people write them.
const hand = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: hand-status}
rules:
- {apiGroups: [resource.k8s.io], resources: [resourceclaims/status], verbs: [update, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: hand-status}
subjects: [{kind: ServiceAccount, name: before-136, namespace: default}, {kind: ServiceAccount, name: local-binder, namespace: default}, {kind: ServiceAccount, name: local-driver, namespace: default}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: hand-status}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: hand-parts}
rules:
- {apiGroups: [resource.k8s.io], resources: [resourceclaims/binding], verbs: [update, patch]}
- {apiGroups: [resource.k8s.io], resources: ["*/driver"], verbs: ["arbitrary-node:update"]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: hand-parts, namespace: default}
subjects: [{kind: ServiceAccount, name: local-binder}, {kind: ServiceAccount, name: local-driver}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: hand-parts}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: hand-sum}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {collect: status}}]}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: hand-piece, labels: {collect: status}}
rules:
- {apiGroups: ["*"], resources: [resourceclaims/status, resourceclaims/binding], verbs: ["*"]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: hand-sum}
subjects: [{kind: User, name: alice, apiGroup: rbac.authorization.k8s.io}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: hand-sum}
`

const (
	specYAML = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: %s, namespace: default}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, allocationMode: ExactCount, count: 1}}]}}
`
	allocationYAML = `status:
  allocation:
    devices: {results: [{request: gpu, driver: gpu.example.com, pool: p, device: d0}]}
    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}
`
	deviceYAML = "  devices: [{driver: gpu.example.com, pool: p, device: d0, data: {state: ready}}]\n"
)

// TestAPIServer asks an API server and Drawbridge the same: the roles that
// Drawbridge writes, roles by hand, and those that every cluster starts with.
// The last part looks at the same cluster with drawbridge doctor.
func TestAPIServer(t *testing.T) {
	c := cluster.Start(t, cluster.Options{WithoutScheduler: true, Controllers: []string{"clusterrole-aggregation-controller"}})
	admin, err := kubernetes.NewForConfig(c.Config())
	if err != nil {
		t.Fatal(err)
	}
	roles := []string{hand}
	for _, part := range []string{"scheduler", "node-driver", "controller"} {
		opts := core.RolesOptions{For: part, ServiceAccount: "default/made-" + part}
		if part != "scheduler" {
			opts.Driver = "gpu.example.com"
		}
		made, err := core.RolesFor(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		roles = append(roles, made.Text)
	}
	text := strings.Join(roles, "---\n")
	apply(t, admin, text)

	// Two claims, as two steps of one: free, and allocated.
	free, held := fmt.Sprintf(specYAML, "free"), fmt.Sprintf(specYAML, "held")
	stored := map[string]*resourceapi.ResourceClaim{}
	for name, before := range map[string]string{"free": free, "held": held} {
		claim := typed(t, before)
		if stored[name], err = admin.ResourceV1().ResourceClaims("default").Create(t.Context(), claim, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	stored["held"].Status = typed(t, held+allocationYAML).Status
	if stored["held"], err = admin.ResourceV1().ResourceClaims("default").UpdateStatus(t.Context(), stored["held"], metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}

	account := func(name, node string) subject {
		return subject{user: "system:serviceaccount:default:" + name, node: node}
	}
	bind, write := [2]string{free, free + allocationYAML}, [2]string{held + allocationYAML, held + allocationYAML + deviceYAML}
	free2, nothing := [2]string{held + allocationYAML, held}, [2]string{held + allocationYAML, held + allocationYAML}
	for i, q := range []struct {
		who     subject
		verb    string
		what    [2]string
		allowed bool
	}{
		// What is allowed comes first: from then on the roles are known, and
		// what is refused is refused for good.
		{account("made-scheduler", ""), "update", bind, true},
		{account("made-scheduler", ""), "patch", bind, true},
		{account("made-scheduler", ""), "update", free2, true},
		{account("made-node-driver", "n1"), "update", write, true},
		{account("made-node-driver", "n1"), "patch", write, true},
		{account("made-controller", ""), "update", write, true},
		{account("made-controller", "n2"), "patch", write, true},
		{account("before-136", ""), "update", nothing, true},
		{account("local-driver", ""), "update", write, true},
		{subject{user: "alice"}, "patch", bind, true},
		{subject{user: "system:kube-scheduler"}, "patch", bind, true},
		{subject{user: "system:serviceaccount:kube-system:resource-claim-controller"}, "update", free2, true},
		{subject{user: "root", groups: []string{"system:masters"}}, "update", write, true},
		{account("made-scheduler", "n1"), "update", write, false},
		{account("made-node-driver", "n2"), "update", write, false},
		{account("made-node-driver", ""), "patch", write, false},
		{account("made-node-driver", "n1"), "update", bind, false},
		{account("made-controller", ""), "update", bind, false},
		{account("before-136", "n1"), "update", write, false},
		{account("before-136", ""), "patch", bind, false},
		{account("local-binder", ""), "update", bind, false},
		{account("local-driver", ""), "patch", write, false},
		{account("stranger", "n1"), "update", nothing, false},
		{subject{user: "alice"}, "update", write, false},
		{subject{user: "system:kube-scheduler"}, "update", write, false},
	} {
		ours := ask(t, core.Change{Before: text + "---\n" + q.what[0], After: q.what[1]}, core.Options{}, q.who, q.verb)
		if ours.Allowed != q.allowed {
			t.Errorf("%d: Drawbridge: %s", i, ours.Message)
		}
		eventually(t, fmt.Sprintf("%d: %s as %+v", i, q.verb, q.who), func() error {
			err := send(t, c.Config(), q.who, ours.Subject.Groups, q.verb, stored, q.what[1])
			switch {
			case err != nil && !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err):
				return err
			case (err == nil) != q.allowed:
				return fmt.Errorf("expected allowed: %v, and the API server says: %v", q.allowed, err)
			case err != nil && !strings.Contains(strings.ToLower(err.Error()), "forbidden"):
				return err
			}
			return nil
		})
	}
	t.Run("doctor", func(t *testing.T) { lookAt(t, c, admin) })
}

func typed(t *testing.T, text string) *resourceapi.ResourceClaim {
	t.Helper()
	out := &resourceapi.ResourceClaim{}
	if err := yaml.UnmarshalStrict([]byte(text), out); err != nil {
		t.Fatal(err)
	}
	return out
}

// send tries an update of the status as somebody, without making it.
func send(t *testing.T, cfg *rest.Config, who subject, groups []string, verb string, stored map[string]*resourceapi.ResourceClaim, text string) error {
	t.Helper()
	cfg.Impersonate = rest.ImpersonationConfig{UserName: who.user, Groups: groups}
	if who.node != "" {
		cfg.Impersonate.Extra = map[string][]string{serviceaccount.NodeNameKey: {who.node}}
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	now := typed(t, text)
	claim := stored[now.Name].DeepCopy()
	claim.Status = now.Status
	claims := client.ResourceV1().ResourceClaims("default")
	if verb == "update" {
		_, err = claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	patch, err := json.Marshal(map[string]any{"status": claim.Status})
	if err != nil {
		t.Fatal(err)
	}
	_, err = claims.Patch(t.Context(), claim.Name, types.MergePatchType, patch, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}, "status")
	return err
}

// lookAt runs the doctor with the rights of its document and no others.
func lookAt(t *testing.T, c *cluster.Cluster, admin kubernetes.Interface) {
	document, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(document), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks", len(blocks))
	}
	for _, b := range blocks {
		apply(t, admin, b[1])
	}
	if _, err := admin.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "doctor"},
		Subjects:   []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: "doctor"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "drawbridge-doctor"},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	node := "n1"
	if _, err := admin.ResourceV1().ResourceSlices().Create(t.Context(), &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: "n1-gpu"},
		Spec: resourceapi.ResourceSliceSpec{Driver: "gpu.example.com", NodeName: &node, Pool: resourceapi.ResourcePool{Name: "n1", Generation: 1, ResourceSliceCount: 2},
			Devices: []resourceapi.Device{{Name: "gpu-0"}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	cfg := c.Config()
	cfg.Impersonate = rest.ImpersonationConfig{UserName: "doctor"}
	var report *doctor.Report
	eventually(t, "the doctor", func() error {
		if report, err = doctor.Run(context.Background(), cfg, doctor.Options{Within: within}); err != nil {
			return err
		}
		for _, check := range report.Checks {
			if check.Status == doctor.Unknown && check.Area != "components" {
				return fmt.Errorf("%s: %s %v", check.Area, check.Message, check.Details)
			}
		}
		return nil
	})
	if report.Outcome != doctor.Problems || report.Version != "v1.37.2" || len(report.Served) != 1 || len(report.Pools) != 1 || len(report.Drivers) != 1 || report.Drivers[0].Plugins != 0 {
		t.Errorf("%+v", report)
	}
	if gates := report.Components[0].Gates; !gates["DRAResourceClaimGranularStatusAuthorization"] || len(gates) < 10 {
		t.Errorf("%v", gates)
	}
	// Whoever may read nothing hears so, and no more.
	cfg.Impersonate = rest.ImpersonationConfig{UserName: "nobody"}
	report, err = doctor.Run(context.Background(), cfg, doctor.Options{Within: within})
	if err != nil || report.Outcome != doctor.Healthy && report.Outcome != doctor.NoLook {
		t.Errorf("%v %+v", err, report)
	}
}
