package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// client reads of an API server.
type client struct {
	http *http.Client
	base *url.URL
	// within bounds each request.
	within time.Duration
}

func newClient(cfg *rest.Config, within time.Duration) (*client, error) {
	h, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	base, _, err := rest.DefaultServerURL(cfg.Host, "", schema.GroupVersion{}, cfg.TLSClientConfig.CAFile != "" || len(cfg.TLSClientConfig.CAData) > 0 || cfg.Insecure)
	if err != nil {
		return nil, err
	}
	return &client{h, base, within}, nil
}

// refusal is an answer other than 200.
type refusal struct{ code int }

func (r refusal) Error() string {
	switch r.code {
	case http.StatusForbidden, http.StatusUnauthorized:
		return "it may not be read with these rights"
	case http.StatusNotFound:
		return "the API server does not have it"
	}
	return fmt.Sprintf("the answer is %d %s", r.code, http.StatusText(r.code))
}

func missing(err error) bool {
	var r refusal
	return errors.As(err, &r) && r.code == http.StatusNotFound
}

// largest bounds what is read of one answer.
const largest = 256 << 20

// get passes the body of an answer to read.
func (c *client) get(ctx context.Context, path string, query url.Values, accept string, read func(io.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	at := c.base.JoinPath(path)
	at.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", accept)
	answer, err := c.http.Do(request)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // whose URL everybody knows
		}
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return refusal{answer.StatusCode}
	}
	return read(io.LimitReader(answer.Body, largest))
}

func (c *client) json(ctx context.Context, path string, into any) error {
	return c.get(ctx, path, nil, "application/json", decodeInto(into))
}

// page is a part of a list.
type page struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Continue string `json:"continue"`
	} `json:"metadata"`
	Items []map[string]any `json:"items"`
}

// list reads all objects of a resource, without what only the API server
// needs.
func (c *client) list(ctx context.Context, path string, keep func(map[string]any)) error {
	query := url.Values{"limit": {"500"}}
	for {
		var p page
		if err := c.get(ctx, path, query, "application/json", decodeInto(&p)); err != nil {
			return err
		}
		for _, item := range p.Items {
			if metadata, ok := item["metadata"].(map[string]any); ok {
				delete(metadata, "managedFields")
			}
			item["apiVersion"], item["kind"] = p.APIVersion, p.Kind[:max(0, len(p.Kind)-len("List"))]
			keep(item)
		}
		if p.Metadata.Continue == "" {
			return nil
		}
		query.Set("continue", p.Metadata.Continue)
	}
}

// decodeInto reads JSON.
func decodeInto(into any) func(io.Reader) error {
	return func(r io.Reader) error { return json.NewDecoder(r).Decode(into) }
}
