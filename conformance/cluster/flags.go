package cluster

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func (c *Cluster) apiServerFlags() []string {
	file := func(name string) string { return filepath.Join(c.dir, name) }
	flags := []string{
		"--etcd-servers=unix://" + c.etcdSocket(),
		fmt.Sprintf("--secure-port=%d", c.port),
		"--bind-address=127.0.0.1",
		"--cert-dir=" + file("certificates"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + file("accounts.pub"),
		"--service-account-signing-key-file=" + file("accounts.key"),
		"--token-auth-file=" + file("tokens"),
		"--authorization-mode=RBAC",
		"--service-cluster-ip-range=10.0.0.0/24",
		// Nobody makes the service accounts that pods would need.
		"--disable-admission-plugins=ServiceAccount",
		"--shutdown-delay-duration=0s",
	}
	runtimeConfig := c.options.RuntimeConfig
	if runtimeConfig == "" && c.options.FeatureGates == AllGates {
		runtimeConfig = "api/all=true"
	}
	if runtimeConfig != "" {
		flags = append(flags, "--runtime-config="+runtimeConfig)
	}
	return slices.Concat(flags, c.gates(), c.options.APIServerFlags)
}

func (c *Cluster) gates() []string {
	if c.options.FeatureGates == "" {
		return nil
	}
	return []string{"--feature-gates=" + c.options.FeatureGates}
}

func (c *Cluster) schedulerFlags() []string {
	return slices.Concat([]string{
		"--config=" + filepath.Join(c.dir, "scheduler.yaml"),
		"--secure-port=0",
		"--v=2",
	}, c.gates(), c.options.SchedulerFlags)
}

// schedulerConfig is the default one but for what the options say. Its
// clients are not slowed down.
func (c *Cluster) schedulerConfig() string {
	text := fmt.Sprintf(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: %q, qps: 1000, burst: 1000}
`, c.Kubeconfig())
	if c.options.BindingTimeout != 0 {
		text += fmt.Sprintf(`profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: DynamicResources
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: DynamicResourcesArgs
      bindingTimeout: %s
`, c.options.BindingTimeout)
	}
	return text
}

func (c *Cluster) controllerFlags() []string {
	controllers := c.options.Controllers
	if controllers == nil {
		controllers = DefaultControllers
	}
	return slices.Concat([]string{
		"--kubeconfig=" + c.Kubeconfig(),
		"--leader-elect=false",
		"--secure-port=0",
		"--controllers=" + strings.Join(controllers, ","),
		"--kube-api-qps=1000", "--kube-api-burst=1000",
		"--v=2",
	}, c.gates(), c.options.ControllerFlags)
}

func (c *Cluster) writeKubeconfig() error {
	const name = "test"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: c.config.Host, CertificateAuthorityData: c.config.CAData}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: c.token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, c.Kubeconfig())
}
