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
	"github.com/drawbridge-dra/drawbridge/core/validate"
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
	fields := map[string]any{}
	c.pastFields(func(n past.Note, value any) {
		dropped := slices.ContainsFunc(c.findings, func(d diag.Diagnostic) bool { return d.Source == diag.Gate && d.Field == n.Field })
		if !stored || !dropped {
			fields[n.Field] = value
		}
	})
	return withFields(object, fields)
}

// withFields puts values at paths into an object.
func withFields(object any, fields map[string]any) any {
	out, ok := treeOf(object).(map[string]any)
	if !ok {
		return object
	}
	for path, value := range fields {
		at := out
		keys := strings.Split(path, ".")
		for _, key := range keys[:len(keys)-1] {
			next, ok := at[key].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[key] = next
			}
			at = next
		}
		at[keys[len(keys)-1]] = value
	}
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
	ref, version := c.object.Ref, c.set.Version()
	served := func(apiVersion, kind string) bool {
		return kind != "" && feature.Served(version, apiVersion, kind) != feature.NotKnown
	}
	controllers := version == feature.Oldest && c.set.Enabled(feature.DRAControlPlaneController)
	t := classic.Translate(c.object, c.others, controllers)
	out.Versions = nil
	for _, v := range []string{past.V1alpha3, past.V1alpha2, past.V1alpha1} {
		if served(v, classic.Renamed(ref.Kind, v)) && (v != past.V1alpha3 || t.Object == nil) {
			out.Versions = append(out.Versions, v)
		}
	}
	if t.Object != nil {
		for _, v := range feature.ServedVersions(version, t.Kind) {
			if slices.Contains(bundle.Versions(t.Kind), v) && (v != past.V1alpha3 || version == feature.Oldest) {
				out.Versions = append(out.Versions, v)
			}
		}
	}
	to := asked
	if to == "" && len(out.Versions) > 0 {
		to = out.Versions[0]
	}
	like := c.object.Raw
	value := c.stored
	if c.asWritten {
		value = c.object.Value
	}
	switch {
	case slices.Contains(out.Versions, to) && to == ref.APIVersion:
		if c.asWritten {
			value = c.object.Raw
		}
		c.give(out, to, value, like)
		if !c.asWritten {
			c.tellDefaults(out)
		}
	case slices.Contains(out.Versions, to) && past.Of(to, classic.Renamed(ref.Kind, to)) != nil:
		given, losses := classic.Rewrite(c.object, value, to)
		c.give(out, to, given, like)
		if !c.asWritten {
			c.tellDefaults(out)
		}
		c.lose(out, losses)
	case t.Object == nil:
		out.Message = t.Message
		c.lose(out, t.Losses)
	case !slices.Contains(out.Versions, to):
		out.Message = fmt.Sprintf("%s becomes %s, which Kubernetes %s does not have", ref.Kind, t.Kind, version)
		if to != "" {
			out.Message += " in " + to
		}
		if len(out.Versions) > 0 {
			out.Message += "; it has " + strings.Join(out.Versions, ", ")
		}
	default:
		given, ok := bundle.Express(t.Object, to)
		if !ok {
			return
		}
		if len(t.Extra) > 0 {
			given = withFields(given, t.Extra)
		}
		c.give(out, to, given, like)
		c.lose(out, t.Losses)
		c.refused(out, t.Kind)
	}
}

// mostRefusals is how many errors of what comes of an object are told.
const mostRefusals = 20

// refused tells what the API server refuses in the object that is given: the
// limits of today are others than those of then.
func (c *conversion) refused(out *ConvertedObject, kind string) {
	b := bundle.Parse([]byte(out.Text), bundle.Options{FieldValidation: bundle.Strict, Features: c.set})
	if len(b.Objects) != 1 {
		return
	}
	told := 0
	for _, d := range append(b.Diagnostics, validate.Create(b.Objects[0], c.env).Diagnostics...) {
		if d.Severity != diag.Error {
			continue
		}
		if told++; told > mostRefusals {
			break
		}
		out.Changes = append(out.Changes, StoredChange{What: "lost", Field: "kind", Value: treeField{"kind", c.object.Ref.Kind}.shown(), Location: c.object.Locate("kind"),
			Message: fmt.Sprintf("%s of %s is refused as it is given: %s: %s", kind, out.To, d.Field, d.Message)})
	}
}

// tellDefaults tells what is stored and was not written.
func (c *conversion) tellDefaults(out *ConvertedObject) {
	for _, f := range missing(treeOf(c.stored), tree(c.object.Raw.JSON()), bundle.Schema{}, isNull) {
		out.Changes = append(out.Changes, StoredChange{What: "default", Field: f.path, Value: f.shown(), Message: f.path + " is " + f.shown() + " where nothing is said"})
	}
}

func (c *conversion) lose(out *ConvertedObject, losses []classic.Loss) {
	for _, l := range losses {
		out.Changes = append(out.Changes, StoredChange{What: "lost", Field: l.Field, Value: treeField{l.Field, tree(l.Object.At(l.Field).JSON())}.shown(), Message: l.Message, Location: l.Object.Locate(l.Field)})
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
