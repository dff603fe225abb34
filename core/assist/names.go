package assist

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
)

// symbol is something that has a name: what declares it and what refers to it
// have equal symbols.
type symbol struct {
	kind  string // such as "class" or "request"
	scope string // in which the name is unique
	name  string
}

// mention is a place that declares a symbol or refers to it.
type mention struct {
	symbol
	node     *node
	key      bool // the node's key is meant, not its value
	declares bool
}

// attribute is an attribute or a capacity as the slices of the text publish
// it, by its full name.
type attribute struct {
	name     string
	types    []string
	devices  int
	capacity bool
	example  string
}

// names are all that the text mentions.
type names struct {
	mentions   []mention
	attributes map[string]*attribute
	capacities map[string]*attribute
	taints     map[string]map[string]bool
}

// what says which symbol a field is about.
type what struct {
	kind     string
	declares bool
	// scope names the scope of the symbol for a place.
	scope func(w *nameWalk, o *object) string
}

// The scopes of symbols.
var (
	everywhere  = func(*nameWalk, *object) string { return "" }
	inNamespace = func(_ *nameWalk, o *object) string { return cmp.Or(o.namespace, "default") }
	inObject    = func(_ *nameWalk, o *object) string { return o.id() }
	inPool      = func(_ *nameWalk, o *object) string { return o.pool() }
	inClaim     = func(w *nameWalk, _ *object) string { return w.claim }
	inSet       = func(w *nameWalk, o *object) string { return o.pool() + " " + w.set }
)

// about tells for fields, by their holder and name, what they name. An
// asterisk stands for the keys of a map.
var about = map[string]what{
	"ExactDeviceRequest.deviceClassName": {"class", false, everywhere},
	"DeviceSubRequest.deviceClassName":   {"class", false, everywhere},

	"DeviceRequest.name":                         {"request", true, inObject},
	"DeviceConstraint.requests":                  {"request", false, inObject},
	"DeviceClaimConfiguration.requests":          {"request", false, inObject},
	"DeviceAllocationConfiguration.requests":     {"request", false, inObject},
	"DeviceRequestAllocationResult.request":      {"request", false, inObject},
	"PodResourceClaim.name":                      {"pod claim", true, inObject},
	"PodResourceClaim.resourceClaimName":         {"claim", false, inNamespace},
	"PodResourceClaim.resourceClaimTemplateName": {"template", false, inNamespace},
	"ContainerClaim.name":                        {"pod claim", false, inObject},
	"ContainerClaim.request":                     {"request", false, inClaim},
	"PodResourceClaimStatus.name":                {"pod claim", false, inObject},
	"PodResourceClaimStatus.resourceClaimName":   {"claim", false, inNamespace},
	"ResourceClaimConsumerReference.name":        {"pod", false, inNamespace},

	"CounterSet.name":                     {"counter set", true, inPool},
	"CounterSet.counters*":                {"counter", true, inSet},
	"DeviceCounterConsumption.counterSet": {"counter set", false, inPool},
	"DeviceCounterConsumption.counters*":  {"counter", false, inSet},

	"ResourceSliceSpec.driver":               {"driver", true, everywhere},
	"ResourcePool.name":                      {"pool", true, everywhere},
	"Device.name":                            {"device", true, everywhere},
	"OpaqueDeviceConfiguration.driver":       {"driver", false, everywhere},
	"DeviceTaintSelector.driver":             {"driver", false, everywhere},
	"DeviceTaintSelector.pool":               {"pool", false, everywhere},
	"DeviceTaintSelector.device":             {"device", false, everywhere},
	"DeviceRequestAllocationResult.driver":   {"driver", false, everywhere},
	"DeviceRequestAllocationResult.pool":     {"pool", false, everywhere},
	"DeviceRequestAllocationResult.device":   {"device", false, everywhere},
	"AllocatedDeviceStatus.driver":           {"driver", false, everywhere},
	"AllocatedDeviceStatus.pool":             {"pool", false, everywhere},
	"AllocatedDeviceStatus.device":           {"device", false, everywhere},
	"ResourcePoolStatusRequestSpec.driver":   {"driver", false, everywhere},
	"ResourcePoolStatusRequestSpec.poolName": {"pool", false, everywhere},
	"DeviceHealthSpec.driver":                {"driver", false, everywhere},
	"ReportedDevice.pool":                    {"pool", false, everywhere},
	"ReportedDevice.device":                  {"device", false, everywhere},

	"DeviceHealthSpec.nodeName":  {"node", false, everywhere},
	"ResourceSliceSpec.nodeName": {"node", false, everywhere},
	"Device.nodeName":            {"node", false, everywhere},
	"PodSpec.nodeName":           {"node", false, everywhere},
	"ObjectMeta.namespace":       {"namespace", false, everywhere},

	"DeviceConstraint.matchAttribute":          {"attribute", false, everywhere},
	"DeviceConstraint.distinctAttribute":       {"attribute", false, everywhere},
	"ResourceSliceSpec.partitionTypeAttribute": {"attribute", false, everywhere},
	"Device.attributes*":                       {"attribute", true, everywhere},
	"Device.capacity*":                         {"capacity", true, everywhere},
	"CapacityRequirements.requests*":           {"capacity", false, everywhere},
}

// declaredKinds are the symbols that objects declare with their name.
var declaredKinds = map[string]what{
	"DeviceClass":           {"class", true, everywhere},
	"ResourceClaim":         {"claim", true, inNamespace},
	"ResourceClaimTemplate": {"template", true, inNamespace},
	"Pod":                   {"pod", true, inNamespace},
	"Node":                  {"node", true, everywhere},
	"Namespace":             {"namespace", true, everywhere},
}

// id names an object among those of the text.
func (o *object) id() string { return "#" + strconv.Itoa(o.index) }

// pool names the pool of a slice.
func (o *object) pool() string {
	spec := o.root.kid("spec")
	if spec == nil {
		return ""
	}
	pool := ""
	if p := spec.kid("pool"); p != nil {
		pool = p.str("name")
	}
	return spec.str("driver") + "/" + pool
}

// nameWalk goes through an object and notes what has a name.
type nameWalk struct {
	names *names
	set   string // of counters, that the walk is in
	claim string // to which the container's entry leads
	// request is the one that the walk is in, for alternatives.
	request string
	// byName finds objects by kind, namespace and name.
	byName map[string]*object
}

func (d *Desk) findNames() *names {
	n := &names{attributes: map[string]*attribute{}, capacities: map[string]*attribute{}, taints: map[string]map[string]bool{}}
	d.byName = map[string]*object{}
	for _, o := range d.objects {
		if o.name != "" {
			d.byName[o.kind+"/"+cmp.Or(o.namespace, "default")+"/"+o.name] = o
		}
	}
	for _, o := range d.objects {
		if p, ok := d.start(o); ok {
			w := &nameWalk{names: n, byName: d.byName}
			w.walk(o.root, p)
		}
	}
	return n
}

func (w *nameWalk) walk(n *node, p place) {
	switch p.Name() {
	case "CounterSet":
		w.set = n.str("name")
	case "DeviceCounterConsumption":
		w.set = n.str("counterSet")
	case "ContainerClaim":
		w.claim = w.claimOf(p.obj, n.str("name"))
	case "DeviceRequest":
		w.request = n.str("name")
	case "DeviceTaint":
		w.taint(n)
	}
	for _, k := range n.kids {
		below, ok := p.under(k)
		if !ok || k.loose {
			continue
		}
		w.note(k, below)
		w.walk(k, below)
	}
}

func (w *nameWalk) taint(n *node) {
	key := n.str("key")
	if key == "" {
		return
	}
	if w.names.taints[key] == nil {
		w.names.taints[key] = map[string]bool{}
	}
	w.names.taints[key][n.str("value")] = true
}

// note notes what a node names.
func (w *nameWalk) note(n *node, p place) {
	id := p.id()
	add := func(t what, name string, key bool) {
		if name != "" {
			w.names.mentions = append(w.names.mentions, mention{symbol{t.kind, t.scope(w, p.obj), name}, n, key, t.declares})
		}
	}
	switch {
	case p.key != "" && !p.item:
		t, ok := about[id+"*"]
		if !ok || strings.Count(p.path, "[") > 1 && p.Form() != bundle.FormObject && p.Form() != bundle.FormQuantity {
			return
		}
		name := p.key
		if t.declares && (t.kind == "attribute" || t.kind == "capacity") {
			w.publish(t.kind, w.qualified(p.obj, name), n)
		}
		// Claims ask for a capacity by the name as it is published, and for an
		// attribute by its full name.
		if t.kind == "attribute" {
			name = w.qualified(p.obj, name)
		}
		add(t, name, true)
	case n.start < 0 || n.bracket != 0 || p.Form() != bundle.FormString:
	case id == "ObjectMeta.name" && p.path == "metadata.name":
		if t, ok := declaredKinds[p.obj.kind]; ok {
			add(t, n.value, false)
		}
	case id == "DeviceSubRequest.name":
		add(what{"request", true, inObject}, w.request+"/"+n.value, false)
	default:
		if t, ok := about[id]; ok {
			add(t, n.value, false)
		}
	}
}

// claimOf names the object that an entry of a pod's claims leads to.
func (w *nameWalk) claimOf(pod *object, entry string) string {
	spec := pod.root.kid("spec")
	if spec == nil {
		return ""
	}
	for _, e := range spec.kid("resourceClaims").items() {
		if e.str("name") != entry {
			continue
		}
		namespace := cmp.Or(pod.namespace, "default")
		for _, id := range []string{"ResourceClaim/" + namespace + "/" + e.str("resourceClaimName"), "ResourceClaimTemplate/" + namespace + "/" + e.str("resourceClaimTemplateName")} {
			if o := w.byName[id]; o != nil {
				return o.id()
			}
		}
	}
	return ""
}

// qualified gives an attribute its full name: one without a domain is in that
// of its driver.
func (w *nameWalk) qualified(o *object, name string) string {
	if strings.Contains(name, "/") || o.kind != "ResourceSlice" {
		return name
	}
	if spec := o.root.kid("spec"); spec != nil {
		return spec.str("driver") + "/" + name
	}
	return name
}

func (w *nameWalk) publish(kind, name string, n *node) {
	all := w.names.attributes
	if kind == "capacity" {
		all = w.names.capacities
	}
	a := all[name]
	if a == nil {
		a = &attribute{name: name, capacity: kind == "capacity"}
		all[name] = a
	}
	a.devices++
	for _, k := range n.kids {
		if _, known := attributeTypes[k.key]; known && !slices.Contains(a.types, k.key) {
			a.types = append(a.types, k.key)
			a.example = k.value
		}
	}
}

// attributeTypes are the fields of an attribute, with the type of the value in
// an expression.
var attributeTypes = map[string]string{
	"bool": "bool", "int": "int", "string": "string", "version": "semver",
	"bools": "list of bool", "ints": "list of int", "strings": "list of string", "versions": "list of semver",
}

// mentionAt is what a place of the text names; false if nothing.
func (d *Desk) mentionAt(offset int) (mention, bool) {
	n := d.at(offset)
	for _, m := range d.names.mentions {
		if m.node != n {
			continue
		}
		if start, end := m.span(); start <= offset && offset <= end {
			return m, true
		}
	}
	return mention{}, false
}

// span is where the name stands, without quotes.
func (m mention) span() (start, end int) {
	if m.key {
		return m.node.keyStart, m.node.keyEnd
	}
	return m.node.start, m.node.end
}

// declared lists the names of a kind in a scope, in order.
func (n *names) declared(kind, scope string) []string {
	var out []string
	for _, m := range n.mentions {
		if m.kind == kind && m.scope == scope && m.declares {
			out = append(out, m.name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mentioned lists the names of a kind in a scope, declared or not, in order.
func (n *names) mentioned(kind, scope string) []string {
	var out []string
	for _, m := range n.mentions {
		if m.kind == kind && m.scope == scope {
			out = append(out, m.name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
