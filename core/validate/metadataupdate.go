package validate

import (
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nameRule says how much of an object's name is checked again on an update.
type nameRule uint8

const (
	// anyName: only what no URL could hold.
	anyName nameRule = iota
	// wholeName: the name, and the prefix of a generated one.
	wholeName
	// classNameOnly: the name alone, as DeviceClasses do.
	classNameOnly
)

// updatedMetadata checks metadata that has been prepared by prepareMetadata.
func (c *checker) updatedMetadata(m, was *metav1.ObjectMeta, where scope, names nameRule, unconditional bool) {
	at := (*path)(nil).child("metadata")
	c.updatedName(m, names, at)
	if where == namespaced {
		for _, p := range label("metadata-namespace", "the namespace", m.Namespace) {
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
	if was.DeletionTimestamp != nil {
		for _, f := range m.Finalizers {
			if !slices.Contains(was.Finalizers, f) {
				p := forbidden("metadata-finalizer-added", f, "the object is being deleted, so finalizer "+quote(f)+" can no longer be added; remove it")
				p.focus = at.child("finalizers").at(slices.Index(m.Finalizers, f))
				c.hand(at.child("finalizers"), p)
				break
			}
		}
	}
	if m.ResourceVersion == "" && !unconditional {
		c.hand(at.child("resourceVersion"), invalid("metadata-resource-version", "",
			"resourceVersion is missing, without which this kind cannot be updated; send the object as it was read, with your changes"))
	}
	const rule, advice = "metadata-immutable", "send the object as it was read, with your changes"
	c.fixed(byHand, rule, "the name of an object", was.Name, m.Name, at.child("name"), "create another object")
	c.fixed(byHand, rule, "the namespace of an object", was.Namespace, m.Namespace, at.child("namespace"), "create another object")
	c.fixed(byHand, rule, "the uid of an object", string(was.UID), string(m.UID), at.child("uid"), "if the object was deleted and created again, read it again")
	c.fixed(byHand, rule, "the time of creation", was.CreationTimestamp, m.CreationTimestamp, at.child("creationTimestamp"), advice)
	c.fixed(byHand, rule, "the time of deletion", was.DeletionTimestamp, m.DeletionTimestamp, at.child("deletionTimestamp"), "delete the object instead")
	c.fixed(byHand, rule, "the time that deletion may take", was.DeletionGracePeriodSeconds, m.DeletionGracePeriodSeconds, at.child("deletionGracePeriodSeconds"), "delete the object instead")
}

func (c *checker) updatedName(m *metav1.ObjectMeta, names nameRule, at *path) {
	name := at.child("name")
	switch m.Name {
	case "":
		c.hand(name, required("metadata-name", "the object has no name; an update needs the name of the object that it changes"))
	case ".", "..":
		c.hand(name, invalid("metadata-name", m.Name, "object name "+quote(m.Name)+" means something else in a URL; give the object another name"))
	}
	c.noSigns("metadata-name", "object name", m.Name, name)
	c.noSigns("metadata-generate-name", "generateName", m.GenerateName, at.child("generateName"))
	if names == wholeName {
		c.generateName(m, at)
	}
	if names != anyName && m.Name != "" {
		c.hand(name, subdomain("metadata-name", "object name", m.Name)...)
	}
}

// noSigns refuses what would break a URL.
func (c *checker) noSigns(rule, noun, value string, at *path) {
	for _, sign := range []string{"/", "%"} {
		if strings.Contains(value, sign) {
			c.hand(at, invalid(rule, value, noun+" "+quote(value)+" has a "+quote(sign)+", which no name may have; remove it"))
		}
	}
}

func (c *checker) generation(m *metav1.ObjectMeta, at *path) {
	n := strconv.FormatInt(m.Generation, 10)
	c.hand(at.child("generation"), invalid("metadata-generation", n,
		"generation is "+n+", it may not be negative; remove it, the API server counts it"))
}

// prepareMetadata carries over what a client cannot change, as the API server
// does before it looks.
func prepareMetadata(m, was *metav1.ObjectMeta, status bool) {
	if status {
		m.Labels, m.Annotations, m.Finalizers, m.OwnerReferences = was.Labels, was.Annotations, was.Finalizers, was.OwnerReferences
		//lint:ignore SA1019 the API server still compares it
		m.DeletionTimestamp, m.SelfLink = was.DeletionTimestamp, was.SelfLink
	}
	m.Generation = was.Generation
	if m.UID == "" {
		m.UID = was.UID
	}
	if !was.CreationTimestamp.IsZero() {
		m.CreationTimestamp = was.CreationTimestamp
	}
	if !was.DeletionTimestamp.IsZero() {
		m.DeletionTimestamp = was.DeletionTimestamp
	}
	if m.DeletionGracePeriodSeconds == nil {
		m.DeletionGracePeriodSeconds = was.DeletionGracePeriodSeconds
	}
}
