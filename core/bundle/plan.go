package bundle

import (
	"reflect"
	"sync"
)

// plan says how values of a Go type are read. It is made once for each type, so
// that a value costs no more than the walk beside it.
type plan struct {
	typ    reflect.Type
	how    how
	elem   *plan // of pointers, maps and lists
	fields map[string]planField
}

type planField struct {
	index    []int
	plan     *plan
	lifetime *lifetime
}

// how is a way to read a value.
type how uint8

const (
	asLeaf how = iota // by the type itself
	asPointer
	asStruct
	asMap
	asList
	asString
	asBool
	asInteger
)

var hows = map[reflect.Kind]how{
	reflect.Pointer: asPointer, reflect.Struct: asStruct, reflect.Map: asMap, reflect.Slice: asList, reflect.String: asString,
	reflect.Bool: asBool, reflect.Int: asInteger, reflect.Int32: asInteger, reflect.Int64: asInteger,
}

// plans holds a *plan for each reflect.Type. The types are few and fixed.
var plans sync.Map

func planOf(t reflect.Type) *plan {
	if known, ok := plans.Load(t); ok {
		return known.(*plan)
	}
	made := map[reflect.Type]*plan{}
	p := makePlan(t, made)
	known, _ := plans.LoadOrStore(t, p)
	return known.(*plan)
}

// makePlan makes the plan of a type and of those inside of it. What is being
// made already is not begun again: a type may hold itself.
func makePlan(t reflect.Type, made map[reflect.Type]*plan) *plan {
	if p := made[t]; p != nil {
		return p
	}
	p := &plan{typ: t, how: hows[t.Kind()]}
	made[t] = p
	if readsItself(t) || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		p.how = asLeaf
	}
	switch p.how {
	case asPointer, asMap, asList:
		p.elem = makePlan(t.Elem(), made)
	case asStruct:
		p.fields = map[string]planField{}
		for _, f := range fieldsOf(t).list {
			p.fields[f.name] = planField{f.index, makePlan(f.typ, made), f.lifetime}
		}
	}
	return p
}
