package validate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/yaml"

	"github.com/drawbridge-dra/drawbridge/core"
)

// load is an input of the benchmark: objects as JSON and as YAML. Both sides
// get the same bytes; Kubernetes gets them object by object, as its API server
// does, and we get all of them as one text.
type load struct {
	name    string
	objects []runtime.Object
	// faulty objects draw findings, about which there is more to say here.
	faulty bool
}

// loads are the inputs, of n slices and half as many of the others. All objects of the first three are valid, so that
// neither side saves work by giving up.
func loads(n int) []load {
	return []load{
		{"slice of 128 devices with 32 attributes", []runtime.Object{wideSlice("wide", 128, 32)}, false},
		{fmt.Sprintf("bundle of %d slices of 8 devices", n), many(n, func(i int) runtime.Object { return plainSlice(fmt.Sprintf("node-%d", i)) }), false},
		{fmt.Sprintf("%d claims of 3 requests with selectors", n/2), many(n/2, plainClaim), false},
		{fmt.Sprintf("%d generated objects of all kinds", n/2), generated(n / 2), true},
	}
}

func many(n int, object func(i int) runtime.Object) []runtime.Object {
	out := make([]runtime.Object, n)
	for i := range out {
		out[i] = object(i)
	}
	return out
}

// wideSlice has devices with many attributes of every scalar type.
func wideSlice(name string, devices, attributes int) *resourceapi.ResourceSlice {
	s := emptySlice(name)
	for i := range devices {
		d := resourceapi.Device{Name: fmt.Sprintf("gpu-%d", i), Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}}
		for j := range attributes {
			a := resourceapi.DeviceAttribute{}
			switch j % 4 {
			case 0:
				a.StringValue = new(fmt.Sprintf("GPU-%08d-%d", i, j))
			case 1:
				a.IntValue = new(int64(i * j))
			case 2:
				a.VersionValue = new(fmt.Sprintf("%d.%d.0", j, i))
			case 3:
				a.BoolValue = new(i%2 == 0)
			}
			d.Attributes[resourceapi.QualifiedName(fmt.Sprintf("attribute%d", j))] = a
		}
		s.Spec.Devices = append(s.Spec.Devices, d)
	}
	return s
}

// plainSlice is what drivers of today publish for a node with 8 devices.
func plainSlice(node string) *resourceapi.ResourceSlice {
	s := emptySlice(node)
	for i := range 8 {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{
			Name: fmt.Sprintf("gpu-%d", i),
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				"architecture":                    {StringValue: new("Hopper")},
				"brand":                           {StringValue: new("Nvidia")},
				"cudaComputeCapability":           {VersionValue: new("9.0.0")},
				"driverVersion":                   {VersionValue: new("570.86.10")},
				"productName":                     {StringValue: new("NVIDIA H100 80GB HBM3")},
				"resource.kubernetes.io/pcieRoot": {StringValue: new(fmt.Sprintf("pci0000:%02x", i))},
				"type":                            {StringValue: new("gpu")},
				"uuid":                            {StringValue: new(fmt.Sprintf("GPU-4404041a-04cf-1ccf-9e70-f139a9b1e2%02x", i))},
			},
			Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("81559Mi")}},
		})
	}
	return s
}

func emptySlice(node string) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{
		TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceSlice"},
		ObjectMeta: metav1.ObjectMeta{Name: node + "-gpu.example.com"},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: "gpu.example.com", NodeName: &node,
			Pool: resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
		},
	}
}

// plainClaim has selectors, most of which others have too.
func plainClaim(i int) runtime.Object {
	claim := &resourceapi.ResourceClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaim"},
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("claim-%d", i), Namespace: "default"},
	}
	for j := range 3 {
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourceapi.DeviceRequest{
			Name: fmt.Sprintf("gpu-%d", j),
			Exactly: &resourceapi.ExactDeviceRequest{
				DeviceClassName: "gpu.example.com", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1,
				Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{
					Expression: fmt.Sprintf(`device.attributes["gpu.example.com"].productName == "H%d00" && device.capacity["gpu.example.com"].memory.compareTo(quantity("%dGi")) >= 0`, j, 10*(1+i%20)),
				}}},
			},
		})
	}
	claim.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: new(resourceapi.FullyQualifiedName("resource.kubernetes.io/pcieRoot"))}}
	return claim
}

// generated are objects as the comparison makes them, some of them broken. They
// get names of their own, as objects of one bundle have.
func generated(n int) []runtime.Object {
	g := &random{Rand: rand.New(rand.NewPCG(1, 2)), faults: 0.003}
	return many(n, func(i int) runtime.Object {
		k := kinds[pick(g, 0, 0, 0, 1, 1, 2, 3)]
		obj := g.object(k.kind)
		if accessor, err := meta.Accessor(obj); err == nil && accessor.GetName() == "object" {
			accessor.SetName(fmt.Sprintf("object-%d", i))
		}
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: "v1", Kind: k.kind})
		return obj
	})
}

func (l load) json(tb testing.TB) [][]byte {
	out := make([][]byte, len(l.objects))
	for i, o := range l.objects {
		text, err := json.Marshal(o)
		if err != nil {
			tb.Fatal(err)
		}
		out[i] = text
	}
	return out
}

func (l load) yaml(tb testing.TB) [][]byte {
	out := make([][]byte, len(l.objects))
	for i, o := range l.objects {
		text, err := yaml.Marshal(o)
		if err != nil {
			tb.Fatal(err)
		}
		out[i] = text
	}
	return out
}

// kubernetesPath decodes a text strictly, fills in its defaults, turns it into
// the internal version and checks it, as the API server does for a creation.
// It tells whether the object is refused.
func kubernetesPath(tb testing.TB, decoder runtime.Decoder, text []byte) bool {
	obj, gvk, err := decoder.Decode(text, nil, nil)
	if err != nil {
		tb.Fatalf("Kubernetes cannot decode: %v\n%s", err, text)
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		tb.Fatal(err)
	}
	k := kinds[slices.IndexFunc(kinds, func(k kindOf) bool { return k.kind == gvk.Kind })]
	namespace := ""
	if k.namespaced {
		if namespace = accessor.GetNamespace(); namespace == "" {
			namespace = "default"
		}
	}
	ctx := genericapirequest.WithRequestInfo(
		genericapirequest.WithNamespace(context.Background(), namespace),
		&genericapirequest.RequestInfo{APIGroup: group, APIVersion: gvk.Version, Resource: k.resource, Namespace: namespace, Verb: "create"})
	s := strategy(k.kind)
	rest.FillObjectMetaSystemFields(accessor)
	if accessor.GetGenerateName() != "" && accessor.GetName() == "" {
		accessor.SetName(s.GenerateName(accessor.GetGenerateName()))
	}
	return rest.BeforeCreate(s, ctx, obj) != nil
}

// strictDecoder is the API server's for strict field validation.
func strictDecoder(tb testing.TB) runtime.Decoder {
	info, ok := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	if !ok {
		tb.Fatal("Kubernetes has no decoder for JSON")
	}
	return legacyscheme.Codecs.DecoderToVersion(info.StrictSerializer, internal)
}

// reading is one way of both sides to read a load.
type reading struct {
	name         string
	text         []byte // all objects, for us
	theirs, ours func()
}

// readings are the ways that are compared: JSON as it is, and YAML, which
// Kubernetes' clients turn into JSON first.
func (l load) readings(tb testing.TB) []reading {
	decoder := strictDecoder(tb)
	asJSON, asYAML := l.json(tb), l.yaml(tb)
	ours := func(text []byte) func() {
		return func() {
			result, err := core.Validate(context.Background(), text, core.Options{})
			if err != nil || len(result.Objects) != len(l.objects) {
				tb.Fatal(err, len(result.Objects))
			}
		}
	}
	jsonText, yamlText := bytes.Join(asJSON, []byte("\n")), bytes.Join(asYAML, []byte("---\n"))
	return []reading{
		{"json", jsonText, func() {
			for _, text := range asJSON {
				kubernetesPath(tb, decoder, text)
			}
		}, ours(jsonText)},
		{"yaml", yamlText, func() {
			for _, text := range asYAML {
				converted, err := yaml.YAMLToJSONStrict(text)
				if err != nil {
					tb.Fatal(err)
				}
				kubernetesPath(tb, decoder, converted)
			}
		}, ours(yamlText)},
	}
}

// BenchmarkValidate measures the whole way from text to findings, ours and
// Kubernetes', turn by turn on the same objects. The metric kubernetes/ours
// says how many times longer Kubernetes takes, kubernetes/ours-cpu how much
// more processor time, the collection of garbage included: medians over all
// turns. The latter holds on a busy machine, too. Ours includes what Kubernetes
// does not do: places in the text, and the rules across objects.
func BenchmarkValidate(b *testing.B) {
	for _, l := range loads(1000) {
		for _, r := range l.readings(b) {
			b.Run(l.name+"/"+r.name, func(b *testing.B) {
				var times, cpus []float64
				var mine cost
				for b.Loop() {
					theirs, ours := measure(r.theirs), measure(r.ours)
					times = append(times, float64(theirs.time)/float64(ours.time))
					cpus = append(cpus, float64(theirs.cpu)/float64(ours.cpu))
					mine.time, mine.bytes = mine.time+ours.time, ours.bytes
				}
				b.ReportMetric(median(times), "kubernetes/ours")
				b.ReportMetric(median(cpus), "kubernetes/ours-cpu")
				b.ReportMetric(float64(len(r.text))*float64(len(times))/1e6/mine.time.Seconds(), "ours-MB/s")
				b.ReportMetric(float64(mine.bytes)/float64(len(r.text)), "ours-allocated-B/B")
			})
		}
	}
}

// TestValidateStaysFast holds the same comparison against limits with slack, so
// that a change that costs much is seen at once. Allocations are the same on
// every machine; the times are the best of several turns, in processor time, and
// as many turns are taken as it needs to see through a neighbour's noise: what
// has become slow stays slow in all of them.
func TestValidateStaysFast(t *testing.T) {
	const turns = 30
	for _, l := range loads(200) {
		for _, r := range l.readings(t) {
			t.Run(l.name+"/"+r.name, func(t *testing.T) {
				limit, fewer := 1.8, 1.8 // the aim for JSON is four, with more objects
				switch {
				case r.name == "yaml" || l.faulty:
					limit, fewer = 1.0, 1.0
				case strings.Contains(l.name, "selectors"):
					// On few claims the expressions count, which our findings
					// across objects compile anew; on many, each is compiled once.
					limit, fewer = 1.1, 1.1
				}
				r.theirs()
				r.ours()
				theirs, ours := measure(r.theirs), measure(r.ours)
				times, allocs := float64(theirs.cpu)/float64(ours.cpu), float64(theirs.allocs)/float64(ours.allocs)
				for turn := 1; turn < turns && (turn < 3 || times < limit); turn++ {
					theirs.cpu, ours.cpu = min(theirs.cpu, measure(r.theirs).cpu), min(ours.cpu, measure(r.ours).cpu)
					times = float64(theirs.cpu) / float64(ours.cpu)
				}
				t.Logf("Kubernetes takes %.1f times the processor time, %.1f times the allocations and %.1f times the bytes", times, allocs, float64(theirs.bytes)/float64(ours.bytes))
				if times < limit {
					t.Errorf("Kubernetes takes only %.1f times our processor time, less than %.1f", times, limit)
				}
				if allocs < fewer {
					t.Errorf("Kubernetes makes only %.1f times our allocations, less than %.1f", allocs, fewer)
				}
			})
		}
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// cost is what one turn takes.
type cost struct {
	time, cpu     time.Duration
	bytes, allocs uint64
}

// measure runs one turn. Garbage that was there before is collected first, so
// that nobody pays for the other.
func measure(turn func()) cost {
	goruntime.GC()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	cpu, begun := processorTime(), time.Now()
	turn()
	c := cost{time: time.Since(begun), cpu: processorTime() - cpu}
	goruntime.ReadMemStats(&after)
	c.bytes, c.allocs = after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
	return c
}

// processorTime is what the process has used up so far.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
