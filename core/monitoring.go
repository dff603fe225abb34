package core

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/fit"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/podresources"
	"github.com/drawbridge-dra/drawbridge/core/prepared"
)

// PodResourcesOptions are the options of PodResources.
type PodResourcesOptions struct {
	Options
	// Node is the one whose kubelet is asked. It can be empty if all pods are
	// on one node.
	Node string `json:"node,omitempty"`
	// Pod makes Get be asked for one pod too, as namespace/name.
	Pod string `json:"pod,omitempty"`
	// CDI is the form of the names that drivers give to devices, such as
	// "{driver}/gpu={device}".
	CDI string `json:"cdi,omitempty"`
	// DeviceMetadata tells that drivers write files for containers, whose names
	// are listed with the devices.
	DeviceMetadata bool `json:"deviceMetadata,omitempty"`
}

// PodResourcesResult answers PodResources.
type PodResourcesResult struct {
	KubernetesVersion string                            `json:"kubernetesVersion" doc:"The version whose rules were applied, such as 1.37."`
	Node              string                            `json:"node" doc:"The node whose kubelet is asked."`
	List              podresources.ListPodResources     `json:"list" doc:"The answer to List."`
	Get               *podresources.PodResources        `json:"get,omitempty" doc:"The answer to Get, for the pod that is asked for."`
	GetError          string                            `json:"getError,omitempty" doc:"The error that Get answers instead."`
	Allocatable       podresources.AllocatableResources `json:"allocatable" doc:"The answer to GetAllocatableResources, which tells of device plugins, CPUs and memory only."`
	// Ended are pods that Get answers for and List leaves out.
	Ended       []podresources.PodResources `json:"ended" doc:"Pods of the node that have ended, or that its kubelet has refused: Get answers for them, and List leaves them out."`
	Notes       []AnswerNote                `json:"notes" doc:"What is worth knowing about these answers."`
	Omitted     bool                        `json:"omitted,omitempty" doc:"True if devices are left out because there are more than one answer holds."`
	Diagnostics []diag.Diagnostic           `json:"diagnostics"`
	Assumptions []string                    `json:"assumptions" doc:"What was taken for granted because the bundle does not say."`

	getOff bool
}

const (
	// defaultCDI is the form of names where nobody says another one.
	defaultCDI = "{driver}/device={device}"
	// mostNames is how many names of devices an answer holds.
	mostNames = 200_000
	// mostCDI bounds the form of a name.
	mostCDI = 200
)

// Lookup is the answer to Get for a pod, or the error that it gives instead.
func (r *PodResourcesResult) Lookup(namespace, name string) (*podresources.PodResources, string) {
	if r.getOff {
		return nil, "the Get method is off: the feature gate KubeletPodResourcesGet is, in Kubernetes " + r.KubernetesVersion
	}
	for _, list := range [][]podresources.PodResources{r.List.PodResources, r.Ended} {
		for i := range list {
			if list[i].Name == name && list[i].Namespace == namespace {
				return &list[i], ""
			}
		}
	}
	return nil, fmt.Sprintf("pod %s in namespace %s not found", name, namespace)
}

// PodResources tells what the kubelet of a node answers over its PodResources
// API. What is not allocated is planned first. The error is an *OptionError, or
// the context's own.
func PodResources(ctx context.Context, text []byte, opts PodResourcesOptions) (*PodResourcesResult, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	n, err := readNodes(ctx, text, opts.Options)
	if err != nil {
		return nil, err
	}
	node, err := opts.node(n)
	if err != nil {
		return nil, err
	}
	m := monitoring{nodes: n, node: node, out: &PodResourcesResult{
		KubernetesVersion: n.set.Version().String(), Node: node,
		Ended: []podresources.PodResources{}, Notes: []AnswerNote{},
		Diagnostics: n.findings(opts.Options), Assumptions: n.presumed,
		getOff: n.set.Exists(feature.KubeletPodResourcesGet) && !n.set.Enabled(feature.KubeletPodResourcesGet),
	}}
	m.opts = podresources.Options{CDI: opts.CDI, Metadata: opts.DeviceMetadata, Left: mostNames,
		Claims: !n.set.Exists(feature.KubeletPodResourcesDynamicResources) || n.set.Enabled(feature.KubeletPodResourcesDynamicResources)}
	if opts.CDI == "" {
		m.opts.CDI = defaultCDI
		m.out.Assumptions = append(m.out.Assumptions, "drivers name their devices for the container runtime as "+defaultCDI+" (set cdi for another form)")
	}
	m.run()
	if opts.Pod != "" {
		namespace, name, _ := strings.Cut(opts.Pod, "/")
		m.out.Get, m.out.GetError = m.out.Lookup(namespace, name)
	}
	return m.out, nil
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

func (o PodResourcesOptions) check() error {
	if o.Pod != "" && strings.Count(o.Pod, "/") != 1 {
		return &OptionError{"pod", "must be a pod as namespace/name"}
	}
	if len(o.CDI) > mostCDI {
		return &OptionError{"cdi", fmt.Sprintf("must have at most %d bytes", mostCDI)}
	}
	for _, p := range placeholder.FindAllString(o.CDI, -1) {
		if !slices.Contains(podresources.Placeholders, p[1:len(p)-1]) {
			return &OptionError{"cdi", "can hold {" + strings.Join(podresources.Placeholders, "}, {") + "} and no other name in braces"}
		}
	}
	return nil
}

// node is the one that is asked.
func (o PodResourcesOptions) node(n *nodes) (string, error) {
	var names []string
	known := map[string]bool{}
	for _, name := range n.plan.NodeNames() {
		known[name] = true
	}
	for _, pod := range n.input.Pods {
		if pod.Spec.NodeName != "" {
			known[pod.Spec.NodeName] = true
		}
	}
	for _, p := range n.pods {
		if !slices.Contains(names, p.Node) && len(names) < 2 {
			names = append(names, p.Node)
		}
		known[p.Node] = true
	}
	switch {
	case o.Node != "" && !known[o.Node]:
		return "", &OptionError{"node", "must be a node of the bundle, or one that its slices or pods name"}
	case o.Node != "":
		return o.Node, nil
	case len(names) == 1:
		return names[0], nil
	case len(names) == 0 && len(n.plan.NodeNames()) == 1:
		return n.plan.NodeNames()[0], nil
	}
	return "", &OptionError{"node", "must name the node whose kubelet is asked, because the bundle has several"}
}

// monitoring makes a PodResourcesResult.
type monitoring struct {
	nodes *nodes
	node  string
	opts  podresources.Options
	out   *PodResourcesResult
	told  map[string]bool
}

// activePods is the first minor version whose List leaves pods out that have
// ended.
const activePods = 34

func (m *monitoring) run() {
	kubelet := podresources.NewKubelet(prepared.OnNode(m.nodes.pods, m.node), m.opts)
	running := map[*corev1.Pod]*prepared.Pod{}
	for _, p := range m.nodes.pods {
		running[p.Pod] = p
	}
	for _, pod := range m.nodes.input.Pods {
		if p := running[pod]; p != nil && p.Node == m.node {
			of, seen := kubelet.Of(p)
			m.out.List.PodResources = append(m.out.List.PodResources, of)
			m.notes(p, of, seen)
		} else if p == nil && pod.Spec.NodeName == m.node && (fit.Ended(pod) || m.nodes.refused[pod]) {
			of, _ := kubelet.Of(&prepared.Pod{Pod: pod, Node: m.node})
			if m.nodes.set.Version().Minor < activePods {
				m.out.List.PodResources = append(m.out.List.PodResources, of)
			} else {
				m.out.Ended = append(m.out.Ended, of)
			}
		}
	}
	m.note("allocatable-without-claims", nil, "GetAllocatableResources tells of device plugins, CPUs and memory only; for the devices of drivers read the ResourceSlices of the node")
	if !m.opts.Claims {
		m.note("claims-off", nil, "the kubelet of %s tells nothing about claims, because the feature gate %s is off; turn it on, or ask with 1.34 or later", m.out.KubernetesVersion, feature.KubeletPodResourcesDynamicResources)
	}
}

// note adds a note, once for each code.
func (m *monitoring) note(code string, p *prepared.Pod, format string, args ...any) {
	if m.told == nil {
		m.told = map[string]bool{}
	}
	if m.told[code] {
		return
	}
	m.told[code] = true
	note := AnswerNote{Code: code, Message: fmt.Sprintf(format, args...)}
	if p != nil {
		note.Location = m.nodes.where.locate(inventory.Place{Object: p.Pod, Field: "metadata.name"})
	}
	m.out.Notes = append(m.out.Notes, note)
}

func (m *monitoring) notes(p *prepared.Pod, of podresources.PodResources, seen map[int]podresources.Seen) {
	for i := range of.Containers {
		name := p.Name() + ", container " + of.Containers[i].Name
		told := seen[i]
		if told.Grows {
			m.note("cdi-devices-grow", p, "%s: as in the kubelet's own answer, cdiDevices of a device starts with those of all devices of the same driver before it in the claim; count devices by driver, pool and name, not by cdiDevices", name)
		}
		if told.Whole {
			m.note("whole-claim", p, "%s names requests of a claim, and the kubelet tells all devices of the claim nevertheless; which of them the container can use, its resources.claims says", name)
		}
		if told.Drivers {
			m.note("driver-order", p, "%s has devices of several drivers in one claim: the order of the drivers is that of the allocation here and chance in the kubelet", name)
		}
		if told.Gap != "" {
			why := p.Waits
			if why == "" {
				why = "no driver has been called for it on the node"
			}
			m.note("claim-gap", p, "%s: nothing is told about any of its claims, because the kubelet does not have the one that the pod lists as %s: %s", name, told.Gap, why)
		}
		m.out.Omitted = m.out.Omitted || told.Cut
	}
	for _, c := range p.Containers() {
		for _, name := range sortedNames(c.Resources.Limits) {
			r := string(name)
			if strings.Contains(r, "/") && !strings.HasPrefix(r, "deviceclass.resource.kubernetes.io/") && !m.mapped(p, c.Name, r) {
				m.note("device-plugins-unknown", p, "%s, container %s asks for %s of a device plugin, about which no object tells; the kubelet lists its devices under devices, this answer does not", p.Name(), c.Name, r)
			}
		}
	}
}

// mapped tells whether claims stand behind a resource of a container.
func (m *monitoring) mapped(p *prepared.Pod, container, resource string) bool {
	return p.Extended != nil && slices.ContainsFunc(p.Extended.RequestMappings, func(e corev1.ContainerExtendedResourceRequest) bool {
		return e.ContainerName == container && e.ResourceName == resource
	})
}
