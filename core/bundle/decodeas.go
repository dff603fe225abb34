package bundle

import (
	"reflect"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// DecodeAs reads the object into a value of its kind, for kinds that no API
// server has. It tells whether that worked, and what is wrong with the text:
// what keeps it from being read as errors, fields that nobody reads as
// warnings.
func (o *Object) DecodeAs(into any) ([]diag.Diagnostic, bool) {
	d := &decoder{object: o, sink: newSink(Warn)}
	d.value(o.Raw, reflect.ValueOf(into).Elem())
	return d.sink.finish(), !d.failed
}
