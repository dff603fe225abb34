package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/drawbridge-dra/drawbridge/cluster/client"
	"github.com/drawbridge-dra/drawbridge/core"
)

// Options say how thoroughly to look.
type Options struct {
	// Kubelets is how many kubelets are asked for their feature gates, which
	// takes the right to their proxy; 0 for none.
	Kubelets int
	// Within bounds each request; 0 means 20 seconds.
	Within time.Duration
	// Now is the time; nil means time.Now.
	Now func() time.Time
}

// visit is one look at a client.
type visit struct {
	*client.Client
	opts    Options
	report  *Report
	version string // such as 1.37; empty if it is not known here
	objects map[string][]map[string]any
	unread  map[string]error
	// blind is set where it is not known which resources there are.
	blind bool
}

// Run looks at a client. It returns an error only if it cannot even try.
func Run(ctx context.Context, cfg *rest.Config, opts Options) (*Report, error) {
	if opts.Within == 0 {
		opts.Within = 20 * time.Second
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	c, err := client.New(cfg, opts.Within)
	if err != nil {
		return nil, err
	}
	v := &visit{Client: c, opts: opts, objects: map[string][]map[string]any{}, unread: map[string]error{}, report: &Report{
		Served: []ServedVersion{}, Components: []Component{}, Drivers: []Driver{}, Pools: []Pool{}, Pods: []Pod{}, Webhooks: []Webhook{}, Checks: []Check{},
	}}
	if v.server(ctx) {
		v.served(ctx)
		v.read(ctx)
		v.components(ctx)
		v.drivers()
		v.plan(ctx)
		v.webhooks(ctx)
	}
	v.report.conclude()
	return v.report, nil
}

// server asks which version answers, and tells whether one does.
func (v *visit) server(ctx context.Context) bool {
	version, err := v.Version(ctx)
	if err != nil {
		v.report.say("server", Unknown, fmt.Sprintf("the API server at %s tells no version: %v", v.Host(), err))
		return false
	}
	v.report.Version, v.version = version.Git, version.Known
	if v.version != "" {
		v.report.say("server", OK, "the API server is Kubernetes "+version.Git)
	} else {
		v.report.say("server", Info, fmt.Sprintf("the API server is Kubernetes %s, which is not known here: the rules of %s are applied", version.Git, core.Versions().Default))
	}
	return true
}

// served asks which versions of resource.k8s.io there are.
func (v *visit) served(ctx context.Context) {
	var group struct {
		Versions []struct{ GroupVersion string }
	}
	const area = "api"
	if err := v.JSON(ctx, "/apis/resource.k8s.io", nil, &group); err != nil {
		if client.Missing(err) {
			v.report.say(area, Problem, "resource.k8s.io is not served: the API server is too old, or runs without it; start it with --runtime-config=resource.k8s.io/v1=true")
		} else {
			v.report.say(area, Unknown, fmt.Sprintf("which versions of resource.k8s.io are served is not known: %v", err))
		}
		return
	}
	var names []string
	for _, version := range group.Versions {
		names = append(names, strings.TrimPrefix(version.GroupVersion, "resource.k8s.io/"))
		var list struct{ Resources []struct{ Name string } }
		if err := v.JSON(ctx, "/apis/"+version.GroupVersion, nil, &list); err != nil {
			v.report.say(area, Unknown, fmt.Sprintf("what %s has is not known: %v", version.GroupVersion, err))
			v.blind = true
			continue
		}
		served := ServedVersion{APIVersion: version.GroupVersion, Resources: []string{}}
		for _, r := range list.Resources {
			if !strings.Contains(r.Name, "/") {
				served.Resources = append(served.Resources, r.Name)
			}
		}
		slices.Sort(served.Resources)
		v.report.Served = append(v.report.Served, served)
	}
	if slices.Contains(names, "v1") {
		v.report.say(area, OK, "resource.k8s.io is served in "+strings.Join(names, ", "))
	} else {
		v.report.say(area, Problem, "resource.k8s.io is served in "+strings.Join(names, ", ")+", and not in v1, which drivers and charts of today use: it came with Kubernetes 1.34")
	}
}

// kinds are the lists that are read: under which name, and where.
var kinds = []struct{ name, resource, group string }{
	{"ResourceSlices", "resourceslices", "resource"}, {"DeviceClasses", "deviceclasses", "resource"},
	{"ResourceClaims", "resourceclaims", "resource"}, {"ResourceClaimTemplates", "resourceclaimtemplates", "resource"},
	{"DeviceTaintRules", "devicetaintrules", "resource"},
	{"Nodes", "nodes", ""}, {"Namespaces", "namespaces", ""}, {"Pods", "pods", ""},
}

// read lists everything that matters, each kind in the best version there is.
func (v *visit) read(ctx context.Context) {
	var unread []string
	for _, k := range kinds {
		path := "/api/v1/" + k.resource
		if k.group != "" {
			best := v.best(k.resource)
			if best == "" {
				if v.blind {
					v.unread[k.name] = errors.New("which version has it is not known")
				}
				continue
			}
			path = "/apis/" + best + "/" + k.resource
		}
		if err := v.List(ctx, path, func(item map[string]any) { v.objects[k.name] = append(v.objects[k.name], item) }); err != nil {
			v.unread[k.name] = err
			v.objects[k.name] = nil // half a list misleads
			unread = append(unread, fmt.Sprintf("%s: %v", k.name, err))
		}
	}
	if len(unread) > 0 {
		v.report.say("rights", Unknown, "not everything could be read, so what follows may lack something; docs/doctor.md lists the rights that are needed", unread...)
	}
}

// best is the most stable version that has a resource.
func (v *visit) best(resource string) string {
	for _, version := range []string{"v1", "v1beta2", "v1beta1", "v1alpha3"} {
		for _, s := range v.report.Served {
			if s.APIVersion == "resource.k8s.io/"+version && slices.Contains(s.Resources, resource) {
				return s.APIVersion
			}
		}
	}
	return ""
}

// as turns what was read into the type of it.
func as[T any](items []map[string]any) []T {
	out := make([]T, 0, len(items))
	for _, item := range items {
		var one T
		text, err := json.Marshal(item)
		if err == nil && json.Unmarshal(text, &one) == nil {
			out = append(out, one)
		}
	}
	return out
}
