package validate

import (
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/drawbridge-dra/drawbridge/core/feature"
)

func (c *checker) resourceSlice(s *resourceapi.ResourceSlice) {
	meta := (*path)(nil).child("metadata")
	c.namespaceIgnored(&s.ObjectMeta, "ResourceSlice", meta)
	m := s.ObjectMeta
	m.Generation = 0 // the API server sets it before it looks
	c.metadata(&m, clusterScoped, meta)
	c.sliceSpec(&s.Spec, nil, (*path)(nil).child("spec"))
}

// sliceSpec checks the spec of a slice, and that what identifies the slice
// stays if it was there before.
func (c *checker) sliceSpec(s, was *resourceapi.ResourceSliceSpec, at *path) {
	refused := c.driverName("driver-name", "driver name", s.Driver)
	c.hand(at.child("driver"), refused...)
	if len(refused) == 0 && s.Driver != strings.ToLower(s.Driver) {
		c.hand(at.child("driver"), problem{rule: "driver-name-case", value: short(s.Driver),
			message: "the driver's name " + quote(s.Driver) + " has upper-case letters; Kubernetes accepts them with a warning, and a claim cannot name such an attribute domain: write it in lower case"})
	}
	c.pool(&s.Pool, at.child("pool"))
	if was != nil {
		c.sliceIdentity(s, was, at)
	}
	c.sliceNodes(s, at)
	if s.SharedCounters != nil && s.Devices != nil && c.does(countersApart) {
		p := invalid("counter-sets-beside-devices", "", "the slice has sharedCounters and devices, only one of them is allowed; publish the counter sets in a slice of their own in the same pool, and count that slice in resourceSliceCount")
		p.focus = at.child("sharedCounters")
		p.cause, p.causeReason = at.child("devices"), "the devices of the same slice"
		c.hand(at, p)
	}
	c.devices(s, was, at.child("devices"))
	c.counterSets(s.SharedCounters, at.child("sharedCounters"))
	if !c.does(countersApart) {
		c.counterSums(s, at)
	}
	if s.PartitionTypeAttribute != nil {
		c.partitionType(s, at)
	}
	c.skipNodeOperations(s.SkipNodeOperations, at.child("skipNodeOperations"))
}

// sliceIdentity holds on to what other objects know a slice by.
func (c *checker) sliceIdentity(s, was *resourceapi.ResourceSliceSpec, at *path) {
	const rule, advice = "slice-immutable", "delete the slice and create another"
	c.fixed(byHand, rule, "the pool of a slice", was.Pool.Name, s.Pool.Name, at.child("pool").child("name"), advice)
	c.fixed(byHand, rule, "the driver of a slice", was.Driver, s.Driver, at.child("driver"), advice)
	c.fixed(byHand, rule, "the node of a slice", was.NodeName, s.NodeName, at.child("nodeName"), advice)
}

func (c *checker) pool(p *resourceapi.ResourcePool, at *path) {
	c.hand(at.child("name"), poolName("pool-name", p.Name)...)
	if p.ResourceSliceCount <= 0 {
		c.hand(at.child("resourceSliceCount"), invalid("pool-slice-count", strconv.FormatInt(p.ResourceSliceCount, 10),
			"resourceSliceCount is "+strconv.FormatInt(p.ResourceSliceCount, 10)+", it must be 1 or more: the number of slices that make the pool, this one included"))
	}
	if p.Generation < 0 {
		c.hand(at.child("generation"), invalid("pool-generation", strconv.FormatInt(p.Generation, 10),
			"generation of the pool is "+strconv.FormatInt(p.Generation, 10)+", it may not be negative; start with 0 or 1 and count up when the pool changes"))
	}
}

// deviceLimit tells how many devices the slice may have. The field that
// lowered the limit, if any, is the second result.
func (c *checker) deviceLimit(s *resourceapi.ResourceSliceSpec, at *path) (limit int, name string, cause *path) {
	if !c.does(advancedLowerLimit) {
		return resourceapi.ResourceSliceMaxDevices, "", nil
	}
	for i := range s.Devices {
		d := &s.Devices[i]
		body := at.at(i).basic()
		switch {
		case len(d.Taints) > 0:
			return resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures, "taints", body.child("taints")
		case len(d.ConsumesCounters) > 0:
			return resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures, "consumesCounters", body.child("consumesCounters")
		}
		if allOf(d.Attributes, isScalar) {
			continue
		}
		for _, k := range sortedKeys(d.Attributes) {
			if a := d.Attributes[k]; !isScalar(k, &a) {
				return resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures, "a list attribute", body.child("attributes").key(string(k))
			}
		}
	}
	return resourceapi.ResourceSliceMaxDevices, "", nil
}

func (c *checker) devices(s, was *resourceapi.ResourceSliceSpec, at *path) {
	before := map[string]*resourceapi.Device{}
	if was != nil {
		for i := len(was.Devices) - 1; i >= 0; i-- { // of several with one name the first counts
			before[was.Devices[i].Name] = &was.Devices[i]
		}
	}
	walk := func() {
		for i := range s.Devices {
			d := &s.Devices[i]
			c.about(named("device", d.Name, "devices", i), func() { c.device(s, i, before[d.Name], at.at(i)) })
		}
	}
	limit, lowering, cause := c.deviceLimit(s, at)
	if n := len(s.Devices); n > limit {
		advice := "spread the pool over " + strconv.Itoa((n+limit-1)/limit) + " slices"
		if lowering != "" {
			advice = "the limit is " + strconv.Itoa(limit) + " and not " + strconv.Itoa(resourceapi.ResourceSliceMaxDevices) +
				" because " + named("device", s.Devices[causeIndex(cause)].Name, "devices", causeIndex(cause)).String() + " has " + lowering +
				" (taints, consumesCounters and list attributes lower it for the whole slice); " + advice
		}
		p := tooMany("devices-max", n, limit, "device", advice)
		p.cause, p.causeReason = cause, "this lowers the limit to "+strconv.Itoa(limit)
		if c.stops(byHand, at, p) {
			c.declaredOnly(walk)
			return
		}
	}
	walk()
	unique(s.Devices, func(d resourceapi.Device) string { return d.Name }, func(i int) {
		p := duplicate("device-name-duplicate", s.Devices[i].Name, "device")
		p.focus = at.at(i).child("name")
		c.hand(c.duplicateOf(at.at(i), "name"), p)
	})
}

// isScalar tells whether an attribute has no list as its value.
func isScalar(_ resourceapi.QualifiedName, a *resourceapi.DeviceAttribute) bool {
	return a.BoolValues == nil && a.IntValues == nil && a.StringValues == nil && a.VersionValues == nil
}

// causeIndex finds the device that a path leads into.
func causeIndex(p *path) int {
	device := 0
	for ; p != nil; p = p.parent {
		if p.kind == indexPath {
			device = p.index
		}
	}
	return device
}

// partitionType checks the attribute that names the type of partitions.
func (c *checker) partitionType(s *resourceapi.ResourceSliceSpec, spec *path) {
	const rule = "partition-type-attribute"
	name := string(*s.PartitionTypeAttribute)
	at := spec.child("partitionTypeAttribute")
	format := fullName(rule, "partitionTypeAttribute", name)
	if c.on(feature.DRAPartitionableDevicesType) {
		c.std(at, format...)
	} else {
		c.std(at, forbidden(rule, name, "partitionTypeAttribute needs the feature gate "+string(feature.DRAPartitionableDevicesType)+", which is off; remove it"))
	}
	if !slices.ContainsFunc(s.Devices, func(d resourceapi.Device) bool { return len(d.ConsumesCounters) > 0 }) {
		c.hand(at, invalid(rule, name, "partitionTypeAttribute is set, but no device of the slice consumes counters; set it on the slice that has the partitions"))
		return
	}
	// The hand-written form of the rule accepts upper-case domains.
	if len(c.fullNameByHand(rule, "", name)) > 0 {
		return
	}
	bare := strings.TrimPrefix(name, s.Driver+"/")
	for i := range s.Devices {
		d := &s.Devices[i]
		if len(d.ConsumesCounters) == 0 {
			continue
		}
		attribute, ok := d.Attributes[resourceapi.QualifiedName(name)]
		if !ok {
			attribute, ok = d.Attributes[resourceapi.QualifiedName(bare)]
		}
		p := problem{rule: rule, cause: at, causeReason: "this names the attribute"}
		body := spec.child("devices").at(i).basic()
		switch {
		case !ok:
			p.kind = field.ErrorTypeRequired
			p.message = "consumes counters but has no attribute " + name + ", which partitionTypeAttribute names; add it as a string"
			p.focus = body.child("consumesCounters")
		case attribute.StringValue == nil:
			p.kind = field.ErrorTypeInvalid
			p.message = "attribute " + name + " is no string, but partitionTypeAttribute names it; write it as a string"
			p.focus = body.child("attributes").key(name)
		default:
			continue
		}
		c.about(named("device", d.Name, "devices", i), func() { c.hand(body.child("attributes").key(name), p) })
	}
}

// skipNodeOperations is checked on slices.
func (c *checker) skipNodeOperations(ops []resourceapi.SkipNodeOperation, at *path) {
	const (
		prepare   = resourceapi.SkipNodeOperationNodePrepareResources
		unprepare = resourceapi.SkipNodeOperationNodeUnprepareResources
		all       = resourceapi.SkipNodeOperationAll
	)
	if slices.Contains(ops, prepare) && !slices.Contains(ops, unprepare) && !slices.Contains(ops, all) {
		c.hand(at, invalid("skip-node-operations", joined(ops), "NodePrepareResources is skipped but NodeUnprepareResources is not: without the driver's plugin on the node the pod would hang in Terminating; add NodeUnprepareResources, or use \"*\""))
	}
	unique(ops, itself, func(i int) {
		c.std(at.at(i), duplicate("skip-node-operations-duplicate", string(ops[i]), "operation"))
	})
	for i, op := range ops {
		if op != prepare && op != unprepare && op != all {
			c.std(at.at(i), oneOf("skip-node-operations-value", string(op), "operation", string(prepare), string(unprepare), `*`))
		}
	}
}

func joined[T ~string](list []T) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(s))
	}
	return b.String()
}
