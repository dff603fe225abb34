package validate

import (
	"slices"
	"strconv"

	resourceapi "k8s.io/api/resource/v1"
)

func (c *checker) deviceTaintRule(r *resourceapi.DeviceTaintRule) {
	meta, spec := (*path)(nil).child("metadata"), (*path)(nil).child("spec")
	c.namespaceIgnored(&r.ObjectMeta, "DeviceTaintRule", meta)
	m := r.ObjectMeta
	m.Generation = 0 // the API server sets it before it looks
	c.metadata(&m, clusterScoped, meta)
	c.taintRuleSpec(&r.Spec, nil, spec)
}

// taintRuleSpec checks the spec of a rule. By hand, an effect that was there
// before an update may stay, known or not.
func (c *checker) taintRuleSpec(spec, was *resourceapi.DeviceTaintRuleSpec, specAt *path) {
	if s := spec.DeviceSelector; s != nil {
		at := specAt.child("deviceSelector")
		if s.Driver != nil {
			c.hand(at.child("driver"), c.driverName("driver-name", "driver name", *s.Driver)...)
		}
		if s.Pool != nil {
			c.hand(at.child("pool"), poolName("pool-name", *s.Pool)...)
		}
		if s.Device != nil {
			c.hand(at.child("device"), label("device-name", "device name", *s.Device)...)
		}
	}
	taint := specAt.child("taint")
	c.taintName(&spec.Taint, taint)
	effect := func() { c.taintEffect(&spec.Taint, taint) }
	if was == nil || was.Taint.Effect != spec.Taint.Effect || !c.does(oldTaintsStay) {
		effect()
	} else {
		c.declaredOnly(effect)
	}
}

func (c *checker) taints(taints []resourceapi.DeviceTaint, at *path) {
	walk := func() {
		for i := range taints {
			c.taint(&taints[i], at.at(i))
		}
	}
	limit := resourceapi.DeviceTaintsMaxLength
	if !c.does(moreTaints) {
		limit = fewTaints
	}
	if len(taints) > limit {
		if c.stops(byHand, at, tooMany("taints-max", len(taints), limit, "taint", "merge some under one key")) {
			c.declaredOnly(walk)
			return
		}
	}
	walk()
}

// fewTaints is how many taints a device could have before moreTaints.
const fewTaints = 4

var taintEffects = []string{
	string(resourceapi.DeviceTaintEffectNoExecute), string(resourceapi.DeviceTaintEffectNoSchedule), string(resourceapi.DeviceTaintEffectNone),
}

// effects are those that the version knows.
func (c *checker) effects() []string {
	if c.does(effectNone) {
		return taintEffects
	}
	return taintEffects[:2]
}

func (c *checker) knownEffect(e resourceapi.DeviceTaintEffect) bool {
	return slices.Contains(c.effects(), string(e))
}

func (c *checker) taint(t *resourceapi.DeviceTaint, at *path) {
	c.taintName(t, at)
	c.taintEffect(t, at)
}

func (c *checker) taintName(t *resourceapi.DeviceTaint, at *path) {
	c.hand(at.child("key"), labelKey("taint-key", "the key of the taint", t.Key)...)
	c.hand(at.child("value"), labelValue("taint-value", "the value of the taint", t.Value)...)
}

func (c *checker) taintEffect(t *resourceapi.DeviceTaint, at *path) {
	switch {
	case t.Effect == "":
		c.both(at.child("effect"), required("taint-effect", "taint "+quote(t.Key)+" has no effect; write "+orList(c.effects())))
	case !c.knownEffect(t.Effect):
		c.both(at.child("effect"), oneOf("taint-effect", string(t.Effect), "effect", c.effects()...))
	}
}

func (c *checker) tolerations(tolerations []resourceapi.DeviceToleration, at *path) {
	for i := range tolerations {
		c.toleration(&tolerations[i], i, at.at(i))
	}
}

func (c *checker) toleration(t *resourceapi.DeviceToleration, index int, at *path) {
	if t.Key != "" {
		c.both(at.child("key"), labelKey("toleration-key", "the key of the toleration", t.Key)...)
	}
	switch t.Operator {
	case resourceapi.DeviceTolerationOpExists:
		if t.Value != "" {
			c.hand(at.child("value"), invalid("toleration-value", t.Value, "operator Exists looks at the key only, but value "+quote(t.Value)+" is set; remove the value, or use Equal"))
		}
	case resourceapi.DeviceTolerationOpEqual:
		c.hand(at.child("value"), labelValue("toleration-value", "the value of the toleration", t.Value)...)
	case "":
		c.both(at.child("operator"), required("toleration-operator", "toleration "+strconv.Itoa(index+1)+" has no operator; write Equal or Exists"))
	default:
		c.both(at.child("operator"), oneOf("toleration-operator", string(t.Operator), "operator", string(resourceapi.DeviceTolerationOpEqual), string(resourceapi.DeviceTolerationOpExists)))
	}
	if t.Effect != "" && !c.knownEffect(t.Effect) {
		c.both(at.child("effect"), oneOf("toleration-effect", string(t.Effect), "effect", c.effects()...))
	}
}
