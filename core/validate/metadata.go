package validate

import (
	"reflect"
	"strconv"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// DefaultNamespace is where kubectl puts objects that name none.
const DefaultNamespace = "default"

// scope tells whether objects of a kind live in namespaces.
type scope bool

const (
	clusterScoped scope = false
	namespaced    scope = true
)

const (
	annotationsLimit = 256 << 10
	// The API server cuts generateName before it adds five characters.
	generatedBase   = maxLabel - 5
	generatedSuffix = "xxxxx"
)

// metadata checks what every object has. What the API server fills in or
// overwrites itself (UID, times, managed fields) is not looked at: objects
// come as kubectl prints them.
func (c *checker) metadata(m *metav1.ObjectMeta, where scope, at *path) {
	c.objectName(m, at)
	c.metadataBesideName(m, where, at)
}

// metadataBesideName is metadata without the name, which has other rules in
// some kinds.
func (c *checker) metadataBesideName(m *metav1.ObjectMeta, where scope, at *path) {
	if where == namespaced {
		for _, p := range label("metadata-namespace", "the namespace", orDefault(m.Namespace)) {
			c.hand(at.child("namespace"), p)
		}
	}
	if m.Generation < 0 {
		c.generation(m, at)
	}
	c.labels(m.Labels, at.child("labels"))
	c.annotations(m.Annotations, at.child("annotations"))
	c.owners(m.OwnerReferences, at.child("ownerReferences"))
	c.finalizers(m.Finalizers, at.child("finalizers"))
}

func orDefault(namespace string) string {
	if namespace == "" {
		return DefaultNamespace
	}
	return namespace
}

// classMetadata is metadata for DeviceClasses, which are the exception: their
// name has a check in both passes, and the prefix for generated names is only
// looked at by a later step that runs when everything by hand has passed.
func (c *checker) classMetadata(m *metav1.ObjectMeta, at *path) {
	rest := *m
	rest.GenerateName = ""
	if m.Name == "" && m.GenerateName != "" {
		rest.Name = generatedName(m.GenerateName)
	}
	c.metadata(&rest, clusterScoped, at)
}

// classGenerateName is that later step.
func (c *checker) classGenerateName(m *metav1.ObjectMeta, at *path) {
	for _, f := range c.found {
		if f.passes&byHand != 0 && f.kind != "" {
			return
		}
	}
	c.noSigns("metadata-generate-name", "generateName", m.GenerateName, at.child("generateName"))
}

func generatedName(base string) string {
	if len(base) > generatedBase {
		base = base[:generatedBase]
	}
	return base + generatedSuffix
}

func (c *checker) objectName(m *metav1.ObjectMeta, at *path) {
	name := m.Name
	if m.GenerateName != "" && name == "" {
		name = generatedName(m.GenerateName)
	}
	c.generateName(m, at)
	if name == "" {
		c.hand(at.child("name"), required("metadata-name", "the object has no name; give it metadata.name, or metadata.generateName"))
		return
	}
	for _, p := range subdomain("metadata-name", "object name", name) {
		if m.Name == "" {
			p.focus, p.hint, p.replacement = at.child("generateName"), "", ""
		}
		c.hand(at.child("name"), p)
	}
}

// generateName checks the prefix of a generated name, if there is one.
func (c *checker) generateName(m *metav1.ObjectMeta, at *path) {
	base := m.GenerateName
	if base == "" {
		return
	}
	// A dash at the end is what generated names are made for; Kubernetes
	// forgives the character before it too.
	if len(base) > 1 && strings.HasSuffix(base, "-") {
		base = base[:len(base)-2] + "a"
	}
	for _, p := range subdomain("metadata-generate-name", "generateName", base) {
		p.value = short(m.GenerateName)
		c.hand(at.child("generateName"), p)
	}
}

func (c *checker) labels(labels map[string]string, at *path) {
	for _, k := range sortedKeys(labels) {
		for _, p := range labelKey("metadata-label-key", "label key", k) {
			p.focus = at.key(k)
			c.hand(at, p)
		}
		for _, p := range labelValue("metadata-label-value", "the value of label "+short(k), labels[k]) {
			p.focus = at.key(k)
			c.hand(at, p)
		}
	}
}

func (c *checker) annotations(annotations map[string]string, at *path) {
	size := 0
	for _, k := range sortedKeys(annotations) {
		size += len(k) + len(annotations[k])
		for _, p := range labelKey("metadata-annotation-key", "annotation key", strings.ToLower(k)) {
			p.value, p.focus = short(k), at.key(k)
			c.hand(at, p)
		}
	}
	if size > annotationsLimit {
		c.hand(at, problem{rule: "metadata-annotations-size", kind: field.ErrorTypeTooLong,
			message: "annotations take " + strconv.Itoa(size) + " bytes with their keys, at most " + strconv.Itoa(annotationsLimit) + " are allowed; remove some"})
	}
}

func (c *checker) owners(owners []metav1.OwnerReference, at *path) {
	controller := ""
	for i, o := range owners {
		const rule = "metadata-owner"
		p := at.at(i)
		gv, err := schema.ParseGroupVersion(o.APIVersion)
		if o.APIVersion == "" {
			c.owner(at, p, "apiVersion", required(rule, "the owner has no apiVersion; write that of its kind, such as apps/v1"))
		} else if err != nil || gv.Version == "" {
			c.owner(at, p, "apiVersion", invalid(rule, o.APIVersion, "apiVersion "+quote(o.APIVersion)+" of the owner is no group and version; write it as group/version, or version for the core group"))
		}
		for _, f := range []struct{ name, value string }{{"kind", o.Kind}, {"name", o.Name}, {"uid", string(o.UID)}} {
			if f.value == "" {
				c.owner(at, p, f.name, required(rule, "the owner has no "+f.name+"; fill it in, or remove the entry"))
			}
		}
		if err == nil && gv.Group == "" && gv.Version == "v1" && o.Kind == "Event" {
			c.owner(at, p, "", invalid(rule, o.Kind, "an Event owns the object, which is not allowed; name another owner"))
		}
		if o.Controller == nil || !*o.Controller {
			continue
		}
		if name := o.Kind + "/" + o.Name; controller == "" {
			controller = name
		} else {
			c.hand(at, invalid("metadata-owner-controller", name, "both "+short(controller)+" and "+short(name)+" are marked as controller; only one owner may be").because("", controller+" "+name))
		}
	}
}

// owner reports what is wrong with a field of an owner, or with all of it.
func (c *checker) owner(list, item *path, name string, p problem) {
	p.focus = item
	if name != "" {
		p.focus = item.child(name)
	}
	if c.does(ownersApart) {
		c.hand(p.focus, p)
		return
	}
	if name != "" {
		list = list.child(name)
	}
	p.kind = field.ErrorTypeInvalid
	c.hand(list, p)
}

// Finalizers without a domain that Kubernetes itself handles.
var bareFinalizers = map[string]bool{"kubernetes": true, metav1.FinalizerOrphanDependents: true, metav1.FinalizerDeleteDependents: true}

func (c *checker) finalizers(finalizers []string, at *path) {
	const rule = "metadata-finalizer"
	orphan, foreground := false, false
	for i, f := range finalizers {
		for _, p := range labelKey(rule, "finalizer", f) {
			p.focus = at.at(i)
			c.hand(at, p)
		}
		orphan = orphan || f == metav1.FinalizerOrphanDependents
		foreground = foreground || f == metav1.FinalizerDeleteDependents
		if !strings.Contains(f, "/") && !bareFinalizers[f] {
			c.hand(at.at(i), invalid(rule, f, "finalizer "+quote(f)+" has no domain; write it as domain/name"))
		}
	}
	if orphan && foreground {
		c.hand(at, invalid(rule, strings.Join(finalizers, ", "), "the finalizers orphan and foregroundDeletion exclude each other; keep one"))
	}
}

// templateMetadata checks the metadata of a template: labels and annotations
// are all it may have.
func (c *checker) templateMetadata(m *metav1.ObjectMeta, at *path) {
	c.annotations(m.Annotations, at.child("annotations"))
	c.labels(m.Labels, at.child("labels"))
	v := reflect.ValueOf(*m)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if name == "Labels" || name == "Annotations" || v.Field(i).IsZero() {
			continue
		}
		first := []rune(name)
		first[0] = unicode.ToLower(first[0])
		c.hand(at.child(string(first)), forbidden("template-metadata", "",
			string(first)+" is set in a template, where only labels and annotations are allowed; remove it"))
	}
}

// namespaceIgnored warns of a namespace on an object that lives in none.
func (c *checker) namespaceIgnored(m *metav1.ObjectMeta, kind string, at *path) {
	if m.Namespace == "" {
		return
	}
	p := problem{rule: "metadata-namespace-ignored", value: m.Namespace,
		message: kind + " is cluster-scoped, the API server removes namespace " + m.Namespace + "; leave it out"}
	c.hand(at.child("namespace"), p)
}

// severity is that of the rule: findings without an error type do not stop
// the API server.
func (f finding) severity() diag.Severity {
	if f.kind == "" {
		return diag.Warning
	}
	return diag.Error
}
