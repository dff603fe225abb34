package cluster

import "strings"

// Find is an object that was read; nil for one that was not.
func (s *Snapshot) Find(kind, namespace, name string) map[string]any {
	for i := range s.objects {
		if o := &s.objects[i]; o.kind.name == kind && o.namespace == namespace && o.name == name {
			return o.tree
		}
	}
	return nil
}

// Waiting is what the scheduler wrote into the status of a pod, named as
// namespace/name, that has no node; empty for any other.
func (s *Snapshot) Waiting(pod string) string {
	namespace, name, _ := strings.Cut(pod, "/")
	status, _ := s.Find("Pod", namespace, name)["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	for _, c := range conditions {
		condition, _ := c.(map[string]any)
		if condition["type"] == "PodScheduled" && condition["status"] == "False" {
			message, _ := condition["message"].(string)
			return message
		}
	}
	return ""
}

// mostHolders is how many pods are named.
const mostHolders = 3

// Holders are the pods for which a claim is reserved, as pod/namespace/name;
// the first of them, where they are many.
func (s *Snapshot) Holders(namespace, name string) (out []string) {
	status, _ := s.Find("ResourceClaim", namespace, name)["status"].(map[string]any)
	consumers, _ := status["reservedFor"].([]any)
	for _, c := range consumers {
		consumer, _ := c.(map[string]any)
		pod, _ := consumer["name"].(string)
		if consumer["resource"] == "pods" && pod != "" {
			if len(out) == mostHolders {
				return append(out, "others")
			}
			out = append(out, "pod/"+namespace+"/"+pod)
		}
	}
	return out
}
