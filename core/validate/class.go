package validate

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

func (c *checker) deviceClass(d *resourceapi.DeviceClass) {
	meta, spec := (*path)(nil).child("metadata"), (*path)(nil).child("spec")
	c.namespaceIgnored(&d.ObjectMeta, "DeviceClass", meta)
	m := d.ObjectMeta
	m.Generation = 0 // the API server sets it before it looks
	if !c.does(classesApart) {
		c.metadata(&m, clusterScoped, meta)
		c.classSpec(d, spec)
		return
	}
	c.classMetadata(&m, meta)
	c.classSpec(d, spec)
	c.classGenerateName(&m, meta)
}

func (c *checker) classSpec(d *resourceapi.DeviceClass, spec *path) {
	c.selectors(d.Spec.Selectors, spec.child("selectors"))
	const configs = resourceapi.DeviceConfigMaxSize
	if n := len(d.Spec.Config); n <= configs || !c.stops(byBoth, spec.child("config"), tooMany("config-max", n, configs, "entry", "merge entries that are for the same driver")) {
		for i := range d.Spec.Config {
			c.deviceConfig(&d.Spec.Config[i].DeviceConfiguration, spec.child("config").at(i))
		}
	}
	if name := d.Spec.ExtendedResourceName; name != nil {
		problems := extendedResourceName(*name)
		var hand []problem
		if len(problems) > 0 {
			hand = problems[:1]
		}
		c.merge(spec.child("extendedResourceName"), hand, problems)
	}
}

// extendedResourceName checks a name that pods may ask for among their
// resources. By hand there is one error at most, declared there are several.
func extendedResourceName(value string) []problem {
	const rule, native, quota = "extended-resource-name", "kubernetes.io/", "requests."
	var out []problem
	if !strings.Contains(value, "/") {
		out = append(out, invalid(rule, value, "extendedResourceName "+quote(value)+" has no domain; write it as domain/name, such as example.com/gpu"))
	} else if strings.Contains(value, native) {
		out = append(out, invalid(rule, value, "extendedResourceName "+quote(value)+" contains "+native+", which is reserved for Kubernetes' own resources; use the vendor's domain"))
	}
	if strings.HasPrefix(value, quota) {
		out = append(out, invalid(rule, value, "extendedResourceName "+quote(value)+" starts with "+quota+", which names quotas; remove that"))
	}
	// With the prefix of quotas it must still be a name.
	for _, p := range labelKey(rule, "extendedResourceName", quota+value) {
		p.value = short(value)
		out = append(out, p)
	}
	return out
}
