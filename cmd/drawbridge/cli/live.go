package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/drawbridge-dra/drawbridge/cluster"
	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/input"
)

// live is the cluster that a question is about, where it is about one.
type live struct {
	on                      bool
	kubeconfig, contextName string
	namespace               string
	within                  time.Duration
	config                  *rest.Config
	// snapshot is what was read, overlaid tells whether files lie over it.
	snapshot *cluster.Snapshot
	overlaid bool
}

// liveFlags are those that say which cluster.
var liveFlags = []string{"kubeconfig", "context", "request-timeout"}

// add adds the flags. A plugin of kubectl asks about the cluster unless it is
// told not to.
func (l *live) add(cmd *cobra.Command, plugin bool) {
	f := cmd.Flags()
	f.BoolVar(&l.on, "from-cluster", plugin, "ask about the live objects of the cluster of the kubeconfig, which are only read; files are laid over them, as if they had been applied")
	f.StringVar(&l.kubeconfig, "kubeconfig", "", "kubeconfig file (default: as kubectl finds it)")
	f.StringVar(&l.contextName, "context", "", "context of the kubeconfig (default: its current one)")
	f.StringVarP(&l.namespace, "namespace", "n", "", "namespace of what is asked about, and of objects in files laid over a cluster that name none (default: that of the context; without a cluster: default)")
	f.DurationVar(&l.within, "request-timeout", time.Minute, "how long to wait for each answer of the API server")
}

// kubeconfig finds the settings of kubectl.
func kubeconfig(path, contextName string) clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: contextName})
}

// reach finds the way to the API server.
func reach(path, contextName string, inCluster bool) (*rest.Config, error) {
	if inCluster {
		conf, err := rest.InClusterConfig()
		if err != nil {
			return nil, fmt.Errorf("--in-cluster works in a pod with a mounted service account token only: %w", err)
		}
		return rest.AddUserAgent(conf, "drawbridge/"+Version()), nil
	}
	conf, err := kubeconfig(path, contextName).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig: %w", plainly(err))
	}
	return rest.AddUserAgent(conf, "drawbridge/"+Version()), nil
}

// plainly is why a kubeconfig cannot be used. What libraries say of a file
// that they cannot read may quote it, and it holds secrets.
func plainly(err error) error {
	switch {
	case clientcmd.IsEmptyConfig(err):
		return errors.New("there is none; name a file with --kubeconfig or in KUBECONFIG, as for kubectl")
	case errors.Is(err, os.ErrNotExist), errors.Is(err, os.ErrPermission), clientcmd.IsContextNotFound(err), clientcmd.IsConfigurationInvalid(err),
		strings.HasPrefix(err.Error(), "context "): // that does not exist
		return err
	}
	return errors.New("the file cannot be read as one; kubectl config view says why")
}

// find finds the cluster, before it is asked anything, and the namespace that
// the question is about.
func (l *live) find(cmd *cobra.Command, args []string) (err error) {
	if !l.on {
		for _, name := range liveFlags {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s says which cluster, and no cluster is asked; add --from-cluster", name)
			}
		}
		if l.namespace == "" {
			l.namespace = "default"
		}
		return nil
	}
	if l.config, err = reach(l.kubeconfig, l.contextName, false); err != nil {
		return err
	}
	if l.config.ExecProvider != nil && slices.Contains(args, "-") {
		l.config.ExecProvider.StdinUnavailable = true
		l.config.ExecProvider.StdinUnavailableMessage = "- is a file here"
	}
	if l.namespace == "" {
		if l.namespace, _, err = kubeconfig(l.kubeconfig, l.contextName).Namespace(); err != nil {
			return fmt.Errorf("--kubeconfig: %w", plainly(err))
		}
	}
	return nil
}

// visit reads the cluster. Its version and gates are those that apply unless
// flags say others; what the settings file says of them is about files.
func (c *choices) visit(ctx context.Context, use cluster.Use, needs ...string) (err error) {
	l := &c.live
	l.snapshot, err = cluster.Read(ctx, l.config, cluster.Options{
		Use: use, Namespace: l.namespace, Needs: needs, Within: l.within,
		Progress: func(resource string, done, total int) { c.progress.Show(resource, done, total) },
	})
	if err != nil {
		return err
	}
	c.note(l.snapshot.Notes...)
	known := l.snapshot.Known
	if known != "" && !c.changed("kubernetes-version") {
		c.versions = []string{known}
	}
	if !c.changed("feature-gates") && len(c.versions) == 1 && c.versions[0] == known {
		c.gates = l.snapshot.Gates
	}
	return nil
}

// lay lays files over what was read.
func (c *choices) lay(ctx context.Context, cmd *cobra.Command, args []string) (*cluster.Laid, error) {
	var files []cluster.File
	if len(args) > 0 { // the files of the settings are about no cluster
		var err error
		if files, err = c.contents(ctx, cmd, args); err != nil {
			return nil, err
		}
		c.live.overlaid = true
	}
	laid := c.live.snapshot.Lay(files, c.live.namespace)
	c.note(laid.Notes...)
	return laid, nil
}

// join makes one text of files.
func join(files []*input.File) (*input.Text, error) {
	text := &input.Text{}
	for _, f := range files {
		content, err := f.Read()
		if err != nil {
			return nil, err
		}
		f.AddTo(text, content)
	}
	return text, nil
}

// stored are the options for objects that an API server has stored, of which
// some may be newer than what is known here.
func (l *live) stored(o core.Options, fieldsGiven bool) core.Options {
	if !l.on {
		return o
	}
	o.SkipValidation = o.SkipValidation || !l.overlaid
	if !fieldsGiven {
		o.FieldValidation = "Warn"
	}
	return o
}

// where is what objects were found in.
func (l *live) where() string {
	if l.on {
		return "cluster"
	}
	return "files"
}

// kindsOf are the kinds of what can be asked about.
var kindsOf = map[string]string{"pod": "Pod", "claim": "ResourceClaim", "template": "ResourceClaimTemplate"}

// about makes plain that what is asked about is not in the cluster, or has
// nothing to do with devices.
func (l *live) about(err error, kind, name string) error {
	var problem *core.OptionError
	if !errors.As(err, &problem) || problem.Option != kind {
		return err
	}
	if !l.on {
		switch kind {
		case "pod":
			return fmt.Errorf("no pod %s of the files uses devices; name one that does, as pod/NAME or pod/NAMESPACE/NAME", name)
		case "claim":
			return fmt.Errorf("there is no claim %s in the files, nor is one made from a template for a pod; name one as claim/NAME or claim/NAMESPACE/NAME", name)
		}
		return fmt.Errorf("there is no template %s in the files; name one as template/NAME or template/NAMESPACE/NAME", name)
	}
	namespace, rest, _ := strings.Cut(name, "/")
	switch {
	case l.snapshot.Find(kindsOf[kind], namespace, rest) == nil:
		return fmt.Errorf("there is no %s %s in the cluster at %s; --namespace and --context choose others", kind, name, l.snapshot.Host)
	case kind == "pod":
		return fmt.Errorf("pod %s uses no devices: it has neither spec.resourceClaims nor requests for resources that a DeviceClass stands behind, so there is nothing to say about it", name)
	}
	return err
}
