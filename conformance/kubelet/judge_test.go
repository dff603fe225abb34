package kubelet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/klog/v2"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/dra"

	ours "github.com/drawbridge-dra/drawbridge/core/kubelet"
)

// world is what an API server holds, and which CDI devices drivers name.
type world struct {
	sync.Mutex
	claims map[string]*resourceapi.ResourceClaim
	cdi    map[string][]string // by driver/pool/device
}

func (w *world) claim(namespace, name string) *resourceapi.ResourceClaim {
	w.Lock()
	defer w.Unlock()
	return w.claims[namespace+"/"+name]
}

// devices is what a driver answers.
func (w *world) devices(driver string, claim *resourceapi.ResourceClaim) []ours.Device {
	out := ours.Answer(driver, claim)
	for i := range out {
		out[i].CDI = w.cdi[driver+"/"+out[i].Pool+"/"+out[i].Device]
	}
	return out
}

// client is as much of an API server as the manager asks for.
type client struct {
	kubernetes.Interface
	resourceclient.ResourceV1Interface
	resourceclient.ResourceSliceInterface
	world *world
}

func (c client) ResourceV1() resourceclient.ResourceV1Interface { return c }

func (c client) ResourceSlices() resourceclient.ResourceSliceInterface { return c }

func (c client) DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error {
	return nil
}

func (c client) ResourceClaims(namespace string) resourceclient.ResourceClaimInterface {
	return claimClient{namespace: namespace, world: c.world}
}

type claimClient struct {
	resourceclient.ResourceClaimInterface
	namespace string
	world     *world
}

func (c claimClient) Get(_ context.Context, name string, _ metav1.GetOptions) (*resourceapi.ResourceClaim, error) {
	if claim := c.world.claim(c.namespace, name); claim != nil {
		return claim.DeepCopy(), nil
	}
	return nil, apierrors.NewNotFound(resourceapi.Resource("resourceclaims"), name)
}

// plugin is that of a driver: a gRPC server on a Unix socket. It answers for
// every claim that it is asked about, and notes the calls.
type plugin struct {
	drapb.UnimplementedDRAPluginServer
	driver, socket string
	drivers        *drivers
}

// drivers are all plugins of a test.
type drivers struct {
	sync.Mutex
	world   *world
	plugins map[string]*plugin
	calls   []string
}

func (p *plugin) note(method string, claims []*drapb.Claim) {
	var uids []string
	for _, c := range claims {
		uids = append(uids, c.Uid)
	}
	p.drivers.calls = append(p.drivers.calls, spelled(method, p.driver, uids))
}

// spelled writes a call down. The claims in it come in any order.
func spelled(method, driver string, uids []string) string {
	slices.Sort(uids)
	return method + " " + driver + " " + strings.Join(uids, ",")
}

func (p *plugin) NodePrepareResources(_ context.Context, req *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
	p.drivers.Lock()
	defer p.drivers.Unlock()
	p.note("prepare", req.Claims)
	out := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
	for _, c := range req.Claims {
		claim := p.drivers.world.claim(c.Namespace, c.Name)
		if claim == nil || string(claim.UID) != c.Uid {
			return nil, fmt.Errorf("asked for %s/%s with UID %s, which is not there", c.Namespace, c.Name, c.Uid)
		}
		answer := &drapb.NodePrepareResourceResponse{}
		for _, d := range p.drivers.world.devices(p.driver, claim) {
			answer.Devices = append(answer.Devices, &drapb.Device{PoolName: d.Pool, DeviceName: d.Device, RequestNames: d.Requests, CdiDeviceIds: d.CDI})
		}
		out.Claims[c.Uid] = answer
	}
	return out, nil
}

func (p *plugin) NodeUnprepareResources(_ context.Context, req *drapb.NodeUnprepareResourcesRequest) (*drapb.NodeUnprepareResourcesResponse, error) {
	p.drivers.Lock()
	defer p.drivers.Unlock()
	p.note("unprepare", req.Claims)
	out := &drapb.NodeUnprepareResourcesResponse{Claims: map[string]*drapb.NodeUnprepareResourceResponse{}}
	for _, c := range req.Claims {
		out.Claims[c.Uid] = &drapb.NodeUnprepareResourceResponse{}
	}
	return out, nil
}

// taken returns the calls since it was asked last.
func (d *drivers) taken() []string {
	d.Lock()
	defer d.Unlock()
	out := d.calls
	d.calls = nil
	slices.Sort(out)
	return out
}

// enter makes the world another one.
func (d *drivers) enter(w *world) {
	d.Lock()
	defer d.Unlock()
	d.world, d.calls = w, nil
}

// startDrivers starts a plugin for each name.
func startDrivers(t *testing.T, names ...string) *drivers {
	t.Helper()
	// The path of a socket must be short.
	dir, err := os.MkdirTemp("", "dra")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	d := &drivers{plugins: map[string]*plugin{}}
	for i, name := range names {
		p := &plugin{driver: name, drivers: d, socket: filepath.Join(dir, fmt.Sprintf("%d.sock", i))}
		listener, err := net.Listen("unix", p.socket)
		if err != nil {
			t.Fatal(err)
		}
		server := grpc.NewServer()
		drapb.RegisterDRAPluginServer(server, p)
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(server.Stop)
		d.plugins[name] = p
	}
	return d
}

// judge is a kubelet's manager of claims.
type judge struct {
	*dra.Manager
	t       *testing.T
	ctx     context.Context
	drivers *drivers
	on      map[string]bool
	// streams are those that the manager still listens to.
	streams *sync.WaitGroup
}

// newJudge starts a manager for a node in the world, without any plugin.
func newJudge(t *testing.T, w *world, d *drivers) *judge {
	t.Helper()
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), klog.Logger{}))
	m, err := dra.NewManager(klog.Logger{}, client{world: w}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	node := func(context.Context) (*corev1.Node, error) {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}, nil
	}
	if err := m.Start(ctx, func() []*corev1.Pod { return nil }, node, nil); err != nil {
		t.Fatal(err)
	}
	j := &judge{Manager: m, t: t, ctx: ctx, drivers: d, on: map[string]bool{}, streams: &sync.WaitGroup{}}
	t.Cleanup(func() { cancel(); j.streams.Wait(); m.Stop() })
	d.enter(w)
	return j
}

// register makes a plugin known, or forgotten.
func (j *judge) register(driver string, on bool) {
	j.t.Helper()
	if j.on[driver] == on {
		return
	}
	j.on[driver] = on
	handler, socket := j.GetWatcherHandler(), j.drivers.plugins[driver].socket
	if !on {
		handler.DeRegisterPlugin(j.ctx, driver, socket)
		return
	}
	if err := handler.RegisterPlugin(j.ctx, driver, socket, []string{drapb.DRAPluginService}, nil); err != nil {
		j.t.Fatal(err)
	}
}

// ours is a kubelet of ours in the same world.
func (j *judge) ours(w *world, gates ours.Gates) *ours.Kubelet {
	return &ours.Kubelet{Gates: gates, Claim: w.claim, Registered: func(driver string) bool { return j.on[driver] }, Devices: w.devices}
}

// scene is a world with pods, the judge and a kubelet of ours in it.
type scene struct {
	generator *generator
	pods      []*corev1.Pod
	world     *world
	judge     *judge
	ours      *ours.Kubelet
}

// newScene makes one. Each plugin is there with the given chance.
func newScene(t *testing.T, all *drivers, gates ours.Gates, chance rand.Source, there int) *scene {
	t.Helper()
	s := &scene{generator: &generator{Rand: rand.New(chance)}}
	for i := range mostPods {
		s.pods = append(s.pods, s.generator.pod(i))
	}
	s.world = s.generator.world(s.pods)
	s.judge = newJudge(t, s.world, all)
	s.ours = s.judge.ours(s.world, gates)
	for _, driver := range driverNames {
		s.judge.register(driver, s.generator.chance(there))
	}
	return s
}

func uids(list []types.UID) []string {
	var out []string
	for _, uid := range list {
		out = append(out, string(uid))
	}
	return out
}
