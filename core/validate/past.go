package validate

import (
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/drawbridge-dra/drawbridge/core/past"
	"github.com/drawbridge-dra/drawbridge/core/selector"
)

// The rules of Kubernetes 1.26 to 1.31 for what no later version has. Lists
// that are too long were "too long" then, and were looked into nevertheless.

// pastObject checks an object of a kind that is gone.
func (c *checker) pastObject(o runtime.Object) {
	meta := (*path)(nil).child("metadata")
	switch v := o.(type) {
	case *past.ResourceClass:
		c.inNone(&v.ObjectMeta, "ResourceClass", meta)
	case *past.ResourceSlice:
		c.inNone(&v.ObjectMeta, "ResourceSlice", meta)
	default:
		c.metadata(metadataOf(o), namespaced, meta)
	}
	c.pastBody(o)
}

// pastBody checks all of it but the metadata and the status.
func (c *checker) pastBody(o runtime.Object) {
	root := (*path)(nil)
	switch v := o.(type) {
	case *past.PodSchedulingContext:
		c.schedulingNodes(v.Spec.PotentialNodes, root.child("spec").child("potentialNodes"))
	case *past.ResourceClaim:
		c.pastClaim(&v.Spec, root.child("spec"))
	case *past.ResourceClaimTemplate:
		c.templateMetadata(&v.Spec.ObjectMeta, root.child("spec").child("metadata"))
		c.pastClaim(&v.Spec.Spec, root.child("spec").child("spec"))
	case *past.ResourceClass:
		c.hand(root.child("driverName"), c.driverName("driver-name", "driver name", v.DriverName)...)
		c.classReference(v.ParametersRef, root.child("parametersRef"))
		if v.SuitableNodes != nil {
			c.nodeSelector(v.SuitableNodes, root.child("suitableNodes"))
		}
	case *past.ResourceSlice:
		if v.NodeName != "" {
			c.hand(root.child("nodeName"), subdomain("node-name", "nodeName", v.NodeName)...)
		}
		c.hand(root.child("driverName"), c.driverName("driver-name", "driver name", v.DriverName)...)
		c.instances(v.NamedResources, root.child("namedResources"))
	case *past.ResourceClaimParameters:
		c.reference(v.GeneratedFrom, root.child("generatedFrom"))
		c.driverRequests(v.DriverRequests, root.child("driverRequests"))
	case *past.ResourceClassParameters:
		c.classReference(v.GeneratedFrom, root.child("generatedFrom"))
		c.filters(v.Filters, root.child("filters"))
		list, at := v.VendorParameters, root.child("vendorParameters")
		for i := range list {
			c.hand(at.at(i).child("driverName"), c.driverName("driver-name", "driver name", list[i].DriverName)...)
		}
		driversOnce(c, list, func(p past.VendorParameters) string { return p.DriverName }, at)
	}
}

// inNone checks the metadata of a cluster-scoped object.
func (c *checker) inNone(m *metav1.ObjectMeta, kind string, at *path) {
	c.namespaceIgnored(m, kind, at)
	c.metadata(m, clusterScoped, at)
}

// pastDefaults fills in what the API server of that time did.
func pastDefaults(o runtime.Object) {
	mode := func(s *past.ClaimSpec) {
		if s.AllocationMode == "" {
			s.AllocationMode = past.WaitForFirstConsumer
		}
	}
	switch v := o.(type) {
	case *past.PodSchedulingContext:
		v.Namespace = orDefault(v.Namespace)
	case *past.ResourceClaim:
		v.Namespace = orDefault(v.Namespace)
		mode(&v.Spec)
	case *past.ResourceClaimTemplate:
		v.Namespace = orDefault(v.Namespace)
		mode(&v.Spec.Spec)
	case *past.ResourceClaimParameters:
		v.Namespace = orDefault(v.Namespace)
	case *past.ResourceClassParameters:
		v.Namespace = orDefault(v.Namespace)
	case *past.ResourceClass:
		v.Namespace = ""
	case *past.ResourceSlice:
		v.Namespace = ""
	}
}

// schedulingNodes checks a list of nodes in a PodSchedulingContext.
func (c *checker) schedulingNodes(nodes []string, at *path) {
	const rule, limit = "past-scheduling-nodes", past.MostSchedulingNodes
	seen := map[string]bool{}
	for i, name := range nodes {
		// Up to 1.30 a name that was there before was not looked at again.
		if !seen[name] || c.minor > 30 {
			c.hand(at.at(i), subdomain("node-name", "node name", name)...)
		}
		if seen[name] {
			c.hand(at.at(i), duplicate(rule, name, "node"))
		}
		seen[name] = true
	}
	if n := len(nodes); n > limit {
		p := tooMany(rule, n, limit, "node", "keep those that fit best")
		p.kind = field.ErrorTypeTooLong
		c.hand(at, p)
	}
}

func (c *checker) pastClaim(s *past.ClaimSpec, at *path) {
	c.hand(at.child("resourceClassName"), subdomain("device-class-name", "resourceClassName", s.ResourceClassName)...)
	c.reference(s.ParametersRef, at.child("parametersRef"))
	if m := s.AllocationMode; m != past.Immediate && m != past.WaitForFirstConsumer {
		c.hand(at.child("allocationMode"), problem{rule: "past-allocation-mode", kind: field.ErrorTypeNotSupported, value: short(m),
			message: "allocationMode " + quote(m) + " does not exist; write " + past.Immediate + " or " + past.WaitForFirstConsumer + ", which is the default"})
	}
}

const referenceRule = "past-parameters"

func (c *checker) named(kind, name string, at *path) {
	if kind == "" {
		c.hand(at.child("kind"), required(referenceRule, "the reference to parameters has no kind; write that of the object with the parameters"))
	}
	if name == "" {
		c.hand(at.child("name"), required(referenceRule, "the reference to parameters has no name; write that of the object with the parameters"))
	}
}

func (c *checker) reference(r *past.ParametersReference, at *path) {
	if r != nil {
		c.named(r.Kind, r.Name, at)
	}
}

func (c *checker) classReference(r *past.ClassParametersReference, at *path) {
	if r == nil {
		return
	}
	c.named(r.Kind, r.Name, at)
	if r.Namespace != "" {
		c.hand(at.child("namespace"), label("metadata-namespace", "the namespace", r.Namespace)...)
	}
}

// driversOnce reports the entries for a driver that has one already.
func driversOnce[T any](c *checker, list []T, driver func(T) string, at *path) {
	unique(list, driver, func(i int) {
		c.hand(at.at(i).child("driverName"), duplicate("past-drivers", driver(list[i]), "driver"))
	})
}

func (c *checker) driverRequests(list []past.DriverRequests, at *path) {
	for i := range list {
		c.hand(at.at(i).child("driverName"), c.driverName("driver-name", "driver name", list[i].DriverName)...)
		requests := at.at(i).child("requests")
		for j := range list[i].Requests {
			c.namedSelector(list[i].Requests[j].NamedResources, requests.at(j))
		}
		if len(list[i].Requests) == 0 {
			c.hand(requests, required("past-drivers", "there is no request to driver "+quote(list[i].DriverName)+"; add one, or remove the entry"))
		}
	}
	driversOnce(c, list, func(r past.DriverRequests) string { return r.DriverName }, at)
}

func (c *checker) filters(list []past.Filter, at *path) {
	for i := range list {
		c.hand(at.at(i).child("driverName"), c.driverName("driver-name", "driver name", list[i].DriverName)...)
		c.namedSelector(list[i].NamedResources, at.at(i))
	}
	driversOnce(c, list, func(f past.Filter) string { return f.DriverName }, at)
}

const namedRule = "past-named-resources"

func noModel() problem {
	return required(namedRule, "namedResources is missing, the only model that there was; add it")
}

// namedSelector checks a selector over the attributes of instances.
func (c *checker) namedSelector(s *past.NamedSelector, at *path) {
	if s == nil {
		c.hand(at, noModel())
		return
	}
	expression := at.child("namedResources").child("selector")
	if s.Selector == "" {
		c.hand(expression, required(namedRule, `the selector is empty; write a condition on attributes, or "true" for every instance`))
		return
	}
	if err := selector.CompileNamed(s.Selector, c.storedSelectors); err != nil {
		said, _, _ := strings.Cut(err.Message, " expecting {")
		p := problem{rule: "cel-expression", kind: err.Type, value: short(s.Selector), line: err.Line, column: err.Column, message: "the expression does not compile: " + said}
		if err.Line > 0 {
			p.message += " (line " + strconv.Itoa(err.Line) + ", column " + strconv.Itoa(err.Column) + " of the expression)"
		}
		c.hand(expression, p)
	}
}

func (c *checker) instances(r *past.NamedResources, at *path) {
	if r == nil {
		p := noModel()
		p.focus = at.parent.child("kind")
		c.hand(at.parent, p)
		return
	}
	list := at.child("instances")
	for i := range r.Instances {
		e := &r.Instances[i]
		c.about(named("instance", e.Name, "instances", i), func() {
			c.hand(list.at(i).child("name"), subdomain("device-name", "instance name", e.Name)...)
			c.pastAttributes(e.Attributes, list.at(i).child("attributes"))
		})
	}
	unique(r.Instances, func(e past.Instance) string { return e.Name }, func(i int) {
		c.hand(list.at(i).child("name"), duplicate(namedRule, r.Instances[i].Name, "instance"))
	})
}

func (c *checker) pastAttributes(list []past.Attribute, at *path) {
	for i := range list {
		a := &list[i]
		c.hand(at.at(i).child("name"), subdomain("attribute-name", "attribute name", a.Name)...)
		set := a.Values()
		if v := a.VersionValue; v != nil && !isSemver(*v) {
			c.hand(at.at(i).child("version"), invalid("attribute-version", *v, "version "+quote(*v)+" is no semantic version; write it like 1.2.3"))
		}
		switch {
		case len(set) == 0:
			c.hand(at.at(i), required("attribute-union", "attribute "+short(a.Name)+" has no value; write one, such as string: a"))
		case len(set) > 1:
			names := strings.Join(set, ", ")
			c.hand(at.at(i), invalid("attribute-union", names, names+" are set on attribute "+short(a.Name)+", exactly one of them is allowed; keep the one that is meant"))
		}
	}
	unique(list, func(a past.Attribute) string { return a.Name }, func(i int) {
		c.hand(at.at(i).child("name"), duplicate(namedRule, list[i].Name, "attribute"))
	})
}
