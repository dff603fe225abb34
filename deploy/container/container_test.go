package container

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/wait"

	"github.com/drawbridge-dra/drawbridge/deploy/image"
)

const (
	repository = "drawbridge-test"
	version    = "v0.0.0-test"
)

// here is the engine of all tests.
var here *engine

// TestMain starts an engine where there is none. Where none can be had, that
// is a failure on machines that build, and said on others.
func TestMain(m *testing.M) {
	log.SetDefault(log.NewNoopLogger())
	e, err := start(context.Background(), works)
	if err != nil {
		fmt.Fprintln(os.Stderr, "the image cannot be tried in a container:", err)
		if os.Getenv("CI") != "" {
			os.Exit(1)
		}
		fmt.Fprintln(os.Stderr, "NOT TESTED; with CI set this is a failure")
		os.Exit(0)
	}
	here = e
	code := m.Run()
	remove()
	e.stop()
	os.Exit(code)
}

// built is the image that works has made.
var built string

// works makes the image with an engine, and lets it say its version.
func works(e *engine) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	var err error
	if built, err = build(ctx, "first", false); err != nil {
		return err
	}
	options := []testcontainers.ContainerCustomizer{testcontainers.WithCmd("version"), testcontainers.WithWaitStrategyAndDeadline(time.Minute, wait.ForExit())}
	if e.hostNetwork {
		options = append(options, testcontainers.WithHostConfigModifier(func(h *container.HostConfig) { h.NetworkMode = "host" }))
	}
	c, err := testcontainers.Run(ctx, built, options...)
	if c != nil {
		defer func() { _ = c.Terminate(context.WithoutCancel(ctx)) }()
	}
	if err != nil {
		return err
	}
	r, err := c.Logs(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	said, err := io.ReadAll(r)
	if err == nil && !strings.Contains(string(said), "drawbridge "+version) {
		err = fmt.Errorf("the container says %q", said)
	}
	return err
}

// build makes the image from a folder of its own.
func build(ctx context.Context, tag string, anew bool) (string, error) {
	folder, err := os.MkdirTemp("", "drawbridge-image")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	c := image.Context{Root: "../..", Folder: folder, Arch: runtime.GOARCH, Version: version, Epoch: time.Unix(1_700_000_000, 0)}
	if err := c.Make(ctx); err != nil {
		return "", err
	}
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return "", err
	}
	defer provider.Close()
	arch, revision, told := runtime.GOARCH, "0123456789", version
	return provider.BuildImage(ctx, &testcontainers.ContainerRequest{FromDockerfile: testcontainers.FromDockerfile{
		Context: folder, Repo: repository, Tag: tag, KeepImage: true,
		BuildArgs:            map[string]*string{"TARGETARCH": &arch, "VERSION": &told, "REVISION": &revision},
		BuildOptionsModifier: func(o *client.ImageBuildOptions) { o.NoCache = anew },
	}})
}

// remove takes the images away.
func remove() {
	c, err := client.New(client.FromEnv)
	if err != nil {
		return
	}
	defer c.Close()
	for _, tag := range []string{"first", "second"} {
		_, _ = c.ImageRemove(context.Background(), repository+":"+tag, client.ImageRemoveOptions{Force: true, PruneChildren: true})
	}
}

// server is a container that answers.
type server struct {
	*testcontainers.DockerContainer
	api    *client.Client
	url    string
	client *http.Client
}

// memory is what the container may use.
const memory = 512 << 20

// launch starts the image as the manifests do: not root, nothing to write to,
// no capability.
func launch(t *testing.T, args ...string) *server {
	t.Helper()
	listen := "--https-listen=:8443"
	if here.hostNetwork {
		listen = "--https-listen=127.0.0.1:0"
	}
	options := []testcontainers.ContainerCustomizer{
		testcontainers.WithCmd(append([]string{"serve", "--http-listen=", listen}, args...)...),
		testcontainers.WithEnv(map[string]string{"GOMEMLIMIT": "450MiB"}),
		testcontainers.WithHostConfigModifier(func(h *container.HostConfig) {
			h.ReadonlyRootfs = true
			h.CapDrop = []string{"ALL"}
			h.SecurityOpt = []string{"no-new-privileges"}
			h.Memory, h.MemorySwap = memory, memory
			if here.hostNetwork {
				h.NetworkMode = "host"
			}
		}),
		testcontainers.WithWaitStrategyAndDeadline(time.Minute, wait.ForLog("listens on https://")),
	}
	if !here.hostNetwork {
		options = append(options, testcontainers.WithExposedPorts("8443/tcp"))
	}
	c, err := testcontainers.Run(t.Context(), built, options...)
	if c != nil {
		t.Cleanup(func() {
			if t.Failed() {
				t.Log(logs(t, c))
			}
			if err := c.Terminate(context.Background(), testcontainers.StopTimeout(0)); err != nil {
				t.Error(err)
			}
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &server{DockerContainer: c}
	if s.api, err = client.New(client.FromEnv); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.api.Close() })
	if here.hostNetwork {
		s.url = "https://127.0.0.1:" + regexp.MustCompile(`listens on https://\S+:(\d+)`).FindStringSubmatch(logs(t, c))[1]
	} else if s.url, err = c.PortEndpoint(t.Context(), "8443/tcp", "https"); err != nil {
		t.Fatal(err)
	}
	s.client = &http.Client{Transport: s.trusting(t), Timeout: time.Minute}
	return s
}

// trusting trusts the certificate that the server made for itself, and no
// other.
func (s *server) trusting(t *testing.T) *http.Transport {
	t.Helper()
	u, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := tls.Dial("tcp", u.Host, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	pool := x509.NewCertPool()
	pool.AddCert(conn.ConnectionState().PeerCertificates[0])
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "localhost"}, MaxIdleConnsPerHost: 16}
}

// send makes a request and gives status and body, or 0 and what went wrong.
func (s *server) send(method, path, body, media string) (int, string) {
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	r.Header.Set("Content-Type", media)
	res, err := s.client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(text)
}

// state is what the engine says about the container.
func (s *server) state(t *testing.T) container.InspectResponse {
	t.Helper()
	got, err := s.api.ContainerInspect(t.Context(), s.GetContainerID(), client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return got.Container
}

func logs(t *testing.T, c *testcontainers.DockerContainer) string {
	t.Helper()
	r, err := c.Logs(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
