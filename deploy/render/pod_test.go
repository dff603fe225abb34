package render

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
)

var overlays = []string{"base", "overlays/cert-manager", "overlays/self-managed", "overlays/development", "overlays/strict"}

// The server takes the arguments that the manifests give it, and has the time
// and the memory for them.
func TestArguments(t *testing.T) {
	for _, overlay := range overlays {
		list, err := Kustomize("../" + overlay)
		if err != nil {
			t.Fatal(err)
		}
		d := Of[*appsv1.Deployment](list)[0]
		c := d.Spec.Template.Spec.Containers[0]
		command, rest, err := cli.New().Find(c.Args)
		if err != nil {
			t.Fatal(err)
		}
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.AddFlagSet(command.Flags())
		if err := flags.Parse(rest); err != nil || command.Name() != "serve" || flags.NArg() != 0 {
			t.Errorf("%s: the binary does not take %q: %v", overlay, c.Args, err)
		}
		body, _ := flags.GetInt64("max-body-bytes")
		bundles, _ := flags.GetInt("max-concurrent-bundles")
		if limit := c.Resources.Limits.Memory(); 60*body*int64(bundles) > limit.Value()*3/4 {
			t.Errorf("%s: %d bundles of %d bytes do not fit into %s", overlay, bundles, body, limit)
		}
		delay, _ := flags.GetDuration("shutdown-delay")
		timeout, _ := flags.GetDuration("shutdown-timeout")
		if grace := d.Spec.Template.Spec.TerminationGracePeriodSeconds; float64(*grace) <= (delay + timeout).Seconds() {
			t.Errorf("%s: the kubelet kills after %d s what takes %v", overlay, *grace, delay+timeout)
		}
		// Twice the time until the readiness probe of any kubelet has failed.
		if probe := c.ReadinessProbe; delay.Seconds() < 2*float64(probe.PeriodSeconds*probe.FailureThreshold) {
			t.Errorf("%s: after %v nobody need have seen that it leaves", overlay, delay)
		}
		if address, _ := flags.GetString("https-listen"); address != ":10250" || c.Ports[0].ContainerPort != 10250 {
			t.Errorf("%s: %s and %+v do not meet", overlay, address, c.Ports)
		}
		service := Of[*corev1.Service](list)[0]
		for key, value := range service.Spec.Selector {
			if d.Spec.Template.Labels[key] != value || d.Spec.Selector.MatchLabels[key] != value {
				t.Errorf("%s: nothing selects %s=%s", overlay, key, value)
			}
		}
		for path, probe := range map[string]*corev1.Probe{"/livez": c.LivenessProbe, "/readyz": c.ReadinessProbe} {
			if probe.HTTPGet.Path != path || probe.HTTPGet.Scheme != corev1.URISchemeHTTPS || probe.HTTPGet.Port.String() != c.Ports[0].Name ||
				service.Spec.Ports[0].TargetPort.String() != c.Ports[0].Name {
				t.Errorf("%s: got %+v", overlay, probe.HTTPGet)
			}
		}
	}
}

// The pods are what Kubernetes calls restricted, by its own checks, and the
// namespace demands it.
func TestRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, overlay := range overlays {
		list, err := Kustomize("../" + overlay)
		if err != nil {
			t.Fatal(err)
		}
		template := Of[*appsv1.Deployment](list)[0].Spec.Template
		restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
		for _, result := range evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec) {
			if !result.Allowed {
				t.Errorf("%s: %s: %s", overlay, result.ForbiddenReason, result.ForbiddenDetail)
			}
		}
		s := template.Spec.Containers[0].SecurityContext
		if !*s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 {
			t.Errorf("%s: got %+v", overlay, s)
		}
		if labels := Of[*corev1.Namespace](list)[0].Labels; labels["pod-security.kubernetes.io/enforce"] != "restricted" {
			t.Errorf("%s: got %v", overlay, labels)
		}
		root := template.DeepCopy()
		root.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = new(bool)
		*root.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = true
		if !slices.ContainsFunc(evaluator.EvaluatePod(restricted, &root.ObjectMeta, &root.Spec), func(r policy.CheckResult) bool { return !r.Allowed }) {
			t.Error("a pod that may become root passes")
		}
	}
}
