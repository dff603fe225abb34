package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"
)

// plugin is kubectl with our binary as its plugin, on behalf of somebody.
type plugin struct {
	kubectl, folder, config string
}

// run returns what is printed, and the exit code.
func (p *plugin) run(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.kubectl, args...)
	cmd.Dir = p.folder
	cmd.Env = []string{"PATH=" + p.folder, "KUBECONFIG=" + p.config, "HOME=" + p.folder}
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	var failed *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// account makes a service account, and kubectl act for it.
func (p plugin) account(t *testing.T, c *Cluster, r *Runner, name string) *plugin {
	t.Helper()
	accounts := r.client.CoreV1().ServiceAccounts("ml")
	if _, err := accounts.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	token, err := accounts.CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: c.config.Host, CertificateAuthorityData: c.config.CAData}
	config.AuthInfos["c"] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	config.Contexts["c"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "c", Namespace: "ml"}
	config.CurrentContext = "c"
	p.config = filepath.Join(p.folder, name+".kubeconfig")
	if err := clientcmd.WriteToFile(*config, p.config); err != nil {
		t.Fatal(err)
	}
	return &p
}

// eventually tries until it works: API servers hear of rights by and by.
func eventually(t *testing.T, what string, try func() error) {
	t.Helper()
	end := time.Now().Add(patience)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %v", what, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// fromCluster asks the real binary about a live cluster, as a plugin of the
// real kubectl, for a service account with the rights that it prints itself.
func fromCluster(t *testing.T, c *Cluster, r *Runner) {
	root := filepath.Join("..", "..")
	folder := t.TempDir()
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(folder, "kubectl-drawbridge"), "./cmd/kubectl-drawbridge")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(root, "cluster", "testdata", "pending.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := ParseScenario("pending.yaml", string(text))
	if err != nil {
		t.Fatal(err)
	}
	p := plugin{kubectl: c.program("kubectl"), folder: folder, config: c.Kubeconfig()}
	err = r.With(t.Context(), s, func() error {
		role := asReader(t, c, r, p)
		takeAway(t, r, p, role)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// asReader asks everything with all rights, and returns the role.
func asReader(t *testing.T, c *Cluster, r *Runner, p plugin) *rbacv1.ClusterRole {
	role := &rbacv1.ClusterRole{}
	printed, _, _ := p.run(t, "drawbridge", "cluster-role")
	if err := yaml.UnmarshalStrict([]byte(printed), role); err != nil {
		t.Fatal(err)
	}
	reader, stranger := p.account(t, c, r, "reader"), p.account(t, c, r, "stranger")
	out, errs, code := stranger.run(t, "drawbridge", "explain", "pod/train")
	if code != 2 || out != "" || !strings.Contains(errs, "no list on deviceclasses.resource.k8s.io") || !strings.Contains(errs, "drawbridge cluster-role prints a ClusterRole that is enough") {
		t.Errorf("without rights: %d %q %q", code, out, errs)
	}
	var err error
	if role, err = r.client.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "ml", Name: "reader"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
	}
	if _, err := r.client.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "validate with all rights", func() error {
		out, errs, code := reader.run(t, "drawbridge", "validate")
		if code != 0 || errs != "" || !strings.Contains(out, "of the cluster, Kubernetes 1.37") {
			return fmt.Errorf("%d %q %q", code, out, errs)
		}
		return nil
	})
	if out, errs, code := reader.run(t, "drawbridge", "allocate"); code != 1 || errs != "" || !strings.Contains(out, "2 placed, 1 without a place; Kubernetes 1.37") {
		t.Errorf("allocate: %d %q %q", code, out, errs)
	}
	out, errs, code = reader.run(t, "drawbridge", "explain", "pod/train")
	if code != 1 || errs != "" || !strings.HasPrefix(out, "Unschedulable: ml/train does not fit on any of 3 nodes: ") || !strings.Contains(out, "each of gpu-0 and gpu-1 is held by prod/both") || !strings.Contains(out, "make the pod again") {
		t.Errorf("explain: %d %q %q", code, out, errs)
	}
	compareWithEvent(t, r, out)
	compareWithKubectl(t, p, out)
	return role
}

// compareWithEvent looks whether the cluster's own words are those of its
// event.
func compareWithEvent(t *testing.T, r *Runner, out string) {
	pod, err := r.client.CoreV1().Pods("ml").Get(t.Context(), "train", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the event", func() error {
		e := r.eventsOf(pod.UID)["FailedScheduling"]
		if e == nil || !strings.Contains(out, "\nThe scheduler says: "+strings.TrimSuffix(e.Message, "...")) {
			return fmt.Errorf("%v is not in\n%s", e, out)
		}
		return nil
	})
}

// compareWithKubectl looks whether lines are those that kubectl prints.
func compareWithKubectl(t *testing.T, p plugin, out string) {
	at := regexp.MustCompile(`--> resourceclaim/ml/(train-gpus-[a-z0-9]+):([0-9]+):[0-9]+\n *[0-9]+ \| (.*)\n`).FindStringSubmatch(out)
	if at == nil {
		t.Fatalf("no place in\n%s", out)
	}
	printed, errs, _ := p.run(t, "get", "resourceclaim/"+at[1], "-n", "ml", "-o", "yaml")
	lines := strings.Split(printed, "\n")
	if n, _ := strconv.Atoi(at[2]); n > len(lines) || lines[n-1] != at[3] {
		t.Errorf("line %s is not %q in\n%s%s", at[2], at[3], printed, errs)
	}
}

// takeAway takes each right of the role away, one after the other: that it is
// missing is noticed and named, so none is in the role for nothing.
func takeAway(t *testing.T, r *Runner, p plugin, role *rbacv1.ClusterRole) {
	p.config = filepath.Join(p.folder, "reader.kubeconfig")
	taken := 0
	try := func(named string, change func(*rbacv1.ClusterRole)) {
		taken++
		less := role.DeepCopy()
		less.ResourceVersion = ""
		change(less)
		if _, err := r.client.RbacV1().ClusterRoles().Update(t.Context(), less, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, named, func() error {
			_, errs, code := p.run(t, "drawbridge", "validate")
			if notes := strings.Count(errs, "(no "); notes != 1 || !strings.Contains(errs, "(no "+named+")") || code != 0 && code != 1 {
				return fmt.Errorf("%d %q", code, errs)
			}
			return nil
		})
	}
	for i, rule := range role.Rules {
		for j, resource := range rule.Resources {
			named := "list on " + strings.TrimSuffix(resource+"."+rule.APIGroups[0], ".")
			try(named, func(less *rbacv1.ClusterRole) {
				less.Rules[i].Resources = slices.Delete(less.Rules[i].Resources, j, j+1)
				if len(less.Rules[i].Resources) == 0 {
					less.Rules = slices.Delete(less.Rules, i, i+1)
				}
			})
		}
		if len(rule.NonResourceURLs) > 0 {
			try("get on /metrics", func(less *rbacv1.ClusterRole) { less.Rules = slices.Delete(less.Rules, i, i+1) })
		}
	}
	if taken != 11 {
		t.Errorf("%d rights", taken)
	}
}
