// Package sbom tells what a binary is made of: the Go modules that its build
// information lists, and the npm packages of the page that is embedded in it.
package sbom

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// Make writes a CycloneDX document. It has no time in it and its serial number
// follows from what it says, so that the same binary gives the same bytes.
func Make(ctx context.Context, root string, info *debug.BuildInfo, version string) ([]byte, error) {
	page, err := packages(ctx, filepath.Join(root, "web"))
	if err != nil {
		return nil, err
	}
	if version == "" {
		version = info.Main.Version
	}
	whole := cdx.Component{
		Type: cdx.ComponentTypeApplication, Name: "drawbridge", Version: version,
		BOMRef: purl("golang", info.Main.Path, version), PackageURL: purl("golang", info.Main.Path, version),
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
	}
	parts := append(modules(info), page...)
	slices.SortFunc(parts, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	refs := []string{}
	for _, part := range parts {
		refs = append(refs, part.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &whole}
	bom.Components = &parts
	bom.Dependencies = &[]cdx.Dependency{{Ref: whole.BOMRef, Dependencies: &refs}}
	body, err := json.Marshal(bom)
	if err != nil {
		return nil, err
	}
	bom.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, body).URN()
	var out bytes.Buffer
	err = cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
	return out.Bytes(), err
}

// modules are the Go modules that are linked in, and Go's own library.
func modules(info *debug.BuildInfo) []cdx.Component {
	out := []cdx.Component{component("golang", "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range linked(info) {
		c := component("golang", m.Path, m.Version)
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
			c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
		}
		out = append(out, c)
	}
	return out
}

// linked are the modules that were used, where others stand for them the
// others.
func linked(info *debug.BuildInfo) []*debug.Module {
	var out []*debug.Module
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		out = append(out, m)
	}
	return out
}

// packages are the npm packages of the page, by its lock file.
func packages(ctx context.Context, web string) ([]cdx.Component, error) {
	npm := exec.CommandContext(ctx, "npm", "sbom", "--sbom-format=cyclonedx", "--omit=dev", "--package-lock-only")
	npm.Dir = web
	text, err := npm.Output()
	if err != nil {
		return nil, fmt.Errorf("npm sbom: %w", err)
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		return nil, err
	}
	var out []cdx.Component
	if bom.Components != nil {
		for _, c := range *bom.Components {
			plain := component("npm", c.Name, c.Version)
			plain.PackageURL, plain.BOMRef = c.PackageURL, c.PackageURL
			plain.Hashes, plain.Licenses = c.Hashes, c.Licenses
			out = append(out, plain)
		}
	}
	return out, nil
}

func component(kind, name, version string) cdx.Component {
	return cdx.Component{
		Type: cdx.ComponentTypeLibrary, Name: name, Version: version, Scope: cdx.ScopeRequired,
		BOMRef: purl(kind, name, version), PackageURL: purl(kind, name, version),
	}
}

func purl(kind, name, version string) string {
	return "pkg:" + kind + "/" + name + "@" + strings.ReplaceAll(version, "+", "%2B")
}
