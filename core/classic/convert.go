package classic

import (
	"fmt"
	"regexp"
	"slices"
	gostrings "strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/past"
	"github.com/drawbridge-dra/drawbridge/core/selector"
)

// Loss is something that the translation cannot say.
type Loss struct {
	Object  *bundle.Object
	Field   string
	Message string
}

// Translation is an object in what took the place of its kind.
type Translation struct {
	// Kind is what it becomes; empty if nothing took its place.
	Kind string
	// Object is of the type that the core works with; nil where there is none,
	// and Message says why.
	Object any
	// Extra are fields that only v1alpha3 of Kubernetes 1.31 has, by their
	// paths.
	Extra   map[string]any
	Message string
	Losses  []Loss
}

// translation collects what comes of one object.
type translation struct {
	object *bundle.Object
	others *Gathered
	// controllers tells that the target knows controllers of drivers.
	controllers bool
	extra       map[string]any
	losses      []Loss
}

// Translate makes of an object of v1alpha1 or v1alpha2 what says the same
// today, or in Kubernetes 1.31 with controllers of drivers, as far as something
// does.
func Translate(o *bundle.Object, others *Gathered, controllers bool) Translation {
	t := translation{object: o, others: others, controllers: controllers, extra: map[string]any{}}
	out := Translation{}
	if !others.repeat(others.parametersOf(o)) {
		out.Message = fmt.Sprintf("the parameters that it shares with other objects would be repeated in more than %d MiB; convert fewer of the objects at a time", mostRepeated>>20)
		return out
	}
	switch v := o.Value.(type) {
	case *past.ResourceClass:
		out.Kind, out.Object = "DeviceClass", t.class(v)
	case *past.ResourceClaim:
		out.Kind = "ResourceClaim"
		claim := &resourceapi.ResourceClaim{ObjectMeta: v.ObjectMeta, Spec: t.claim(&v.Spec, v.Namespace, "spec.")}
		claim.Kind, claim.Finalizers = out.Kind, t.finalizers(v.Finalizers)
		for _, field := range []string{"status.driverName", "status.allocation", "status.reservedFor", "status.deallocationRequested"} {
			if o.At(field).Kind() != bundle.Null {
				t.lose(o, field, field+" is lost: an allocation in the driver's own words cannot be told as devices; let the scheduler allocate the new claim")
			}
		}
		out.Object = claim
	case *past.ResourceClaimTemplate:
		out.Kind = "ResourceClaimTemplate"
		template := &resourceapi.ResourceClaimTemplate{ObjectMeta: v.ObjectMeta}
		template.Kind = out.Kind
		template.Spec.ObjectMeta, template.Spec.Spec = v.Spec.ObjectMeta, t.claim(&v.Spec.Spec, v.Namespace, "spec.spec.")
		out.Object = template
	case *past.ResourceSlice:
		out.Kind, out.Object = "ResourceSlice", t.slice(v)
	case *past.ResourceClassParameters:
		out.Message = "what it says goes into the DeviceClass that a ResourceClass with parametersRef to it becomes; give the class in the same text"
		t.loseUnused()
	case *past.ResourceClaimParameters:
		out.Message = "what it says goes into the ResourceClaim or ResourceClaimTemplate with parametersRef to it; give that in the same text"
		t.loseUnused()
	default:
		out.Message = o.Ref.Kind + " has no successor: the scheduler allocates by itself, from the ResourceSlices of drivers, and writes the allocation into the status of the claim; delete it"
		for _, n := range past.FieldsOf(o.Ref.APIVersion, "PodSchedulingContext") {
			if o.At(n.Field).Kind() != bundle.Null {
				t.lose(o, n.Field, n.Field+" is lost: it "+n.Was+"; instead: "+n.Instead)
			}
		}
	}
	out.Losses, out.Extra = t.losses, t.extra
	return out
}

// loseUnused tells that parameters go nowhere if nothing in the text refers to
// them.
func (t *translation) loseUnused() {
	if !t.others.used[t.object] {
		t.lose(t.object, "kind", t.object.Ref.Kind+" "+t.object.Ref.Name+" is lost: nothing in the text has a parametersRef to it")
	}
}

// finalizers are those that stay. One of a driver's controller stays where there
// are such controllers; elsewhere nobody would ever remove it.
func (t *translation) finalizers(list []string) []string {
	var out []string
	for i, name := range list {
		driver, held := gostrings.CutSuffix(name, finalizerOf(""))
		if !held || t.controllers {
			out = append(out, name)
			continue
		}
		t.lose(t.object, fmt.Sprintf("metadata.finalizers[%d]", i), "the finalizer "+name+" is lost: the controller of "+driver+" would have to remove it before the claim can be deleted, and there is none any more")
	}
	return out
}

func (t *translation) lose(o *bundle.Object, field, message string) {
	t.losses = append(t.losses, Loss{o, field, message})
}

// class makes a DeviceClass.
func (t *translation) class(v *past.ResourceClass) *resourceapi.DeviceClass {
	out := &resourceapi.DeviceClass{ObjectMeta: v.ObjectMeta}
	out.Kind = "DeviceClass"
	out.Namespace = ""
	out.Spec.Selectors = append(out.Spec.Selectors, cel(`device.driver == "`+v.DriverName+`"`))
	byController := v.StructuredParameters == nil || !*v.StructuredParameters
	if v.SuitableNodes != nil && t.controllers {
		t.extra["spec.suitableNodes"] = v.SuitableNodes
	} else if v.SuitableNodes != nil {
		t.lose(t.object, "suitableNodes", "suitableNodes is lost: a DeviceClass does not choose nodes; let the driver publish its slices for those nodes alone")
	}
	if byController && !t.controllers {
		field := "structuredParameters"
		if v.StructuredParameters == nil {
			field = "driverName"
		}
		t.lose(t.object, field, "allocation by the controller of "+v.DriverName+" is lost: the driver has to publish its devices as ResourceSlices, from which the scheduler allocates")
	}
	r := v.ParametersRef
	if r == nil {
		return out
	}
	o := t.others.ofClass(r)
	if o == nil {
		t.lose(t.object, "parametersRef", fmt.Sprintf("parametersRef is lost: %s %s is not in the text as ResourceClassParameters; write what it says into spec.selectors and spec.config", r.Kind, r.Name))
		return out
	}
	p := o.Value.(*past.ResourceClassParameters)
	for i, f := range p.Filters {
		at := fmt.Sprintf("filters[%d]", i)
		switch {
		case f.NamedResources == nil:
		case f.DriverName != v.DriverName:
			t.lose(o, at, "the filter for driver "+f.DriverName+" is lost: the class is for devices of "+v.DriverName)
		default:
			out.Spec.Selectors = append(out.Spec.Selectors, t.selectors(o, at+".namedResources.selector", f.NamedResources.Selector, f.DriverName)...)
		}
	}
	for i, p := range p.VendorParameters {
		if config := t.config(o, fmt.Sprintf("vendorParameters[%d].parameters", i), p.DriverName, p.Parameters); config != nil {
			out.Spec.Config = append(out.Spec.Config, resourceapi.DeviceClassConfiguration{DeviceConfiguration: *config})
		}
	}
	return out
}

// claim makes the spec of a claim.
func (t *translation) claim(v *past.ClaimSpec, namespace, at string) resourceapi.ResourceClaimSpec {
	out := resourceapi.ResourceClaimSpec{}
	if v.AllocationMode == past.Immediate {
		t.lose(t.object, at+"allocationMode", at+"allocationMode is lost: a claim is allocated for the first pod that needs it")
	}
	if class := t.others.named[v.ResourceClassName]; t.controllers && class == nil {
		t.lose(t.object, at+"resourceClassName", "who allocates is lost: ResourceClass "+v.ResourceClassName+" is not in the text; write its driver into "+at+"controller if a controller allocates")
	} else if t.controllers && (class.StructuredParameters == nil || !*class.StructuredParameters) {
		t.extra[at+"controller"] = class.DriverName
	}
	request := func(name string, selectors []resourceapi.DeviceSelector) {
		out.Devices.Requests = append(out.Devices.Requests, resourceapi.DeviceRequest{Name: name, Exactly: &resourceapi.ExactDeviceRequest{
			DeviceClassName: v.ResourceClassName, Selectors: selectors, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1,
		}})
	}
	r := v.ParametersRef
	if r == nil {
		request("request-0", nil)
		return out
	}
	o := t.others.ofClaim(r, namespace)
	if o == nil {
		t.lose(t.object, at+"parametersRef", fmt.Sprintf("%sparametersRef is lost: %s %s is not in the text as ResourceClaimParameters; write what it says into selectors and count of the requests, and into devices.config", at, r.Kind, r.Name))
		request("request-0", nil)
		return out
	}
	p := o.Value.(*past.ResourceClaimParameters)
	if !p.Shareable {
		t.lose(o, "shareable", "that one pod alone may use the claim is lost: every claim can be shared; let one pod name it, or use a template")
	}
	for i, d := range p.DriverRequests {
		var names []string
		for j, want := range d.Requests {
			name, path := fmt.Sprintf("request-%d", len(out.Devices.Requests)), fmt.Sprintf("driverRequests[%d].requests[%d]", i, j)
			names = append(names, name)
			selectors := []resourceapi.DeviceSelector{cel(`device.driver == "` + d.DriverName + `"`)}
			if want.NamedResources != nil {
				selectors = append(selectors, t.selectors(o, path+".namedResources.selector", want.NamedResources.Selector, d.DriverName)...)
			}
			request(name, selectors)
			t.claimConfig(&out, o, path+".vendorParameters", d.DriverName, want.VendorParameters, []string{name})
		}
		t.claimConfig(&out, o, fmt.Sprintf("driverRequests[%d].vendorParameters", i), d.DriverName, d.VendorParameters, names)
	}
	if len(out.Devices.Requests) == 0 {
		request("request-0", nil)
	}
	return out
}

func (t *translation) claimConfig(out *resourceapi.ResourceClaimSpec, o *bundle.Object, at, driver string, raw runtime.RawExtension, requests []string) {
	if config := t.config(o, at, driver, raw); config != nil {
		out.Devices.Config = append(out.Devices.Config, resourceapi.DeviceClaimConfiguration{Requests: requests, DeviceConfiguration: *config})
	}
}

// config passes parameters on; nil if there are none.
func (t *translation) config(o *bundle.Object, at, driver string, raw runtime.RawExtension) *resourceapi.DeviceConfiguration {
	if text := gostrings.TrimSpace(string(raw.Raw)); text == "" || text == "null" {
		return nil
	} else if text[0] != '{' {
		t.lose(o, at, at+" is lost: parameters are a JSON object today")
		return nil
	}
	return &resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver, Parameters: raw}}
}

func cel(expression string) resourceapi.DeviceSelector {
	return resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}
}

// The ways to name an attribute: in brackets, and after a dot.
var (
	inBrackets = regexp.MustCompile(`\battributes\.(quantity|bool|int|intslice|string|stringslice|version)\[\s*(?:"([^"\\]+)"|'([^'\\]+)')\s*\]`)
	afterDot   = regexp.MustCompile(`\battributes\.(quantity|bool|int|intslice|string|stringslice|version)\.([A-Za-z_][A-Za-z0-9_]*)\b([^(]|$)`)
	known      = regexp.MustCompile(`(?:"([^"\\]+)"|'([^'\\]+)')\s+in\s+attributes\.(quantity|bool|int|intslice|string|stringslice|version)\b`)
)

// selectors translates an expression on attributes of named resources to one
// on devices. It gives none where that cannot be done.
func (t *translation) selectors(o *bundle.Object, at, text, driver string) []resourceapi.DeviceSelector {
	told, known := t.others.told[expression{driver, text}]
	if !known {
		told = onDevices(text, driver)
		t.others.told[expression{driver, text}] = told
	}
	switch told {
	case "":
		t.lose(o, at, at+" is lost: the expression cannot be told on devices; write one on device.attributes and device.capacity in its place, without it every device of the class matches")
		return nil
	case "true":
		return nil
	}
	return []resourceapi.DeviceSelector{cel(told)}
}

// onDevices translates an expression; empty where that cannot be done.
func onDevices(text, driver string) string {
	base := func(kind string) string {
		if kind == "quantity" {
			return `device.capacity["` + driver + `"]`
		}
		return `device.attributes["` + driver + `"]`
	}
	out := known.ReplaceAllStringFunc(text, func(m string) string {
		p := known.FindStringSubmatch(m)
		return `"` + identifierOf(p[1]+p[2]) + `" in ` + base(p[3])
	})
	out = inBrackets.ReplaceAllStringFunc(out, func(m string) string {
		p := inBrackets.FindStringSubmatch(m)
		return base(p[1]) + "." + identifierOf(p[2]+p[3])
	})
	out = afterDot.ReplaceAllStringFunc(out, func(m string) string {
		p := afterDot.FindStringSubmatch(m)
		return base(p[1]) + "." + identifierOf(p[2]) + p[3]
	})
	if gostrings.TrimSpace(text) == "true" {
		return "true"
	}
	if gostrings.Contains(out, "attributes.") || selector.Compile(out, selector.Options{ListAttributes: true}).Err != nil {
		return ""
	}
	return out
}

// identifierOf makes the name of an attribute one that devices may have.
func identifierOf(name string) string {
	out := []byte(name)
	for i, b := range out {
		if letter := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_'; !letter && (i == 0 || b < '0' || b > '9') {
			out[i] = '_'
		}
	}
	return string(out)
}

// slice makes a ResourceSlice with devices.
func (t *translation) slice(v *past.ResourceSlice) *resourceapi.ResourceSlice {
	out := &resourceapi.ResourceSlice{ObjectMeta: v.ObjectMeta}
	out.Kind, out.Namespace = "ResourceSlice", ""
	out.Spec.Driver = v.DriverName
	out.Spec.Pool = resourceapi.ResourcePool{Name: v.NodeName, Generation: 1, ResourceSliceCount: int64(max(1, t.others.pools[v.DriverName+" "+v.NodeName]))}
	if v.NodeName != "" {
		out.Spec.NodeName = &v.NodeName
	} else {
		all := true
		out.Spec.AllNodes, out.Spec.Pool.Name = &all, v.Name
	}
	if v.NamedResources == nil {
		return out
	}
	for i, e := range v.NamedResources.Instances {
		at := fmt.Sprintf("namedResources.instances[%d]", i)
		d := resourceapi.Device{Name: gostrings.ReplaceAll(e.Name, ".", "-")}
		if d.Name != e.Name {
			t.lose(t.object, at+".name", "the name "+e.Name+" is lost: a device has no dots in its name, so it becomes "+d.Name)
		}
		taken := map[string]bool{}
		for j := range e.Attributes {
			t.attribute(&d, &e.Attributes[j], fmt.Sprintf("%s.attributes[%d]", at, j), taken)
		}
		out.Spec.Devices = append(out.Spec.Devices, d)
	}
	return out
}

func (t *translation) attribute(d *resourceapi.Device, a *past.Attribute, at string, taken map[string]bool) {
	name := identifierOf(a.Name)
	if taken[name] {
		t.lose(t.object, at, "attribute "+a.Name+" is lost: its name has characters that attributes of devices cannot have, and without them it is that of another")
		return
	}
	taken[name] = true
	if name != a.Name {
		t.lose(t.object, at+".name", "the name "+a.Name+" is lost: it has characters that attributes of devices cannot have, so it becomes "+name+", here and in selectors")
	}
	if a.QuantityValue != nil {
		if d.Capacity == nil {
			d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}
		}
		d.Capacity[resourceapi.QualifiedName(name)] = resourceapi.DeviceCapacity{Value: *a.QuantityValue}
		return
	}
	value := resourceapi.DeviceAttribute{BoolValue: a.BoolValue, IntValue: a.IntValue, StringValue: a.StringValue, VersionValue: a.VersionValue}
	if a.StringValue != nil && len(*a.StringValue) > resourceapi.DeviceAttributeMaxValueLength {
		t.lose(t.object, at+".string", fmt.Sprintf("attribute %s is lost: the text of an attribute takes at most %d bytes today", a.Name, resourceapi.DeviceAttributeMaxValueLength))
		return
	}
	if a.IntSliceValue != nil {
		value.IntValues = slices.Clone(a.IntSliceValue.Ints)
	}
	if a.StringSliceValue != nil {
		value.StringValues = slices.Clone(a.StringSliceValue.Strings)
	}
	if d.Attributes == nil {
		d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
	}
	d.Attributes[resourceapi.QualifiedName(name)] = value
}
