package client

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/webhook/view"
)

// Version is that of an API server.
type Version struct {
	// Git is what it says itself, such as v1.37.2.
	Git string
	// Known is the version whose rules apply, such as 1.37; empty for one that
	// is not known here.
	Known string
}

// Version asks the API server for its version.
func (c *Client) Version(ctx context.Context) (Version, error) {
	var info struct{ Major, Minor, GitVersion string }
	if err := c.JSON(ctx, "/version", nil, &info); err != nil {
		return Version{}, err
	}
	out := Version{Git: info.GitVersion}
	// Some add a plus to the minor version.
	minor := strings.TrimRightFunc(info.Minor, func(r rune) bool { return r < '0' || r > '9' })
	if name := info.Major + "." + minor; infoOf(name) != nil {
		out.Known = name
	}
	return out, nil
}

// infoOf is what is known of a version; nil for none.
func infoOf(version string) *core.VersionInfo {
	all := core.Versions().Versions
	if i := slices.IndexFunc(all, func(v core.VersionInfo) bool { return v.Version == version }); i >= 0 {
		return &all[i]
	}
	return nil
}

// Gates reads the feature gates of a component from its metrics.
func (c *Client) Gates(ctx context.Context, path string) (found map[string]bool, err error) {
	err = c.Get(ctx, path, nil, "text/plain", func(r io.Reader) error {
		found, err = view.ParseGates(r)
		if err == nil && len(found) == 0 {
			return fmt.Errorf("its metrics have no kubernetes_feature_enabled")
		}
		return err
	})
	return found, err
}

// GateFlag writes feature gates in the form of the API server's flag, as far
// as they matter to devices and differ from what the version has by default.
func GateFlag(found map[string]bool, version string) string {
	if version == "" {
		version = core.Versions().Default
	}
	info := infoOf(version)
	if info == nil {
		return ""
	}
	var out []string
	for _, g := range info.Gates {
		if on, known := found[g.Name]; known && on != g.Default && !g.Locked {
			out = append(out, fmt.Sprintf("%s=%t", g.Name, on))
		}
	}
	return strings.Join(out, ",")
}
