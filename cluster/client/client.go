// Package client reads of API servers, and does nothing else with them.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Client reads of an API server. It sends nothing but GET requests.
type Client struct {
	http *http.Client
	base *url.URL
	// within bounds each request.
	within time.Duration
}

// New makes a client whose requests take no longer than within.
func New(cfg *rest.Config, within time.Duration) (*Client, error) {
	h, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	base, _, err := rest.DefaultServerURL(cfg.Host, "", schema.GroupVersion{}, cfg.TLSClientConfig.CAFile != "" || len(cfg.TLSClientConfig.CAData) > 0 || cfg.Insecure)
	if err != nil {
		return nil, err
	}
	return &Client{h, base, within}, nil
}

// Host is where the API server is.
func (c *Client) Host() string { return c.base.Host }

// Refusal is an answer other than 200. What the body says is not told: nobody
// knows who wrote it.
type Refusal struct{ Code int }

func (r Refusal) Error() string {
	switch r.Code {
	case http.StatusForbidden, http.StatusUnauthorized:
		return "it may not be read with these rights"
	case http.StatusNotFound:
		return "the API server does not have it"
	}
	return fmt.Sprintf("the answer is %d %s", r.Code, http.StatusText(r.Code))
}

// Refused tells whether an error is an answer with one of the codes.
func Refused(err error, codes ...int) bool {
	var r Refusal
	if !errors.As(err, &r) {
		return false
	}
	for _, code := range codes {
		if r.Code == code {
			return true
		}
	}
	return false
}

// Missing tells whether the API server does not have what was asked for.
func Missing(err error) bool { return Refused(err, http.StatusNotFound) }

// What is read of one answer at most, and how often a server that is busy is
// asked once more, and how long it may make one wait.
const (
	largest     = 256 << 20
	attempts    = 5
	longestWait = 10 * time.Second
)

// Get passes the body of an answer to read.
func (c *Client) Get(ctx context.Context, path string, query url.Values, accept string, read func(io.Reader) error) error {
	for attempt := 1; ; attempt++ {
		wait, err := c.once(ctx, path, query, accept, read)
		if wait <= 0 || attempt == attempts {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// once asks one time. A wait is what a busy server asks for before the next.
func (c *Client) once(ctx context.Context, path string, query url.Values, accept string, read func(io.Reader) error) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.within, fmt.Errorf("there is no answer within %s", c.within))
	defer cancel()
	at := c.base.JoinPath(path)
	at.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Accept", accept)
	answer, err := c.http.Do(request)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // whose URL everybody knows
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = context.Cause(ctx)
		}
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return min(time.Duration(seconds)*time.Second, longestWait), Refusal{answer.StatusCode}
	}
	return 0, read(io.LimitReader(answer.Body, largest))
}

// JSON reads an answer into a value.
func (c *Client) JSON(ctx context.Context, path string, query url.Values, into any) error {
	return c.Get(ctx, path, query, "application/json", func(r io.Reader) error { return decode(r, into) })
}

// Page is a part of a list.
type Page struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Continue string `json:"continue"`
		// Remaining is how many come behind it, where the server tells.
		Remaining int `json:"remainingItemCount"`
	} `json:"metadata"`
	Items []map[string]any `json:"items"`
}

// pageSize is how many objects are asked for at a time.
const pageSize = 500

// List reads all objects of a resource, page by page, without what only the
// API server needs.
func (c *Client) List(ctx context.Context, path string, keep func(object map[string]any)) error {
	return c.Pages(ctx, path, func(p *Page) error {
		for _, item := range p.Items {
			keep(item)
		}
		return nil
	}, func() {})
}

// Pages reads a list. A list that takes so long that the API server has
// forgotten how it began is read once more, in one piece; again says so.
func (c *Client) Pages(ctx context.Context, path string, take func(*Page) error, again func()) error {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	for {
		var p Page
		err := c.JSON(ctx, path, query, &p)
		if Refused(err, http.StatusGone) && query.Has("continue") {
			query = url.Values{}
			again()
			continue
		}
		if err != nil {
			return err
		}
		for _, item := range p.Items {
			if metadata, ok := item["metadata"].(map[string]any); ok {
				delete(metadata, "managedFields")
			}
			item["apiVersion"], item["kind"] = p.APIVersion, p.Kind[:max(0, len(p.Kind)-len("List"))]
		}
		if err := take(&p); err != nil {
			return err
		}
		if p.Metadata.Continue == "" {
			return nil
		}
		query.Set("continue", p.Metadata.Continue)
	}
}

// decode reads JSON. Numbers stay as they are written.
func decode(r io.Reader, into any) error {
	decoder := json.NewDecoder(r)
	decoder.UseNumber()
	err := decoder.Decode(into)
	var odd *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the answer breaks off")
	case errors.As(err, &odd):
		return errors.New("the answer is no JSON; look whether that is the address of an API server")
	}
	return err
}
