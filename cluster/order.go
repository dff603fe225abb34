package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// sort puts the objects of a kind into the order in which kubectl prints them,
// and pods that wait for a node behind the others, in the order in which the
// scheduler takes them.
func (s *Snapshot) sort() {
	rank := map[string]int{}
	for i := range kinds {
		rank[kinds[i].name] = i
	}
	slices.SortStableFunc(s.objects, func(a, b object) int {
		if n := cmp.Compare(rank[a.kind.name], rank[b.kind.name]); n != 0 {
			return n
		}
		ta, tb := a.turn, b.turn
		return cmp.Or(cmp.Compare(ta.waits, tb.waits), -cmp.Compare(ta.priority, tb.priority), strings.Compare(ta.since, tb.since),
			strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
	})
}

// turn is when the scheduler takes a pod: by priority, and then by age.
type turn struct {
	waits    int
	priority int64
	since    string
}

func turnOf(tree map[string]any) turn {
	spec, _ := tree["spec"].(map[string]any)
	if node, _ := spec["nodeName"].(string); node != "" {
		return turn{}
	}
	metadata, _ := tree["metadata"].(map[string]any)
	t := turn{waits: 1}
	t.since, _ = metadata["creationTimestamp"].(string)
	if n, ok := spec["priority"].(json.Number); ok {
		t.priority, _ = n.Int64()
	}
	return t
}

// What the core works on at most, with room for files that are laid over it.
const (
	mostText    = 30 << 20
	mostObjects = 45_000
)

// bound makes sure that the whole is not more than can be worked on. Where it
// is, pods lose first what no answer reads.
func (s *Snapshot) bound(mostText, mostObjects int) error {
	if len(s.objects) > mostObjects {
		return fmt.Errorf("the cluster has %d objects that matter, and at most %d are worked on; print what matters with kubectl get -o yaml and ask about that", len(s.objects), mostObjects)
	}
	if s.size() > mostText {
		for i := range s.objects {
			if o := &s.objects[i]; o.kind.name == "Pod" {
				slim(o.tree)
				text, err := written(o.tree)
				if err != nil {
					return err
				}
				o.text = text
			}
		}
		s.Notes = append(s.Notes, "the cluster is so large that pods were shortened to what answers need: lines in them are not those that kubectl prints")
	}
	if size := s.size(); size > mostText {
		return fmt.Errorf("the cluster's objects are %d KiB of text, and at most %d are worked on; print what matters with kubectl get -o yaml and ask about that", size>>10, mostText>>10)
	}
	return nil
}

func (s *Snapshot) size() (bytes int) {
	for i := range s.objects {
		bytes += len(s.objects[i].text) + len("...\n")
	}
	return bytes
}

// What no answer reads of a pod, and of its containers.
var (
	idlePod       = []string{"volumes", "imagePullSecrets", "dnsConfig", "hostAliases", "securityContext"}
	idleContainer = []string{"args", "command", "env", "envFrom", "lifecycle", "livenessProbe", "readinessProbe", "securityContext", "startupProbe", "volumeDevices", "volumeMounts"}
)

func slim(pod map[string]any) {
	spec, _ := pod["spec"].(map[string]any)
	for _, field := range idlePod {
		delete(spec, field)
	}
	for _, list := range []string{"containers", "initContainers"} {
		containers, _ := spec[list].([]any)
		for _, c := range containers {
			container, _ := c.(map[string]any)
			for _, field := range idleContainer {
				delete(container, field)
			}
		}
	}
	status, _ := pod["status"].(map[string]any)
	for _, field := range []string{"conditions", "containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses", "hostIPs", "podIPs"} {
		delete(status, field)
	}
	if metadata, ok := pod["metadata"].(map[string]any); ok {
		annotations, _ := metadata["annotations"].(map[string]any)
		delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	}
}
