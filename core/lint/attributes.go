package lint

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/drawbridge-dra/drawbridge/core/census"
)

func attributePublishedTwice(c *cluster, r *reporter) {
	find := func(d device) (resourceapi.QualifiedName, bool) {
		return smallest(d.value().Attributes, func(k resourceapi.QualifiedName, _ resourceapi.DeviceAttribute) bool {
			return !census.Counts(d.slice.value.Spec.Driver, k, d.value())
		})
	}
	perSlice(c, r, func(d device) bool { return census.HasTwins(d.slice.value.Spec.Driver, d.value()) }, func(d device, more string) finding {
		k, _ := find(d)
		full := census.Qualified(d.slice.value.Spec.Driver, k)
		return finding{
			at:    d.at("attributes", key(k)),
			value: string(k),
			message: fmt.Sprintf("device %s%s has both %s and %s, which is one name: selectors see one of them at random, constraints only the longer; publish one",
				d.value().Name, more, k, full),
			related: related("the same name with its domain", d.at("attributes", key(full))),
		}
	})
}

// attributeNotReferable looks for names that slices may have and constraints
// may not: the API server is stricter about the latter.
func attributeNotReferable(c *cluster, r *reporter) {
	why := func(k resourceapi.QualifiedName) string {
		domain, id, ok := strings.Cut(string(k), "/")
		switch {
		case !ok:
			return ""
		case strings.Contains(id, "/"):
			return "has more than one slash, and selectors take everything after the first as the name; use one"
		case strings.ToLower(domain) != domain:
			return "has upper-case letters in its domain, and no constraint may name it; use lower case"
		}
		return ""
	}
	find := func(d device) (resourceapi.QualifiedName, bool) {
		return smallest(d.value().Attributes, func(k resourceapi.QualifiedName, _ resourceapi.DeviceAttribute) bool { return why(k) != "" })
	}
	perSlice(c, r, func(d device) bool {
		_, ok := find(d)
		return ok
	}, func(d device, more string) finding {
		k, _ := find(d)
		return finding{
			at:      d.at("attributes", key(k)),
			value:   string(k),
			message: fmt.Sprintf("attribute %s of device %s%s %s", k, d.value().Name, more, why(k)),
		}
	})
}

// attributeTypeDiffers compares the types under one name over all devices:
// a constraint compares values of one type only. With lists as values, a
// scalar and a list of one type do compare. A name counts once in a device,
// so the order of its map does not matter.
func attributeTypeDiffers(c *cluster, r *reporter) {
	lists := c.on("DRAListTypeAttributes")
	type use struct {
		first    device
		kind     string
		key      resourceapi.QualifiedName
		reported bool
	}
	uses := map[string]*use{}
	for _, p := range c.pools {
		names := &census.FullNames{Driver: p.driver}
		p.devices(func(d device) {
			twins := census.HasTwins(p.driver, d.value())
			for k, attribute := range d.value().Attributes {
				kind := census.KindOf(&attribute)
				if kind == "" || twins && !census.Counts(p.driver, k, d.value()) {
					continue
				}
				full := names.Of(k)
				u := uses[full]
				if u == nil {
					uses[full] = &use{first: d, kind: kind, key: k}
					continue
				}
				same := u.kind == kind || (lists && strings.TrimSuffix(u.kind, "s") == strings.TrimSuffix(kind, "s"))
				if same || u.reported || !c.mine(d.slice.object) {
					continue
				}
				u.reported = true
				r.report(finding{
					at:    d.at("attributes", key(k)),
					value: string(k),
					message: fmt.Sprintf("attribute %s is %s here and %s in %s: matchAttribute never holds across the two, distinctAttribute always does, and a selector may fail on one of them; publish one type",
						full, article(kind), article(u.kind), u.first),
					related: related("published as "+article(u.kind), u.first.at("attributes", key(u.key))),
				})
			}
		})
	}
}

// article renders a type for a sentence.
func article(kind string) string {
	switch {
	case strings.HasSuffix(kind, "s"):
		return "a list (" + kind + ")"
	case kind == "int":
		return "an int"
	}
	return "a " + kind
}
