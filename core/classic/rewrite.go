package classic

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// names are the kinds that were called otherwise in v1alpha1.
var names = map[string]string{"PodScheduling": "PodSchedulingContext"}

// Renamed is what a kind is called in another API version of its time; empty
// where that has no such kind.
func Renamed(kind, apiVersion string) string {
	for first, later := range names {
		switch {
		case kind == first && apiVersion != past.V1alpha1:
			return later
		case kind == later && apiVersion == past.V1alpha1:
			return first
		}
	}
	if past.Of(apiVersion, kind) == nil {
		return ""
	}
	return kind
}

// Rewrite gives an object of v1alpha1 or v1alpha2, or a PodSchedulingContext,
// as another API version of that time has it. Kubernetes itself never
// converted between these: 1.27 and 1.31 began anew.
func Rewrite(o *bundle.Object, value any, apiVersion string) (any, []Loss) {
	in, ok := value.(runtime.Object)
	if !ok {
		return nil, nil
	}
	out := in.DeepCopyObject()
	out.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, Renamed(o.Ref.Kind, apiVersion)))
	t := translation{object: o}
	switch v := out.(type) {
	case *past.ResourceClass:
		if apiVersion == past.V1alpha1 {
			v.StructuredParameters = nil
			if structured, _ := o.At("structuredParameters").Bool(); structured {
				t.lose(o, "structuredParameters", "structuredParameters is lost: v1alpha1 has allocation by the driver's controller alone")
			}
		}
	case *past.ResourceClaim:
		if v.Status.Allocation != nil {
			t.handles(v, apiVersion == past.V1alpha1)
		}
	}
	return out, t.losses
}

// handles makes one handle of several, or a list of one. The text knows what
// was allocated even where the version has no such field.
func (t *translation) handles(v *past.ResourceClaim, single bool) {
	const at = "status.allocation.resourceHandles"
	a := v.Status.Allocation
	if !single {
		if data, _ := t.object.At("status.allocation.resourceHandle").Str(); data != "" && len(a.ResourceHandles) == 0 {
			a.ResourceHandles = []past.Handle{{DriverName: v.Status.DriverName, Data: data}}
		}
		a.ResourceHandle = ""
		return
	}
	var handles []past.Handle
	_ = json.Unmarshal(t.object.At(at).JSON(), &handles) // what is no list was told about when it was read
	a.ResourceHandles = nil
	for i, h := range handles {
		if len(handles) == 1 && h.StructuredData == nil && (h.DriverName == "" || h.DriverName == v.Status.DriverName) {
			a.ResourceHandle = h.Data
		} else if i == 0 {
			t.lose(t.object, at, at+" is lost: v1alpha1 has one handle, which is text for the driver in status.driverName")
		}
	}
}
