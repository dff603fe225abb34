package bundle

import (
	"fmt"
	"reflect"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/past"
)

// lifetime says which minor versions have some fields, of all those that know
// the kind. All API versions of a kind get a field at once.
type lifetime struct {
	since, until int // until is 0 where the newest version has them
	holders      []reflect.Type
	fields       []string
}

// The types that hold the same fields in different shapes.
var (
	anySliceSpec = []reflect.Type{reflect.TypeFor[resourceapi.ResourceSliceSpec](), reflect.TypeFor[sliceSpec[betaDevice]](), reflect.TypeFor[sliceSpec[alphaDevice]]()}
	anyDevice    = []reflect.Type{reflect.TypeFor[resourceapi.Device](), reflect.TypeFor[basicDevice[resourceapi.DeviceCapacity]](), reflect.TypeFor[basicDevice[resource.Quantity]]()}
	anyRequest   = []reflect.Type{reflect.TypeFor[resourceapi.ExactDeviceRequest](), reflect.TypeFor[resourceapi.DeviceSubRequest]()}
	anyResult    = []reflect.Type{reflect.TypeFor[resourceapi.DeviceRequestAllocationResult]()}
)

// lifetimes are the fields that not all known versions have.
var lifetimes = []lifetime{
	{26, 26, []reflect.Type{reflect.TypeFor[past.Allocation]()}, []string{"resourceHandle"}},
	{27, 30, []reflect.Type{reflect.TypeFor[past.Allocation]()}, []string{"resourceHandles"}},
	{30, 30, []reflect.Type{reflect.TypeFor[past.Handle]()}, []string{"structuredData"}},
	{30, 30, []reflect.Type{reflect.TypeFor[past.ResourceClass]()}, []string{"structuredParameters"}},
	{31, 31, []reflect.Type{reflect.TypeFor[alphaClaimSpec]()}, []string{"controller"}},
	{31, 31, []reflect.Type{alphaAllocation()}, []string{"controller"}},
	{31, 31, []reflect.Type{reflect.TypeFor[alphaClaimStatus]()}, []string{"deallocationRequested"}},
	{31, 31, []reflect.Type{alphaClassSpec()}, []string{"suitableNodes"}},

	{32, 0, []reflect.Type{reflect.TypeFor[alphaClaimStatus]()}, []string{"devices"}},
	{32, 0, anyResult, []string{"adminAccess"}},

	{33, 0, anySliceSpec, []string{"perDeviceNodeSelection", "sharedCounters"}},
	{33, 0, anyDevice, []string{"allNodes", "consumesCounters", "nodeName", "nodeSelector", "taints"}},
	{33, 0, []reflect.Type{reflect.TypeFor[resourceapi.DeviceRequest](), reflect.TypeFor[betaRequest]()}, []string{"firstAvailable"}},
	{33, 0, append(anyRequest, anyResult...), []string{"tolerations"}},

	{34, 0, anyDevice, []string{"allowMultipleAllocations", "bindingConditions", "bindingFailureConditions", "bindsToNode"}},
	{34, 0, []reflect.Type{reflect.TypeFor[resourceapi.DeviceCapacity]()}, []string{"requestPolicy"}},
	{34, 0, []reflect.Type{reflect.TypeFor[resourceapi.DeviceClassSpec]()}, []string{"extendedResourceName"}},
	{34, 0, []reflect.Type{reflect.TypeFor[resourceapi.DeviceConstraint]()}, []string{"distinctAttribute"}},
	{34, 0, anyRequest, []string{"capacity"}},
	{34, 0, anyResult, []string{"bindingConditions", "bindingFailureConditions", "consumedCapacity", "shareID"}},
	{34, 0, []reflect.Type{reflect.TypeFor[resourceapi.AllocatedDeviceStatus]()}, []string{"shareID"}},
	{34, 0, []reflect.Type{reflect.TypeFor[resourceapi.AllocationResult]()}, []string{"allocationTimestamp"}},

	{35, 0, []reflect.Type{reflect.TypeFor[resourceapi.DeviceTaintRule]()}, []string{"status"}},

	{36, 0, []reflect.Type{reflect.TypeFor[resourceapi.DeviceAttribute]()}, []string{"bools", "ints", "strings", "versions"}},

	{37, 0, anySliceSpec, []string{"partitionTypeAttribute", "skipNodeOperations"}},
	{37, 0, anyDevice, []string{"nodeAllocatableResources"}},
	{37, 0, []reflect.Type{reflect.TypeFor[resourceapi.DeviceCounterConsumption]()}, []string{"compatibilityGroups"}},
	{37, 0, anyRequest, []string{"derivedAttributes"}},
	{37, 0, anyResult, []string{"skipNodeOperations"}},
	{37, 0, []reflect.Type{reflect.TypeFor[alphaapi.ResourcePoolStatusRequestSpec]()}, []string{"defaultPartitionTypeAttribute"}},
	{37, 0, []reflect.Type{reflect.TypeFor[alphaapi.PoolStatus]()}, []string{"partitionSummary", "shareableSummary"}},
}

// gone are the fields that older versions have and the newest types do not.
// They are not looked into.
var gone = []struct {
	lifetime
	instead string
}{
	{lifetime{36, 36, anyDevice, []string{"nodeAllocatableResourceMappings"}}, "from 1.37 on there is nodeAllocatableResources, of another shape"},
	{lifetime{33, 34, []reflect.Type{reflect.TypeFor[resourceapi.DeviceTaintSelector]()}, []string{"deviceClassName", "selectors"}},
		"since 1.35 a rule chooses devices by driver, pool and device only"},
}

func alphaAllocation() reflect.Type {
	f, _ := reflect.TypeFor[alphaClaimStatus]().FieldByName("Allocation")
	return f.Type.Elem()
}

func alphaClassSpec() reflect.Type {
	f, _ := reflect.TypeFor[alphaClass]().FieldByName("Spec")
	return f.Type
}

type fieldOf struct {
	holder reflect.Type
	field  string
}

var lifetimeOf = func() map[fieldOf]lifetime {
	index := map[fieldOf]lifetime{}
	for _, l := range lifetimes {
		for _, holder := range l.holders {
			for _, field := range l.fields {
				index[fieldOf{holder, field}] = l
			}
		}
	}
	return index
}()

// has tells whether a minor version has the fields.
func (l lifetime) has(minor int) bool {
	return l.since <= minor && (l.until == 0 || minor <= l.until)
}

// span says when there were such fields.
func (l lifetime) span() string {
	since, until := feature.Version{Minor: l.since}, feature.Version{Minor: l.until}
	switch {
	case l.until == 0:
		return "it came with " + since.String()
	case l.since == l.until:
		return "only " + since.String() + " had it"
	}
	return fmt.Sprintf("only %s to %s had it", since, until)
}

// checkedMinor is the version whose fields count; 0 to take all that any
// version has, because this one does not have the kind at all.
func (c *collector) checkedMinor(o *Object) int {
	if feature.Served(c.version(), o.Ref.APIVersion, o.Ref.Kind) != feature.NotKnown {
		return c.version().Minor
	}
	if known := feature.KnownIn(o.Ref.APIVersion, o.Ref.Kind); past.Of(o.Ref.APIVersion, o.Ref.Kind) != nil && len(known) > 0 && c.olderShape(o) == "" {
		return known[len(known)-1].Minor
	}
	return 0
}

// otherVersions reports a field that other versions of Kubernetes have than
// the one that is asked about. What stands in it counts for nothing.
func (d *decoder) otherVersions(e Entry, l lifetime, hint string) {
	path := d.fieldWith(e.Key)
	here := feature.Version{Minor: d.minor}
	if d.sink.strictSeverity == "" {
		d.sink.add(d.object, diag.Diagnostic{
			Severity: diag.Warning, Source: diag.Gate, Rule: "unknown-field-dropped", Field: path, Location: e.KeyLocation(),
			Message: fmt.Sprintf("%s will be dropped by this cluster: Kubernetes %s does not have the field, %s; what it says has no effect there%s", e.Key, here, l.span(), hint),
		})
		return
	}
	advice := "; leave it out"
	if l.until == 0 {
		advice += ", or choose that version"
	}
	d.strict(diag.Diagnostic{
		Rule: "unknown-field", Field: path, Value: e.Key, Location: e.KeyLocation(),
		Message: fmt.Sprintf("%s has no field %s in Kubernetes %s: %s%s%s", d.holder(), e.Key, here, l.span(), hint, advice),
	})
}

// pastHint says what an obsolete field was for.
func (d *decoder) pastHint(e Entry) string {
	if note := controllerNote(d.object.Ref.Kind, d.fieldWith(e.Key)); note != nil {
		return ", for " + strings.TrimPrefix(note.Was, "is for ") + "; instead: " + note.Instead
	}
	return ""
}

// past deals with a field that only older versions have; it tells whether it
// was one.
func (d *decoder) past(e Entry) bool {
	here := d.outer[len(d.outer)-1].typ
	for _, g := range gone {
		for _, holder := range g.holders {
			for _, field := range g.fields {
				if holder != here || field != e.Key {
					continue
				}
				switch hint := "; " + g.instead; {
				case d.minor == 0:
				case g.has(d.minor):
					d.report(diag.Diagnostic{
						Severity: diag.Warning, Rule: "obsolete-field", Field: d.fieldWith(e.Key), Location: e.KeyLocation(),
						Message: fmt.Sprintf("%s: %s%s; Drawbridge does not look into it and goes on as if it were not there", e.Key, g.span(), hint),
					})
				default:
					d.otherVersions(e, g.lifetime, hint)
				}
				return true
			}
		}
	}
	return false
}
