package admission

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/census"
)

// stillUsed warns whoever deletes what something in the cluster still names.
// It never stands in the way: they may be about to delete that too.
func (c *Case) stillUsed() []string {
	r := c.Request
	if c.Cluster == nil || r.Kind.Group != resourceapi.GroupName || r.SubResource != "" || r.Name == "" {
		return nil
	}
	switch r.Kind.Kind {
	case "DeviceClass":
		if users := c.Cluster.UsersOfClass(r.Name); !users.None() {
			text := fmt.Sprintf("DeviceClass %s is still named by %s; without it nothing more is allocated for them", r.Name, listUsers(users))
			if users.AllocatedCount > 0 {
				text += fmt.Sprintf(", while those that have devices (%d) keep them", users.AllocatedCount)
			}
			return []string{text}
		}
	case "ResourceClaimTemplate":
		if users := c.Cluster.UsersOfTemplate(r.Namespace, r.Name); !users.None() {
			return []string{fmt.Sprintf("ResourceClaimTemplate %s is still named by %s; pods that have no claim from it yet will not start", r.Name, listUsers(users))}
		}
	}
	return nil
}

// listUsers names some users and counts all of them.
func listUsers(u census.Users) string {
	var parts []string
	for _, kind := range []struct {
		thing string
		names []string
		count int
	}{{"claim", u.Claims, u.ClaimCount}, {"template", u.Templates, u.TemplateCount}, {"pod", u.Pods, u.PodCount}} {
		if kind.count == 0 {
			continue
		}
		text := fmt.Sprintf("%d %s", kind.count, kind.thing)
		if kind.count > 1 {
			text += "s"
		}
		if len(kind.names) > 0 {
			names := kind.names[:min(len(kind.names), census.MostUsers)]
			text += " (" + strings.Join(names, ", ")
			if kind.count > len(names) {
				text += ", …"
			}
			text += ")"
		}
		parts = append(parts, text)
	}
	if len(parts) > 1 {
		return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
	}
	return parts[0]
}
