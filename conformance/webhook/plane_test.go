package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/drawbridge-dra/drawbridge/conformance/cluster"
)

// root is the checkout.
var root = filepath.Join("..", "..")

// patience is how long anything that has to happen may take: machines that
// test are slow and have others to serve.
const patience = 2 * time.Minute

// plane is the control plane that the tests share.
var plane struct {
	*cluster.Cluster
	client kubernetes.Interface
	// kubectl is the program, home a folder for what it remembers.
	kubectl, home string
	err           error
}

func TestMain(m *testing.M) {
	if cert := os.Getenv(bareCert); cert != "" {
		os.Exit(serveBare(cert, os.Getenv(bareKey)))
	}
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "webhook-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	plane.home = dir
	defer func() {
		if plane.Cluster == nil {
			return
		}
		if code != 0 {
			fmt.Fprintln(os.Stderr, plane.Logs())
		}
		if err := plane.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	return m.Run()
}

// control starts the control plane for the first test that needs one.
func control(t testing.TB) {
	t.Helper()
	if plane.Cluster == nil && plane.err == nil {
		plane.err = startPlane(t.Context())
	}
	if plane.err != nil {
		t.Fatalf("no control plane: %v", plane.err)
	}
}

func startPlane(ctx context.Context) error {
	c, err := cluster.New(ctx, cluster.Options{
		// They would tidy up what the tests leave lying about on purpose.
		WithoutControllers: true,
		// Where ResourcePoolStatusRequests are; gates stay as they are.
		RuntimeConfig: "resource.k8s.io/v1alpha3=true",
	})
	if err != nil {
		return err
	}
	plane.Cluster = c
	programs, err := cluster.Build(ctx)
	if err != nil {
		return err
	}
	plane.kubectl = filepath.Join(programs, "kubectl")
	if plane.client, err = kubernetes.NewForConfig(unhurried(c.Config())); err != nil {
		return err
	}
	// The namespace comes from elsewhere and may take a moment.
	return within(ctx, func(ctx context.Context) error {
		_, err := plane.client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		return err
	})
}

// unhurried is a configuration whose clients are not slowed down.
func unhurried(c *rest.Config) *rest.Config {
	c.QPS, c.Burst = -1, -1
	return c
}

// within tries something until it works or patience is at its end.
func within(ctx context.Context, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not within %s: %w", patience, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// eventually is within for a test.
func eventually(t testing.TB, try func(context.Context) error) {
	t.Helper()
	if err := within(t.Context(), try); err != nil {
		t.Fatal(err)
	}
}

// spoken is what kubectl said.
type spoken struct {
	out, err string
	failed   bool
}

// kubectl runs the real one with a text as its input.
func kubectl(t testing.TB, input string, args ...string) spoken {
	t.Helper()
	return kubectlWith(t.Context(), t, input, args...)
}

func kubectlWith(ctx context.Context, t testing.TB, input string, args ...string) spoken {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, plane.kubectl, append([]string{"--kubeconfig=" + plane.Kubeconfig()}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+plane.home, "KUBECTL_KUBERC=false")
	cmd.Stdin = strings.NewReader(input)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return spoken{out: out.String(), err: problems.String(), failed: err != nil}
}

// must fails the test if kubectl did.
func (s spoken) must(t testing.TB) spoken {
	t.Helper()
	if s.failed {
		t.Fatalf("kubectl failed: %s%s", s.out, s.err)
	}
	return s
}

// says fails the test unless all of that was said on standard error.
func (s spoken) says(t testing.TB, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(s.err, w) {
			t.Errorf("kubectl does not say %q, but:\n%s%s", w, s.out, s.err)
		}
	}
}
