package negotiation

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// negotiationCase is a text that is played.
type negotiationCase struct {
	name  string
	Text  string `json:"text"`
	Gates string `json:"gates"`
	Fresh bool   `json:"fresh,omitempty"`
}

// digest tells that a recording is of another case.
func (c negotiationCase) digest() string {
	sum := sha256.Sum256([]byte(c.Text + "\n" + c.Gates + fmt.Sprint(c.Fresh)))
	return hex.EncodeToString(sum[:6])
}

// What the recording is about.
const (
	recordedSeed = 1310
	recordedMany = 400
)

// cases are the fixtures that Kubernetes 1.31 can play, and generated ones.
func cases(t *testing.T, seed uint64, generated int) []negotiationCase {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/classic/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var out []negotiationCase
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		_, line, found := strings.Cut(text, "# options: kubernetesVersion=1.31 ")
		if !found || !strings.Contains(text, "\nkind: Pod\n") {
			continue
		}
		c := negotiationCase{name: filepath.Base(path), Text: text}
		line, _, _ = strings.Cut(line, "\n")
		for _, option := range strings.Fields(line) {
			key, value, _ := strings.Cut(option, "=")
			switch key {
			case "featureGates":
				c.Gates = value
			case "fresh":
				c.Fresh = value == "true"
			}
		}
		out = append(out, c)
	}
	if len(out) < 9 {
		t.Fatalf("only %d fixtures are found", len(out))
	}
	for i := range generated {
		out = append(out, generate(seed, i))
	}
	return out
}

type object = map[string]any

// random makes bundles that are small and mean.
type random struct {
	*rand.Rand
	nodes   []string
	drivers []string
	classes []string
	// known are those that there are.
	knownClasses []string
	claims       []string
	docs         []object
	devices      int
	plain        bool // nothing is allocated yet
}

func (r *random) in(n int) bool { return r.IntN(n) == 0 }

func pick[T any](r *random, list []T) T { return list[r.IntN(len(list))] }

// some keeps each with the chance of one in n.
func some(r *random, n int, list []string) []any {
	out := []any{}
	for _, s := range list {
		if r.in(n) {
			out = append(out, s)
		}
	}
	return out
}

const api = "resource.k8s.io/v1alpha3"

func generate(seed uint64, i int) negotiationCase {
	r := &random{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
	c := negotiationCase{name: fmt.Sprintf("generated %d", i), Gates: "DynamicResourceAllocation=true,DRAControlPlaneController=true"}
	if r.in(40) {
		c.Gates, r.plain = "DynamicResourceAllocation=true", true
	}
	c.Fresh = r.in(3)
	r.drivers = []string{"gpu.example.com", "nic.example.com", "disk.example.com"}[:1+r.IntN(3)]
	r.addNodes()
	r.addClasses()
	pods := 1
	if r.in(4) {
		pods += 1 + r.IntN(2)
	}
	for n := range 1 + r.IntN(3) + pods/2 {
		r.addClaim(fmt.Sprintf("claim-%d", n), pods)
	}
	for n := range pods {
		r.addPod(n, c.Gates)
	}
	r.Shuffle(len(r.docs), func(i, j int) { r.docs[i], r.docs[j] = r.docs[j], r.docs[i] })
	var parts []string
	for _, d := range r.docs {
		text, err := json.Marshal(d)
		if err != nil {
			panic(err)
		}
		parts = append(parts, string(text))
	}
	c.Text = strings.Join(parts, "\n---\n")
	return c
}

func (r *random) add(apiVersion, kind string, metadata object, rest object) {
	d := object{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	for k, v := range rest {
		d[k] = v
	}
	r.docs = append(r.docs, d)
}

func (r *random) addNodes() {
	count := 1 + r.IntN(4)
	if r.in(40) {
		count = 0
	}
	for i := range count {
		name := fmt.Sprintf("n%d", i+1)
		r.nodes = append(r.nodes, name)
		spec := object{}
		if r.in(12) {
			spec["unschedulable"] = true
		}
		if r.in(12) {
			spec["taints"] = []any{object{"key": "example.com/kept", "effect": "NoSchedule"}}
		}
		r.add("v1", "Node", object{"name": name, "labels": object{"zone": pick(r, []string{"a", "b"})}}, object{"spec": spec,
			"status": object{"allocatable": object{"pods": "110", "cpu": "8"}}})
		var devices []any
		for d := range 10 {
			devices = append(devices, object{"name": fmt.Sprintf("d%d", d), "basic": object{}})
		}
		r.add(api, "ResourceSlice", object{"name": name + "-devices"}, object{"spec": object{
			"driver": "core.example.com", "nodeName": name, "pool": object{"name": name, "generation": 1, "resourceSliceCount": 1}, "devices": devices,
		}})
	}
}

// nodeSelector takes some nodes.
func (r *random) nodeSelector() object {
	if len(r.nodes) == 0 || r.in(4) {
		return object{"nodeSelectorTerms": []any{object{"matchExpressions": []any{object{"key": "zone", "operator": "In", "values": []any{pick(r, []string{"a", "b"})}}}}}}
	}
	return onNode(pick(r, r.nodes))
}

func onNode(name string) object {
	return object{"nodeSelectorTerms": []any{object{"matchFields": []any{object{"key": "metadata.name", "operator": "In", "values": []any{name}}}}}}
}

func (r *random) addClasses() {
	for i := range 1 + r.IntN(3) {
		name := fmt.Sprintf("class-%d", i)
		r.classes = append(r.classes, name)
		if r.in(20) {
			continue // it is missing
		}
		spec := object{}
		if r.in(4) {
			spec["suitableNodes"] = r.nodeSelector()
		}
		r.add(api, "DeviceClass", object{"name": name}, object{"spec": spec})
	}
}

func (r *random) claimSpec() object {
	var requests []any
	for i := range 1 + r.IntN(2)*r.IntN(2) {
		requests = append(requests, object{"name": fmt.Sprintf("r%d", i), "deviceClassName": pick(r, r.classes)})
	}
	spec := object{"devices": object{"requests": requests}}
	if !r.in(5) {
		spec["controller"] = pick(r, r.drivers)
	}
	return spec
}

func podUID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-00000000000%d", n) }

// consumers are pods: of the text, elsewhere, over, or of an older time.
func (r *random) consumers(pods int) []any {
	var out []any
	add := func(name, uid string) { out = append(out, object{"resource": "pods", "name": name, "uid": uid}) }
	if r.in(2) {
		add("pod-0", podUID(0))
	}
	if pods > 1 && r.in(4) {
		add("pod-1", podUID(1))
	}
	if r.in(5) {
		add("elsewhere", "11111111-0000-4000-8000-000000000000")
	}
	if r.in(6) {
		add("pod-0", "22222222-0000-4000-8000-000000000000")
	}
	if r.in(40) {
		for i := range 32 - len(out) {
			add(fmt.Sprintf("many-%d", i), fmt.Sprintf("33333333-0000-4000-8000-0000000000%02d", i))
		}
	}
	return out
}

const builtin = "resource.kubernetes.io/delete-protection"

func (r *random) addClaim(name string, pods int) {
	r.claims = append(r.claims, name)
	if r.in(25) {
		return // it is missing
	}
	spec := r.claimSpec()
	metadata, status := object{"name": name, "uid": "44444444-0000-4000-8000-0000000000" + name[len(name)-1:] + "0"}, object{}
	controller, _ := spec["controller"].(string)
	var finalizers []any
	switch {
	case r.plain:
	case r.in(3):
		finalizers = r.allocate(spec, status, controller, pods)
	case controller != "" && r.in(8):
		finalizers = append(finalizers, controller+"/deletion-protection") // an allocation was interrupted
	}
	if r.in(15) {
		finalizers = append(finalizers, "example.com/kept")
	}
	if len(finalizers) > 0 {
		metadata["finalizers"] = finalizers
		if r.in(12) {
			metadata["deletionTimestamp"], metadata["deletionGracePeriodSeconds"] = "2026-01-01T00:00:00Z", 0
		}
	}
	d := object{"spec": spec}
	if len(status) > 0 {
		d["status"] = status
	}
	r.add(api, "ResourceClaim", metadata, d)
}

// allocate fills a status and gives the finalizers that go with it.
func (r *random) allocate(spec, status object, controller string, pods int) []any {
	var finalizers []any
	allocation := object{}
	if controller != "" {
		if r.in(12) {
			controller = pick(r, r.drivers)
		}
		allocation["controller"] = controller
		if !r.in(5) {
			allocation["nodeSelector"] = r.nodeSelector()
		}
		if !r.in(7) {
			finalizers = append(finalizers, controller+"/deletion-protection")
		}
	} else {
		if len(r.nodes) == 0 {
			return nil
		}
		node := pick(r, r.nodes)
		var results []any
		for _, request := range spec["devices"].(object)["requests"].([]any) {
			results = append(results, object{"request": request.(object)["name"], "driver": "core.example.com", "pool": node, "device": fmt.Sprintf("d%d", 9-r.devices%10)})
			r.devices++
		}
		allocation["devices"] = object{"results": results}
		allocation["nodeSelector"] = onNode(node)
		if !r.in(7) {
			finalizers = append(finalizers, builtin)
		}
	}
	status["allocation"] = allocation
	if r.in(2) {
		if list := r.consumers(pods); len(list) > 0 {
			status["reservedFor"] = list
		}
	}
	if status["reservedFor"] == nil && allocation["controller"] != nil && r.in(5) {
		status["deallocationRequested"] = true
	}
	return finalizers
}

func (r *random) addPod(n int, gates string) {
	name := fmt.Sprintf("pod-%d", n)
	spec := object{}
	var entries, uses []any
	var names []string
	var statuses []any
	for i := range 1 + r.IntN(3) {
		entry := fmt.Sprintf("e%d", i)
		names = append(names, entry)
		uses = append(uses, object{"name": entry})
		if !r.in(6) {
			entries = append(entries, object{"name": entry, "resourceClaimName": r.another(entries)})
			continue
		}
		template := name + "-" + entry + "-template"
		entries = append(entries, object{"name": entry, "resourceClaimTemplateName": template})
		if !r.in(8) {
			r.add(api, "ResourceClaimTemplate", object{"name": template}, object{"spec": object{"metadata": object{"labels": object{"team": "a"}}, "spec": r.claimSpec()}})
		}
		statuses = append(statuses, r.fromTemplate(n, entry)...)
	}
	spec["containers"] = []any{object{"name": "c", "image": "registry.example.com/c", "resources": object{"claims": uses}}}
	spec["resourceClaims"] = entries
	if r.in(4) {
		spec["nodeSelector"] = object{"zone": pick(r, []string{"a", "b"})}
	}
	if r.in(30) {
		spec["schedulingGates"] = []any{object{"name": "example.com/wait"}}
	} else if len(r.nodes) > 0 && r.in(9) && strings.Contains(gates, "Controller") {
		spec["nodeName"] = pick(r, r.nodes)
		delete(spec, "nodeSelector")
	}
	d := object{"spec": spec}
	if len(statuses) > 0 {
		d["status"] = object{"resourceClaimStatuses": statuses}
	}
	r.add("v1", "Pod", object{"name": name, "uid": podUID(n)}, d)
	if r.in(2) {
		r.addContext(n, names)
	}
}

// another claim, mostly one that the pod does not use yet.
func (r *random) another(entries []any) string {
	for range 4 {
		name := pick(r, r.claims)
		used := false
		for _, e := range entries {
			used = used || e.(object)["resourceClaimName"] == name
		}
		if !used {
			return name
		}
	}
	return pick(r, r.claims)
}

// fromTemplate makes what kube-controller-manager may have made before.
func (r *random) fromTemplate(n int, entry string) []any {
	name := fmt.Sprintf("pod-%d-%s", n, entry)
	owner := object{"apiVersion": "v1", "kind": "Pod", "name": fmt.Sprintf("pod-%d", n), "uid": podUID(n), "controller": true}
	metadata := object{"name": name, "uid": fmt.Sprintf("55555555-0000-4000-8000-0000000%d00%s", n, entry[1:]), "ownerReferences": []any{owner}}
	status := object{"name": entry, "resourceClaimName": name}
	switch r.IntN(7) {
	case 0: // no claim is needed
		delete(status, "resourceClaimName")
		return []any{status}
	case 1: // it belongs to another pod
		owner["uid"] = "66666666-0000-4000-8000-000000000000"
	case 2: // its name was not noted
		if r.in(2) {
			metadata["annotations"] = object{"resource.kubernetes.io/pod-claim-name": entry}
			metadata["name"] = name + "-abcde"
		}
		r.add(api, "ResourceClaim", metadata, object{"spec": r.claimSpec()})
		return nil
	case 3: // it was deleted
		return []any{status}
	case 4:
	default:
		return nil
	}
	r.add(api, "ResourceClaim", metadata, object{"spec": r.claimSpec()})
	return []any{status}
}

func (r *random) addContext(n int, entries []string) {
	owner := object{"apiVersion": "v1", "kind": "Pod", "name": fmt.Sprintf("pod-%d", n), "uid": podUID(n), "controller": true}
	if r.in(15) {
		owner["uid"] = "77777777-0000-4000-8000-000000000000"
	}
	metadata := object{"name": fmt.Sprintf("pod-%d", n), "uid": fmt.Sprintf("88888888-0000-4000-8000-00000000000%d", n), "ownerReferences": []any{owner}}
	if r.in(6) {
		delete(metadata, "ownerReferences")
	}
	spec, status := object{}, object{}
	if r.in(2) {
		if nodes := some(r, 2, r.nodes); len(nodes) > 0 {
			spec["potentialNodes"] = nodes
		}
		if len(r.nodes) > 0 && r.in(2) {
			spec["selectedNode"] = pick(r, r.nodes)
		}
	}
	var list []any
	for _, e := range entries {
		if r.in(4) {
			continue
		}
		one := object{"name": e}
		if nodes := some(r, 3, r.nodes); len(nodes) > 0 {
			one["unsuitableNodes"] = nodes
		}
		list = append(list, one)
	}
	if len(list) > 0 {
		status["resourceClaims"] = list
	}
	r.add(api, "PodSchedulingContext", metadata, object{"spec": spec, "status": status})
}
