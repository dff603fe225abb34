package validate

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drawbridge-dra/drawbridge/core/past"
)

// pastNamespaced are the kinds of that time that live in a namespace.
var pastNamespaced = []string{"ResourceClaim", "ResourceClaimTemplate", "PodSchedulingContext", "ResourceClaimParameters", "ResourceClassParameters"}

// pastObject makes an object as it is sent.
func (r *random) pastObject(t *testing.T, minor int) map[string]any {
	t.Helper()
	kind := pick(r, pastKinds[minor]...)
	if minor == 31 && kind != "PodSchedulingContext" {
		return treeAs[map[string]any](t, r.alpha3(kind, convert(t, r.object(kind), "v1beta1", kind)))
	}
	return r.pastSent(t, minor, kind, r.alpha2(kind))
}

// pastSent gives an object of a type of its own the kind that it is sent as.
func (r *random) pastSent(t *testing.T, minor int, kind string, o runtime.Object) map[string]any {
	t.Helper()
	meta := reflect.ValueOf(o).Elem().FieldByName("TypeMeta")
	meta.FieldByName("Kind").SetString(kind)
	meta.FieldByName("APIVersion").SetString(map[int]string{30: past.V1alpha2, 31: past.V1alpha3}[minor])
	return treeAs[map[string]any](t, o)
}

// treeAs reads an object again, as another type.
func treeAs[T any](t *testing.T, o any) (out T) {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// pastUpdate makes an object and what replaces it.
func (r *random) pastUpdate(t *testing.T, minor int) pastCase {
	t.Helper()
	kind := pick(r, append(pastKinds[minor], "ResourceClaim", "ResourceClaim", "PodSchedulingContext")...)
	c := pastCase{Operation: "update"}
	if (kind == "ResourceClaim" || kind == "PodSchedulingContext") && !r.chance(4) {
		c.Operation = "status"
	}
	if minor == 31 && kind != "PodSchedulingContext" {
		old, now := r.pair(kindOf{kind: kind, namespaced: slices.Contains(pastNamespaced, kind)})
		// What v1alpha3 has of its own is mostly the same in both.
		same := r.Uint64()
		alpha3 := func(o runtime.Object, more uint64) map[string]any {
			g := &random{rand.New(rand.NewPCG(same, more)), r.faults}
			return treeAs[map[string]any](t, g.alpha3(kind, convert(t, o, "v1beta1", kind)))
		}
		c.Old, c.Now = alpha3(old, 0), alpha3(now, uint64(pick(r, 0, 0, 1)))
		if spec, ok := c.Old["spec"].(map[string]any); ok && kind == "ResourceClaim" {
			devices, _ := spec["devices"].(map[string]any)
			for _, q := range itemsOf(devices, "requests") {
				if name, _ := q["deviceClassName"].(string); name == "" {
					q["deviceClassName"] = "class" // else it could not be stored
				}
			}
		}
		return c
	}
	old, now := r.grafted(r.alpha2(kind), r.alpha2(kind), slices.Contains(pastNamespaced, kind), r.pastStatus)
	c.Old, c.Now = r.pastSent(t, minor, kind, old), r.pastSent(t, minor, kind, now)
	return c
}

// pastStatus fills the status of an object that has one.
func (r *random) pastStatus(o runtime.Object) {
	switch o := o.(type) {
	case *past.PodSchedulingContext:
		o.Status.ResourceClaims = list(r, 4, func(i int) past.ClaimScheduling {
			return past.ClaimScheduling{Name: r.name(i), UnsuitableNodes: long(r, past.MostSchedulingNodes, func(i int) string { return r.name(i) })}
		})
	case *past.ResourceClaim:
		o.Status = past.ClaimStatus{}
		if !r.chance(3) {
			o.Status.Allocation = r.pastAllocation()
		}
		if o.Status.Allocation != nil && !r.faulty() || r.faulty() {
			o.Status.DriverName = r.driver()
		}
		if o.Status.Allocation != nil && r.chance(2) || r.faulty() {
			n := 1
			if o.Status.Allocation == nil || o.Status.Allocation.Shareable || r.faulty() {
				n = pick(r, 1, 2, 3, past.MostConsumers, past.MostConsumers+1)
			}
			for i := range n {
				o.Status.ReservedFor = append(o.Status.ReservedFor, past.Consumer{Resource: r.text("pods"), Name: r.text("pod" + digits(i)), UID: types.UID(r.name(i))})
			}
		}
		o.Status.DeallocationRequested = o.Status.Allocation != nil && len(o.Status.ReservedFor) == 0 && r.chance(3) || r.boost().faulty()
	}
}

func (r *random) pastAllocation() *past.Allocation {
	a := &past.Allocation{Shareable: r.chance(2)}
	if r.chance(3) {
		a.AvailableOnNodes = r.nodeSelector()
	}
	a.ResourceHandles = long(r, past.MostHandles, func(i int) past.Handle {
		h := past.Handle{DriverName: r.driver()}
		if r.chance(2) {
			h.Data = "data"
			if r.faulty() {
				h.Data = strings.Repeat("d", past.MostHandleData-1+r.IntN(3))
			}
		}
		if h.Data == "" && r.chance(2) || r.faulty() {
			h.StructuredData = &past.StructuredHandle{VendorClassParameters: r.vendor(), VendorClaimParameters: r.vendor(), NodeName: r.text(pick(r, "", "n1"))}
			h.StructuredData.Results = list(r, 3, func(i int) past.HandleResult {
				e := past.HandleResult{VendorRequestParameters: r.vendor()}
				if !r.faulty() {
					e.NamedResources = &past.NamedResult{Name: r.name(i)}
				}
				return e
			})
		}
		return h
	})
	return a
}

// alpha3Status makes the status of v1alpha3 of Kubernetes 1.31 out of that of
// v1beta1.
func (r *random) alpha3Status(tree map[string]any) {
	status, _ := tree["status"].(map[string]any)
	if len(status) == 0 {
		delete(tree, "status")
		return
	}
	if !r.faulty() {
		delete(status, "devices")
	}
	if allocation, ok := status["allocation"].(map[string]any); ok {
		if !r.faulty() {
			delete(allocation, "allocationTimestamp")
		}
		devices, _ := allocation["devices"].(map[string]any)
		r.without(devices, "results", "adminAccess", "tolerations", "bindingConditions", "bindingFailureConditions", "shareID", "consumedCapacity", "skipNodeOperations")
		if r.chance(3) {
			allocation["controller"] = r.boost().driver()
		}
	}
	consumers, _ := status["reservedFor"].([]any)
	if max := past.MostConsumers + r.IntN(2); len(consumers) > max {
		status["reservedFor"] = consumers[:max]
	}
	if status["allocation"] != nil && r.chance(4) || r.boost().faulty() {
		status["deallocationRequested"] = true
		if !r.boost().faulty() {
			delete(status, "reservedFor")
		}
	}
}
