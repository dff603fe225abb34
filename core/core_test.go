package core

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fixtures are the YAML files under testdata.
func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir("../testdata", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") {
			out[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil || len(out) < 20 {
		t.Fatalf("%d fixtures: %v", len(out), err)
	}
	return out
}

// answer runs everything that the facade offers for a text.
func answer(t testing.TB, text []byte, opts Options) []byte {
	t.Helper()
	validated, err := Validate(context.Background(), text, opts)
	if err != nil {
		t.Fatal(err)
	}
	allocated, err := Allocate(context.Background(), text, opts)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for _, result := range []any{validated, allocated} {
		b, err := JSON(result)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b...)
	}
	return out
}

// TestDeterministic runs every fixture several times: the order of a map must
// not show anywhere.
func TestDeterministic(t *testing.T) {
	for path, text := range fixtures(t) {
		first := answer(t, text, Options{FeatureGates: "AllAlpha=true,AllBeta=true"})
		if again := answer(t, text, Options{FeatureGates: "AllAlpha=true,AllBeta=true"}); !bytes.Equal(first, again) {
			t.Errorf("%s: two runs differ\n%s\n%s", path, first, again)
		}
		// A claim without requests has the null that Kubernetes' own type has.
		if rest := bytes.ReplaceAll(first, []byte(`"requests":null`), nil); bytes.Contains(rest, []byte(`":null`)) {
			t.Errorf("%s: a null where a list or nothing should be", path)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, tc := range []struct {
		opts   Options
		option string
		says   string
	}{
		{Options{KubernetesVersion: "1.99"}, "kubernetesVersion", "1.37"},
		{Options{KubernetesVersion: "newest"}, "kubernetesVersion", "newest"},
		{Options{FeatureGates: "DRAConsumableCapacty=true"}, "featureGates", "DRAConsumableCapacity"},
		{Options{FeatureGates: "DRAConsumableCapacity"}, "featureGates", "DRAConsumableCapacity"},
		{Options{FieldValidation: "Stricter"}, "fieldValidation", "Strict"},
	} {
		for name, call := range map[string]func() error{
			"validate": func() error { _, err := Validate(context.Background(), nil, tc.opts); return err },
			"allocate": func() error { _, err := Allocate(context.Background(), nil, tc.opts); return err },
		} {
			var option *OptionError
			if err := call(); !errors.As(err, &option) || option.Option != tc.option || !strings.Contains(option.Message, tc.says) {
				t.Errorf("%s with %+v: %v", name, tc.opts, err)
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	text := fixtures(t)["../testdata/seeds/counters.yaml"]
	if _, err := Validate(ctx, text, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("validate: %v", err)
	}
	if _, err := Allocate(ctx, text, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("allocate: %v", err)
	}
}

// TestAssumedGates covers the inference from what a bundle holds to the gates
// of the cluster that it came from.
func TestAssumedGates(t *testing.T) {
	text := fixtures(t)["../testdata/seeds/compatibility-groups-two.yaml"]
	outcome := func(opts Options) (PodOutcome, string) {
		t.Helper()
		result, err := Allocate(context.Background(), text, opts)
		if err != nil || len(result.Pods) != 1 {
			t.Fatal(result, err)
		}
		return result.Pods[0].Outcome, strings.Join(result.Assumptions, "\n")
	}
	if got, assumed := outcome(Options{}); got != PodUnschedulable || !strings.Contains(assumed, "DRADeviceCompatibilityGroups") {
		t.Errorf("nobody sets the gate: %s, %s", got, assumed)
	}
	if got, assumed := outcome(Options{FeatureGates: "DRADeviceCompatibilityGroups=true"}); got != PodUnschedulable || strings.Contains(assumed, "DRADeviceCompatibilityGroups") {
		t.Errorf("the gate is on: %s, %s", got, assumed)
	}
	if got, assumed := outcome(Options{FeatureGates: "DRADeviceCompatibilityGroups=false"}); got != PodScheduled || strings.Contains(assumed, "DRADeviceCompatibilityGroups") {
		t.Errorf("the gate is off: %s, %s", got, assumed)
	}
	// Stored objects with the field, in a cluster with the gate off: the
	// scheduler looks past the slice.
	if got, _ := outcome(Options{FeatureGates: "DRADeviceCompatibilityGroups=false", SkipValidation: true}); got != PodUnschedulable {
		t.Errorf("the gate is off and the field is stored: %s", got)
	}
}

// FuzzAnswers gives the whole core what nobody would write.
func FuzzAnswers(f *testing.F) {
	for _, text := range fixtures(f) {
		f.Add(text, "AllAlpha=true,AllBeta=true")
	}
	f.Fuzz(func(t *testing.T, text []byte, gates string) {
		if len(text) > 64<<10 {
			return
		}
		if _, err := (Options{FeatureGates: gates}).features(); err != nil {
			gates = ""
		}
		everything(t, text, gates)
	})
}

// everything asks the whole facade about a text.
func everything(t testing.TB, text []byte, gates string) []byte {
	t.Helper()
	out := answer(t, text, Options{FeatureGates: gates, FieldValidation: "Ignore"})
	keep := func(result any, err error) {
		t.Helper()
		var option *OptionError
		if errors.As(err, &option) {
			out = append(out, option.Message...)
			return
		}
		b, jsonErr := JSON(result)
		if err = errors.Join(err, jsonErr); err != nil {
			t.Error(err)
		}
		out = append(out, b...)
	}
	ctx, opts := context.Background(), Options{FeatureGates: gates, SkipValidation: true}
	drawn, side := opts, opts
	drawn.Picture, side.AbsentDrivers = true, "gpu.example.com@worker-1"
	who := StatusOptions{Options: Options{FeatureGates: gates}, ServiceAccount: "gpu-system/driver", Node: "worker-1"}
	if len(text)%2 == 0 {
		who.Drivers, who.Writes = []string{"gpu.example.com"}, []string{"allocation"}
	}
	keep(Allocate(ctx, text, drawn))
	keep(NodeOperations(ctx, text, side))
	keep(ResourceHealth(ctx, text, side))
	keep(StatusAuthorization(ctx, Change{After: string(text)}, who))
	keep(StatusAuthorization(ctx, Change{Before: string(text), After: string(text)}, who))
	keep(DeviceMetadata(ctx, text, MetadataOptions{Options: opts}))
	keep(PodResources(ctx, text, PodResourcesOptions{Options: opts, DeviceMetadata: true}))
	keep(CheckMetadata(ctx, MetadataFiles{Current: string(text), Previous: string(text)}, CheckMetadataOptions{}))
	keep(Negotiate(ctx, text, NegotiateOptions{Fresh: len(gates) > 0}))
	return out
}
