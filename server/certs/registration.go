package certs

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/url"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	admissionclient "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
)

// registration is a webhook configuration, with what we look at in it.
type registration struct {
	kind            string // as in metrics
	name            string
	resourceVersion string
	entries         []entry
	patch           func(ctx context.Context, patch []byte) error
}

// entry is a webhook of a configuration that leads to us.
type entry struct {
	index    int
	name     string
	caBundle []byte
}

// The kinds of configurations, as in metrics.
const (
	kindMutating   = "mutating"
	kindValidating = "validating"
)

// registrations reads the configurations that are there. One that is not
// there leads nobody to us.
func (c Config) registrations(ctx context.Context) ([]registration, error) {
	var out []registration
	for _, read := range []func(context.Context) (registration, error){c.mutating, c.validating} {
		r, err := read(ctx)
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("reading the %s webhook configuration: %w", r.kind, err)
		}
		if err == nil && r.name != "" {
			out = append(out, r)
		}
	}
	return out, nil
}

func (c Config) mutating(ctx context.Context) (registration, error) {
	r := registration{kind: kindMutating}
	if c.Mutating == "" {
		return r, nil
	}
	client := c.Configurations.MutatingWebhookConfigurations()
	conf, err := client.Get(ctx, c.Mutating, metav1.GetOptions{})
	if err != nil {
		return r, err
	}
	for i, w := range conf.Webhooks {
		r.add(c, i, w.Name, w.ClientConfig)
	}
	return r.of(conf.ObjectMeta, patching(client)), nil
}

func (c Config) validating(ctx context.Context) (registration, error) {
	r := registration{kind: kindValidating}
	if c.Validating == "" {
		return r, nil
	}
	client := c.Configurations.ValidatingWebhookConfigurations()
	conf, err := client.Get(ctx, c.Validating, metav1.GetOptions{})
	if err != nil {
		return r, err
	}
	for i, w := range conf.Webhooks {
		r.add(c, i, w.Name, w.ClientConfig)
	}
	return r.of(conf.ObjectMeta, patching(client)), nil
}

func (r registration) of(meta metav1.ObjectMeta, patch func(context.Context, string, []byte) error) registration {
	r.name, r.resourceVersion = meta.Name, meta.ResourceVersion
	r.patch = func(ctx context.Context, body []byte) error { return patch(ctx, meta.Name, body) }
	return r
}

// patcher is what both clients can do.
type patcher[T any] interface {
	Patch(ctx context.Context, name string, kind types.PatchType, body []byte, o metav1.PatchOptions, subresources ...string) (T, error)
}

var (
	_ patcher[*admissionv1.MutatingWebhookConfiguration]   = admissionclient.MutatingWebhookConfigurationInterface(nil)
	_ patcher[*admissionv1.ValidatingWebhookConfiguration] = admissionclient.ValidatingWebhookConfigurationInterface(nil)
)

func patching[T any](client patcher[T]) func(context.Context, string, []byte) error {
	return func(ctx context.Context, name string, body []byte) error {
		_, err := client.Patch(ctx, name, types.JSONPatchType, body, metav1.PatchOptions{FieldManager: "drawbridge-certificates"})
		return err
	}
}

// add takes an entry up if it leads to a name of our certificate.
func (r *registration) add(c Config, index int, name string, to admissionv1.WebhookClientConfig) {
	var host string
	switch {
	case to.Service != nil:
		host = ServiceNames(to.Service.Name, to.Service.Namespace)[0]
	case to.URL != nil:
		if u, err := url.Parse(*to.URL); err == nil {
			host = canonical(u.Hostname())
		}
	}
	for _, ours := range c.Names {
		if host != "" && canonical(ours) == host {
			r.entries = append(r.entries, entry{index, name, to.CABundle})
			return
		}
	}
}

// trusts says whether every entry has the authority.
func (r registration) trusts(ca *x509.Certificate) bool {
	for _, e := range r.entries {
		if !bundleHas(e.caBundle, ca) {
			return false
		}
	}
	return true
}

func bundleHas(bundle []byte, ca *x509.Certificate) bool {
	for {
		var block *pem.Block
		if block, bundle = pem.Decode(bundle); block == nil {
			return false
		}
		if block.Type == "CERTIFICATE" && bytes.Equal(block.Bytes, ca.Raw) {
			return true
		}
	}
}

// view is what a look saw of the configurations.
type view struct {
	found []registration
	whole bool // whether all that are there could be read
}

// mayBeTrusted says whether there are or were replicas before us, to whom an
// API server may be talking.
func (v view) mayBeTrusted() bool {
	for _, r := range v.found {
		for _, e := range r.entries {
			if len(e.caBundle) > 0 {
				return true
			}
		}
	}
	return !v.whole
}

// know says whether the next authority is trusted.
func (v view) know(next *authority) trust {
	if next == nil || !v.whole {
		return trustUnknown
	}
	for _, r := range v.found {
		if !r.trusts(next.certificate) {
			return trustMissing
		}
	}
	return trustGiven
}

// operation is one of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// mend is the patch that gives every entry the bundle, and the names of those
// that had another; nil where all is right. It applies to the configuration
// as it was read and to no other: whoever read the Secret before it last
// changed may know too little.
func (r registration) mend(bundle []byte) ([]byte, []string) {
	patch := []operation{{"test", "/metadata/resourceVersion", r.resourceVersion}}
	var names []string
	for _, e := range r.entries {
		if !bytes.Equal(e.caBundle, bundle) {
			patch = append(patch, operation{"add", fmt.Sprintf("/webhooks/%d/clientConfig/caBundle", e.index), bundle})
			names = append(names, e.name)
		}
	}
	if names == nil {
		return nil, nil
	}
	body, err := json.Marshal(patch)
	if err != nil {
		panic(err) // strings and bytes only
	}
	return body, names
}
