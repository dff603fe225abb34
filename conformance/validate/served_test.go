package validate

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/fixture/served"
)

// servedObjects is how many objects are sent over HTTP.
const servedObjects = 2000

// TestServed sends objects to the real binary. What it answers must be what
// this process says, to the byte, and its errors must be Kubernetes' own.
func TestServed(t *testing.T) {
	gates := gateSets(t, rand.New(rand.NewPCG(*seed, 0)), chief)[1]
	gates.apply(t)
	options := core.Options{FieldValidation: "Ignore", FeatureGates: "AllAlpha=true,AllBeta=true"}
	query := url.Values{"fieldValidation": {options.FieldValidation}, "featureGates": {options.FeatureGates}}
	address := served.Start(t, "../..") + "/v1/validate?" + query.Encode()
	client := &http.Client{Timeout: time.Minute}
	refused := 0
	for i := range uint64(servedObjects) {
		o := makeSample(t, 1<<40+i)
		o.object = written(t, o.object)
		want, err := kubernetes(o.object, o.kind.kind, o.kind.resource, o.kind.namespaced)
		if err != nil {
			t.Fatal(err)
		}
		if len(want.errors) > 0 {
			refused++
		}
		text, index := withNamespaces(t, o.object)
		result, err := core.Validate(context.Background(), text, options)
		if err != nil {
			t.Fatal(err)
		}
		here, err := core.JSON(result)
		if err != nil {
			t.Fatal(err)
		}
		there := post(t, client, address, text)
		if !bytes.Equal(bytes.TrimSpace(here), bytes.TrimSpace(there)) {
			t.Fatalf("object %d: the server answers\n%s\nand this process\n%s\n%s", i, there, here, show(o.object))
		}
		var answer core.ValidateResult
		if err := json.Unmarshal(there, &answer); err != nil {
			t.Fatal(err)
		}
		if got := errorsOf(answer.Diagnostics, index); !slices.Equal(got, want.errors) {
			t.Fatalf("object %d: the server answers\n%q\nand Kubernetes\n%q\n%s", i, got, want.errors, show(o.object))
		}
	}
	if refused == 0 || refused == servedObjects {
		t.Errorf("%d of %d objects are refused: they are of one sort", refused, servedObjects)
	}
}

// withNamespaces is a bundle of the namespaces that both sides know, and an
// object, with its index.
func withNamespaces(t *testing.T, obj runtime.Object) (text []byte, index int) {
	t.Helper()
	var items []any
	for _, name := range []string{"admin", "default", "false"} {
		ns := knownNamespaces[name].DeepCopy()
		ns.APIVersion, ns.Kind = corev1.SchemeGroupVersion.String(), "Namespace"
		items = append(items, ns)
	}
	items = append(items, obj)
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		t.Fatal(err)
	}
	return text, len(items) - 1
}

// errorsOf lists the errors of the API server's rules about one object as
// verdicts do.
func errorsOf(found []diag.Diagnostic, index int) []string {
	var v verdict
	for _, d := range found {
		if d.Source == diag.API && d.Severity == diag.Error && d.Object != nil && d.Object.Index == index {
			v.errors = append(v.errors, d.Type+" "+d.Field)
		} else if d.Rule == "admin-access" && d.Severity == diag.Warning {
			v.errors = append(v.errors, "InternalError "+d.Field) // as in drawbridge
		}
	}
	v.sort()
	return v.errors
}

func post(t *testing.T, client *http.Client, address string, text []byte) []byte {
	t.Helper()
	response, err := client.Post(address, "application/json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", response.Status, body)
	}
	return body
}
