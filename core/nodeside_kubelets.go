package core

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/inventory"
	"github.com/drawbridge-dra/drawbridge/core/kubelet"
	"github.com/drawbridge-dra/drawbridge/core/schedule"
)

// nodeSide are the kubelets of a cluster, once its plan has been carried out.
type nodeSide struct {
	*outlook
	handed schedule.Handover
	// pods are those of the plan, and those that ask for extended resources and
	// went past the scheduler, which deviceless tells apart.
	pods       []*schedule.Pod
	deviceless map[*corev1.Pod]*deviceless
	// absent are drivers without a plugin, as driver or driver@node, and true
	// once that has mattered.
	absent   map[string]bool
	kubelets map[string]*kubelet.Kubelet
	nodes    map[string]*corev1.Node
	// slicesOn tells which drivers have a slice that is for the node alone.
	slicesOn map[nodeDriver]bool
	// needed are the plugins that something depends on.
	needed  map[nodeDriver]bool
	started map[*schedule.Pod]*kubelet.Preparation
	names   map[types.UID]string
	devices map[inventory.DeviceID]inventory.Place
	ran     []string
	// cdi are the CDI devices that drivers are said to name for their devices.
	cdi map[inventory.DeviceID][]string
	// room is how many more claims and devices the answer may list.
	room int
	// drivers and answers are worked out once for each claim, however many pods
	// and nodes share it.
	drivers map[*resourceapi.ResourceClaim][]kubelet.Driver
	answers map[driverOf][]kubelet.Device
}

// mostDetails is how many claims and devices one answer lists. Pods can share
// claims, so that a text can be made to hold far more than it is long.
const mostDetails = 100_000

// hold tells whether there is room for so many, and takes it.
func (s *nodeSide) hold(n int) bool {
	if n > s.room {
		return false
	}
	s.room -= n
	return true
}

type driverOf struct {
	claim  *resourceapi.ResourceClaim
	driver string
}

type nodeDriver struct{ driver, node string }

// absentDrivers reads the option.
func (o Options) absentDrivers() (map[string]bool, error) {
	out := map[string]bool{}
	for _, one := range strings.Split(o.AbsentDrivers, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		driver, node, has := strings.Cut(one, "@")
		if len(validation.IsDNS1123Subdomain(driver)) > 0 || has && len(validation.IsDNS1123Subdomain(node)) > 0 {
			return nil, &OptionError{"absentDrivers", "must list drivers, such as gpu.example.com, or drivers of a node, such as gpu.example.com@worker-1"}
		}
		out[one] = false
	}
	return out, nil
}

func newNodeSide(ctx context.Context, o *outlook, absent map[string]bool) (*nodeSide, error) {
	s := &nodeSide{
		deviceless: map[*corev1.Pod]*deviceless{},
		cdi:        cdiDevices(o.bundle), room: mostDetails,
		drivers: map[*resourceapi.ResourceClaim][]kubelet.Driver{}, answers: map[driverOf][]kubelet.Device{},
		outlook: o, handed: o.plan.Handover(), absent: absent,
		kubelets: map[string]*kubelet.Kubelet{}, nodes: map[string]*corev1.Node{}, slicesOn: map[nodeDriver]bool{},
		needed: map[nodeDriver]bool{}, started: map[*schedule.Pod]*kubelet.Preparation{}, names: map[types.UID]string{},
		devices: map[inventory.DeviceID]inventory.Place{},
	}
	for _, n := range o.input.Nodes {
		if s.nodes[n.Name] == nil {
			s.nodes[n.Name] = n
		}
	}
	s.indexSlices()
	s.admit()
	for _, p := range o.plan.Pods {
		if pod := s.handed.Pods[p]; pod != nil {
			s.names[pod.UID] = podName(p)
		}
	}
	return s, s.start(ctx)
}

func (s *nodeSide) indexSlices() {
	for _, slice := range s.input.Slices {
		if slice.Spec.NodeName != nil {
			s.slicesOn[nodeDriver{slice.Spec.Driver, *slice.Spec.NodeName}] = true
		}
		for i := range slice.Spec.Devices {
			d := &slice.Spec.Devices[i]
			if d.NodeName != nil {
				s.slicesOn[nodeDriver{slice.Spec.Driver, *d.NodeName}] = true
			}
			id := inventory.DeviceID{Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name, Device: d.Name}
			if _, known := s.devices[id]; !known {
				s.devices[id] = inventory.Place{Object: slice, Field: fmt.Sprintf("spec.devices[%d].name", i)}
			}
		}
	}
}

// kubelet is that of a node.
func (s *nodeSide) kubelet(node string) *kubelet.Kubelet {
	k := s.kubelets[node]
	if k == nil {
		k = &kubelet.Kubelet{
			Gates:      s.gatesOf(node),
			Claim:      func(namespace, name string) *resourceapi.ResourceClaim { return s.handed.Claims[namespace+"/"+name] },
			Registered: func(driver string) bool { return s.registered(driver, node) },
		}
		k.Devices, k.Known = s.answer, s.drivers
		s.kubelets[node] = k
	}
	return k
}

// answer is what a driver answers, with the CDI devices that it names.
func (s *nodeSide) answer(driver string, claim *resourceapi.ResourceClaim) []kubelet.Device {
	at := driverOf{claim, driver}
	out, known := s.answers[at]
	if !known {
		out = kubelet.Answer(driver, claim)
		for i := range out {
			out[i].CDI = s.cdi[inventory.DeviceID{Driver: driver, Pool: out[i].Pool, Device: out[i].Device}]
		}
		s.answers[at] = out
	}
	return out
}

// gatesOf are the gates of a kubelet: those of the cluster, but that a node
// says itself whether it can skip operations.
func (s *nodeSide) gatesOf(node string) kubelet.Gates {
	g := kubelet.Gates{
		ExtendedResource:       s.set.Enabled(feature.DRAExtendedResource),
		OptionalNodeOperations: s.set.Enabled(feature.DRAOptionalNodeOperations),
		WorkloadClaims:         s.set.Enabled(feature.DRAWorkloadResourceClaims),
		Health:                 s.set.Enabled(feature.ResourceHealthStatus),
		HealthMessage:          s.set.Enabled(feature.ResourceHealthStatusMessage),
	}
	if n := s.nodes[node]; n != nil && s.set.Enabled(feature.NodeDeclaredFeatures) {
		g.OptionalNodeOperations = declaresOptional(n)
	}
	return g
}

func declaresOptional(n *corev1.Node) bool {
	return slices.Contains(n.Status.DeclaredFeatures, string(feature.DRAOptionalNodeOperations))
}

// registered tells whether a driver's plugin is on a node, and notes that it
// was asked for.
func (s *nodeSide) registered(driver, node string) bool {
	for _, name := range []string{driver, driver + "@" + node} {
		if _, is := s.absent[name]; is {
			s.absent[name] = true
			return false
		}
	}
	s.needed[nodeDriver{driver, node}] = true
	return true
}

// start lets every kubelet start its pods: first those that run, whose devices
// were prepared while everything was there, then those that have a node
// already, then those that get one now.
func (s *nodeSide) start(ctx context.Context) error {
	for turn := range 3 {
		for _, p := range s.pods {
			if err := ctx.Err(); err != nil {
				return err
			}
			pod := s.handed.Pods[p]
			if pod == nil || turnOf(p) != turn || s.deviceless[p.Pod].refused() {
				continue
			}
			k := s.kubelet(pod.Spec.NodeName)
			if turn > 0 {
				s.started[p] = k.Start(pod)
				continue
			}
			registered := k.Registered
			k.Registered = func(string) bool { return true }
			s.started[p] = k.Start(pod)
			k.Registered = registered
			if len(s.started[p].Claims) > 0 || s.deviceless[p.Pod] == nil {
				s.ran = append(s.ran, podName(p))
			}
		}
	}
	return nil
}

// turnOf is when a pod gets its turn; -1 for one that is not started.
func turnOf(p *schedule.Pod) int {
	switch phase := p.Pod.Status.Phase; {
	case phase == corev1.PodSucceeded || phase == corev1.PodFailed:
		return -1
	case p.Outcome == schedule.Before && phase == corev1.PodRunning:
		return 0
	case p.Pod.DeletionTimestamp != nil:
		return -1
	case p.Outcome == schedule.Before:
		return 1
	}
	return 2
}

// undeclared lists the nodes without the feature, if it matters to anything.
func (s *nodeSide) undeclared() []UndeclaredNode {
	if !s.set.Enabled(feature.DRAOptionalNodeOperations) || !s.set.Enabled(feature.NodeDeclaredFeatures) || !s.skipsAnything() {
		return nil
	}
	var out []UndeclaredNode
	for _, n := range s.input.Nodes {
		if declaresOptional(n) {
			continue
		}
		out = append(out, UndeclaredNode{
			Name: n.Name, Location: s.where.locate(inventory.Place{Object: n, Field: "metadata.name"}),
			Message: fmt.Sprintf("node %s does not declare %s in status.declaredFeatures, so the scheduler gives it no device that skips node operations, and its kubelet starts no pod whose claim skips one; turn the gate on in its kubelet", n.Name, feature.DRAOptionalNodeOperations),
		})
	}
	return out
}

func (s *nodeSide) skipsAnything() bool {
	for _, slice := range s.input.Slices {
		if len(slice.Spec.SkipNodeOperations) > 0 {
			return true
		}
	}
	for _, c := range s.handed.Claims {
		if a := c.Status.Allocation; a != nil {
			for i := range a.Devices.Results {
				if len(a.Devices.Results[i].SkipNodeOperations) > 0 {
					return true
				}
			}
		}
	}
	return false
}

// assumed says what was taken for granted about nodes.
func (s *nodeSide) assumed() []string {
	var out []string
	var unseen []string
	for at := range s.needed {
		if !s.slicesOn[at] {
			unseen = append(unseen, at.driver+"@"+at.node)
		}
	}
	if slices.Sort(unseen); len(unseen) > 0 {
		out = append(out, fmt.Sprintf("a driver's plugin is taken to run on a node although no slice of the driver is for that node alone (%s); name it in absentDrivers if it does not run", some(unseen)))
	}
	for _, name := range slices.Sorted(maps.Keys(s.absent)) {
		if !s.absent[name] {
			out = append(out, fmt.Sprintf("absentDrivers names %s, which no kubelet of the bundle's pods needs", name))
		}
	}
	if len(s.ran) > 0 {
		out = append(out, fmt.Sprintf("what runs is taken to have been prepared while all plugins were there (%s)", some(s.ran)))
	}
	return out
}

// some names the first few of a list.
func some(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}
