package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// clusterFlags say how the API server is reached.
type clusterFlags struct {
	kubeconfig string
	inCluster  bool
}

func (c *clusterFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.kubeconfig, "kubeconfig", "", "kubeconfig file by which the API server is reached")
	f.BoolVar(&c.inCluster, "in-cluster", false, "reach the API server as the pod's service account")
}

// given says whether there is an API server to talk to at all.
func (c clusterFlags) given() bool { return c.kubeconfig != "" || c.inCluster }

// rest is the way to the API server.
func (c clusterFlags) rest() (*rest.Config, error) {
	if c.kubeconfig != "" && c.inCluster {
		return nil, errors.New("--kubeconfig and --in-cluster exclude each other: there is one way to the API server")
	}
	var conf *rest.Config
	var err error
	if c.inCluster {
		if conf, err = rest.InClusterConfig(); err != nil {
			return nil, fmt.Errorf("--in-cluster works in a pod with a mounted service account token only: %w", err)
		}
	} else if conf, err = clientcmd.BuildConfigFromFlags("", c.kubeconfig); err != nil {
		return nil, fmt.Errorf("--kubeconfig: %w", err)
	}
	return rest.AddUserAgent(conf, "drawbridge/"+Version()), nil
}

// client reads the cluster. Protobuf is what takes an API server least.
func (c clusterFlags) client() (kubernetes.Interface, error) {
	conf, err := c.rest()
	if err != nil {
		return nil, err
	}
	conf.ContentType = runtime.ContentTypeProtobuf
	conf.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	return kubernetes.NewForConfig(conf)
}
