package openapi

import (
	"bytes"
	"embed"
	"encoding/json"
	"io/fs"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	swaggerui "github.com/swaggest/swgui/v5/static"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/server/static"
)

//go:embed docs
var page embed.FS

// document is the OpenAPI document, rendered once: huma's own handlers render
// it on the first request, without a lock.
type document struct{ json, yaml []byte }

func render(spec *huma.OpenAPI) (*document, error) {
	compact, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, compact, "", "  "); err != nil {
		return nil, err
	}
	indented.WriteByte('\n')
	y, err := yaml.JSONToYAML(compact)
	if err != nil {
		return nil, err
	}
	return &document{json: indented.Bytes(), yaml: y}, nil
}

// YAML renders the document that the server serves and that is checked in.
func YAML() ([]byte, error) {
	a, err := mount(chi.NewRouter(), Config{})
	if err != nil {
		return nil, err
	}
	doc, err := render(a.huma.OpenAPI())
	if err != nil {
		return nil, err
	}
	return doc.yaml, nil
}

func (d *document) mount(router chi.Router) error {
	router.Get("/openapi.json", static.Bytes(mediaJSON, d.json))
	router.Get("/openapi.yaml", static.Bytes(mediaYAML, d.yaml))

	own, err := fs.Sub(page, "docs")
	if err != nil {
		return err
	}
	ours, err := static.New(own)
	if err != nil {
		return err
	}
	ui, err := static.New(swaggerui.FS)
	if err != nil {
		return err
	}
	files := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := r.URL.Path; name != "" && !ours.Has(name[1:]) && name != "/" {
			ui.ServeHTTP(w, r)
			return
		}
		ours.ServeHTTP(w, r)
	})
	router.Get("/docs", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "docs/")
		w.WriteHeader(http.StatusPermanentRedirect)
	})
	router.Get("/docs/*", http.StripPrefix("/docs", files).ServeHTTP)
	return nil
}
