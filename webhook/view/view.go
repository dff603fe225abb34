package view

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/drawbridge-dra/drawbridge/core"
)

// Config says what to look at.
type Config struct {
	Client kubernetes.Interface
	// Pods are watched as well, to tell who uses a template.
	Pods bool
	// StaleAfter is after how long a silence what is known counts as old: an
	// API server sends a sign of life each minute. 0 means 3 minutes.
	StaleAfter time.Duration
	// Again is how long to wait before it is looked for a kind that the
	// cluster does not have; 0 means 5 minutes.
	Again time.Duration
	// Backoff is how long to wait after a failure, at first and at most; 0
	// means 0.8 s and 30 s.
	FirstBackoff, MostBackoff time.Duration
	// Now is the clock; nil for the real one.
	Now func() time.Time
	// Logger is told what changes about what can be read. Nil: slog.Default().
	Logger *slog.Logger
}

// View is what is known of a cluster. It is a webhook.Cluster.
type View struct {
	cfg    Config
	kinds  []*kind
	mu     sync.Mutex
	census *core.Census
}

var _ core.Cluster = &View{}

// state is how far a kind is known.
type state int32

const (
	pending state = iota // not read yet
	known                // read, and watched or cut off
	absent               // the cluster does not have it
	refused              // may not be read
)

var stateNames = map[state]string{pending: "not read yet", known: "known", absent: "not served by the cluster", refused: "may not be read"}

// kind is what is known of the objects of one kind.
type kind struct {
	name, resource string
	versions       []served
	version        atomic.Value // string: the version that is watched
	state          atomic.Int32
	objects        atomic.Int64
	heard          atomic.Int64 // when the API server last said something, in ns
	trouble        atomic.Value // string: the reason of the last failure, "" when there is none
	failures       [len(reasons)]atomic.Int64
	// gone is closed by a failure that says that the version is not served.
	gone atomic.Pointer[context.CancelFunc]
}

// New makes a view that knows nothing until it runs.
func New(cfg Config) *View {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.StaleAfter = or(cfg.StaleAfter, 3*time.Minute)
	cfg.Again = or(cfg.Again, 5*time.Minute)
	cfg.FirstBackoff, cfg.MostBackoff = or(cfg.FirstBackoff, 800*time.Millisecond), or(cfg.MostBackoff, 30*time.Second)
	v := &View{cfg: cfg, census: core.NewCensus()}
	for _, w := range watched {
		if w.kind == pods && !cfg.Pods {
			continue
		}
		k := &kind{name: w.kind, resource: w.resource, versions: w.versions}
		k.version.Store("")
		k.trouble.Store("")
		v.kinds = append(v.kinds, k)
	}
	return v
}

func or(d, fallback time.Duration) time.Duration {
	if d == 0 {
		return fallback
	}
	return d
}

// Run watches until the context ends.
func (v *View) Run(ctx context.Context) {
	// What client-go has to say is said by us, once and not at each attempt.
	ctx = klog.NewContext(ctx, logr.Discard())
	var wg sync.WaitGroup
	for _, k := range v.kinds {
		wg.Go(func() { v.follow(ctx, k) })
	}
	wg.Wait()
}

// follow watches one kind, in whichever version there is, for ever.
func (v *View) follow(ctx context.Context, k *kind) {
	have := map[string]any{}
	backoff := v.backoff()
	for ctx.Err() == nil {
		s, err := v.find(ctx, k)
		switch {
		case err != nil:
			v.failed(k, err)
			sleep(ctx, backoff.Step())
			continue
		case s == nil:
			v.unserved(k, have)
			sleep(ctx, v.cfg.Again)
			continue
		}
		backoff = v.backoff()
		v.reflect(ctx, k, *s, have)
		sleep(ctx, v.cfg.FirstBackoff)
	}
}

func (v *View) backoff() wait.Backoff {
	return wait.Backoff{Duration: v.cfg.FirstBackoff, Cap: v.cfg.MostBackoff, Steps: 20, Factor: 2, Jitter: 0.5}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// find asks for the newest version in which the cluster has a kind; nil for none.
func (v *View) find(ctx context.Context, k *kind) (*served, error) {
	if len(k.versions) == 1 {
		return &k.versions[0], nil
	}
	for i, s := range k.versions {
		list, err := discovery.ToDiscoveryInterfaceWithContext(v.cfg.Client.Discovery()).ServerResourcesForGroupVersionWithContext(ctx, s.groupVersion)
		switch {
		case apierrors.IsNotFound(err):
			continue
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		if slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == k.resource }) {
			return &k.versions[i], nil
		}
	}
	return nil, nil
}

// reflect watches a kind in one version until that is not served any more.
func (v *View) reflect(ctx context.Context, k *kind, s served, have map[string]any) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	k.gone.Store(&cancel)
	k.version.Store(s.groupVersion)
	lw := s.of(v.cfg.Client)
	heard := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list, err := lw.ListWithContextFunc(ctx, o)
			v.outcome(k, err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			w, err := lw.WatchFuncWithContext(ctx, o)
			if v.outcome(k, err); err != nil {
				return nil, err
			}
			return watch.Filter(w, func(e watch.Event) (watch.Event, bool) {
				if e.Type == watch.Error {
					v.failed(k, apierrors.FromObject(e.Object))
				} else {
					v.outcome(k, nil)
				}
				return e, true
			}), nil
		},
	}
	logger := logr.Discard()
	backoff := v.backoff()
	cache.NewReflectorWithOptions(cache.ToListWatcherWithWatchListSemantics(heard, v.cfg.Client), s.example,
		&store{view: v, kind: k, groupVersion: s.groupVersion, have: have},
		cache.ReflectorOptions{Name: k.name, Logger: &logger, Backoff: &backoff}).RunWithContext(ctx)
}

// outcome notes that the API server answered, or that it did not.
func (v *View) outcome(k *kind, err error) {
	if err != nil {
		v.failed(k, err)
		return
	}
	k.heard.Store(v.cfg.Now().UnixNano())
	if was := k.trouble.Swap(""); was != "" {
		v.cfg.Logger.Info("the objects of a kind can be read again", "kind", k.name)
	}
	if state(k.state.Load()) == refused {
		k.state.Store(int32(pending))
	}
}

// synced notes that all objects of a kind are known.
func (v *View) synced(k *kind) {
	if state(k.state.Swap(int32(known))) != known {
		v.cfg.Logger.Info("the objects of a kind are known", "kind", k.name, "version", k.version.Load(), "objects", k.objects.Load())
	}
}

// unserved notes that the cluster does not have a kind.
func (v *View) unserved(k *kind, have map[string]any) {
	s := &store{view: v, kind: k, have: have}
	for key := range have {
		s.drop(key)
	}
	k.heard.Store(v.cfg.Now().UnixNano())
	k.trouble.Store("")
	if state(k.state.Swap(int32(absent))) != absent {
		v.cfg.Logger.Info("the cluster does not have a kind; it is looked for again now and then", "kind", k.name)
	}
}

// failed counts a failure, and logs it unless the last one was the same.
func (v *View) failed(k *kind, err error) {
	r := reasonOf(err)
	k.failures[r].Add(1)
	if was := k.trouble.Swap(reasons[r]); was != reasons[r] {
		v.cfg.Logger.Warn("the objects of a kind cannot be read; what was read before stays", "kind", k.name, "reason", reasons[r], "error", err)
	}
	switch reasons[r] {
	case "forbidden", "unauthorized":
		if state(k.state.Load()) == pending {
			k.state.Store(int32(refused))
		}
	case "not-found":
		if cancel := k.gone.Load(); cancel != nil && len(k.versions) > 1 {
			(*cancel)()
		}
	}
}
