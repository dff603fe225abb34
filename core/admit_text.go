package core

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/validate"
)

// AdmitTextOptions are what AdmitText may be told.
type AdmitTextOptions struct {
	// Phase is mutating, the default, or validating.
	Phase AdmissionPhase `json:"phase,omitempty"`
	// Object is the position of the object in the text, from 0. The others are
	// the cluster's.
	Object int `json:"object,omitempty"`
	// Operation is CREATE, the default, UPDATE or DELETE.
	Operation string `json:"operation,omitempty"`
	// Subresource is status for an update of the status.
	Subresource string `json:"subresource,omitempty"`
	// OldObject is the object as it was, as YAML or JSON, for an UPDATE.
	OldObject string `json:"oldObject,omitempty"`
	// Namespace is that of the request; empty for the object's own.
	Namespace         string `json:"namespace,omitempty"`
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	FeatureGates      string `json:"featureGates,omitempty"`
	// Policy is the text of a policy file; empty for the defaults.
	Policy     string `json:"policy,omitempty"`
	NodeNameTo string `json:"nodeNameTo,omitempty"`
	RulesURL   string `json:"rulesUrl,omitempty"`
}

// AdmitTextResult answers AdmitText.
type AdmitTextResult struct {
	*Admission
	Before string `json:"before,omitempty" doc:"The object as it came, as YAML, where it is patched."`
	After  string `json:"after,omitempty" doc:"The object with the patch, as YAML."`
}

// noUID is the UID of reviews that no API server sent.
const noUID = "00000000-0000-0000-0000-000000000000"

// AdmitText says what the webhook would answer about an object of a bundle, in
// a cluster that has the bundle's other objects and nothing else; or about an
// AdmissionReview. Where the bundle has no nodes, a node's hostname label is
// taken to be its name. The error is an *OptionError, or the context's own.
func AdmitText(ctx context.Context, text []byte, opts AdmitTextOptions) (*AdmitTextResult, error) {
	admit := AdmitOptions{
		KubernetesVersion: opts.KubernetesVersion, FeatureGates: opts.FeatureGates,
		NodeNameTo: opts.NodeNameTo, RulesURL: opts.RulesURL,
	}
	if err := admit.Check(); err != nil {
		return nil, err
	}
	if opts.Policy != "" {
		var err error
		if admit.Policy, err = ParsePolicy([]byte(opts.Policy)); err != nil {
			return nil, &OptionError{"policy", err.Error()}
		}
	}
	phase := cmp.Or(opts.Phase, Mutating)
	if phase != Mutating && phase != Validating {
		return nil, &OptionError{"phase", "must be mutating or validating"}
	}
	request := reviewIn(text)
	if request == nil {
		var err error
		if request, admit.Cluster, err = requestFor(text, opts); err != nil {
			return nil, err
		}
	}
	admission, err := Admit(ctx, phase, request, admit)
	if errors.Is(err, ErrNoOldObject) {
		return nil, &OptionError{"oldObject", "an update needs the object as it was"}
	}
	if err != nil {
		return nil, err
	}
	out := &AdmitTextResult{Admission: admission}
	if admission.Verdict != Patched {
		return out, nil
	}
	patch, err := jsonpatch.DecodePatch(admission.Response.Patch)
	if err != nil {
		return nil, err
	}
	after, err := patch.Apply(request.Object.Raw)
	if err != nil {
		return nil, err
	}
	if out.Before, err = asYAML(request.Object.Raw); err != nil {
		return nil, err
	}
	out.After, err = asYAML(after)
	return out, err
}

// reviewIn is the request of the AdmissionReview that the text is; nil if it
// is none.
func reviewIn(text []byte) *admissionv1.AdmissionRequest {
	if !bytes.Contains(text, []byte("AdmissionReview")) {
		return nil
	}
	b := bundle.Parse(text, bundle.Options{FieldValidation: bundle.Ignore})
	if len(b.Objects) != 1 || b.Objects[0].Ref.Kind != "AdmissionReview" {
		return nil
	}
	var review admissionv1.AdmissionReview
	if kjson.UnmarshalCaseSensitivePreserveInts(b.Objects[0].Raw.JSON(), &review) != nil {
		return nil
	}
	return review.Request
}

// requestFor makes the request that an API server would send about an object,
// and the cluster of the others.
func requestFor(text []byte, opts AdmitTextOptions) (*admissionv1.AdmissionRequest, Cluster, error) {
	features, err := Options{KubernetesVersion: opts.KubernetesVersion, FeatureGates: opts.FeatureGates}.features()
	if err != nil {
		return nil, nil, err
	}
	b := bundle.Parse(text, bundle.Options{FieldValidation: bundle.Ignore, Features: features})
	if opts.Object < 0 || opts.Object >= len(b.Objects) {
		return nil, nil, &OptionError{"object", fmt.Sprintf("must be the position of an object from 0; the text has %d", len(b.Objects))}
	}
	o := b.Objects[opts.Object]
	kind := schema.FromAPIVersionAndKind(o.Ref.APIVersion, o.Ref.Kind)
	request := &admissionv1.AdmissionRequest{
		UID: noUID, Name: strings.TrimSuffix(o.Ref.Name, "*"), SubResource: opts.Subresource,
		Kind:      metav1.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind},
		Namespace: cmp.Or(opts.Namespace, o.Ref.Namespace),
		Operation: admissionv1.Operation(cmp.Or(strings.ToUpper(opts.Operation), string(admissionv1.Create))),
	}
	if inNamespaces(kind.Kind) {
		request.Namespace = cmp.Or(request.Namespace, validate.DefaultNamespace)
	}
	raw := runtime.RawExtension{Raw: complete(o, request.Namespace)}
	switch request.Operation {
	case admissionv1.Create:
		request.Object = raw
	case admissionv1.Update:
		request.Object = raw
		if old := bundle.Parse([]byte(opts.OldObject), bundle.Options{FieldValidation: bundle.Ignore, Features: features}); len(old.Objects) == 1 {
			request.OldObject = runtime.RawExtension{Raw: complete(old.Objects[0], request.Namespace)}
		}
	case admissionv1.Delete:
		request.OldObject = raw
	default:
		return nil, nil, &OptionError{"operation", "must be CREATE, UPDATE or DELETE"}
	}
	others := &rest{Census: NewCensus()}
	for _, other := range b.Objects {
		if _, node := other.Value.(*corev1.Node); node {
			others.nodes = true
		}
		if other != o && other.Value != nil {
			others.Put(placed(other))
		}
	}
	return request, others, nil
}

// inNamespaces tells whether objects of a kind live in namespaces.
func inNamespaces(kind string) bool {
	return kind == "Pod" || kind == "ResourceClaim" || kind == "ResourceClaimTemplate"
}

// complete is an object as an API server sends it: with what it is, which
// items of a list need not say, and with its namespace.
func complete(o *bundle.Object, namespace string) []byte {
	raw := o.Raw.JSON()
	var object map[string]any
	if kjson.UnmarshalCaseSensitivePreserveInts(raw, &object) != nil || object == nil {
		return raw
	}
	object["apiVersion"], object["kind"] = o.Ref.APIVersion, o.Ref.Kind
	if metadata, ok := object["metadata"].(map[string]any); ok && inNamespaces(o.Ref.Kind) {
		if said, _ := metadata["namespace"].(string); said == "" {
			metadata["namespace"] = namespace
		}
	}
	out, err := json.Marshal(object)
	if err != nil { // what was read can be written
		return raw
	}
	return out
}

// placed is the value of an object, in the namespace that it is created in.
func placed(o *bundle.Object) any {
	value, ok := o.Value.(interface {
		runtime.Object
		metav1.Object
	})
	if !ok || !inNamespaces(o.Ref.Kind) || value.GetNamespace() != "" {
		return o.Value
	}
	out := value.DeepCopyObject()
	out.(metav1.Object).SetNamespace(validate.DefaultNamespace)
	return out
}

// rest is a cluster of what else is in the bundle.
type rest struct {
	*Census
	nodes bool
}

// NodeLabels are those of a node, or what kubelets set where no node is known.
func (r *rest) NodeLabels(name string) (map[string]string, bool) {
	if r.nodes {
		return r.Census.NodeLabels(name)
	}
	return map[string]string{corev1.LabelHostname: name}, true
}

// asYAML writes JSON as people write YAML, with its values as they are.
func asYAML(text []byte) (string, error) {
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil {
		return "", err
	}
	plain(&n)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := encoder.Encode(&n)
	return out.String(), err
}

// plain takes the brackets and quotes of JSON away, except for quotes without
// which a text would be something else to one reader of YAML or another.
func plain(n *yaml.Node) {
	quoted := false
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		written, err := yaml.Marshal(n.Value)
		quoted = err != nil || bytes.HasPrefix(written, []byte(`"`)) || bytes.HasPrefix(written, []byte("'"))
	}
	if n.Style = 0; quoted {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		plain(c)
	}
}
