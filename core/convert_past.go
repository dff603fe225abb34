package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/classic"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// The fields of v1alpha3 that only Kubernetes 1.31 had stand in the text alone.

// pastFields visits those that say something.
func (c *conversion) pastFields(visit func(n past.Note, value any)) {
	if c.object.Ref.APIVersion != past.V1alpha3 {
		return
	}
	raw, _ := tree(c.object.Raw.JSON()).(map[string]any)
	for _, note := range past.FieldsOf(past.V1alpha3, c.object.Ref.Kind) {
		var at any = raw
		for key := range strings.SplitSeq(note.Field, ".") {
			m, _ := at.(map[string]any)
			at = m[key]
		}
		if !meansNothing(at) {
			visit(note, at)
		}
	}
}

// withPast puts them into an object as v1alpha3 has it, all or those that are
// stored.
func (c *conversion) withPast(object any, stored bool) any {
	out, ok := treeOf(object).(map[string]any)
	if !ok {
		return object
	}
	c.pastFields(func(n past.Note, value any) {
		dropped := slices.ContainsFunc(c.findings, func(d diag.Diagnostic) bool { return d.Source == diag.Gate && d.Field == n.Field })
		if stored && dropped || strings.HasPrefix(n.Field, "status.") {
			return
		}
		at := out
		keys := strings.Split(n.Field, ".")
		for _, key := range keys[:len(keys)-1] {
			next, ok := at[key].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[key] = next
			}
			at = next
		}
		at[keys[len(keys)-1]] = value
	})
	return out
}

// lostPast lists those that no later version can say.
func (c *conversion) lostPast() []StoredChange {
	var out []StoredChange
	c.pastFields(func(n past.Note, value any) {
		f := treeField{n.Field, value}
		out = append(out, StoredChange{What: "lost", Field: n.Field, Value: f.shown(), Location: c.object.Locate(n.Field),
			Message: fmt.Sprintf("%s is lost: it %s, which Kubernetes %s removed; instead: %s", n.Field, n.Was, n.Gone, n.Instead)})
	})
	return out
}

// isPast tells whether the object is of a kind that is gone.
func (c *conversion) isPast() bool {
	return c.object.Value != nil && past.Of(c.object.Ref.APIVersion, c.object.Ref.Kind) != nil
}

// translate gives an object of a kind that is gone: as it is where the version
// has it, and else in what took its place.
func (c *conversion) translate(out *ConvertedObject, asked string) {
	ref := c.object.Ref
	served := feature.Served(c.set.Version(), ref.APIVersion, ref.Kind) != feature.NotKnown
	t := classic.Translate(c.object, c.others)
	out.Versions = nil
	if served {
		out.Versions = append(out.Versions, ref.APIVersion)
	}
	possible := feature.ServedVersions(c.set.Version(), t.Kind)
	if t.Object != nil {
		for _, v := range possible {
			if slices.Contains(bundle.Versions(t.Kind), v) && v != past.V1alpha3 {
				out.Versions = append(out.Versions, v)
			}
		}
	}
	to := asked
	if to == "" && len(out.Versions) > 0 {
		to = out.Versions[0]
	}
	like := c.object.Raw
	switch {
	case to == ref.APIVersion && served && c.asWritten:
		c.give(out, to, c.object.Raw, like)
	case to == ref.APIVersion && served:
		c.give(out, to, c.stored, like)
		for _, f := range missing(treeOf(c.stored), tree(like.JSON()), bundle.Schema{}, isNull) {
			out.Changes = append(out.Changes, StoredChange{What: "default", Field: f.path, Value: f.shown(), Message: f.path + " is " + f.shown() + " where nothing is said"})
		}
	case t.Object == nil:
		out.Message = t.Message
	case !slices.Contains(out.Versions, to):
		out.Message = fmt.Sprintf("%s becomes %s, which Kubernetes %s does not have in %s", ref.Kind, t.Kind, c.set.Version(), to)
		if to == "" {
			out.Message = fmt.Sprintf("%s becomes %s, which Kubernetes %s does not have", ref.Kind, t.Kind, c.set.Version())
		} else if len(out.Versions) > 0 {
			out.Message += "; it has " + strings.Join(out.Versions, ", ")
		}
	default:
		given, ok := bundle.Express(t.Object, to)
		if !ok {
			return
		}
		c.give(out, to, given, like)
		for _, l := range t.Losses {
			out.Changes = append(out.Changes, StoredChange{What: "lost", Field: l.Field, Value: treeField{l.Field, tree(l.Object.At(l.Field).JSON())}.shown(), Message: l.Message, Location: l.Object.Locate(l.Field)})
		}
	}
}

// give writes the object down beside what was written.
func (c *conversion) give(out *ConvertedObject, to string, given any, like *bundle.Node) {
	out.To = to
	if text, err := bundle.Render(c.object.Raw, like); err == nil {
		out.Written = string(text)
	}
	if text, err := bundle.Render(given, like); err == nil {
		out.Text = string(text)
	}
}
