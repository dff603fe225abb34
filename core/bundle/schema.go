package bundle

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Schema is what may stand at some place of an object: the shape of a kind in
// one API version, or a part of it. The zero value allows nothing that is
// known.
type Schema struct{ typ reflect.Type }

// AnyObject is what every object has, of whatever kind.
func AnyObject() Schema { return Schema{reflect.TypeFor[metav1.PartialObjectMetadata]()} }

// Form tells what kind of value a schema is for.
type Form uint8

// The forms of values.
const (
	FormUnknown Form = iota
	FormObject       // with fields
	FormMap          // with keys of one's own
	FormList
	FormString
	FormBool
	FormInteger
	FormQuantity
	FormTime
	FormFree // anything
)

// Field is a field of an object.
type Field struct {
	Name string
	// Holder names the type that has the field, in every API version as it
	// is called in v1.
	Holder string
	Schema
	// Required is set where Kubernetes always writes the field.
	Required bool
	// Since and Until are the minor versions that have the field; 0 where
	// all do.
	Since, Until int
}

// SchemaOf returns the schema of a kind in an API version; false if it is not
// one that is read.
func SchemaOf(apiVersion, kind string) (Schema, bool) {
	s := findShape(apiVersion, kind)
	if s == nil {
		return Schema{}, false
	}
	return Schema{reflect.TypeOf(s.fresh()).Elem()}, true
}

// Form tells what kind of value is meant.
func (s Schema) Form() Form {
	t := s.typ
	if t == nil {
		return FormUnknown
	}
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		return FormQuantity
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		return FormTime
	case reflect.TypeFor[runtime.RawExtension](), reflect.TypeFor[metav1.FieldsV1]():
		return FormFree
	}
	switch hows[t.Kind()] {
	case asStruct:
		if readsItself(t) {
			return FormFree // such as a number or a string
		}
		return FormObject
	case asMap:
		return FormMap
	case asList:
		if t.Elem().Kind() == reflect.Uint8 {
			return FormString
		}
		return FormList
	case asString:
		return FormString
	case asBool:
		return FormBool
	case asInteger:
		return FormInteger
	}
	return FormFree
}

// Elem is the schema of the items of a list, or of the values of a map.
func (s Schema) Elem() Schema {
	if f := s.Form(); f != FormList && f != FormMap {
		return Schema{}
	}
	return schemaFor(s.typ.Elem())
}

// Name is what the type of an object is called in v1; empty for other forms.
func (s Schema) Name() string {
	if s.Form() != FormObject {
		return ""
	}
	return holderName(s.typ)
}

// Field returns the field of a name.
func (s Schema) Field(name string) (Field, bool) {
	if s.Form() != FormObject {
		return Field{}, false
	}
	f, ok := fieldsOf(s.typ).find(name)
	if !ok {
		return Field{}, false
	}
	return s.field(f), true
}

// Fields lists the fields of an object in the order of the API.
func (s Schema) Fields() []Field {
	if s.Form() != FormObject {
		return nil
	}
	var out []Field
	for _, f := range fieldsOf(s.typ).list {
		out = append(out, s.field(f))
	}
	return out
}

func (s Schema) field(f fieldInfo) Field {
	holder := s.typ
	for _, i := range f.index[:len(f.index)-1] {
		holder = holder.Field(i).Type
	}
	declared := s.typ.FieldByIndex(f.index)
	out := Field{Name: f.name, Holder: holderName(holder), Schema: schemaFor(f.typ)}
	if ofAnyKind(holder, f.name) {
		out.Holder = "TypeMeta"
	}
	_, options, _ := strings.Cut(declared.Tag.Get("json"), ",")
	out.Required = !strings.Contains(options, "omit")
	if f.lifetime != nil {
		out.Since, out.Until = f.lifetime.since, f.lifetime.until
	}
	return out
}

func schemaFor(t reflect.Type) Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return Schema{t}
}

// otherNames are the types that are called otherwise in v1, or like another.
var otherNames = map[reflect.Type]string{
	reflect.TypeFor[corev1.ResourceClaim]():                    "ContainerClaim",
	reflect.TypeFor[betaClaim]():                               "ResourceClaim",
	reflect.TypeFor[alphaClaim]():                              "ResourceClaim",
	reflect.TypeFor[betaTemplate]():                            "ResourceClaimTemplate",
	reflect.TypeFor[alphaTemplate]():                           "ResourceClaimTemplate",
	fieldType(reflect.TypeFor[betaTemplate](), 2):              "ResourceClaimTemplateSpec",
	fieldType(reflect.TypeFor[alphaTemplate](), 2):             "ResourceClaimTemplateSpec",
	reflect.TypeFor[betaSlice]():                               "ResourceSlice",
	reflect.TypeFor[alphaSlice]():                              "ResourceSlice",
	reflect.TypeFor[betaClaimSpec]():                           "ResourceClaimSpec",
	reflect.TypeFor[alphaClaimSpec]():                          "ResourceClaimSpec",
	reflect.TypeFor[betaDeviceClaim]():                         "DeviceClaim",
	reflect.TypeFor[betaRequest]():                             "DeviceRequest",
	reflect.TypeFor[sliceSpec[betaDevice]]():                   "ResourceSliceSpec",
	reflect.TypeFor[sliceSpec[alphaDevice]]():                  "ResourceSliceSpec",
	reflect.TypeFor[betaDevice]():                              "Device",
	reflect.TypeFor[alphaDevice]():                             "Device",
	reflect.TypeFor[alphaClaimStatus]():                        "ResourceClaimStatus",
	alphaAllocation():                                          "AllocationResult",
	reflect.TypeFor[alphaClass]():                              "DeviceClass",
	alphaClassSpec():                                           "DeviceClassSpec",
	reflect.TypeFor[basicDevice[resource.Quantity]]():          "Device",
	reflect.TypeFor[basicDevice[resourceapi.DeviceCapacity]](): "Device",
}

func fieldType(t reflect.Type, i int) reflect.Type { return t.Field(i).Type }

func holderName(t reflect.Type) string {
	if name, ok := otherNames[t]; ok {
		return name
	}
	return t.Name()
}

// ofAnyKind tells whether a field is one that every object has, in a type that
// lists it itself.
func ofAnyKind(holder reflect.Type, name string) bool {
	if name != "apiVersion" && name != "kind" || holder.Kind() != reflect.Struct {
		return false
	}
	_, object := holder.FieldByName("Metadata")
	return object
}
