package cluster

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/drawbridge-dra/drawbridge/cluster/client"
	"github.com/drawbridge-dra/drawbridge/cluster/clustertest"
)

func pending(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/pending.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func serve(t *testing.T, o clustertest.Options) (*clustertest.Server, *rest.Config) {
	t.Helper()
	s, err := clustertest.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	cfg, err := clientcmd.RESTConfigFromKubeConfig([]byte(s.Kubeconfig()))
	if err != nil {
		t.Fatal(err)
	}
	return s, cfg
}

// text is the whole snapshot.
func text(t *testing.T, s *Snapshot) string {
	t.Helper()
	var out strings.Builder
	for _, f := range s.Lay(nil, "ml").Files {
		content, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("# " + f.Name + "\n" + string(content))
	}
	return out.String()
}

const lists = "/apis/resource.k8s.io/v1/"

// TestRead reads a whole cluster, page by page, and gets the same however long
// the pages are, in the order of kubectl and of the scheduler.
func TestRead(t *testing.T) {
	later := strings.NewReplacer("name: train", "name: first", "2026-11-29T12:00:00Z", "2026-11-29T13:00:00Z", "priority: 0", "priority: 5", "000000000063", "000000000065").Replace(pending(t)[strings.LastIndex(pending(t), "---\napiVersion: v1\nkind: Pod\nmetadata: {name: train"):])
	later = later[:strings.LastIndex(later, "---")]
	var first string
	for _, page := range []int{0, 1, 3} {
		server, cfg := serve(t, clustertest.Options{Objects: pending(t) + later, Page: page, Gates: "DRAPartitionableDevices=false DRADeviceTaints=true Other=true"})
		s, err := Read(t.Context(), cfg, Options{Use: Plan, Within: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if s.Git != "v1.37.2" || s.Known != "1.37" || s.Gates != "DRAPartitionableDevices=false" || len(s.Notes) != 0 {
			t.Errorf("%+v %q", s.Version, append(s.Notes, s.Gates))
		}
		got := text(t, s)
		if first == "" {
			first = got
			var names []string
			for _, f := range s.Lay(nil, "").Files {
				names = append(names, f.Name)
			}
			want := "namespace/ml node/n1 node/n2 deviceclass/gpu.example.com resourceslice/n1-gpu resourceslice/n2-gpu resourceclaimtemplate/ml/two resourceclaim/ml/one resourceclaim/prod/both pod/ml/notebook pod/ml/web pod/prod/serve pod/ml/first pod/ml/train"
			if strings.Join(names, " ") != want {
				t.Errorf("%v", names)
			}
			if strings.Contains(got, "managedFields") || !strings.Contains(got, "# resourceslice/n1-gpu\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\n") {
				t.Errorf("%s", got)
			}
		}
		if got != first {
			t.Errorf("with pages of %d there is something else", page)
		}
		for _, asked := range server.Asked() {
			if !strings.HasPrefix(asked, "GET ") || strings.Contains(asked, "secrets") || strings.Contains(asked, "configmaps") {
				t.Error(asked)
			}
		}
	}
}

// TestUses reads for each use what it needs, and no more.
func TestUses(t *testing.T) {
	for use, kinds := range map[Use]string{
		Plan:    "deviceclasses devicetaintrules namespaces nodes pods resourceclaims resourceclaimtemplates resourceslices",
		Check:   "deviceclasses devicetaintrules namespaces nodes pods resourceclaims resourceclaimtemplates resourceslices",
		Convert: "deviceclasses devicetaintrules resourceclaims resourceclaimtemplates resourceslices",
	} {
		server, cfg := serve(t, clustertest.Options{Objects: pending(t), Gates: "DRADeviceTaints=true"})
		if _, err := Read(t.Context(), cfg, Options{Use: use, Within: time.Minute}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, asked := range server.Asked() {
			if path, _, listed := strings.Cut(asked, "?limit="); listed {
				got = append(got, path[strings.LastIndex(path, "/")+1:])
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != kinds {
			t.Errorf("%d: %v", use, got)
		}
	}
}

// TestRefusals takes things away, one at a time: a note says what is missing,
// or an error that there is no answer without.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		what    string
		refuses map[string]int
		opts    Options
		note    string
		fails   string
		objects int
	}{
		{"nodes", map[string]int{"/api/v1/nodes": 403}, Options{Use: Plan}, "Nodes may not be listed with these rights (no list on nodes): nodes are assumed", "", 11},
		{"rules", map[string]int{lists + "devicetaintrules": 403}, Options{Use: Plan}, "no list on devicetaintrules.resource.k8s.io): taints that rules", "", 13},
		{"gone between", map[string]int{lists + "devicetaintrules": 404}, Options{Use: Plan}, "the API server does not have devicetaintrules.resource.k8s.io", "", 13},
		{"claims elsewhere", map[string]int{lists + "resourceclaims": 403}, Options{Use: Plan, Namespace: "ml"}, "ResourceClaims may be listed in namespace ml only (no list on resourceclaims.resource.k8s.io in all): devices that claims of other namespaces hold count as free", "", 12},
		{"pods elsewhere", map[string]int{"/api/v1/pods": 403}, Options{Use: Plan, Namespace: "ml", Needs: []string{"Pod"}}, "Pods may be listed in namespace ml only", "", 12},
		{"pods", map[string]int{"/api/v1/pods": 403}, Options{Use: Plan}, "Pods may not be listed", "", 9},
		{"pods that are needed", map[string]int{"/api/v1/pods": 403, "/api/v1/namespaces/ml/pods": 403}, Options{Use: Plan, Namespace: "ml", Needs: []string{"Pod"}}, "", "(no list on pods), and there is no answer without: no pod is looked at", 0},
		{"slices", map[string]int{lists + "resourceslices": 403}, Options{Use: Plan}, "", "(no list on resourceslices.resource.k8s.io), and there is no answer without: which devices there are is not known; drawbridge cluster-role prints", 0},
		{"slices to check", map[string]int{lists + "resourceslices": 403}, Options{Use: Check}, "ResourceSlices may not be listed", "", 11},
		{"gates", map[string]int{"/metrics": 403}, Options{Use: Plan}, "(no get on /metrics): the defaults of Kubernetes 1.37 are taken", "", 13},
		{"version", map[string]int{"/version": 403}, Options{Use: Plan}, "the version of the API server may not be read", "", 13},
		{"discovery", map[string]int{"/apis/resource.k8s.io": 403, lists[:len(lists)-1]: 403}, Options{Use: Plan}, "", "", 13},
		{"one version", map[string]int{lists[:len(lists)-1]: 403}, Options{Use: Plan}, "", "does not serve deviceclasses.resource.k8s.io", 0},
		{"no group", map[string]int{"/apis/resource.k8s.io": 404}, Options{Use: Plan}, "", "does not serve resource.k8s.io, so it has no devices to give", 0},
		{"credentials", map[string]int{"/version": 401}, Options{Use: Plan}, "", "does not accept the credentials of the kubeconfig (401)", 0},
		{"trouble", map[string]int{"/api/v1/pods": 500}, Options{Use: Plan}, "", "Pods cannot be read of the API server at 127.0.0.1", 0},
		{"all", map[string]int{"/api/v1/nodes": 403, "/api/v1/pods": 403, "/api/v1/namespaces": 403, lists + "resourceslices": 403, lists + "resourceclaims": 403, lists + "resourceclaimtemplates": 403, lists + "devicetaintrules": 403, lists + "deviceclasses": 403},
			Options{Use: Check}, "", "nothing may be listed at", 0},
	} {
		t.Run(tt.what, func(t *testing.T) {
			_, cfg := serve(t, clustertest.Options{Objects: pending(t), Refuses: tt.refuses, Gates: "DRADeviceTaints=true"})
			tt.opts.Within = time.Minute
			s, err := Read(t.Context(), cfg, tt.opts)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) || strings.Contains(err.Error(), clustertest.Token) || strings.Contains(err.Error(), clustertest.Body) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(s.Notes, "\n"); !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
				t.Errorf("%q", s.Notes)
			}
			if len(s.objects) != tt.objects {
				t.Errorf("%d objects", len(s.objects))
			}
		})
	}
}

// TestServed reads the best version that there is.
func TestServed(t *testing.T) {
	for _, tt := range []struct {
		serves []string
		want   string
	}{
		{[]string{"v1beta1", "v1"}, "/v1/"}, {[]string{"v1beta1", "v1beta2"}, "/v1beta2/"}, {[]string{"v1beta1"}, "/v1beta1/"}, {[]string{"v1alpha3"}, "/v1alpha3/"},
	} {
		server, cfg := serve(t, clustertest.Options{Objects: pending(t), Serves: tt.serves, Minor: 33})
		s, err := Read(t.Context(), cfg, Options{Use: Plan, Within: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, asked := range server.Asked() {
			if strings.Contains(asked, "/apis/") && strings.Contains(asked, "limit=") {
				if count++; !strings.Contains(asked, tt.want) {
					t.Errorf("%v: %s", tt.serves, asked)
				}
			}
		}
		if count != 5 || s.Known != "1.33" {
			t.Errorf("%v: %d lists, %+v", tt.serves, count, s.Version)
		}
	}
	_, cfg := serve(t, clustertest.Options{Objects: pending(t), Minor: 99, Gates: "DRAPartitionableDevices=false"})
	s, err := Read(t.Context(), cfg, Options{Use: Plan, Within: time.Minute})
	if err != nil || s.Known != "" || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "v1.99.2, which is not known here") {
		t.Errorf("%v %+v", err, s)
	}
}

// TestBusy asks again where a server says so, and reads a list once more whose
// beginning is forgotten.
func TestBusy(t *testing.T) {
	turns := map[string][]int{"/api/v1/pods": {429, 200, 410, 200}}
	paths := 0
	mux := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code := turns[r.URL.Path][paths]
		paths++
		switch {
		case code == 429:
			w.Header().Set("Retry-After", "1")
		case code == 410 && r.URL.Query().Get("continue") != "x", code == 200 && paths == 4 && r.URL.RawQuery != "":
			t.Errorf("%d: %s", paths, r.URL)
		}
		w.WriteHeader(code)
		if paths == 2 {
			_, _ = w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"continue":"x"},"items":[{"metadata":{"name":"p1"}}]}`))
		} else if code == 200 {
			_, _ = w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"p1"}},{"metadata":{"name":"p2"}}]}`))
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	c, err := client.New(&rest.Config{Host: server.URL}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	r := &reading{Client: c, out: &Snapshot{}}
	if err := r.read(t.Context(), &kinds[len(kinds)-1], "v1", ""); err != nil || len(r.out.objects) != 2 || paths != 4 {
		t.Errorf("%v, %d objects in %d answers", err, len(r.out.objects), paths)
	}
}

// TestEnds gives up at once when it is told to, and after its time otherwise.
func TestEnds(t *testing.T) {
	began := make(chan struct{}, 1)
	_, cfg := serve(t, clustertest.Options{Before: func(r *http.Request) { began <- struct{}{}; <-r.Context().Done() }})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := Read(ctx, cfg, Options{Use: Plan, Within: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := Read(t.Context(), cfg, Options{Use: Plan, Within: 10 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "there is no answer within 10ms") {
		t.Errorf("%v", err)
	}
}

// TestBound shortens pods before it gives up.
func TestBound(t *testing.T) {
	pod := func(field string) *Snapshot {
		tree := map[string]any{"kind": "Pod", "metadata": map[string]any{"name": "p"}, "spec": map[string]any{"nodeName": "n", "containers": []any{map[string]any{"name": "c", field: strings.Repeat("x", 5000)}}}}
		o, err := newObject(kindOf("v1", "Pod"), tree)
		if err != nil {
			t.Fatal(err)
		}
		return &Snapshot{objects: []object{o}}
	}
	s := pod("env")
	if err := s.bound(4000, 1); err != nil || s.size() > 1000 || len(s.Notes) != 1 {
		t.Errorf("%v, %d bytes, %q", err, s.size(), s.Notes)
	}
	if err := pod("resources").bound(4000, 1); err == nil || !strings.Contains(err.Error(), "KiB of text, and at most 3 are worked on") {
		t.Errorf("%v", err)
	}
	if err := pod("env").bound(4000, 0); err == nil || !strings.Contains(err.Error(), "1 objects that matter, and at most 0") {
		t.Errorf("%v", err)
	}
}
