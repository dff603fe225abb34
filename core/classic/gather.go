package classic

import (
	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// Gathered are the objects of a bundle that parameters may stand in.
type Gathered struct {
	parameters []*bundle.Object
	// by finds the first of them, by all that one may be referred to by.
	by    map[any]int
	used  map[*bundle.Object]bool
	pools map[string]int // slices of a driver and node
	named map[string]*past.ResourceClass
	// repeated is how many bytes of parameters were translated for more than
	// their first object.
	repeated int
	spent    map[*bundle.Object]int
	// told are expressions of a driver's objects as they are told on devices;
	// empty for those that cannot be.
	told map[expression]string
}

type expression struct{ driver, text string }

// mostRepeated bounds what parameters that objects share make of them: a text
// of a few megabytes could else become gigabytes.
const mostRepeated = 16 << 20

// repeat counts the translation of parameters, and tells whether it may be.
func (g *Gathered) repeat(o *bundle.Object) bool {
	if o == nil {
		return true
	}
	size, again := g.spent[o]
	if !again {
		g.spent[o] = len(o.Raw.JSON())
		return true
	}
	if g.repeated+size > mostRepeated {
		return false
	}
	g.repeated += size
	return true
}

// own is the name of parameters themselves; anywhere is set for a reference
// without a namespace.
type own struct {
	kind, namespace, name string
	anywhere              bool
}

// made is what the parameters of a claim were generated from.
type made struct {
	namespace string
	from      past.ParametersReference
}

// Gather looks through a bundle.
func Gather(b *bundle.Bundle) *Gathered {
	g := &Gathered{by: map[any]int{}, used: map[*bundle.Object]bool{}, pools: map[string]int{}, named: map[string]*past.ResourceClass{},
		spent: map[*bundle.Object]int{}, told: map[expression]string{}}
	for _, o := range b.Objects {
		switch v := o.Value.(type) {
		case *past.ResourceClaimParameters:
			namespace := inNamespace(v.Namespace, "")
			g.note(o, own{"ResourceClaimParameters", namespace, v.Name, false})
			if v.GeneratedFrom != nil {
				g.note(o, made{namespace, *v.GeneratedFrom})
			}
			g.parameters = append(g.parameters, o)
		case *past.ResourceClassParameters:
			g.note(o, own{"ResourceClassParameters", inNamespace(v.Namespace, ""), v.Name, false})
			g.note(o, own{"ResourceClassParameters", "", v.Name, true})
			if v.GeneratedFrom != nil {
				g.note(o, *v.GeneratedFrom)
			}
			g.parameters = append(g.parameters, o)
		case *past.ResourceSlice:
			g.pools[v.DriverName+" "+v.NodeName]++
		case *past.ResourceClass:
			g.named[v.Name] = v
		}
	}
	for _, o := range b.Objects {
		if p := g.parametersOf(o); p != nil {
			g.used[p] = true
		}
	}
	return g
}

// parametersOf finds the parameters of a class, a claim or a template; nil if
// it has none here.
func (g *Gathered) parametersOf(o *bundle.Object) *bundle.Object {
	switch v := o.Value.(type) {
	case *past.ResourceClass:
		return g.ofClass(v.ParametersRef)
	case *past.ResourceClaim:
		return g.ofClaim(v.Spec.ParametersRef, v.Namespace)
	case *past.ResourceClaimTemplate:
		return g.ofClaim(v.Spec.Spec.ParametersRef, v.Namespace)
	}
	return nil
}

// note lets the next of the parameters be found; the first of a name stays.
func (g *Gathered) note(o *bundle.Object, key any) {
	if _, known := g.by[key]; !known {
		g.by[key] = len(g.parameters)
	}
}

// first finds the first parameters that one of the keys leads to.
func (g *Gathered) first(keys ...any) *bundle.Object {
	found := -1
	for _, key := range keys {
		if i, ok := g.by[key]; ok && (found < 0 || i < found) {
			found = i
		}
	}
	if found < 0 {
		return nil
	}
	return g.parameters[found]
}

// ofClass finds the parameters that a class refers to, by themselves or by what
// they were generated from.
func (g *Gathered) ofClass(r *past.ClassParametersReference) *bundle.Object {
	switch {
	case r == nil:
		return nil
	case r.Kind != "ResourceClassParameters":
		return g.first(*r)
	case r.Namespace == "":
		return g.first(*r, own{r.Kind, "", r.Name, true})
	}
	return g.first(*r, own{r.Kind, inNamespace(r.Namespace, ""), r.Name, false})
}

// ofClaim does so for a claim or a template.
func (g *Gathered) ofClaim(r *past.ParametersReference, namespace string) *bundle.Object {
	if r == nil {
		return nil
	}
	namespace = inNamespace(namespace, "")
	if r.Kind != "ResourceClaimParameters" {
		return g.first(made{namespace, *r})
	}
	return g.first(made{namespace, *r}, own{r.Kind, namespace, r.Name, false})
}
