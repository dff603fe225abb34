package view

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"

	"github.com/drawbridge-dra/drawbridge/core"
)

// FeaturesConfig says where the version and the gates come from.
type FeaturesConfig struct {
	// Client asks the API server; nil for no one, so that what is given and
	// the defaults count.
	Client kubernetes.Interface
	// Version and Gates are given and stand above what the API server says,
	// the latter gate by gate.
	Version, Gates string
	// VersionEvery is how often the version is asked for, GatesEvery how often
	// the gates are, which are asked for as well when the version has changed;
	// 0 means a minute and 30 minutes.
	VersionEvery, GatesEvery time.Duration
	// Logger is told what is found. Nil: slog.Default().
	Logger *slog.Logger
}

// Features are the version and the feature gates of a cluster, kept up to date.
type Features struct {
	cfg FeaturesConfig

	mu             sync.RWMutex
	version, gates string
	// from say where each comes from, in words.
	versionFrom, gatesFrom string
	found                  map[string]bool
}

// NewFeatures starts with what is given, and the defaults.
func NewFeatures(cfg FeaturesConfig) *Features {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	cfg.VersionEvery, cfg.GatesEvery = or(cfg.VersionEvery, time.Minute), or(cfg.GatesEvery, 30*time.Minute)
	f := &Features{cfg: cfg, version: cfg.Version, gates: cfg.Gates, versionFrom: "the flag", gatesFrom: "the defaults of the version, and the flag"}
	if cfg.Version == "" {
		f.versionFrom = "nowhere: the newest that is known"
	}
	if cfg.Gates == "" {
		f.gatesFrom = "the defaults of the version"
	}
	return f
}

// Kubernetes is the version and the gates, in the form of core.Options.
func (f *Features) Kubernetes() (version, gates string) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.version, f.gates
}

// WriteStatus says in words where the version and the gates come from.
func (f *Features) WriteStatus(w io.Writer) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	version, gates := f.version, f.gates
	if version == "" {
		version = core.Versions().Default
	}
	if gates == "" {
		gates = "none differs"
	}
	_, err := fmt.Fprintf(w, "kubernetes version %s, from %s\nfeature gates %s, from %s\n", version, f.versionFrom, gates, f.gatesFrom)
	return err
}

// Run asks until the context ends.
func (f *Features) Run(ctx context.Context) {
	if f.cfg.Client == nil {
		return
	}
	var asked time.Time
	trouble := ""
	for ctx.Err() == nil {
		changed, err := f.askVersion(ctx)
		if err == nil && (changed || asked.IsZero() || time.Since(asked) >= f.cfg.GatesEvery) {
			if err = f.askGates(ctx); err == nil {
				asked = time.Now()
			}
		}
		switch {
		case err != nil && err.Error() != trouble && ctx.Err() == nil:
			trouble = err.Error()
			version, gates := f.Kubernetes()
			f.cfg.Logger.Warn("the API server does not tell its version or its feature gates; what is known of them stays", "error", err, "version", version, "gates", gates)
		case err == nil:
			trouble = ""
		}
		sleep(ctx, f.cfg.VersionEvery)
	}
}

var minorForm = regexp.MustCompile(`^[0-9]+`)

// askVersion asks for the version, and tells whether it is another one.
func (f *Features) askVersion(ctx context.Context) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	info, err := discovery.ToDiscoveryInterfaceWithContext(f.cfg.Client.Discovery()).ServerVersionWithContext(ctx)
	if err != nil {
		return false, err
	}
	version := info.Major + "." + minorForm.FindString(info.Minor)
	from := "the API server (" + info.GitVersion + ")"
	if !slices.ContainsFunc(core.Versions().Versions, func(v core.VersionInfo) bool { return v.Version == version }) {
		from = "nowhere: the API server has " + info.GitVersion + ", which is not known here"
		version = ""
	}
	if f.cfg.Version != "" {
		return false, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	changed = from != f.versionFrom
	f.version, f.versionFrom = version, from
	if changed {
		f.cfg.Logger.Info("the version of Kubernetes is known", "version", version, "from", from)
		f.compose()
	}
	return changed, nil
}

// mostMetrics bounds what is read of the API server's metrics.
const mostMetrics = 256 << 20

// askGates reads the gates from the API server's metrics.
func (f *Features) askGates(ctx context.Context) error {
	rest := f.cfg.Client.Discovery().RESTClient()
	if rest == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	body, err := rest.Get().AbsPath("/metrics").SetHeader("Accept", "text/plain").Stream(ctx)
	if err != nil {
		return fmt.Errorf("reading /metrics: %w", err)
	}
	defer func() { _ = body.Close() }()
	found, err := ParseGates(io.LimitReader(body, mostMetrics))
	if err != nil {
		return fmt.Errorf("reading /metrics: %w", err)
	}
	if len(found) == 0 {
		return fmt.Errorf("/metrics has no %s", gateMetric)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.gates
	f.found, f.gatesFrom = found, "the API server's metrics"
	if f.cfg.Gates != "" {
		f.gatesFrom += ", and the flag"
	}
	if f.compose(); f.gates != before {
		f.cfg.Logger.Info("the feature gates of the API server are known", "differ", f.gates)
	}
	return nil
}

// gateMetric is what an API server says of each gate.
const gateMetric = "kubernetes_feature_enabled"

var gateForm = regexp.MustCompile(`^` + gateMetric + `\{(?:[^}]*,)?name="([A-Za-z0-9]+)"[^}]*\} ([01])$`)

// ParseGates finds the gates of a component of Kubernetes among the metrics, and stops behind them.
func ParseGates(r io.Reader) (map[string]bool, error) {
	found := map[string]bool{}
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		if err == nil || err == io.EOF || err == bufio.ErrBufferFull {
			text := strings.TrimRight(string(line), "\r\n")
			if m := gateForm.FindStringSubmatch(text); m != nil {
				found[m[1]] = m[2] == "1"
			} else if len(found) > 0 && !strings.HasPrefix(text, gateMetric) {
				return found, nil
			}
		}
		switch err {
		case nil, bufio.ErrBufferFull:
		case io.EOF:
			return found, nil
		default:
			return nil, err
		}
	}
}

// compose writes down the gates that differ from the version's defaults. A
// gate that is given wins.
func (f *Features) compose() {
	given := map[string]bool{}
	var parts []string
	for part := range strings.SplitSeq(f.cfg.Gates, ",") {
		if name, _, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
			given[strings.TrimSpace(name)] = true
			parts = append(parts, strings.TrimSpace(part))
		}
	}
	all := core.Versions()
	version := f.version
	if version == "" {
		version = all.Default
	}
	i := slices.IndexFunc(all.Versions, func(v core.VersionInfo) bool { return v.Version == version })
	if i < 0 {
		return // A version that is given and wrong is refused elsewhere.
	}
	differ := map[string]string{}
	for _, g := range all.Versions[i].Gates {
		if on, known := f.found[g.Name]; known && on != g.Default && !g.Locked && !given[g.Name] && !given["AllAlpha"] && !given["AllBeta"] {
			differ[g.Name] = fmt.Sprintf("%s=%t", g.Name, on)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(differ)) {
		parts = append(parts, differ[name])
	}
	gates := strings.Join(parts, ",")
	if err := (core.Options{KubernetesVersion: f.version, FeatureGates: gates}).CheckFeatures(); err != nil {
		f.cfg.Logger.Warn("the feature gates of the API server do not go together, and the defaults are used", "error", err)
		gates, f.gatesFrom = f.cfg.Gates, "the defaults of the version: those of the API server do not go together"
	}
	f.gates = gates
}
