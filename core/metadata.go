package core

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/metadata"
	"github.com/drawbridge-dra/drawbridge/core/prepared"
)

// MetadataOptions are the options of DeviceMetadata.
type MetadataOptions struct {
	Options
	// MetadataVersions are the versions that drivers write, in their order,
	// such as "v1beta1,v1alpha1"; empty for all, newest first.
	MetadataVersions string `json:"metadataVersions,omitempty"`
	// Generation is that of the files; 0 means 1, as when a claim is prepared.
	Generation int64 `json:"generation,omitempty"`
	// PluginsDir and CDIDir are directories of the nodes; empty for the usual
	// ones.
	PluginsDir string `json:"pluginsDir,omitempty"`
	CDIDir     string `json:"cdiDir,omitempty"`
}

// DeviceMetadataResult answers DeviceMetadata.
type DeviceMetadataResult struct {
	KubernetesVersion string               `json:"kubernetesVersion" doc:"The version whose rules were applied, such as 1.37."`
	Versions          []string             `json:"versions" doc:"The versions in which each file holds its object, in that order."`
	Files             []DeviceMetadataFile `json:"files" doc:"Every file that a driver writes, claim by claim: first those of pods, then the rest."`
	Pods              []DeviceMetadataPod  `json:"pods" doc:"Every pod that has claims and a node, with what its containers see."`
	Notes             []AnswerNote         `json:"notes" doc:"What is worth knowing about these files."`
	Omitted           int                  `json:"omitted,omitempty" doc:"How many files, or entries of containers, are left out because they are more than one answer holds."`
	Diagnostics       []diag.Diagnostic    `json:"diagnostics"`
	Assumptions       []string             `json:"assumptions" doc:"What was taken for granted because the bundle does not say."`
}

// DeviceMetadataFile is a file that a driver writes for a request of a claim.
type DeviceMetadataFile struct {
	Claim         string         `json:"claim" doc:"Namespace and name of the claim."`
	UID           string         `json:"uid" doc:"UID of the claim."`
	Driver        string         `json:"driver"`
	Request       string         `json:"request" doc:"The request that names the directory."`
	Reference     string         `json:"reference" doc:"The request as it stands in the file, with the alternative that was chosen."`
	Template      bool           `json:"template,omitempty" doc:"True if containers find the file under the name of the pod's entry, as for claims that were made from a template."`
	Nodes         []string       `json:"nodes" doc:"The nodes on which it is written: those of the pods that use the claim."`
	Pods          []string       `json:"pods" doc:"The pods that use the claim, as namespace/name."`
	Devices       []string       `json:"devices" doc:"The devices in it, as pool/device, in their order."`
	Generation    int64          `json:"generation"`
	ContainerPath string         `json:"containerPath" doc:"Where a container finds it."`
	HostPath      string         `json:"hostPath" doc:"Where it lies on the node."`
	Content       string         `json:"content" doc:"What stands in it, to the byte: one object for each version, one behind the other."`
	CDIID         string         `json:"cdiId" doc:"The device of the Container Device Interface that mounts it."`
	CDIPath       string         `json:"cdiPath" doc:"Where that is described for the container runtime."`
	CDI           string         `json:"cdi" doc:"The description, to the byte."`
	Location      *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the name of the claim stands, or of the template that it is made from."`
}

// DeviceMetadataPod is a pod with what its containers see.
type DeviceMetadataPod struct {
	Namespace  string                    `json:"namespace"`
	Name       string                    `json:"name"`
	Node       string                    `json:"node" doc:"The node that it is on, or goes to."`
	Waits      string                    `json:"waits,omitempty" doc:"What the kubelet waits for before it starts the pod; the files are there after that."`
	Containers []DeviceMetadataContainer `json:"containers" doc:"Init containers first."`
	Location   *diag.Location            `json:"location,omitempty" doc:"Where in the submitted text the pod's name stands."`
}

// DeviceMetadataContainer is a container with the files that it sees.
type DeviceMetadataContainer struct {
	Name   string                 `json:"name"`
	Init   bool                   `json:"init,omitempty"`
	Sees   []SeenDeviceMetadata   `json:"sees" doc:"The files that are mounted into it."`
	Misses []MissedDeviceMetadata `json:"misses" doc:"The files of claims of its pod that are not."`
}

// SeenDeviceMetadata is a file that a container sees.
type SeenDeviceMetadata struct {
	File int    `json:"file" doc:"Which of the files, from 0."`
	Path string `json:"path" doc:"Where the container finds it."`
	Why  string `json:"why" doc:"What of the pod makes it so."`
}

// MissedDeviceMetadata is a file that a container does not see.
type MissedDeviceMetadata struct {
	File int    `json:"file" doc:"Which of the files, from 0."`
	Why  string `json:"why" doc:"What of the pod makes it so, and how to change that."`
}

// AnswerNote is something worth knowing about an answer.
type AnswerNote struct {
	Code     string         `json:"code" doc:"Stable code of the note."`
	Claim    string         `json:"claim,omitempty" doc:"Namespace and name of the claim that it is about."`
	Message  string         `json:"message" doc:"What happens, and what to do."`
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the cause lies."`
}

// DeviceMetadata tells which files drivers write for the allocated claims of a
// text, and which of them each container sees (KEP-5304). What is not allocated
// is planned first. The error is an *OptionError, or the context's own.
func DeviceMetadata(ctx context.Context, text []byte, opts MetadataOptions) (*DeviceMetadataResult, error) {
	versions, err := opts.versions()
	if err != nil {
		return nil, err
	}
	n, err := readNodes(ctx, text, opts.Options)
	if err != nil {
		return nil, err
	}
	m := metadataAnswer{nodes: n, left: mostFileBytes, entries: mostSeen, of: map[string][]int{}, out: &DeviceMetadataResult{
		KubernetesVersion: n.set.Version().String(), Versions: versions,
		Files: []DeviceMetadataFile{}, Pods: []DeviceMetadataPod{}, Notes: []AnswerNote{},
		Diagnostics: n.findings(opts.Options),
	}}
	m.opts = metadata.Options{Versions: versions, Generation: max(opts.Generation, 1), PluginsDir: metadata.PluginsDir, CDIDir: metadata.CDIDir, Left: &m.left}
	if opts.PluginsDir != "" {
		m.opts.PluginsDir = opts.PluginsDir
	}
	if opts.CDIDir != "" {
		m.opts.CDIDir = opts.CDIDir
	}
	m.aboutOptions()
	for _, claim := range n.plan.Claims {
		if err := m.claim(claim); err != nil {
			return nil, err
		}
	}
	for _, pod := range n.pods {
		m.pod(pod)
	}
	m.out.Assumptions = append(m.out.Assumptions, n.presumed...)
	return m.out, nil
}

// versions reads the versions to write.
func (o MetadataOptions) versions() ([]string, error) {
	if o.Generation < 0 {
		return nil, &OptionError{"generation", "must be 1 or more"}
	}
	for _, dir := range []struct{ option, value string }{{"pluginsDir", o.PluginsDir}, {"cdiDir", o.CDIDir}} {
		if dir.value != "" && !strings.HasPrefix(dir.value, "/") {
			return nil, &OptionError{dir.option, "must be an absolute path, or be left out"}
		}
	}
	if o.MetadataVersions == "" {
		return slices.Clone(metadata.Versions), nil
	}
	var out []string
	for _, v := range strings.Split(o.MetadataVersions, ",") {
		v = strings.TrimPrefix(strings.TrimSpace(v), metadata.Group+"/")
		if !slices.Contains(metadata.Versions, v) {
			return nil, &OptionError{"metadataVersions", "must be " + strings.Join(metadata.Versions, " or ") + ", or several of them with commas between"}
		}
		if slices.Contains(out, v) {
			return nil, &OptionError{"metadataVersions", "has a version twice"}
		}
		out = append(out, v)
	}
	return out, nil
}

// nodes are the nodes of a cluster after its plan is carried out.
type nodes struct {
	*outlook
	pods []*prepared.Pod
	// refused are those that kubelets do not take in.
	refused map[*corev1.Pod]bool
	// presumed are those of the plan and of what follows.
	presumed []string
}

// readNodes plans what a text describes.
func readNodes(ctx context.Context, text []byte, opts Options) (*nodes, error) {
	o, err := foresee(ctx, text, opts)
	if err != nil {
		return nil, err
	}
	n := &nodes{outlook: o, pods: prepared.Pods(o.input.Pods, o.plan), refused: map[*corev1.Pod]bool{}, presumed: o.presumed()}
	var without []string
	for _, claim := range o.plan.Claims {
		if claim.Claim.Status.Allocation != nil && claim.Claim.UID == "" {
			claim.Claim.UID = prepared.AssumedUID(claim.Claim)
			without = append(without, claim.Name())
		}
	}
	if len(without) > 0 {
		n.presumed = append(n.presumed, fmt.Sprintf("%s: the bundle has no UID of it, so one that is derived from its name stands for it", some(without)))
	}
	return n, n.meet(ctx)
}

// meet lets the kubelets look at the pods: what makes one wait for its claims
// is the same here as in NodeOperations.
func (n *nodes) meet(ctx context.Context) error {
	side, err := newNodeSide(ctx, n.outlook, map[string]bool{})
	if err != nil {
		return err
	}
	of := map[*corev1.Pod]*prepared.Pod{}
	for _, p := range n.pods {
		of[p.Pod] = p
	}
	for _, p := range side.pods {
		n.refused[p.Pod] = side.deviceless[p.Pod].refused()
		if met := of[p.Pod]; met != nil {
			met.Waits, met.Called = side.waits(p)
		}
	}
	n.pods = slices.DeleteFunc(n.pods, func(p *prepared.Pod) bool { return n.refused[p.Pod] })
	return nil
}
