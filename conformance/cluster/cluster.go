package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Sets of feature gates, in the form of the programs' flag.
const (
	DefaultGates = ""
	AllGates     = "AllAlpha=true,AllBeta=true"
)

// Options choose what runs, and how. The zero value is a whole control plane
// with the defaults of its version.
type Options struct {
	// FeatureGates are given to every program: "A=true,B=false".
	FeatureGates string
	// RuntimeConfig are the API groups and versions that are served, as
	// "api/all=true" or "resource.k8s.io/v1beta2=true". With AllGates it is
	// "api/all=true" unless something else is said.
	RuntimeConfig string
	// WithoutScheduler and WithoutControllers leave these out.
	WithoutScheduler, WithoutControllers bool
	// Controllers to run instead of DefaultControllers.
	Controllers []string
	// BindingTimeout is how long the scheduler waits for binding conditions;
	// its default are ten minutes.
	BindingTimeout time.Duration
	// APIServerFlags, SchedulerFlags and ControllerFlags come last and so win
	// over what Start chooses.
	APIServerFlags, SchedulerFlags, ControllerFlags []string
}

// DefaultControllers are those that matter to devices and to cleaning up.
// The ones that watch over nodes are left out: without a kubelet they would
// declare every node dead.
var DefaultControllers = []string{
	"resourceclaim-controller", "device-taint-eviction-controller", "resourcepoolstatusrequest-controller",
	"namespace-controller", "garbage-collector-controller",
}

// Cluster is a control plane that runs.
type Cluster struct {
	options  Options
	dir      string
	programs string
	config   *rest.Config
	token    string
	port     int

	// processes, in the order in which they were started.
	processes []*process
}

// Start runs a control plane until the test and its subtests have ended. It
// fails the test if that is not possible, and shows the logs of the programs
// if the test fails for whatever reason.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	c, err := New(t.Context(), o)
	if err != nil {
		t.Fatalf("no control plane: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(c.Logs())
		}
		if err := c.Stop(); err != nil {
			t.Errorf("stopping the control plane: %v", err)
		}
	})
	return c
}

// New is Start without a test to belong to; the caller calls Stop. The context
// bounds the start, not the life.
func New(ctx context.Context, o Options) (c *Cluster, err error) {
	bin, err := Build(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "controlplane-")
	if err != nil {
		return nil, err
	}
	c = &Cluster{options: o, dir: dir, programs: bin}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
		}
	}()
	for _, step := range []func(context.Context) error{c.write, c.startEtcd, c.startAPIServer, c.startScheduler, c.startControllers} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Config is for clients; whoever changes it copies it first. Its user may do
// everything.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.config) }

// Kubeconfig is the path of a file that says the same as Config.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// LogDir holds a log for each program, named after it.
func (c *Cluster) LogDir() string { return filepath.Join(c.dir, "logs") }

// Logs are the last lines of every program.
func (c *Cluster) Logs() string {
	var out strings.Builder
	for _, p := range c.processes {
		fmt.Fprintf(&out, "--- %s\n%s\n", p.name, tail(p.log))
	}
	return out.String()
}

// Stop ends everything and removes its files. Stopping twice does no harm.
func (c *Cluster) Stop() error {
	var problems []error
	// Last comes first: without etcd the API server would hang.
	for i := len(c.processes) - 1; i >= 0; i-- {
		problems = append(problems, c.processes[i].stop(10*time.Second))
	}
	c.processes = nil
	return errors.Join(append(problems, os.RemoveAll(c.dir))...)
}

// write lays out the files that the programs read.
func (c *Cluster) write(context.Context) error {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	c.token = hex.EncodeToString(random)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	if err := os.Mkdir(c.LogDir(), 0o755); err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"tokens":         []byte(c.token + ",admin,admin,system:masters\n"),
		"accounts.key":   pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}),
		"accounts.pub":   pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}),
		"scheduler.yaml": []byte(c.schedulerConfig()),
	} {
		if err := os.WriteFile(filepath.Join(c.dir, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// launch starts a program and remembers it.
func (c *Cluster) launch(name string, args ...string) (*process, error) {
	p, err := start(name, c.program(name), c.LogDir(), args...)
	if err == nil {
		c.processes = append(c.processes, p)
	}
	return p, err
}

const apiServer = "kube-apiserver"

func (c *Cluster) program(name string) string { return filepath.Join(c.programs, name) }

// await tries something until it works, the process has ended, or the time
// is over.
func await(ctx context.Context, p *process, limit time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if ended := p.ended(); ended != nil {
			return ended
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready after %s: %w; the end of its log:\n%s", p.name, limit, err, tail(p.log))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// readyWithin is generous: machines that test are slow and have others to
// serve.
const readyWithin = 2 * time.Minute

func (c *Cluster) etcdSocket() string { return filepath.Join(c.dir, "etcd.sock") }

func (c *Cluster) startEtcd(ctx context.Context) error {
	p, err := c.launch("etcd",
		"--data-dir", filepath.Join(c.dir, "etcd"),
		"--listen-client-urls", "unix://"+c.etcdSocket(),
		// Nobody reads the address that is announced, and a socket cannot be.
		"--advertise-client-urls", "http://127.0.0.111:0",
		"--listen-peer-urls", "http://127.0.0.1:0",
		"--log-level", "warn",
		// What a test stores need not outlive the machine.
		"--unsafe-no-fsync",
	)
	if err != nil {
		return err
	}
	return await(ctx, p, readyWithin, func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", c.etcdSocket())
		if err == nil {
			err = conn.Close()
		}
		return err
	})
}

// startAPIServer tries another port if somebody took the free one first.
func (c *Cluster) startAPIServer(ctx context.Context) error {
	const attempts = 3
	var err error
	for range attempts {
		if c.port, err = freePort(); err != nil {
			return err
		}
		var p *process
		if p, err = c.launch(apiServer, c.apiServerFlags()...); err != nil {
			return err
		}
		if err = await(ctx, p, readyWithin, c.ready); err == nil {
			return c.writeKubeconfig()
		}
		if !strings.Contains(err.Error(), "address already in use") {
			return err
		}
		c.processes = c.processes[:len(c.processes)-1]
	}
	return err
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// ready also reads the certificate that the API server has made for itself.
func (c *Cluster) ready(ctx context.Context) error {
	config := &rest.Config{
		Host: fmt.Sprintf("https://127.0.0.1:%d", c.port), BearerToken: c.token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(c.dir, "certificates", "apiserver.crt")},
		QPS:             -1,
	}
	if err := rest.LoadTLSFiles(config); err != nil {
		return err
	}
	config.CAFile = ""
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); err != nil {
		return err
	}
	c.config = config
	return nil
}

func (c *Cluster) startScheduler(context.Context) error {
	if c.options.WithoutScheduler {
		return nil
	}
	_, err := c.launch("kube-scheduler", c.schedulerFlags()...)
	return err
}

func (c *Cluster) startControllers(context.Context) error {
	if c.options.WithoutControllers {
		return nil
	}
	_, err := c.launch("kube-controller-manager", c.controllerFlags()...)
	return err
}
