// Package clustertest answers tests as an API server would that has a handful
// of objects: in pages, with refusals, in older versions, or not at all.
package clustertest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Token is what the server lets in, and Body is in every refusal. Neither may
// ever be printed.
const (
	Token = "token-that-nobody-may-see"
	Body  = "body-that-nobody-may-see"
)

// Options say what the server has.
type Options struct {
	// Objects are YAML documents.
	Objects string
	// Minor is the minor version of Kubernetes; 0 for 37.
	Minor int
	// Gates are feature gates as "A=true B=false". Without any /metrics is
	// forbidden.
	Gates string
	// Serves are the versions of resource.k8s.io; v1 where none is named.
	Serves []string
	// Refuses are codes by path.
	Refuses map[string]int
	// Before hears of each request first, and may keep it waiting.
	Before func(*http.Request)
	// Expired gives the server a certificate that is past its end.
	Expired bool
	// Page is how many objects a page has at most, whatever is asked for.
	Page int
}

// Server is one that runs.
type Server struct {
	*httptest.Server
	opts  Options
	items map[string][]*unstructured.Unstructured // by resource

	mu    sync.Mutex
	asked []string
}

// Start starts a server.
func Start(o Options) (*Server, error) {
	s := &Server{opts: o, items: map[string][]*unstructured.Unstructured{}}
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(o.Objects), 4096)
	for {
		u := &unstructured.Unstructured{}
		err := decoder.Decode(u)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(u.Object) > 0 {
			s.items[resource(u.GetKind())] = append(s.items[resource(u.GetKind())], u)
		}
	}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail on purpose
	if o.Expired {
		pair, err := expired()
		if err != nil {
			return nil, err
		}
		s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	}
	s.StartTLS()
	return s, nil
}

// expired makes a certificate that ended long ago.
func expired() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(3600, 0), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, err
}

// resource is where objects of a kind are.
func resource(kind string) string {
	name := strings.ToLower(kind) + "s"
	return strings.Replace(name, "classs", "classes", 1)
}

// Kubeconfig leads to the server.
func (s *Server) Kubeconfig() string {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	text, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": []any{map[string]any{"name": "test", "cluster": map[string]any{"server": s.URL, "certificate-authority-data": ca}}},
		"users":    []any{map[string]any{"name": "test", "user": map[string]any{"token": Token}}, map[string]any{"name": "stranger", "user": map[string]any{"token": Token + "-of-old"}}},
		"contexts": []any{
			map[string]any{"name": "test", "context": map[string]any{"cluster": "test", "user": "test", "namespace": "ml"}},
			map[string]any{"name": "stranger", "context": map[string]any{"cluster": "test", "user": "stranger"}},
		},
	})
	if err != nil {
		panic(err) // no map of texts fails
	}
	return string(text)
}

// Asked are the requests so far: method, path and query.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// ServeHTTP answers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.String())
	s.mu.Unlock()
	if s.opts.Before != nil {
		s.opts.Before(r)
	}
	code := s.opts.Refuses[r.URL.Path]
	switch {
	case r.Method != http.MethodGet:
		code = http.StatusMethodNotAllowed
	case r.Header.Get("Authorization") != "Bearer "+Token:
		code = http.StatusUnauthorized
	}
	if code == 0 {
		code = s.answer(w, r)
	}
	if code != http.StatusOK {
		http.Error(w, Body, code)
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) (code int) {
	minor := s.opts.Minor
	if minor == 0 {
		minor = 37
	}
	const group = "resource.k8s.io"
	serves := s.opts.Serves
	if len(serves) == 0 {
		serves = []string{"v1"}
	}
	var out any
	switch path := r.URL.Path; {
	case path == "/version":
		out = map[string]any{"major": "1", "minor": strconv.Itoa(minor), "gitVersion": fmt.Sprintf("v1.%d.2", minor)}
	case path == "/metrics" && s.opts.Gates == "":
		return http.StatusForbidden
	case path == "/metrics":
		for _, gate := range strings.Fields(s.opts.Gates) {
			name, on, _ := strings.Cut(gate, "=")
			value := map[bool]int{true: 1, false: 0}[on == "true"]
			_, _ = fmt.Fprintf(w, "# TYPE kubernetes_feature_enabled gauge\nkubernetes_feature_enabled{name=%q,stage=\"BETA\"} %d\n", name, value)
		}
		return http.StatusOK
	case path == "/apis/"+group:
		var versions []any
		for _, v := range serves {
			versions = append(versions, map[string]any{"groupVersion": group + "/" + v})
		}
		out = map[string]any{"versions": versions}
	case slices.Contains(serves, strings.TrimPrefix(path, "/apis/"+group+"/")):
		var resources []any
		for _, name := range []string{"deviceclasses", "devicetaintrules", "resourceclaims", "resourceclaims/status", "resourceclaimtemplates", "resourceslices"} {
			resources = append(resources, map[string]any{"name": name})
		}
		out = map[string]any{"resources": resources}
	default:
		return s.list(w, r, serves)
	}
	_ = json.NewEncoder(w).Encode(out)
	return http.StatusOK
}

// list answers with a page: /api/v1/[namespaces/NAME/]RESOURCE, or the same
// below /apis/GROUP/VERSION.
func (s *Server) list(w http.ResponseWriter, r *http.Request, serves []string) (code int) {
	version, rest := "v1", strings.TrimPrefix(r.URL.Path, "/api/v1/")
	if rest == r.URL.Path {
		parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/apis/"), "/", 3)
		if len(parts) < 3 || parts[0] != "resource.k8s.io" || !slices.Contains(serves, parts[1]) {
			return http.StatusNotFound
		}
		version, rest = parts[0]+"/"+parts[1], parts[2]
	}
	namespace := ""
	if inside, ok := strings.CutPrefix(rest, "namespaces/"); ok {
		namespace, rest, _ = strings.Cut(inside, "/")
	}
	kinds := map[string]string{
		"nodes": "Node", "namespaces": "Namespace", "pods": "Pod", "deviceclasses": "DeviceClass", "devicetaintrules": "DeviceTaintRule",
		"resourceclaims": "ResourceClaim", "resourceclaimtemplates": "ResourceClaimTemplate", "resourceslices": "ResourceSlice",
	}
	if kinds[rest] == "" {
		return http.StatusNotFound
	}
	items := []any{}
	for _, u := range s.items[rest] {
		if (namespace == "" || u.GetNamespace() == namespace) && u.GetAPIVersion() == version {
			// An API server leaves these out of the items of a list.
			one := u.DeepCopy()
			delete(one.Object, "apiVersion")
			delete(one.Object, "kind")
			items = append(items, one.Object)
		}
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	if limit == 0 {
		limit = len(items) - from
	}
	if s.opts.Page > 0 {
		limit = min(limit, s.opts.Page)
	}
	end := min(from+limit, len(items))
	metadata := map[string]any{"resourceVersion": "1"}
	if end < len(items) {
		metadata["continue"], metadata["remainingItemCount"] = strconv.Itoa(end), len(items)-end
	}
	var out bytes.Buffer
	if err := json.NewEncoder(&out).Encode(map[string]any{"apiVersion": version, "kind": kinds[rest] + "List", "metadata": metadata, "items": items[from:end]}); err != nil {
		return http.StatusInternalServerError
	}
	_, _ = w.Write(out.Bytes())
	return http.StatusOK
}
