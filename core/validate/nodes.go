package validate

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// sliceNodes checks that the slice says in exactly one way which nodes its
// devices are for.
func (c *checker) sliceNodes(s *resourceapi.ResourceSliceSpec, at *path) {
	var set []string
	if s.NodeName != nil {
		if *s.NodeName == "" {
			c.hand(at.child("nodeName"), invalid("node-name", "", "nodeName is empty; write the node's name, or leave nodeName out"))
		} else {
			set = append(set, "nodeName")
			c.hand(at.child("nodeName"), subdomain("node-name", "nodeName", *s.NodeName)...)
		}
	}
	if s.NodeSelector != nil {
		set = append(set, "nodeSelector")
		c.nodeSelector(s.NodeSelector, at.child("nodeSelector"))
		if n := len(s.NodeSelector.NodeSelectorTerms); n != 1 {
			c.hand(at.child("nodeSelector").child("nodeSelectorTerms"), invalid("node-selector-terms", strconv.Itoa(n),
				"nodeSelector has "+plural(n, "term")+", a slice needs exactly 1; put all conditions into one term, or publish one slice per term"))
		}
	}
	set = c.trueOrUnset(s.AllNodes, "allNodes", at, set)
	set = c.trueOrUnset(s.PerDeviceNodeSelection, "perDeviceNodeSelection", at, set)
	const rule = "node-selection"
	switch len(set) {
	case 0:
		message := "the slice does not say which nodes its devices are for; set exactly one of nodeName, nodeSelector, allNodes and perDeviceNodeSelection"
		if gate := c.dropped.gateOf(at.child("perDeviceNodeSelection")); gate != "" {
			message = "perDeviceNodeSelection is dropped because " + string(gate) + " is off, and nothing else says which nodes the devices are for; set nodeName, nodeSelector or allNodes"
		}
		c.hand(at, required(rule, message))
	case 1:
	default:
		p := invalid(rule, strings.Join(set, ", "), strings.Join(set, ", ")+" are set, exactly one of them is allowed; keep the one that is meant")
		p.focus = at.child(set[1])
		p.cause, p.causeReason = at.child(set[0]), set[0]+" is set too"
		c.hand(at, p)
	}
}

// trueOrUnset checks a field that may only be true, and notes it as set when
// it is.
func (c *checker) trueOrUnset(value *bool, name string, at *path, set []string) []string {
	if value == nil {
		return set
	}
	if *value {
		return append(set, name)
	}
	c.hand(at.child(name), invalid(name2rule[name], "false", name+" is false; set it to true, or leave it out"))
	return set
}

var name2rule = map[string]string{"allNodes": "all-nodes", "perDeviceNodeSelection": "per-device-node-selection"}

// deviceNodes checks the same for one device, where the slice leaves it to
// the devices.
func (c *checker) deviceNodes(d *resourceapi.Device, perDevice bool, device *path) {
	const rule = "device-node-selection"
	body := device.basic()
	if !perDevice {
		for _, f := range []struct {
			set  bool
			name string
		}{{d.NodeName != nil, "nodeName"}, {d.NodeSelector != nil, "nodeSelector"}, {d.AllNodes != nil, "allNodes"}} {
			if f.set {
				p := invalid(rule, f.name, f.name+" is set on the device, which is allowed only if the slice has perDeviceNodeSelection: true; set that, or remove "+f.name+" from the device")
				p.focus = body.child(f.name)
				c.hand(device, p)
				return
			}
		}
		return
	}
	var set []string
	if d.NodeName != nil {
		if *d.NodeName == "" {
			c.hand(body.child("nodeName"), invalid("node-name", "", "nodeName is empty; write the node's name, or leave nodeName out"))
		} else {
			set = append(set, "nodeName")
			c.hand(body.child("nodeName"), subdomain("node-name", "nodeName", *d.NodeName)...)
		}
	}
	if d.NodeSelector != nil {
		set = append(set, "nodeSelector")
		c.nodeSelector(d.NodeSelector, body.child("nodeSelector"))
	}
	set = c.trueOrUnset(d.AllNodes, "allNodes", body, set)
	switch len(set) {
	case 0:
		c.hand(device, required(rule, "the slice has perDeviceNodeSelection, but the device does not say which nodes it is for; set exactly one of nodeName, nodeSelector and allNodes on it"))
	case 1:
	default:
		p := invalid(rule, strings.Join(set, ", "), strings.Join(set, ", ")+" are set on the device, exactly one of them is allowed; keep the one that is meant")
		p.focus = body.child(set[1])
		c.hand(device, p)
	}
}

const nodeSelectorRule = "node-selector"

// nodeSelector checks a selector of nodes as the core API does.
func (c *checker) nodeSelector(s *corev1.NodeSelector, at *path) {
	terms := at.child("nodeSelectorTerms")
	if len(s.NodeSelectorTerms) == 0 {
		c.hand(terms, required(nodeSelectorRule, "nodeSelector has no term, so it selects no node; add one to nodeSelectorTerms"))
		return
	}
	for i := range s.NodeSelectorTerms {
		term := &s.NodeSelectorTerms[i]
		for j := range term.MatchExpressions {
			c.nodeExpression(&term.MatchExpressions[j], terms.at(i).child("matchExpressions").at(j))
		}
		for j := range term.MatchFields {
			c.nodeField(&term.MatchFields[j], terms.at(i).child("matchFields").at(j))
		}
	}
}

func (c *checker) nodeExpression(r *corev1.NodeSelectorRequirement, at *path) {
	values, n := at.child("values"), len(r.Values)
	switch r.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if n == 0 {
			c.hand(values, required(nodeSelectorRule, "operator "+string(r.Operator)+" needs values to compare with; add at least one"))
		}
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		if n > 0 {
			c.hand(values, forbidden(nodeSelectorRule, strings.Join(r.Values, ", "), "operator "+string(r.Operator)+" looks at the key only; remove the values"))
		}
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if n != 1 {
			c.hand(values, required(nodeSelectorRule, "operator "+string(r.Operator)+" has "+plural(n, "value")+", it needs exactly 1 number"))
		}
	default:
		c.hand(at.child("operator"), unknownOperator(string(r.Operator), "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
	}
	c.hand(at.child("key"), labelKey(nodeSelectorRule, "label key", r.Key)...)
	if !c.does(nodeValuesChecked) {
		return
	}
	for i, v := range r.Values {
		c.hand(values.at(i), labelValue(nodeSelectorRule, "label value", v)...)
	}
}

func (c *checker) nodeField(r *corev1.NodeSelectorRequirement, at *path) {
	if r.Operator != corev1.NodeSelectorOpIn && r.Operator != corev1.NodeSelectorOpNotIn {
		c.hand(at.child("operator"), unknownOperator(string(r.Operator), "In", "NotIn"))
	} else if len(r.Values) != 1 {
		c.hand(at.child("values"), required(nodeSelectorRule, "a field of the node is compared with "+plural(len(r.Values), "value")+", exactly 1 is needed; use one entry of matchFields per value"))
	}
	if r.Key != metav1.ObjectNameField {
		c.hand(at.child("key"), invalid(nodeSelectorRule, r.Key, "matchFields names the field "+quote(r.Key)+", only "+metav1.ObjectNameField+" can be matched; use matchExpressions for labels"))
		return
	}
	for i, v := range r.Values {
		c.hand(at.child("values").at(i), subdomain(nodeSelectorRule, "node name", v)...)
	}
}

// unknownOperator differs from other unknown words in its error type.
func unknownOperator(value string, allowed ...string) problem {
	p := oneOf(nodeSelectorRule, value, "operator", allowed...)
	p.kind = field.ErrorTypeInvalid
	return p
}
