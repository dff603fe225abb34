package core

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/classic"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/past"
	"github.com/drawbridge-dra/drawbridge/core/validate"
)

// ConvertOptions are the options of Convert.
type ConvertOptions struct {
	Options
	// APIVersion is the one to write the objects in, such as
	// resource.k8s.io/v1; empty for that of each object.
	APIVersion string `json:"apiVersion,omitempty"`
	// AsWritten gives the objects as they were written, without defaults and
	// with fields that the API server would drop; for fronts that write over
	// the files of people.
	AsWritten bool `json:"-"`
}

// ConvertResult answers Convert.
type ConvertResult struct {
	KubernetesVersion string            `json:"kubernetesVersion" doc:"The version whose rules were applied, such as 1.37."`
	Objects           []ConvertedObject `json:"objects" doc:"Every object of the bundle, in its order."`
	Diagnostics       []diag.Diagnostic `json:"diagnostics" doc:"What is wrong with the objects one by one; what the API server refuses it does not store."`
}

// ConvertedObject is an object as it is stored and read again.
type ConvertedObject struct {
	Index      int            `json:"index" doc:"Position of the object in the bundle, from 0."`
	APIVersion string         `json:"apiVersion" doc:"API version as written."`
	Kind       string         `json:"kind" doc:"Kind as written."`
	Namespace  string         `json:"namespace" doc:"Namespace as written; empty where there is none."`
	Name       string         `json:"name" doc:"metadata.name, or metadata.generateName with a trailing * where there is no name."`
	Valid      bool           `json:"valid" doc:"False if any finding with severity error is about this object: then it would not be stored."`
	To         string         `json:"to,omitempty" doc:"The API version in which the object is given; missing where it is not."`
	Versions   []string       `json:"versions,omitempty" doc:"The API versions in which this version of Kubernetes has the kind, newest first."`
	Written    string         `json:"written,omitempty" doc:"The object as it was written, as YAML in the same form as text, to compare the two."`
	Text       string         `json:"text,omitempty" doc:"The object with defaults and without dropped fields, as YAML."`
	Changes    []StoredChange `json:"changes" doc:"What is different, by kind of change and then in the order of the fields."`
	Message    string         `json:"message,omitempty" doc:"Why the object is not given."`
}

// StoredChange is a difference between an object and what becomes of it.
type StoredChange struct {
	What     string         `json:"what" enum:"default,dropped,unread,lost" doc:"A default that was filled in, a field that was dropped, one that is not read at all, or one that the other API version cannot hold, or refuses."`
	Field    string         `json:"field" doc:"Path of the field; for default in the API version that is given, for the others in that of the object."`
	Value    string         `json:"value" doc:"The value as JSON, shortened when long."`
	Gate     string         `json:"gate,omitempty" doc:"The feature gate that decides."`
	Message  string         `json:"message" doc:"What happens, in one sentence."`
	Location *diag.Location `json:"location,omitempty" doc:"Where the field is in the text."`
}

// Convert shows what the API server makes of each object of DRA: with its
// defaults, without what it drops, and in the API version that is asked for,
// with everything that gets lost on the way. Times that it would take from its
// clock are not filled in. The error is an *OptionError, or the context's own.
func Convert(ctx context.Context, text []byte, opts ConvertOptions) (*ConvertResult, error) {
	if v := opts.APIVersion; v != "" && !slices.Contains(allVersions(), v) {
		return nil, &OptionError{"apiVersion", "must be one of " + strings.Join(allVersions(), ", ") + ", or be left out"}
	}
	b, set, err := parse(text, opts.Options)
	if err != nil {
		return nil, err
	}
	env := surroundings(set, opts.alone(), b)
	reading := map[int][]diag.Diagnostic{}
	for _, d := range b.Diagnostics {
		if d.Object != nil {
			reading[d.Object.Index] = append(reading[d.Object.Index], d)
		}
	}
	others := classic.Gather(b)
	out := &ConvertResult{KubernetesVersion: set.Version().String(), Objects: []ConvertedObject{}}
	var found gathering
	for _, o := range b.Objects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		stored := validate.Create(o, env)
		found.add(stored.Diagnostics)
		c := conversion{set: set, env: env, object: o, others: others, stored: stored.Stored, findings: append(reading[o.Ref.Index], stored.Diagnostics...)}
		c.asWritten = opts.AsWritten
		out.Objects = append(out.Objects, c.run(opts.APIVersion))
	}
	out.Diagnostics = append(append([]diag.Diagnostic{}, b.Diagnostics...), found.all()...)
	finish(out.Diagnostics)
	return out, nil
}

// allVersions are those that can be asked for.
func allVersions() []string {
	return append(bundle.Versions("ResourceClaim"), past.V1alpha2, past.V1alpha1)
}

// conversion is the way of one object.
type conversion struct {
	set    *feature.Set
	env    validate.Env
	object *bundle.Object
	// others are the objects beside it that parameters may stand in.
	others   *classic.Gathered
	stored   any
	findings []diag.Diagnostic
	// asWritten leaves defaults out, and what would be dropped in.
	asWritten bool
}

func (c *conversion) run(asked string) ConvertedObject {
	to := asked
	ref := c.object.Ref
	out := ConvertedObject{Index: ref.Index, APIVersion: ref.APIVersion, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name,
		Valid: !diag.HasErrors(c.findings), Changes: []StoredChange{}}
	possible := bundle.Versions(ref.Kind)
	for _, v := range feature.ServedVersions(c.set.Version(), ref.Kind) {
		if slices.Contains(possible, v) {
			out.Versions = append(out.Versions, v)
		}
	}
	own := ref.APIVersion
	if !slices.Contains(possible, own) && len(out.Versions) > 0 {
		own = out.Versions[0]
	}
	if to == "" {
		if to = own; !slices.Contains(out.Versions, own) && len(out.Versions) > 0 {
			to = out.Versions[0]
		}
	}
	switch {
	case c.isPast():
		c.translate(&out, asked)
	case past.Of(ref.APIVersion, ref.Kind) != nil:
		out.Message = "the object cannot be read as its kind; see the findings"
	case len(possible) == 0:
		out.Message = "only objects of resource.k8s.io are converted"
	case c.object.Value == nil || c.stored == nil:
		out.Message = "the object cannot be read as its kind; see the findings"
	case !slices.Contains(out.Versions, to):
		out.Message = fmt.Sprintf("Kubernetes %s has no %s in %s", c.set.Version(), ref.Kind, to)
		if len(out.Versions) > 0 {
			out.Message += "; it has " + strings.Join(out.Versions, ", ")
		}
	default:
		c.convert(&out, own, to)
	}
	return out
}

func (c *conversion) convert(out *ConvertedObject, own, to string) {
	written, _ := bundle.Express(c.object.Value, own)
	kept, _ := bundle.Express(c.stored, own)
	given, ok := bundle.Express(c.stored, to)
	if !ok {
		return
	}
	back := bundle.Back(given)
	if own == past.V1alpha3 {
		written, kept = c.withPast(written, false), c.withPast(kept, true)
		if to == own && c.set.Version() == feature.Oldest {
			given = c.withPast(given, true)
		} else {
			out.Changes = append(out.Changes, c.lostPast()...)
		}
	}
	raw, before, after := tree(c.object.Raw.JSON()), treeOf(written), treeOf(kept)
	schema, _ := bundle.SchemaOf(own, c.object.Ref.Kind)
	if own == c.object.Ref.APIVersion {
		for _, f := range missing(raw, before, schema, meansNothing) {
			out.Changes = append(out.Changes, c.change("unread", f, "is not read: "+c.object.Ref.APIVersion+" has no such field here"))
		}
	}
	for _, f := range missing(before, after, schema, isNull) {
		out.Changes = append(out.Changes, c.change("dropped", f, "is dropped"))
	}
	target, _ := bundle.SchemaOf(to, c.object.Ref.Kind)
	unfilled, _ := bundle.Express(c.object.Value, to)
	for _, f := range missing(treeOf(given), treeOf(unfilled), target, isNull) {
		out.Changes = append(out.Changes, StoredChange{What: "default", Field: f.path, Value: f.shown(), Message: f.path + " is " + f.shown() + " where nothing is said"})
	}
	if to != own {
		// What is read again from the other version is all that it can hold.
		hub, _ := bundle.Express(c.stored, own)
		back, _ := bundle.Express(back, own)
		for _, f := range missing(treeOf(hub), treeOf(back), schema, isNull) {
			out.Changes = append(out.Changes, c.change("lost", f, "is lost: "+to+" cannot say it"))
		}
	}
	out.To = to
	like := c.object.Raw
	if text, err := bundle.Render(c.object.Raw, like); err == nil {
		out.Written = string(text)
	}
	if c.asWritten {
		if given = unfilled; to == own && own == past.V1alpha3 {
			given = c.withPast(given, false)
		}
	}
	if text, err := bundle.Render(given, like); err == nil {
		out.Text = string(text)
	}
}

// change describes a field that goes. A finding about the same field says it
// better.
func (c *conversion) change(what string, f treeField, does string) StoredChange {
	out := StoredChange{What: what, Field: f.path, Value: f.shown(), Message: f.path + " " + does, Location: c.object.Locate(f.path)}
	for _, d := range c.findings {
		if d.Field == "" || plainPath(d.Field) != plainPath(f.path) || d.Source != diag.Gate && d.Source != diag.Decode {
			continue
		}
		out.Gate, out.Message = d.Gate, d.Message
		if d.Location != nil {
			out.Location = d.Location
		}
		break
	}
	return out
}

// plainPath is a path without what only some API versions have in it.
func plainPath(path string) string {
	return strings.NewReplacer(".exactly", "", ".basic", "").Replace(path)
}

// treeField is a field with its value.
type treeField struct {
	path  string
	value any
}

// shown is the value as JSON, shortened when long.
func (f treeField) shown() string {
	const most = 80
	text, err := JSON(f.value)
	if err != nil {
		return ""
	}
	shown := strings.TrimSpace(string(text))
	if runes := []rune(shown); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return shown
}

func treeOf(object any) any {
	text, err := json.Marshal(object)
	if err != nil {
		return nil
	}
	return tree(text)
}

func tree(text []byte) any {
	var out any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		return nil
	}
	return out
}

// isNull tells that a value is none.
func isNull(v any) bool { return v == nil }

// meansNothing tells that a value means the same as none.
func meansNothing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// missing lists the fields of a that b does not have, in order, as deep as
// both go.
func missing(a, b any, schema bundle.Schema, skip func(any) bool) []treeField {
	var out []treeField
	var walk func(a, b any, schema bundle.Schema, path string)
	walk = func(a, b any, schema bundle.Schema, path string) {
		switch a := a.(type) {
		case map[string]any:
			other, _ := b.(map[string]any)
			for _, key := range orderOf(a, schema) {
				below, next := schema.Elem(), path+"["+key+"]"
				if f, ok := schema.Field(key); ok || schema.Form() != bundle.FormMap {
					below, next = f.Schema, strings.TrimPrefix(path+"."+key, ".")
				}
				switch value, ok := other[key]; {
				case key == "status" && path == "", key == "creationTimestamp":
				case ok:
					walk(a[key], value, below, next)
				case !skip(a[key]) && !hollow(a[key]):
					out = append(out, treeField{next, a[key]})
				}
			}
		case []any:
			other, _ := b.([]any)
			for i, item := range a {
				next := path + "[" + strconv.Itoa(i) + "]"
				if i < len(other) {
					walk(item, other[i], schema.Elem(), next)
				} else {
					out = append(out, treeField{next, item})
				}
			}
		}
	}
	walk(a, b, schema, "")
	return out
}

// hollow tells that there is nothing in a map or list but more of these.
func hollow(v any) bool {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 {
		return false
	}
	for _, inside := range m {
		if inside != nil && !hollow(inside) {
			return false
		}
	}
	return true
}

// orderOf lists the keys of a map as the API has its fields.
func orderOf(m map[string]any, schema bundle.Schema) []string {
	var out []string
	for _, f := range schema.Fields() {
		if _, ok := m[f.Name]; ok {
			out = append(out, f.Name)
		}
	}
	var rest []string
	for key := range m {
		if !slices.Contains(out, key) {
			rest = append(rest, key)
		}
	}
	slices.Sort(rest)
	return append(out, rest...)
}
