package container

import (
	"encoding/json"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/client"
)

const (
	class  = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"
	yaml   = "application/yaml"
	review = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u1","operation":"CREATE",
"kind":{"group":"resource.k8s.io","version":"v1","kind":"DeviceClass"},"resource":{"group":"resource.k8s.io","version":"v1","resource":"deviceclasses"},
"object":{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"Not A Name"},"spec":{}}}}`
)

// The image says what it is, and made again from the same sources it has the
// same layers.
func TestImage(t *testing.T) {
	second, err := build(t.Context(), "second", true)
	if err != nil {
		t.Fatal(err)
	}
	api, err := client.New(client.FromEnv)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	one, err := api.ImageInspect(t.Context(), built)
	if err != nil {
		t.Fatal(err)
	}
	other, err := api.ImageInspect(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	if len(one.RootFS.Layers) != 1 || !slices.Equal(one.RootFS.Layers, other.RootFS.Layers) {
		t.Errorf("made twice:\n%q\n%q", one.RootFS.Layers, other.RootFS.Layers)
	}
	if one.Config.User != "65532:65532" || !slices.Equal(one.Config.Entrypoint, []string{"/drawbridge"}) || one.Os != "linux" {
		t.Errorf("got %+v", one.Config)
	}
	for name, want := range map[string]string{
		"title": "drawbridge", "version": version, "revision": "0123456789", "licenses": "Apache-2.0", "source": "https://github.com/drawbridge-dra/drawbridge",
	} {
		if got := one.Config.Labels["org.opencontainers.image."+name]; got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
}

// It answers over TLS as nobody in particular, who can write nothing.
func TestAnswers(t *testing.T) {
	s := launch(t)
	if status, body := s.send("GET", "/readyz", "", ""); status != http.StatusOK {
		t.Errorf("got %d %s", status, body)
	}
	status, body := s.send("POST", "/v1/validate", class, yaml)
	var result struct{ Valid bool }
	if err := json.Unmarshal([]byte(body), &result); status != http.StatusOK || err != nil || !result.Valid {
		t.Errorf("got %d %s", status, body)
	}
	status, body = s.send("POST", "/admission/validate", review, "application/json")
	var answer struct {
		Response struct {
			UID     string
			Allowed bool
			Status  struct{ Code int }
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); status != http.StatusOK || err != nil || answer.Response.UID != "u1" || answer.Response.Allowed || answer.Response.Status.Code != 422 {
		t.Errorf("got %d %s", status, body)
	}
	if log := logs(t, s.DockerContainer); !strings.Contains(log, "drawbridge "+version+" listens on") {
		t.Errorf("the version is missing: %s", log)
	}

	top, err := s.api.ContainerTop(t.Context(), s.GetContainerID(), client.ContainerTopOptions{Arguments: []string{"-eo", "pid,uid,gid,comm"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(top.Processes) != 1 || top.Processes[0][1] != "65532" || top.Processes[0][2] != "65532" {
		t.Errorf("processes, with uid and gid: %v", top.Processes)
	}
	if err := s.CopyToContainer(t.Context(), []byte("x"), "/x", 0o644); err == nil {
		t.Error("a file could be put into the root")
	}
}

// A pod that is deleted fails nobody: what is under way and what still comes
// is answered, and the process ends well.
func TestDrain(t *testing.T) {
	s := launch(t, "--shutdown-delay=10s", "--shutdown-timeout=30s")
	// One that takes longer than the delay.
	body, feed := newSlowBody(class)
	slow := make(chan int, 1)
	go func() {
		r, err := http.NewRequest("POST", s.url+"/v1/validate", body)
		if err != nil {
			slow <- 0
			return
		}
		r.Header.Set("Content-Type", yaml)
		res, err := (&http.Client{Transport: s.client.Transport}).Do(r)
		if err != nil {
			t.Log(err)
			slow <- 0
			return
		}
		res.Body.Close()
		slow <- res.StatusCode
	}()
	<-body.begun

	// Many that come until the word has spread that it leaves.
	moved := make(chan struct{})
	var workers sync.WaitGroup
	var mu sync.Mutex
	answered, failed := 0, []string{}
	for range 4 {
		workers.Go(func() {
			for {
				select {
				case <-moved:
					return
				default:
				}
				for path, request := range map[string][2]string{"/v1/validate": {class, yaml}, "/admission/validate": {review, "application/json"}} {
					status, text := s.send("POST", path, request[0], request[1])
					mu.Lock()
					if answered++; status != http.StatusOK {
						failed = append(failed, text)
					}
					mu.Unlock()
				}
			}
		})
	}
	time.Sleep(time.Second)
	if _, err := s.api.ContainerKill(t.Context(), s.GetContainerID(), client.ContainerKillOptions{Signal: "SIGTERM"}); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for {
		status, text := s.send("GET", "/readyz", "", "")
		if status == http.StatusServiceUnavailable {
			break
		}
		if status != http.StatusOK || time.Since(start) > 30*time.Second {
			t.Fatalf("it does not say that it leaves: %d %s", status, text)
		}
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(2 * time.Second)
	close(moved)
	workers.Wait()
	if len(failed) > 0 || answered == 0 {
		t.Errorf("%d of %d requests failed, the first with %s", len(failed), answered, first(failed))
	}
	time.Sleep(time.Until(start.Add(11 * time.Second)))
	close(feed)
	if status := <-slow; status != http.StatusOK {
		t.Errorf("the request that was under way got %d", status)
	}
	result := s.api.ContainerWait(t.Context(), s.GetContainerID(), client.ContainerWaitOptions{})
	select {
	case got := <-result.Result:
		if got.StatusCode != 0 {
			t.Errorf("it ended with %d", got.StatusCode)
		}
	case err := <-result.Error:
		t.Error(err)
	case <-time.After(time.Minute):
		t.Error("it does not end")
	}
	if runtime.GOOS == "linux" && s.state(t).State.OOMKilled {
		t.Error("it was killed for its memory")
	}
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// More and larger bundles than there is memory for at once are turned away or
// wait; they do not end the process.
func TestMemory(t *testing.T) {
	s := launch(t, "--max-body-bytes=2097152", "--max-concurrent-bundles=2")
	stats := s.state(t).HostConfig.Memory
	if stats != memory {
		t.Fatalf("the engine limits to %d bytes", stats)
	}
	var b strings.Builder
	for b.Len() < 2<<20-len(class)-8 {
		b.WriteString(class + "---\n")
	}
	text := b.String()
	var clients sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for range 6 {
		clients.Go(func() {
			for range 2 {
				status, _ := s.send("POST", "/v1/validate", text, yaml)
				mu.Lock()
				statuses[status]++
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	for status := range statuses {
		if !slices.Contains([]int{http.StatusOK, http.StatusTooManyRequests, http.StatusServiceUnavailable}, status) {
			t.Errorf("answers by status: %v", statuses)
		}
	}
	if statuses[http.StatusOK] == 0 {
		t.Errorf("nobody was answered: %v", statuses)
	}
	if status, body := s.send("POST", "/v1/validate", text+strings.Repeat("#", 100), yaml); status != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d %.200s", status, body)
	}
	if state := s.state(t).State; !state.Running || state.OOMKilled {
		t.Errorf("got %+v", state)
	}
	if status, body := s.send("GET", "/readyz", "", ""); status != http.StatusOK {
		t.Errorf("got %d %s", status, body)
	}
}
