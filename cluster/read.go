package cluster

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/drawbridge-dra/drawbridge/cluster/client"
	"github.com/drawbridge-dra/drawbridge/core"
	"k8s.io/client-go/rest"
)

// Options say what to read.
type Options struct {
	Use Use
	// Namespace is the one that is read of where all of them may not be.
	Namespace string
	// Needs are kinds that the question is nothing without, beside those that
	// its use makes so.
	Needs []string
	// Within bounds each request.
	Within time.Duration
	// Progress hears how many objects of a resource have been read, of how many
	// at least; nil for nobody.
	Progress func(resource string, done, total int)
}

// Snapshot is what was read.
type Snapshot struct {
	// Host is where the API server is.
	Host string
	client.Version
	// Gates are those that differ from the defaults of the version, in the form
	// of the API server's flag.
	Gates string
	// Notes say what could not be read, and what an answer lacks for that.
	Notes []string
	// Partial is set where rights are missing to read objects.
	Partial bool
	objects []object
	lists   []string // of the kinds of which at least some were listed
}

// object is one that was read.
type object struct {
	kind            *kind
	namespace, name string
	tree            map[string]any
	// text is what kubectl get -o yaml prints of it.
	text []byte
	turn turn
}

// file names the object as kubectl does.
func (o *object) file() string { return fileName(o.kind, o.namespace, o.name) }

// reading is a look at a cluster.
type reading struct {
	*client.Client
	opts   Options
	out    *Snapshot
	served map[string][]string // resources by group and version
	// bytes are those of all objects so far.
	bytes int
	// denied is set where rights are missing.
	denied bool
}

// Read reads what a use needs. The error says what to do; it holds nothing
// that an API server or somebody between has answered.
func Read(ctx context.Context, cfg *rest.Config, opts Options) (*Snapshot, error) {
	c, err := client.New(cfg, opts.Within)
	if err != nil {
		return nil, err
	}
	r := &reading{Client: c, opts: opts, out: &Snapshot{Host: c.Host()}, served: map[string][]string{}}
	for _, step := range []func(context.Context) error{r.version, r.discover, r.gates, r.lists} {
		if err := step(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, err
		}
	}
	if r.denied {
		r.note("drawbridge cluster-role prints a ClusterRole with all rights that are needed, which are rights to read")
	}
	r.out.Partial = r.denied
	r.out.sort()
	return r.out, r.out.bound(mostText, mostObjects)
}

func (r *reading) note(form string, args ...any) {
	r.out.Notes = append(r.out.Notes, fmt.Sprintf(form, args...))
}

// failure puts into words why something could not be read.
func (r *reading) failure(what string, err error) error {
	if client.Refused(err, http.StatusUnauthorized) {
		return fmt.Errorf("the API server at %s does not accept the credentials of the kubeconfig (401): they are missing, wrong or past their end; log in again, or choose another --context", r.Host())
	}
	return fmt.Errorf("%s cannot be read of the API server at %s: %w", what, r.Host(), err)
}

func (r *reading) version(ctx context.Context) (err error) {
	r.out.Version, err = r.Version(ctx)
	switch {
	case client.Refused(err, http.StatusForbidden):
		r.note("the version of the API server may not be read with these rights (get on /version): the rules of %s are applied", core.Versions().Default)
		return nil
	case err != nil:
		return r.failure("the version", err)
	case r.out.Known == "":
		r.note("the API server is Kubernetes %s, which is not known here: the rules of %s are applied", r.out.Git, core.Versions().Default)
	}
	return nil
}

// discover asks which resources there are. What nobody tells counts as there,
// and is found out by asking for it.
func (r *reading) discover(ctx context.Context) error {
	for _, group := range []string{resourceGroup, "scheduling.k8s.io"} {
		var about struct {
			Versions []struct{ GroupVersion string }
		}
		err := r.JSON(ctx, "/apis/"+group, nil, &about)
		switch {
		case client.Missing(err) && group == resourceGroup:
			return fmt.Errorf("the API server at %s, Kubernetes %s, does not serve %s, so it has no devices to give; from Kubernetes 1.34 on it does unless --runtime-config forbids it", r.Host(), r.out.Git, group)
		case client.Refused(err, http.StatusForbidden):
			for _, v := range resourceVersions {
				r.served[group+"/"+v] = nil
			}
			continue
		case client.Missing(err):
			continue
		case err != nil:
			return r.failure("what "+group+" has", err)
		}
		for _, v := range about.Versions {
			var list struct{ Resources []struct{ Name string } }
			if err := r.JSON(ctx, "/apis/"+v.GroupVersion, nil, &list); err != nil && !client.Refused(err, http.StatusForbidden, http.StatusNotFound) {
				return r.failure("what "+v.GroupVersion+" has", err)
			}
			names := []string{}
			for _, one := range list.Resources {
				names = append(names, one.Name)
			}
			r.served[v.GroupVersion] = names
		}
	}
	return nil
}

// serves are the versions in which a kind can be asked for, best first.
func (r *reading) serves(k *kind) []string {
	if k.group == "" {
		return k.versions
	}
	var out []string
	for _, v := range k.versions {
		if names, known := r.served[k.group+"/"+v]; known && (names == nil || slices.Contains(names, k.resource)) {
			out = append(out, v)
		}
	}
	return out
}

// gates reads those of the API server, which decide what is stored. Those of
// the scheduler are hardly ever to be seen, and are the same in any cluster
// that works.
func (r *reading) gates(ctx context.Context) error {
	if r.opts.Use == Convert {
		return nil
	}
	found, err := r.Gates(ctx, "/metrics")
	if err == nil {
		r.out.Gates = client.GateFlag(found, r.out.Known)
		if wrong := (core.Options{KubernetesVersion: r.out.Known, FeatureGates: r.out.Gates}).CheckFeatures(); wrong != nil {
			r.note("the feature gates of the API server do not go together as they are known here, and those that are on by default are taken instead")
			r.out.Gates = ""
		}
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	why := err.Error()
	if client.Refused(err, http.StatusForbidden) {
		why = "no get on /metrics"
	}
	r.note("the feature gates of the API server may not be read with these rights or are not told (%s): the defaults of Kubernetes %s are taken; --feature-gates sets others", why, r.ruling())
	return nil
}

// ruling is the version whose rules apply.
func (r *reading) ruling() string {
	if r.out.Known != "" {
		return r.out.Known
	}
	return core.Versions().Default
}

// lists reads the objects, kind by kind.
func (r *reading) lists(ctx context.Context) error {
	for i := range kinds {
		k := &kinds[i]
		if k.uses&r.opts.Use == 0 {
			continue
		}
		versions := r.serves(k)
		if len(versions) == 0 {
			// There is no such object in a cluster that does not serve the kind,
			// so nothing is missing but where everything is about it.
			if r.needs(k) {
				return fmt.Errorf("the API server at %s, Kubernetes %s, does not serve %s", r.Host(), r.out.Git, k.resource+"."+k.group)
			}
			continue
		}
		if err := r.list(ctx, k, versions); err != nil {
			return err
		}
	}
	if len(r.out.lists) == 0 {
		return fmt.Errorf("nothing may be listed at %s with these rights; drawbridge cluster-role prints a ClusterRole that is enough", r.Host())
	}
	return nil
}

func (r *reading) needs(k *kind) bool {
	return k.essential&r.opts.Use != 0 || slices.Contains(r.opts.Needs, k.name)
}

// list reads the objects of a kind: all, or where that may not be, those of
// the namespace.
func (r *reading) list(ctx context.Context, k *kind, versions []string) (err error) {
	scopes := []string{""}
	if k.namespaced && r.opts.Namespace != "" {
		scopes = append(scopes, r.opts.Namespace)
	}
	for _, namespace := range scopes {
		for _, version := range versions {
			if err = r.read(ctx, k, version, namespace); err == nil {
				r.out.lists = append(r.out.lists, k.name)
				if namespace != "" {
					r.note("%s may be listed in namespace %s only (no list on %s in all): %s", k.plural(), namespace, k.qualified(), k.elsewhere)
				}
				return nil
			}
			if !client.Missing(err) {
				break
			}
		}
		if !client.Refused(err, http.StatusForbidden) {
			break
		}
		r.denied = true
	}
	why := "no list on " + k.qualified()
	switch {
	case !client.Refused(err, http.StatusForbidden, http.StatusNotFound):
		return r.failure(k.plural(), err)
	case client.Missing(err):
		why = "the API server does not have " + k.qualified()
	}
	if r.needs(k) {
		return fmt.Errorf("%s may not be listed at %s with these rights (%s), and there is no answer without: %s; drawbridge cluster-role prints a ClusterRole that is enough", k.plural(), r.Host(), why, k.without)
	}
	r.note("%s may not be listed with these rights (%s): %s", k.plural(), why, k.without)
	return nil
}

// qualified is the resource as roles name it.
func (k *kind) qualified() string {
	if k.group == "" {
		return k.resource
	}
	return k.resource + "." + k.group
}

// mostRead is how many bytes are read at all, over all kinds.
const mostRead = 512 << 20

// read reads one list. Half a list is none.
func (r *reading) read(ctx context.Context, k *kind, version, namespace string) error {
	before, bytes := len(r.out.objects), r.bytes
	restart := func() { r.out.objects, r.bytes = r.out.objects[:before], bytes }
	err := r.Pages(ctx, k.path(version, namespace), func(p *client.Page) error {
		for _, tree := range p.Items {
			o, err := newObject(k, tree)
			if err != nil {
				return err
			}
			if r.bytes += len(o.text); r.bytes > mostRead {
				return fmt.Errorf("the cluster has more than %d MiB of objects, and at most that is read; print what matters with kubectl get -o yaml and ask about that", mostRead>>20)
			}
			r.out.objects = append(r.out.objects, o)
		}
		if r.opts.Progress != nil {
			done := len(r.out.objects) - before
			r.opts.Progress(k.resource, done, done+p.Metadata.Remaining)
		}
		return ctx.Err()
	}, restart)
	if err != nil {
		restart()
	}
	return err
}

// newObject takes an item of a list.
func newObject(k *kind, tree map[string]any) (object, error) {
	// A list may be of any kind where the server is none of Kubernetes.
	tree["kind"] = k.name
	metadata, _ := tree["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	if name == "" {
		return object{}, fmt.Errorf("there is an object without a name among the %s", k.plural())
	}
	namespace, _ := metadata["namespace"].(string)
	o := object{kind: k, namespace: namespace, name: name, tree: tree}
	if k.name == "Pod" {
		o.turn = turnOf(tree)
	}
	var err error
	o.text, err = written(tree)
	return o, err
}
