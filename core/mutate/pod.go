package mutate

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	kjson "sigs.k8s.io/json"
)

// classResource prefixes the extended resources that every DeviceClass offers.
const classResource = "deviceclass.resource.kubernetes.io/"

// pod is the little of a pod that decides. The patch is made of paths only,
// so whatever else the pod holds, known to us or not, stays as it is.
type pod struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Annotations     map[string]string `json:"annotations"`
		OwnerReferences []struct {
			Kind string `json:"kind"`
		} `json:"ownerReferences"`
	} `json:"metadata"`
	Spec struct {
		NodeName        string            `json:"nodeName"`
		NodeSelector    map[string]string `json:"nodeSelector"`
		SchedulerName   string            `json:"schedulerName"`
		SchedulingGates []any             `json:"schedulingGates"`
		ResourceClaims  []any             `json:"resourceClaims"`
		Containers      []container       `json:"containers"`
		InitContainers  []container       `json:"initContainers"`
		Affinity        *struct {
			NodeAffinity *struct {
				Required *struct {
					Terms []*term `json:"nodeSelectorTerms"`
				} `json:"requiredDuringSchedulingIgnoredDuringExecution"`
			} `json:"nodeAffinity"`
		} `json:"affinity"`
	} `json:"spec"`
}

type container struct {
	Resources struct {
		Requests map[string]any `json:"requests"`
		Limits   map[string]any `json:"limits"`
	} `json:"resources"`
}

// term is one of the alternatives of a node affinity.
type term struct {
	Expressions []any                            `json:"matchExpressions"`
	Fields      []corev1.NodeSelectorRequirement `json:"matchFields"`
}

// errNoPod leaves the decoder's own words out: they name Go types.
var errNoPod = errors.New("the object cannot be read as a pod")

// read takes what decides out of a pod, as the API server would: names are
// case-sensitive.
func read(raw []byte) (*pod, error) {
	var p pod
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &p); err != nil {
		return nil, errNoPod
	}
	return &p, nil
}

// ofKubelet tells whether the pod is, or mirrors, one that a kubelet has from
// elsewhere.
func (p *pod) ofKubelet() bool {
	if _, mirror := p.Metadata.Annotations["kubernetes.io/config.mirror"]; mirror {
		return true
	}
	if source, has := p.Metadata.Annotations["kubernetes.io/config.source"]; has && source != "api" {
		return true
	}
	for _, owner := range p.Metadata.OwnerReferences {
		if owner.Kind == "Node" {
			return true
		}
	}
	return false
}

// usesDevices tells whether anything must be allocated for the pod.
func (p *pod) usesDevices(backed func(string) bool) bool {
	if len(p.Spec.ResourceClaims) > 0 {
		return true
	}
	for _, list := range [][]container{p.Spec.InitContainers, p.Spec.Containers} {
		for _, c := range list {
			if asksForClass(c.Resources.Requests, backed) || asksForClass(c.Resources.Limits, backed) {
				return true
			}
		}
	}
	return false
}

func asksForClass(resources map[string]any, backed func(string) bool) bool {
	for name, quantity := range resources {
		if !strings.HasPrefix(name, classResource) && (backed == nil || !backed(name)) {
			continue
		}
		q, err := resource.ParseQuantity(fmt.Sprint(quantity))
		if err != nil || !q.IsZero() { // the API server refuses what cannot be parsed
			return true
		}
	}
	return false
}
