package core

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/metadata"
	"github.com/drawbridge-dra/drawbridge/core/prepared"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

const (
	// mostFileBytes is how much all files of an answer may hold together.
	mostFileBytes = 16 << 20
	// mostSeen is how many files of containers are told.
	mostSeen = 100_000
	// mostNodes is how many nodes are told of a file.
	mostNodes = 100
	// mostNotes is how many notes there are with one code.
	mostNotes = 100
)

// metadataAnswer makes a DeviceMetadataResult.
type metadataAnswer struct {
	nodes     *nodes
	opts      metadata.Options
	published map[inventory.DeviceID]metadata.Published
	// left are the bytes, and entries the files of containers, that there is
	// still room for.
	left, entries int
	// of are the files of a claim, by its name.
	of    map[string][]int
	notes map[string]int
	out   *DeviceMetadataResult
}

func (m *metadataAnswer) note(code string, claim *schedule.Claim, format string, args ...any) {
	if m.notes == nil {
		m.notes = map[string]int{}
	}
	if m.notes[code]++; m.notes[code] > mostNotes {
		return
	}
	note := AnswerNote{Code: code, Message: fmt.Sprintf(format, args...)}
	if claim != nil {
		note.Claim = claim.Name()
		note.Location = m.nodes.where.locate(inventory.Place{Object: claim.Origin, Field: "metadata.name"})
	}
	m.out.Notes = append(m.out.Notes, note)
}

// aboutOptions says what Kubernetes' library, or those who read, make of the
// versions and the generation.
func (m *metadataAnswer) aboutOptions() {
	newest := metadata.Versions[0]
	switch order := m.out.Versions; {
	case !slices.Contains(order, newest):
		m.note("newest-missing", nil, "%s is not written; Kubernetes' library for drivers does not start without it since 1.37: add it to metadataVersions", newest)
	case order[0] != newest:
		m.note("versions-order", nil, "the versions are written as %s; readers take the first that they know and the protocol wants the newest first, but the library does not sort them: write metadataVersions=%s",
			strings.Join(order, ", "), strings.Join(metadata.Versions, ","))
	}
	if m.opts.Generation > 1 {
		m.note("generation-restarts", nil, "generation %d lasts until the claim is prepared again, as after a restart of the kubelet: then the library writes 1, so readers must not expect it to rise only", m.opts.Generation)
	}
}

// attributes finds what has been published of a device.
func (m *metadataAnswer) attributes(driver, pool, device string) (metadata.Published, bool) {
	if m.published == nil {
		m.published = map[inventory.DeviceID]metadata.Published{}
		in := &m.nodes.input
		right := slices.DeleteFunc(slices.Clone(in.Slices), func(s *resourceapi.ResourceSlice) bool { return in.Invalid[s] })
		for _, pool := range inventory.New(right, nil, in.Features).Whole() {
			for _, s := range pool.Slices {
				for i := range s.Spec.Devices {
					text, _ := json.Marshal(s.Spec.Devices[i].Attributes) // plain values
					m.published[s.DeviceID(i)] = metadata.Published{Attributes: s.Spec.Devices[i].Attributes, Size: 2 * len(text)}
				}
			}
		}
	}
	out, known := m.published[inventory.DeviceID{Driver: driver, Pool: pool, Device: device}]
	return out, known
}

// claim adds the files of a claim.
func (m *metadataAnswer) claim(c *schedule.Claim) error {
	if c.Claim.Status.Allocation == nil {
		return nil
	}
	called := c.Claim
	skipped := map[string]bool{}
	for _, d := range prepared.Drivers(c.Claim) {
		if d.Skipped {
			skipped[d.Name] = true
			m.note("driver-skipped", c, "%s: the kubelet does not call driver %s to prepare it, because all of its devices skip NodePrepareResources, so nobody writes files; publish the devices without skipNodeOperations if containers need them", c.Name(), d.Name)
		}
	}
	if len(skipped) > 0 {
		called = c.Claim.DeepCopy()
		devices := &called.Status.Allocation.Devices
		devices.Results = slices.DeleteFunc(devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool { return skipped[r.Driver] })
	}
	files, omitted, err := metadata.Files(called, m.attributes, m.opts)
	if err != nil {
		return err
	}
	m.out.Omitted += omitted
	podClaim := metadata.PodClaimName(c.Claim)
	template := podClaim != nil && *podClaim != ""
	where := m.nodes.where.locate(inventory.Place{Object: c.Origin, Field: "metadata.name"})
	for i := range files {
		f := &files[i]
		file := DeviceMetadataFile{
			Claim: c.Name(), UID: string(c.Claim.UID), Driver: f.Driver, Request: f.Request, Reference: f.Reference, Template: template,
			Nodes: []string{}, Pods: []string{}, Devices: []string{}, Generation: m.opts.Generation,
			ContainerPath: f.ContainerPath, HostPath: f.HostPath, Content: string(f.Content),
			CDIID: f.CDIID, CDIPath: f.CDIPath, CDI: string(f.CDI), Location: where,
		}
		for _, d := range f.Devices {
			file.Devices = append(file.Devices, d.Pool+"/"+d.Name)
		}
		m.of[c.Name()] = append(m.of[c.Name()], len(m.out.Files))
		m.out.Files = append(m.out.Files, file)
		m.aboutFile(c, f)
	}
	if len(files) > 0 {
		m.aboutClaim(c, template)
	}
	return nil
}

func (m *metadataAnswer) aboutFile(c *schedule.Claim, f *metadata.File) {
	if len(f.Others) > 0 {
		slices.Sort(f.Others)
		m.note("same-path", c, "%s: the devices of %s and of %s would be written into the same file, %s, and which of them stays is chance; a driver should return the devices of a request under one name", c.Name(), some(f.Others), f.Reference, f.HostPath)
	}
	if len(f.Unpublished) > 0 {
		m.note("device-unpublished", c, "%s: no valid ResourceSlice of the bundle tells about %s of driver %s, so the file has no attributes of it; add the slice", c.Name(), some(f.Unpublished), f.Driver)
	}
	seen := map[string]bool{}
	for _, d := range f.Devices {
		id := d.Pool + "/" + d.Name
		if seen[id] {
			m.note("shares-alike", c, "%s: %s stands in the file of request %s once for each share, and a share has no ID there; containers cannot tell them apart", c.Name(), id, f.Request)
			break
		}
		seen[id] = true
	}
}

func (m *metadataAnswer) aboutClaim(c *schedule.Claim, template bool) {
	dir := path.Base(metadata.ClaimDir("", c.Claim.Namespace, c.Claim.Name))
	owner := metav1.GetControllerOf(c.Claim)
	switch {
	case c.Claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true":
		m.note("name-unknown", c, "%s stands for extended resources: its name, which the scheduler made up, is in the path, so a container must list %s to find its files", c.Name(), path.Dir(path.Dir(metadata.ContainerPath("driver", "claim", nil, "request"))))
	case !template && metadata.PodClaimName(c.Claim) != nil:
		m.note("annotation-empty", c, "%s has the annotation %s without a value: the library writes an empty podClaimName, which the API of the files does not allow; remove the annotation", c.Name(), resourceapi.PodResourceClaimAnnotation)
	case template && owner == nil:
		m.note("annotation-by-hand", c, "%s has the annotation %s although no pod owns it: containers find its files under resourceclaimtemplates/%s instead of resourceclaims/%s; remove the annotation", c.Name(), resourceapi.PodResourceClaimAnnotation, *metadata.PodClaimName(c.Claim), c.Claim.Name)
	case !template && m.notes["directory-reused"] == 0:
		m.note("directory-reused", c, "the directory %s of the host is named by namespace and name, without UID: a claim that is deleted and made again under the name %s shares it, and unpreparing the old one late removes the files of the new one", dir, c.Name())
	}
}

// pod adds a pod with what its containers see.
func (m *metadataAnswer) pod(p *prepared.Pod) {
	if len(p.Claims) == 0 {
		return
	}
	ns, name, _ := strings.Cut(p.Name(), "/")
	out := DeviceMetadataPod{Namespace: ns, Name: name, Node: p.Node, Waits: p.Waits, Containers: []DeviceMetadataContainer{}, Location: m.nodes.where.locate(inventory.Place{Object: p.Pod, Field: "metadata.name"})}
	all := 0
	for _, c := range p.Claims {
		for _, i := range m.filesOf(c) {
			f := &m.out.Files[i]
			all++
			if m.entries--; m.entries < 0 {
				continue
			}
			f.Pods = append(f.Pods, p.Name())
			if !slices.Contains(f.Nodes, p.Node) && p.Node != "" && len(f.Nodes) < mostNodes {
				f.Nodes = append(f.Nodes, p.Node)
			}
		}
	}
	for _, c := range p.Containers() {
		if m.entries -= all + 1; m.entries < 0 {
			m.out.Omitted++
			continue
		}
		out.Containers = append(out.Containers, m.container(p, c))
	}
	m.out.Pods = append(m.out.Pods, out)
}

func (m *metadataAnswer) filesOf(c prepared.Claim) []int {
	if c.Claim == nil {
		return nil
	}
	return m.of[c.Claim.Namespace+"/"+c.Claim.Name]
}

func (m *metadataAnswer) container(p *prepared.Pod, c prepared.Container) DeviceMetadataContainer {
	out := DeviceMetadataContainer{Name: c.Name, Init: c.Init, Sees: []SeenDeviceMetadata{}, Misses: []MissedDeviceMetadata{}}
	uses := map[int][]prepared.Use{}
	for _, u := range p.Uses(c) {
		uses[u.Claim] = append(uses[u.Claim], u)
	}
	for k, claim := range p.Claims {
		byRequest := map[string]string{}
		for _, u := range uses[k] {
			byRequest[u.Request] = cmp.Or(byRequest[u.Request], u.Why)
		}
		for _, i := range m.filesOf(claim) {
			f := &m.out.Files[i]
			if why := cmp.Or(byRequest[""], byRequest[f.Request]); why != "" {
				out.Sees = append(out.Sees, SeenDeviceMetadata{File: i, Path: f.ContainerPath, Why: why})
				continue
			}
			out.Misses = append(out.Misses, MissedDeviceMetadata{File: i, Why: unseen(claim, f, len(byRequest) > 0)})
		}
	}
	return out
}

// unseen says why a container does not see a file.
func unseen(claim prepared.Claim, f *DeviceMetadataFile, some bool) string {
	switch {
	case claim.Entry == "":
		return "it asks for none of the extended resources that the request stands for; add them to its resources"
	case some:
		return fmt.Sprintf("resources.claims lists other requests of %s only; add {name: %s, request: %s}, or leave request out", claim.Entry, claim.Entry, f.Request)
	}
	return fmt.Sprintf("resources.claims does not list %s; add it", claim.Entry)
}
