package validate

import (
	"slices"
	"strconv"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/metadata"
)

// maxMetadataAttributes is how many attributes a device may have in a file.
const maxMetadataAttributes = 32

// DeviceMetadata checks the fields of an object that drivers write for
// containers. Its rules are declared ones only; no API server applies them,
// but who reads such files may. The rules of findings are not in the registry
// of those that API servers have.
func DeviceMetadata(obj *bundle.Object, m *metadata.DeviceMetadata) []diag.Diagnostic {
	newest := feature.Default(feature.Newest)
	c := &checker{minor: feature.Newest.Minor, on: func(feature.Gate) bool { return true }, running: declared | standard, dropped: &droppedFields{}}
	c.fileMetadata(&m.ObjectMeta, (*path)(nil).child("metadata"))
	if m.PodClaimName != nil {
		c.decl((*path)(nil).child("podClaimName"), label("pod-claim-name", "podClaimName", *m.PodClaimName)...)
	}
	requests := (*path)(nil).child("requests")
	for i := range m.Requests {
		r := &m.Requests[i]
		at := requests.at(i)
		if r.Name == "" {
			c.decl(at.child("name"), required("request-name", "the request has no name; write that of the claim's request, as request/subrequest where it has alternatives"))
		}
		for j := range r.Devices {
			d := &r.Devices[j]
			c.about(named("device", d.Name, "devices", j), func() { c.fileDevice(d, at.child("devices").at(j)) })
		}
	}
	r := reporter{obj: obj, features: newest}
	r.api(c.found, c.more)
	return r.out
}

// fileMetadata checks what of an object's metadata has rules of its own.
func (c *checker) fileMetadata(m *metav1.ObjectMeta, at *path) {
	if m.Generation < 0 {
		c.decl(at.child("generation"), invalid("metadata-generation", strconv.FormatInt(m.Generation, 10), "generation is "+strconv.FormatInt(m.Generation, 10)+", less than nothing; start with 1"))
	}
	for i, o := range m.OwnerReferences {
		for _, f := range []struct{ name, value string }{{"apiVersion", o.APIVersion}, {"kind", o.Kind}, {"name", o.Name}, {"uid", string(o.UID)}} {
			if f.value == "" {
				c.decl(at.child("ownerReferences").at(i).child(f.name), required("metadata-owner", "the owner has no "+f.name+"; fill it in, or remove the entry"))
			}
		}
	}
	for i, f := range m.ManagedFields {
		p := at.child("managedFields").at(i).child("operation")
		known := []string{string(metav1.ManagedFieldsOperationApply), string(metav1.ManagedFieldsOperationUpdate)}
		switch {
		case f.Operation == "":
			c.decl(p, required("metadata-managed-fields", "the entry has no operation; remove managedFields, nobody reads them in a file"))
		case !slices.Contains(known, string(f.Operation)):
			c.decl(p, oneOf("metadata-managed-fields", string(f.Operation), "operation", known...))
		}
	}
}

func (c *checker) fileDevice(d *metadata.AllocatedDevice, at *path) {
	c.decl(at.child("driver"), driverNameDeclared("driver-name", "driver name", d.Driver)...)
	c.decl(at.child("pool"), poolName("pool-name", d.Pool)...)
	if d.Name == "" {
		c.decl(at.child("name"), required("device-name", "the device has no name; write the one that it has in its ResourceSlice"))
	} else {
		c.decl(at.child("name"), label("device-name", "device name", d.Name)...)
	}
	attributes := at.child("attributes")
	if n := len(d.Attributes); n > maxMetadataAttributes {
		c.decl(attributes, tooMany("device-attributes-max", n, maxMetadataAttributes, "attribute", "leave out what no container reads"))
	} else {
		for _, k := range sortedKeys(d.Attributes) {
			a := d.Attributes[k]
			c.fileAttribute(string(k), &a, attributes)
		}
	}
	if d.NetworkData != nil {
		c.networkData(d.NetworkData, at.child("networkData"))
	}
}

// fileAttribute checks the value of an attribute. Its name has no rules here,
// and of its value only the length of strings in lists.
func (c *checker) fileAttribute(name string, a *resourceapi.DeviceAttribute, attributes *path) {
	c.attribute(&resourceapi.ResourceSliceSpec{}, name, a, attributes)
	const limit = resourceapi.DeviceAttributeMaxValueLength
	for i, v := range a.StringValues {
		if len(v) > limit {
			c.decl(attributes.key(name).child("strings").at(i), problem{rule: "attribute-string-length", kind: field.ErrorTypeTooLong, value: short(v),
				message: "attribute " + short(name) + ", item " + strconv.Itoa(i+1) + ": the string is " + strconv.Itoa(len(v)) + " bytes long, at most " + strconv.Itoa(limit) + " are allowed; shorten it"})
		}
	}
}
