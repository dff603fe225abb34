package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Scenario is a bundle on its way into a cluster.
type Scenario struct {
	Name    string
	Objects []*Object
	// Draws are pods, as namespace/name, for which the scheduler has several
	// nodes that are alike. Whatever node it draws is right.
	Draws map[string]bool
}

// Object is one object of a bundle, as written and as the API server has it.
type Object struct {
	Written *unstructured.Unstructured
	// Stored is what the API server answered when the object was last
	// written, before any controller or the scheduler saw it. It is nil for an
	// object that was refused, and Refused says why.
	Stored  *unstructured.Unstructured
	Refused error
}

// ParseScenario reads YAML as kubectl does. A comment "# draw: default/p"
// names a pod whose node is a draw.
func ParseScenario(name, text string) (*Scenario, error) {
	s := &Scenario{Name: name, Draws: map[string]bool{}}
	for line := range strings.Lines(text) {
		if pods, ok := strings.CutPrefix(line, "# draw: "); ok {
			for _, pod := range strings.Split(pods, ",") {
				s.Draws[strings.TrimSpace(pod)] = true
			}
		}
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(text)), 4096)
	for {
		u := &unstructured.Unstructured{}
		err := decoder.Decode(u)
		switch {
		case errors.Is(err, io.EOF):
			return s, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case len(u.Object) == 0:
			continue
		}
		if !u.IsList() {
			s.add(u)
			continue
		}
		list, err := u.ToList()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range list.Items {
			s.add(&list.Items[i])
		}
	}
}

// clusterScoped are the kinds of bundles that have no namespace.
var clusterScoped = []string{"Namespace", "Node", "DeviceClass", "ResourceSlice", "DeviceTaintRule", "ResourcePoolStatusRequest"}

func (s *Scenario) add(u *unstructured.Unstructured) {
	if u.GetNamespace() == "" && !slices.Contains(clusterScoped, u.GetKind()) {
		u.SetNamespace(metav1.NamespaceDefault)
	}
	s.Objects = append(s.Objects, &Object{Written: u})
}

// of lists the objects of a kind, in their order.
func (s *Scenario) of(kind string) []*Object {
	var out []*Object
	for _, o := range s.Objects {
		if o.Written.GetKind() == kind {
			out = append(out, o)
		}
	}
	return out
}

// name is namespace/name, as Drawbridge names pods and claims.
func (o *Object) name() string { return o.Written.GetNamespace() + "/" + o.Written.GetName() }

// forNode tells whether a pod was put onto a node by its author.
func (o *Object) forNode() bool {
	name, _, _ := unstructured.NestedString(o.Written.Object, "spec", "nodeName")
	return name != ""
}

// entry is the pod, and the entry of its spec.resourceClaims, for which a
// controller made a claim. Both are empty for a claim that a person wrote.
func (o *Object) entry() (pod, name string) {
	owner := metav1.GetControllerOf(o.Written)
	if owner == nil || owner.Kind != "Pod" {
		return "", ""
	}
	return o.Written.GetNamespace() + "/" + owner.Name, o.Written.GetAnnotations()["resource.kubernetes.io/pod-claim-name"]
}

// list is what "kubectl get -o json" prints of the stored objects.
func (s *Scenario) list() ([]byte, error) {
	out := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""}}}
	for _, o := range s.Objects {
		if o.Stored != nil {
			out.Items = append(out.Items, *printed(o.Stored))
		}
	}
	return out.MarshalJSON()
}

// printed is an object as kubectl prints it.
func printed(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	u.SetManagedFields(nil)
	return u
}
