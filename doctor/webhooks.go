package doctor

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	admissionapi "k8s.io/api/admissionregistration/v1"
	discoveryapi "k8s.io/api/discovery/v1"

	"github.com/drawbridge-dra/drawbridge/cluster/client"
)

// ourDomain is how the entries of our configurations end.
const ourDomain = ".drawbridge-dra.github.io"

// hook is an entry of either kind of configuration.
type hook struct {
	configuration, name string
	client              admissionapi.WebhookClientConfig
	policy              *admissionapi.FailurePolicyType
}

// webhooks looks at the entries that are ours.
func (v *visit) webhooks(ctx context.Context) {
	const area = "webhook"
	hooks, err := v.hooks(ctx)
	if err != nil {
		v.report.say(area, Unknown, fmt.Sprintf("whether the webhook is registered is not known: %v", err))
		return
	}
	if len(hooks) == 0 {
		v.report.say(area, Info, "Drawbridge's webhook is not registered in this cluster")
		return
	}
	asked := map[string]bool{}
	for _, h := range hooks {
		called := h.configuration + ", " + h.name
		w := Webhook{Configuration: h.configuration, Name: h.name, FailurePolicy: string(admissionapi.Fail), Endpoints: -1}
		if h.policy != nil {
			w.FailurePolicy = string(*h.policy)
		}
		v.bundleOf(called, h.client.CABundle)
		switch s := h.client.Service; {
		case s != nil:
			port := int32(443)
			if s.Port != nil {
				port = *s.Port
			}
			w.Service = fmt.Sprintf("%s/%s:%d", s.Namespace, s.Name, port)
			w.Endpoints = v.endpoints(ctx, called, s.Namespace, s.Name, w.FailurePolicy, asked[w.Service])
			if !asked[w.Service] && w.Endpoints != 0 {
				v.reach(ctx, s.Namespace, s.Name, port)
			}
			asked[w.Service] = true
		case h.client.URL != nil:
			w.URL = *h.client.URL
			if at, err := url.Parse(w.URL); err != nil || at.Scheme != "https" {
				v.report.say(area, Problem, called+" has a URL that is none of https")
			}
		}
		v.report.Webhooks = append(v.report.Webhooks, w)
	}
	var policies []string
	for _, w := range v.report.Webhooks {
		policies = append(policies, fmt.Sprintf("%s, %s: failurePolicy %s", w.Configuration, w.Name, w.FailurePolicy))
	}
	v.report.say(area, OK, "Drawbridge's webhook is registered", policies...)
}

// hooks lists our entries.
func (v *visit) hooks(ctx context.Context) ([]hook, error) {
	var out []hook
	const root = "/apis/admissionregistration.k8s.io/v1/"
	var mutating admissionapi.MutatingWebhookConfigurationList
	if err := v.JSON(ctx, root+"mutatingwebhookconfigurations", nil, &mutating); err != nil {
		return nil, err
	}
	for _, c := range mutating.Items {
		for _, w := range c.Webhooks {
			if strings.HasSuffix(w.Name, ourDomain) {
				out = append(out, hook{"MutatingWebhookConfiguration " + c.Name, w.Name, w.ClientConfig, w.FailurePolicy})
			}
		}
	}
	var validating admissionapi.ValidatingWebhookConfigurationList
	if err := v.JSON(ctx, root+"validatingwebhookconfigurations", nil, &validating); err != nil {
		return nil, err
	}
	for _, c := range validating.Items {
		for _, w := range c.Webhooks {
			if strings.HasSuffix(w.Name, ourDomain) {
				out = append(out, hook{"ValidatingWebhookConfiguration " + c.Name, w.Name, w.ClientConfig, w.FailurePolicy})
			}
		}
	}
	return out, nil
}

// bundleOf looks at the authorities that an API server trusts for an entry.
func (v *visit) bundleOf(called string, text []byte) {
	const area = "webhook"
	if len(text) == 0 {
		v.report.say(area, Problem, called+" has no caBundle, so API servers trust only certificates that their machine trusts; whoever makes the certificates has to fill it in")
		return
	}
	now, valid, last := v.opts.Now(), 0, time.Time{}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			continue
		}
		if now.Before(c.NotAfter) && !now.Before(c.NotBefore) {
			valid++
		}
		if c.NotAfter.After(last) {
			last = c.NotAfter
		}
	}
	switch {
	case last.IsZero():
		v.report.say(area, Problem, called+" has a caBundle without a certificate in it")
	case valid == 0:
		v.report.say(area, Problem, fmt.Sprintf("%s has a caBundle of which no certificate is valid now; the last ends at %s", called, last.UTC().Format(time.RFC3339)))
	}
}

// endpoints counts the ready ones of a Service; -1 where that is not known.
func (v *visit) endpoints(ctx context.Context, called, namespace, name, policy string, quiet bool) int {
	const area = "webhook"
	var list discoveryapi.EndpointSliceList
	query := url.Values{"labelSelector": {discoveryapi.LabelServiceName + "=" + name}}
	err := v.JSON(ctx, "/apis/discovery.k8s.io/v1/namespaces/"+namespace+"/endpointslices", query, &list)
	if err != nil {
		if !quiet {
			v.report.say(area, Unknown, fmt.Sprintf("how many endpoints of Service %s/%s are ready is not known: %v", namespace, name, err))
		}
		return -1
	}
	ready := 0
	for _, s := range list.Items {
		for _, e := range s.Endpoints {
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				ready += len(e.Addresses)
			}
		}
	}
	if ready == 0 && !quiet {
		what := "what it would check is stored unchecked"
		if policy == string(admissionapi.Fail) {
			what = "with failurePolicy Fail every object that it asks for is refused"
		}
		v.report.say(area, Problem, fmt.Sprintf("Service %s/%s of %s has no ready endpoint: %s; see whether its pods run", namespace, name, called, what))
	}
	return ready
}

// reach asks the Service through the API server, which takes the same way that
// reviews take.
func (v *visit) reach(ctx context.Context, namespace, name string, port int32) {
	const area = "webhook"
	path := fmt.Sprintf("/api/v1/namespaces/%s/services/https:%s:%d/proxy/readyz", namespace, name, port)
	err := v.Get(ctx, path, nil, "text/plain", func(r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	})
	refused, answered := err.(client.Refusal)
	switch {
	case err == nil:
		v.report.say(area, OK, fmt.Sprintf("Service %s/%s is reached through the API server, and is ready", namespace, name))
	case answered && refused.Code >= 500:
		v.report.say(area, Problem, fmt.Sprintf("Service %s/%s is not reached through the API server, or is not ready: %v", namespace, name, err))
	default:
		v.report.say(area, Unknown, fmt.Sprintf("whether Service %s/%s is reached was not tried: %v", namespace, name, err))
	}
}
