package bundle

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"
	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/past"
)

// Versions lists the API versions in which an object of DRA can be written,
// newest first. It is empty for other kinds.
func Versions(kind string) []string {
	var out []string
	for _, version := range []string{v1, v1beta2, v1beta1, v1alpha3} {
		if findShape(version, kind) != nil && past.Of(version, kind) == nil {
			out = append(out, version)
		}
	}
	return out
}

// Express writes an object, of the type that the core works with, as it is in
// an API version, the way the API server does. False if its kind is not there
// in that version. The object may share parts with the result.
func Express(value any, apiVersion string) (any, bool) {
	kind := kindOf(value)
	if !slices.Contains(Versions(kind), apiVersion) {
		return nil, false
	}
	if apiVersion == v1alpha3 {
		switch in := value.(type) {
		case *resourceapi.ResourceClaim:
			return alphaClaimOf(in), true
		case *resourceapi.ResourceClaimTemplate:
			out := &alphaTemplate{TypeMeta: in.TypeMeta, ObjectMeta: in.ObjectMeta}
			out.Spec.ObjectMeta, out.Spec.Spec.betaClaimSpec = in.Spec.ObjectMeta, flatSpec(in.Spec.Spec)
			out.APIVersion = apiVersion
			return out, true
		case *resourceapi.ResourceSlice:
			return alphaSliceOf(in), true
		}
	}
	if apiVersion == v1beta1 {
		switch in := value.(type) {
		case *resourceapi.ResourceClaim:
			out := &betaClaim{TypeMeta: in.TypeMeta, ObjectMeta: in.ObjectMeta, Spec: flatSpec(in.Spec), Status: in.Status}
			out.APIVersion = apiVersion
			return out, true
		case *resourceapi.ResourceClaimTemplate:
			out := &betaTemplate{TypeMeta: in.TypeMeta, ObjectMeta: in.ObjectMeta}
			out.Spec.ObjectMeta, out.Spec.Spec = in.Spec.ObjectMeta, flatSpec(in.Spec.Spec)
			out.APIVersion = apiVersion
			return out, true
		case *resourceapi.ResourceSlice:
			return flatSlice(in), true
		}
	}
	switch in := value.(type) {
	case *resourceapi.ResourceClaim:
		out := *in
		out.APIVersion = apiVersion
		return &out, true
	case *resourceapi.ResourceClaimTemplate:
		out := *in
		out.APIVersion = apiVersion
		return &out, true
	case *resourceapi.ResourceSlice:
		out := *in
		out.APIVersion = apiVersion
		return &out, true
	case *resourceapi.DeviceClass:
		out := *in
		out.APIVersion = apiVersion
		return &out, true
	case *resourceapi.DeviceTaintRule:
		out := *in
		out.APIVersion = apiVersion
		return &out, true
	}
	return value, true
}

func kindOf(value any) string {
	switch value.(type) {
	case *resourceapi.ResourceClaim:
		return "ResourceClaim"
	case *resourceapi.ResourceClaimTemplate:
		return "ResourceClaimTemplate"
	case *resourceapi.ResourceSlice:
		return "ResourceSlice"
	case *resourceapi.DeviceClass:
		return "DeviceClass"
	case *resourceapi.DeviceTaintRule:
		return "DeviceTaintRule"
	case *alphaapi.ResourcePoolStatusRequest:
		return "ResourcePoolStatusRequest"
	}
	return ""
}

func flatSpec(in resourceapi.ResourceClaimSpec) betaClaimSpec {
	out := betaClaimSpec{Devices: betaDeviceClaim{Constraints: in.Devices.Constraints, Config: in.Devices.Config}}
	if in.Devices.Requests != nil {
		out.Devices.Requests = []betaRequest{}
	}
	for _, r := range in.Devices.Requests {
		flat := betaRequest{Name: r.Name, FirstAvailable: r.FirstAvailable}
		if r.Exactly != nil {
			flat.ExactDeviceRequest = *r.Exactly
		}
		out.Devices.Requests = append(out.Devices.Requests, flat)
	}
	return out
}

// alphaClaimOf writes a claim as v1alpha3 has it. The fields that only
// Kubernetes 1.31 had are not in v1, so they are not in what comes of it.
func alphaClaimOf(in *resourceapi.ResourceClaim) *alphaClaim {
	out := &alphaClaim{TypeMeta: in.TypeMeta, ObjectMeta: in.ObjectMeta}
	out.APIVersion = v1alpha3
	out.Spec.betaClaimSpec = flatSpec(in.Spec)
	out.Status.ReservedFor, out.Status.Devices = in.Status.ReservedFor, in.Status.Devices
	if in.Status.Allocation != nil {
		f := reflect.ValueOf(&out.Status).Elem().FieldByName("Allocation")
		f.Set(reflect.New(f.Type().Elem()))
		out.Status.Allocation.AllocationResult = *in.Status.Allocation
	}
	return out
}

// alphaSliceOf writes a slice as v1alpha3 has it, where a capacity is no more
// than its value.
func alphaSliceOf(in *resourceapi.ResourceSlice) *alphaSlice {
	flat := flatSlice(in)
	spec := &flat.Spec
	out := &alphaSlice{TypeMeta: in.TypeMeta, ObjectMeta: in.ObjectMeta, Spec: sliceSpec[alphaDevice]{
		Driver: spec.Driver, Pool: spec.Pool, NodeName: spec.NodeName, NodeSelector: spec.NodeSelector, AllNodes: spec.AllNodes,
		PerDeviceNodeSelection: spec.PerDeviceNodeSelection, SharedCounters: spec.SharedCounters,
		PartitionTypeAttribute: spec.PartitionTypeAttribute, SkipNodeOperations: spec.SkipNodeOperations,
	}}
	out.APIVersion = v1alpha3
	if spec.Devices != nil {
		out.Spec.Devices = []alphaDevice{}
	}
	for _, d := range spec.Devices {
		basic := &basicDevice[resource.Quantity]{
			Attributes: d.Basic.Attributes, ConsumesCounters: d.Basic.ConsumesCounters, NodeName: d.Basic.NodeName, NodeSelector: d.Basic.NodeSelector,
			AllNodes: d.Basic.AllNodes, Taints: d.Basic.Taints, BindsToNode: d.Basic.BindsToNode, BindingConditions: d.Basic.BindingConditions,
			BindingFailureConditions: d.Basic.BindingFailureConditions, AllowMultipleAllocations: d.Basic.AllowMultipleAllocations,
			NodeAllocatableResources: d.Basic.NodeAllocatableResources,
		}
		if d.Basic.Capacity != nil {
			basic.Capacity = map[resourceapi.QualifiedName]resource.Quantity{}
		}
		for name, c := range d.Basic.Capacity {
			basic.Capacity[name] = c.Value
		}
		out.Spec.Devices = append(out.Spec.Devices, alphaDevice{Name: d.Name, Basic: basic})
	}
	return out
}

func flatSlice(in *resourceapi.ResourceSlice) *betaSlice {
	out := &betaSlice{TypeMeta: in.TypeMeta, ObjectMeta: in.ObjectMeta, Spec: sliceSpec[betaDevice]{
		Driver: in.Spec.Driver, Pool: in.Spec.Pool, NodeSelector: in.Spec.NodeSelector,
		PerDeviceNodeSelection: in.Spec.PerDeviceNodeSelection, SharedCounters: in.Spec.SharedCounters,
		PartitionTypeAttribute: in.Spec.PartitionTypeAttribute, SkipNodeOperations: in.Spec.SkipNodeOperations,
	}}
	out.APIVersion = v1beta1
	if in.Spec.NodeName != nil {
		out.Spec.NodeName = *in.Spec.NodeName
	}
	if in.Spec.AllNodes != nil {
		out.Spec.AllNodes = *in.Spec.AllNodes
	}
	if in.Spec.Devices != nil {
		out.Spec.Devices = []betaDevice{}
	}
	for _, d := range in.Spec.Devices {
		out.Spec.Devices = append(out.Spec.Devices, betaDevice{Name: d.Name, Basic: &basicDevice[resourceapi.DeviceCapacity]{
			Attributes: d.Attributes, Capacity: d.Capacity, ConsumesCounters: d.ConsumesCounters,
			NodeName: d.NodeName, NodeSelector: d.NodeSelector, AllNodes: d.AllNodes, Taints: d.Taints,
			BindsToNode: d.BindsToNode, BindingConditions: d.BindingConditions, BindingFailureConditions: d.BindingFailureConditions,
			AllowMultipleAllocations: d.AllowMultipleAllocations, NodeAllocatableResources: d.NodeAllocatableResources,
		}})
	}
	return out
}

// Back reads what Express wrote into the type that the core works with.
func Back(expressed any) any {
	switch in := expressed.(type) {
	case *betaClaim:
		return convertBetaClaim(in)
	case *betaTemplate:
		return convertBetaTemplate(in)
	case *betaSlice:
		return convertBetaSlice(in)
	case *alphaClaim:
		return convertAlphaClaim(in)
	case *alphaTemplate:
		return convertAlphaTemplate(in)
	case *alphaSlice:
		return convertAlphaSlice(in)
	}
	return expressed
}

// Render writes an object as YAML. What stands in the text that it is from
// decides the order of fields and where brackets are; a nil node decides
// nothing.
func Render(object any, like *Node) ([]byte, error) {
	text, ok := []byte(nil), false
	if n, isNode := object.(*Node); isNode {
		text, ok = n.JSON(), true
	}
	if !ok {
		var err error
		if text, err = json.Marshal(object); err != nil {
			return nil, err
		}
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	plain(&root)
	for _, top := range root.Content {
		typeFirst(top)
		arrange(top, like)
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	e.CompactSeqIndent()
	if err := e.Encode(&root); err != nil {
		return nil, err
	}
	return out.Bytes(), e.Close()
}

// typeFirst puts apiVersion and kind in front.
func typeFirst(n *yaml.Node) {
	for _, key := range []string{"kind", "apiVersion"} {
		for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
			if n.Content[i].Value == key {
				pair := []*yaml.Node{n.Content[i], n.Content[i+1]}
				n.Content = append(pair, slices.Delete(n.Content, i, i+2)...)
				break
			}
		}
	}
}

// arrange gives a value the order of fields and the brackets of another.
func arrange(n *yaml.Node, like *Node) {
	if like == nil || n.Kind == yaml.ScalarNode {
		return
	}
	if like.style == flowStyle && like.doc != nil && !like.doc.json && (like.Kind() == Map || like.Kind() == List) && like.Len() > 0 {
		n.Style |= yaml.FlowStyle
	}
	if n.Kind == yaml.SequenceNode {
		for i, item := range n.Content {
			arrange(item, like.Index(i))
		}
		return
	}
	place := map[string]int{}
	for i, e := range like.Entries() {
		place[e.Key] = i
	}
	type pair struct{ key, value *yaml.Node }
	var pairs []pair
	for i := 0; i+1 < len(n.Content); i += 2 {
		arrange(n.Content[i+1], like.Get(n.Content[i].Value))
		pairs = append(pairs, pair{n.Content[i], n.Content[i+1]})
	}
	// What the text does not have stays behind the field before it.
	last := -1
	rank := make(map[*yaml.Node]int, len(pairs))
	for _, p := range pairs {
		if at, ok := place[p.key.Value]; ok {
			last = at
		}
		rank[p.key] = last
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		if rank[a.key] != rank[b.key] {
			return rank[a.key] - rank[b.key]
		}
		// The one that is in the text goes before those that follow it.
		_, first := place[a.key.Value]
		_, second := place[b.key.Value]
		switch {
		case first && !second:
			return -1
		case second && !first:
			return 1
		}
		return 0
	})
	n.Content = n.Content[:0]
	for _, p := range pairs {
		n.Content = append(n.Content, p.key, p.value)
	}
}
