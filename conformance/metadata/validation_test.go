package metadata

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	upstream "k8s.io/dynamic-resource-allocation/api/metadata"
	"k8s.io/dynamic-resource-allocation/api/metadata/v1alpha1"
	"k8s.io/dynamic-resource-allocation/api/metadata/v1beta1"
	"k8s.io/dynamic-resource-allocation/devicemetadata"
	"k8s.io/utils/ptr"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/metadata/check"
)

type claimType = resourceapi.ResourceClaim

// shortDir is short enough for sockets wherever tests have their directory.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "md")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// name draws one that is mostly right.
func (g source) name(right string) string {
	if g.chance(92) {
		return right
	}
	return g.pick("", "UPPER.example.com", "under_score", "-dash", "dot.", "a/b", "a//b", strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("é", 40), strings.Repeat("a.", 126)+"a", strings.Repeat("a", 254), "K.example", "ſ.example", "%!$#")
}

// object draws one with mistakes.
func (g source) object() *v1beta1.DeviceMetadata {
	m := &v1beta1.DeviceMetadata{TypeMeta: metav1.TypeMeta{APIVersion: group + "/v1beta1", Kind: "DeviceMetadata"}}
	m.Name, m.Namespace, m.UID, m.Generation = "c", "default", g.uid(), int64(g.IntN(12)-1)
	if g.chance(40) {
		m.PodClaimName = ptr.To(g.name("gpu"))
	}
	if g.chance(10) {
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: g.pick("", "v1"), Kind: g.pick("", "Pod"), Name: g.pick("", "p"), UID: g.uid()}}
	}
	if g.chance(10) {
		m.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "x", Operation: metav1.ManagedFieldsOperationType(g.pick("", "Apply", "Update", "Other"))}}
	}
	for range g.IntN(3) {
		r := v1beta1.DeviceMetadataRequest{Name: g.name("gpu")}
		for i := range g.IntN(3) {
			d := v1beta1.Device{Driver: g.name("gpu.example.com"), Pool: g.name("n1"), Name: g.name(fmt.Sprintf("gpu-%d", i))}
			n := g.IntN(4)
			if g.chance(5) {
				n = 31 + g.IntN(3)
			}
			for i := range n {
				if d.Attributes == nil {
					d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
				}
				d.Attributes[resourceapi.QualifiedName(g.pick("a", "B/c/d", "9", "", strings.Repeat("x", 120))+fmt.Sprint(i))] = g.wrongAttribute()
			}
			if g.chance(20) {
				d.NetworkData = &resourceapi.NetworkDeviceData{InterfaceName: strings.Repeat("i", g.IntN(3)*128+g.IntN(2)), HardwareAddress: strings.Repeat("h", g.IntN(3)*64+g.IntN(2))}
				for range g.IntN(2) * g.IntN(19) {
					d.NetworkData.IPs = append(d.NetworkData.IPs, fmt.Sprintf("%s.%d/24", g.pick("10.0.0", "no address"), g.IntN(40)))
				}
			}
			r.Devices = append(r.Devices, d)
		}
		m.Requests = append(m.Requests, r)
	}
	return m
}

func (g source) wrongAttribute() resourceapi.DeviceAttribute {
	a := g.attribute()
	switch g.IntN(12) {
	case 0:
		a = resourceapi.DeviceAttribute{}
	case 1:
		a.BoolValue, a.IntValue = ptr.To(true), ptr.To(int64(1))
	case 2:
		a = resourceapi.DeviceAttribute{StringValue: ptr.To(strings.Repeat("s", 60+g.IntN(10)))}
	case 3:
		a = resourceapi.DeviceAttribute{StringValues: []string{strings.Repeat("s", 60+g.IntN(10)), strings.Repeat("t", 70)}}
	case 4:
		a = resourceapi.DeviceAttribute{VersionValue: ptr.To("one"), VersionValues: []string{}}
	case 5:
		a = resourceapi.DeviceAttribute{BoolValues: []bool{true}, IntValues: []int64{1}}
	}
	return a
}

// TestValidation compares what is wrong with generated objects.
func TestValidation(t *testing.T) {
	g := newSource(3)
	kinds := map[string]int{}
	for n := range 1500 {
		m := g.object()
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var read v1beta1.DeviceMetadata // lists may be empty now
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, e := range v1beta1.Validate_DeviceMetadata(context.Background(), operation.Operation{Type: operation.Create}, nil, &read, nil) {
			want[string(e.Type)+" "+e.Field] = true
			kinds[string(e.Type)]++
		}
		result, err := core.CheckMetadata(t.Context(), core.MetadataFiles{Current: string(text)}, core.CheckMetadataOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, f := range result.Findings {
			if f.Type != "" {
				got[f.Type+" "+f.Field] = true
			}
			if f.Location == nil {
				t.Errorf("object %d: no place for %s", n, f.Message)
			}
		}
		if !maps.Equal(got, want) || result.Valid != (len(want) == 0) {
			t.Fatalf("object %d:\n%s\ngot  %q\nwant %q", n, text, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	}
	for _, kind := range []string{"FieldValueRequired", "FieldValueInvalid", "FieldValueTooLong", "FieldValueTooMany", "FieldValueDuplicate", "FieldValueNotSupported"} {
		if kinds[kind] < 5 {
			t.Errorf("only %d of %s", kinds[kind], kind)
		}
	}
	t.Log(kinds)
}

// TestReading compares which of the objects of a broken stream is taken, and
// whether it can be read at all.
func TestReading(t *testing.T) {
	g := newSource(4)
	read, failed := 0, 0
	for n := range 1500 {
		text := g.stream()
		var want upstream.DeviceMetadata
		err := devicemetadata.DecodeMetadataFromStream(json.NewDecoder(strings.NewReader(text)), &want)
		result, e := core.CheckMetadata(t.Context(), core.MetadataFiles{Current: text}, core.CheckMetadataOptions{})
		if e != nil {
			t.Fatal(e)
		}
		taken := slices.IndexFunc(result.Current.Objects, func(o check.CheckedObject) bool { return o.Taken })
		if (err == nil) != (taken >= 0) {
			t.Fatalf("stream %d:\n%s\ntheirs: %v\nours: %v", n, text, err, result.Findings)
		}
		if err != nil {
			failed++
			if result.Valid {
				t.Fatalf("stream %d is called valid:\n%s\ntheirs: %v", n, text, err)
			}
			continue
		}
		read++
		got := result.Current
		if got.Name != want.Name || got.Namespace != want.Namespace || got.UID != string(want.UID) || got.Generation != want.Generation || got.PodClaimName != ptr.Deref(want.PodClaimName, "") {
			t.Fatalf("stream %d:\n%s\ngot  %v\nwant %v", n, text, got, want)
		}
		ours, _ := json.Marshal(got.Requests)
		var inVersion v1alpha1.DeviceMetadata
		if err := devicemetadata.DecodeMetadataFromStream(json.NewDecoder(strings.NewReader(text)), &inVersion); err != nil {
			t.Fatal(err)
		}
		theirs, _ := json.Marshal(inVersion.Requests)
		if string(ours) != string(theirs) {
			t.Fatalf("stream %d:\ngot  %s\nwant %s", n, ours, theirs)
		}
	}
	if read < 200 || failed < 200 {
		t.Errorf("%d can be read and %d cannot", read, failed)
	}
}

// stream draws objects one behind the other, and breaks some of them.
func (g source) stream() string {
	var b strings.Builder
	for range g.IntN(4) {
		m := g.object()
		m.APIVersion = group + "/" + g.pick("v1beta1", "v1alpha1", "v1beta1", "v2", "v1")
		text, _ := json.MarshalIndent(m, g.pick("", " "), g.pick("", "  "))
		b.WriteString(g.broken(string(text)))
		b.WriteString(g.pick("\n", "", " ", "\n\n"))
	}
	return b.String()
}

// broken changes one thing in some objects.
func (g source) broken(text string) string {
	if !g.chance(40) {
		return text
	}
	once := func(old, with string) string { return strings.Replace(text, old, with, 1) }
	switch g.IntN(14) {
	case 0:
		return once(`"kind"`, `"Kind"`)
	case 1:
		return once(`"apiVersion"`, `"apiversion"`)
	case 2:
		return once(`"DeviceMetadata"`, g.pick(`""`, `"Other"`, `1`, `null`, `"DeviceMetadataList"`, `{}`))
	case 3:
		return once(group, g.pick("metadata.k8s.io", "", "a/b", "resource.k8s.io"))
	case 4:
		return once(`"requests"`, `"unknown"`)
	case 5:
		return once(`"generation"`, `"labels"`)
	case 6:
		return once(`"name"`, `"generation"`)
	case 7:
		return once(`"devices"`, `"name"`)
	case 8:
		return once(`[`, `{`)
	case 9:
		return text[:g.IntN(len(text))]
	case 10:
		return "[" + text + "]"
	case 11:
		return g.pick("1", `"text"`, "null", "true", "{}")
	case 12:
		return once(`"c"`, g.pick("1", "null", `["c"]`))
	}
	return once(`{`, `{"metadata": null, "extra": {"deep": [1, {}]}, `)
}
