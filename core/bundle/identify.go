package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/nearest"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// identify checks API version and kind. It tells whether the object is to be
// decoded.
func (c *collector) identify(o *Object) bool {
	for _, field := range []string{"apiVersion", "kind"} {
		if n := o.Raw.Get(field); n.Kind() != String && n.Kind() != Null {
			c.report(o, diag.Error, "wrong-type", field, fmt.Sprintf("%s must be a string, not %s", field, n.Kind()), nil)
			return false
		}
	}
	switch {
	case o.Ref.APIVersion == "" && o.Ref.Kind == "":
		c.report(o, diag.Error, "api-version-required", "apiVersion", "the object has neither apiVersion nor kind; write both, such as apiVersion: resource.k8s.io/v1 and kind: ResourceClaim", nil)
	case o.Ref.Kind == "":
		c.report(o, diag.Error, "kind-required", "kind", "the object has no kind; write one, such as kind: ResourceClaim", nil)
	case o.Ref.APIVersion == "":
		c.report(o, diag.Error, "api-version-required", "apiVersion", "the object has no apiVersion; write "+c.example(o.Ref.Kind), nil)
	case group(o.Ref.APIVersion) == feature.Group:
		return c.identifyDRA(o)
	case findShape(o.Ref.APIVersion, o.Ref.Kind) != nil:
		return true
	default:
		c.identifyOther(o)
	}
	return false
}

// example is the line that gives a kind its API version.
func (c *collector) example(kind string) string {
	if slices.Contains(coreKinds, kind) {
		return "apiVersion: v1"
	}
	if best := c.best(kind); best != "" {
		return "apiVersion: " + best
	}
	return "the API version of its kind, such as apiVersion: " + v1
}

// best is the API version to write for a kind of DRA; empty if the version
// does not have the kind.
func (c *collector) best(kind string) string {
	served := feature.ServedVersions(c.version(), kind)
	if len(served) == 0 {
		return ""
	}
	return served[0]
}

func (c *collector) version() feature.Version { return c.features.Version() }

// identifyDRA checks an object of DRA's own group.
func (c *collector) identifyDRA(o *Object) bool {
	kind, apiVersion := o.Ref.Kind, o.Ref.APIVersion
	if !slices.Contains(feature.Kinds(), kind) && !slices.Contains(past.Kinds(), kind) {
		near := nearestKind(kind, feature.Kinds(), 2)
		hint := fmt.Sprintf("; its kinds are %s", strings.Join(feature.Kinds(), ", "))
		if near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		c.report(o, diag.Error, "unknown-kind", "kind", fmt.Sprintf("%s has no kind %s%s", feature.Group, shorten(kind), hint), c.replace(o, "kind", near))
		return false
	}
	switch feature.Served(c.version(), apiVersion, kind) {
	case feature.On:
		return true
	case feature.OffByDefault:
		c.report(o, diag.Warning, "version-not-served", "apiVersion", c.notServed(o), nil)
		return true
	}
	c.report(o, diag.Error, "unknown-version", "apiVersion", c.unknownVersion(o), c.replaceVersion(o))
	return true
}

// notServed tells how to get an API version that is off by default.
func (c *collector) notServed(o *Object) string {
	message := fmt.Sprintf("Kubernetes %s serves %s of %s only when the API server runs with --runtime-config=%s=true",
		c.version(), o.Ref.Kind, o.Ref.APIVersion, o.Ref.APIVersion)
	if best := c.best(o.Ref.Kind); feature.Served(c.version(), best, o.Ref.Kind) == feature.On {
		message += "; " + best + " is on by default"
	}
	return message
}

func (c *collector) unknownVersion(o *Object) string {
	kind, apiVersion := o.Ref.Kind, o.Ref.APIVersion
	if shape := c.olderShape(o); apiVersion == v1alpha2 && shape != "" {
		return "v1alpha2 is no served version of " + kind + shape + c.advice(kind)
	}
	known := feature.KnownIn(apiVersion, kind)
	if len(known) == 0 {
		return fmt.Sprintf("%s has no %s in any Kubernetes that Drawbridge knows%s", shorten(apiVersion), kind, c.advice(kind))
	}
	first, last := known[0], known[len(known)-1]
	span := "only " + first.String() + " had it"
	switch {
	case last == feature.Newest:
		span = "it came with " + first.String()
	case first != last:
		span = fmt.Sprintf("only %s to %s had it", first, last)
	}
	advice := c.advice(kind)
	if past.Of(apiVersion, kind) != nil {
		advice = "; POST /v1/convert writes it in a version that is there, with what gets lost"
		if strings.HasPrefix(kind, "PodScheduling") {
			advice = "; delete it"
		}
	}
	return fmt.Sprintf("Kubernetes %s does not have %s in %s; %s%s", c.version(), kind, apiVersion, span, advice)
}

// olderShape says of an object of v1alpha2 which version's shape it has.
func (c *collector) olderShape(o *Object) string {
	for _, path := range []string{"spec.devices", "spec.spec.devices", "spec.selectors"} {
		if o.At(path).Kind() != Null {
			return "; the shape is v1alpha3's"
		}
	}
	return ""
}

// advice tells which API version to write.
func (c *collector) advice(kind string) string {
	best := c.best(kind)
	if best == "" {
		if v := feature.KnownIn(v1, kind); len(v) > 0 {
			return fmt.Sprintf("; Kubernetes %s does not have the kind, %s does", c.version(), v[0])
		}
		return fmt.Sprintf("; Kubernetes %s does not have the kind at all", c.version())
	}
	advice := "; write apiVersion: " + best
	if kind == "ResourceClaim" || kind == "ResourceClaimTemplate" {
		if best == v1 || best == v1beta2 {
			advice += `, where a request has its deviceClassName, count and selectors under "exactly"`
		}
	}
	if kind == "ResourceSlice" && (best == v1 || best == v1beta2) {
		advice += `, where a device has no "basic" and each capacity is a map with value`
	}
	return advice
}

// replaceVersion offers the API version that is right where nothing else
// would have to change, and the whole object anew where it would.
func (c *collector) replaceVersion(o *Object) *diag.Suggestion {
	s := c.shapeOf(o)
	if s != nil && past.Of(s.apiVersion, s.kind) != nil {
		return nil
	}
	if s != nil && !s.asNewest {
		return c.rendition(o, s)
	}
	if o.At("spec.suitableNodes").Kind() != Null {
		return nil
	}
	return c.replace(o, "apiVersion", c.best(o.Ref.Kind))
}

// shapeOf finds the shape to decode an object with; nil if there is none.
func (c *collector) shapeOf(o *Object) *shape {
	if o.Ref.APIVersion == v1alpha2 && c.olderShape(o) != "" {
		return findShape(v1alpha3, o.Ref.Kind)
	}
	return findShape(o.Ref.APIVersion, o.Ref.Kind)
}

// identifyOther deals with objects outside DRA's group: mistakes in the names
// of kinds that count, and objects that do not matter.
func (c *collector) identifyOther(o *Object) {
	kind, apiVersion := o.Ref.Kind, o.Ref.APIVersion
	switch {
	case slices.Contains(feature.Kinds(), kind):
		hint := c.example(kind)
		c.report(o, diag.Error, "unknown-version", "apiVersion", fmt.Sprintf("%s has no kind %s; write %s", shorten(apiVersion), kind, hint), c.replace(o, "apiVersion", c.best(kind)))
	case slices.Contains(coreKinds, kind) && (group(apiVersion) == "" || group(apiVersion) == "core"):
		c.report(o, diag.Error, "unknown-version", "apiVersion", fmt.Sprintf("%s has no kind %s; write apiVersion: v1", shorten(apiVersion), kind), c.replace(o, "apiVersion", "v1"))
	case nearestKind(kind, feature.Kinds(), 1) != "":
		near := nearestKind(kind, feature.Kinds(), 1)
		c.report(o, diag.Error, "unknown-kind", "kind", fmt.Sprintf("%s has no kind %s; did you mean %s, with %s?", shorten(apiVersion), shorten(kind), near, c.example(near)), nil)
	case apiVersion == "v1" && nearestKind(kind, coreKinds, 0) != "":
		near := nearestKind(kind, coreKinds, 0)
		c.report(o, diag.Error, "unknown-kind", "kind", fmt.Sprintf("v1 has no kind %s; did you mean %s?", shorten(kind), near), c.replace(o, "kind", near))
	default:
		if c.others == nil {
			c.others, c.firstOther = map[string]int{}, o
		}
		c.others[kind]++
	}
}

// nearestKind finds the kind that was meant: in another case, in the plural,
// or with a few letters wrong.
func nearestKind(written string, kinds []string, edits int) string {
	if len(written) > 64 {
		return ""
	}
	lower := strings.ToLower(written)
	best, bestDistance := "", edits+1
	for _, kind := range kinds {
		for _, form := range []string{lower, strings.TrimSuffix(lower, "s"), strings.TrimSuffix(lower, "es")} {
			if distance := nearest.Distance(form, strings.ToLower(kind), bestDistance-1); distance < bestDistance {
				best, bestDistance = kind, distance
			}
		}
	}
	return best
}

// replace offers another text for a scalar of the object.
func (c *collector) replace(o *Object, field, text string) *diag.Suggestion {
	n := o.Raw.Get(field)
	if text == "" || n.Location() == nil {
		return nil
	}
	replacement := text
	if n.style == quotedStyle {
		replacement = `"` + text + `"`
	}
	return &diag.Suggestion{Message: fmt.Sprintf("write %s: %s", field, text), Replacement: replacement, Location: n.Location()}
}

func (c *collector) report(o *Object, severity diag.Severity, rule, field, message string, mend *diag.Suggestion) {
	finding := diag.Diagnostic{
		Severity: severity, Source: diag.Decode, Rule: rule, Field: field,
		Message: message, Location: o.Locate(field), Suggestion: mend,
	}
	finding.Value = o.Raw.Get(field).Written()
	c.sink.add(o, finding)
}
