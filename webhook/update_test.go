package webhook

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func causes(t *testing.T, review []byte) (list []string, message string) {
	t.Helper()
	got := answer(t, New(Config{Logger: quiet()}).Validate(), wire(t, review))
	if got.Allowed {
		return nil, ""
	}
	for _, c := range got.Result.Details.Causes {
		list = append(list, string(c.Type)+" "+c.Field)
	}
	return list, got.Result.Message
}

func replaced(t *testing.T, review []byte, old, now string) []byte {
	t.Helper()
	if !bytes.Contains(review, []byte(old)) {
		t.Fatalf("the review has no %q", old)
	}
	return bytes.Replace(review, []byte(old), []byte(now), 1)
}

// An update is judged by what it changes, by the core itself.
func TestUpdates(t *testing.T) {
	claim, status, slice := file(t, "claim-update.json"), file(t, "claim-status-update.json"), file(t, "slice-update.json")
	for _, tt := range []struct {
		name    string
		review  []byte
		want    []string
		message string
	}{
		{"spec of a claim", claim, []string{"FieldValueInvalid spec"}, "spec.devices.requests[0].exactly.count was 1 and is now 2; create another one instead"},
		{"labels of a claim", replaced(t, claim, `"count": 2`, `"count": 1`), nil, ""},
		{"bad label of a claim", replaced(t, replaced(t, claim, `"count": 2`, `"count": 1`), `"team": "a"`, `"team": "-"`), []string{"FieldValueInvalid metadata.labels"}, "the value of label team"},
		{"old faults of a slice stay", slice, nil, ""},
		{"another device with the same fault", replaced(t, slice, `"name": "gpu-0"`, `"name": "gpu-1"`),
			[]string{"FieldValueInvalid spec.devices[0].capacity", "FieldValueNotSupported spec.devices[0].taints[0].effect"}, ""},
		{"another driver", replaced(t, slice, `"driver": "gpu.example.com"`, `"driver": "npu.example.com"`), []string{"FieldValueInvalid spec.driver"},
			"the driver of a slice may not change, but was \"gpu.example.com\" and is now \"npu.example.com\""},
		{"status", status, []string{"FieldValueInvalid status.devices[0]", "FieldValueInvalid status.devices[0].networkData.ips[0]"}, ""},
		{"right status", replaced(t, replaced(t, status, "gpu-1", "gpu-0"), "10.0.0.1", "10.0.0.1/24"), nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, message := causes(t, tt.review)
			slices.Sort(got)
			if !slices.Equal(got, tt.want) || !strings.Contains(message, tt.message) {
				t.Errorf("got %q, %s", got, message)
			}
		})
	}
}

// What a webhook cannot judge, it does not judge: the API server applies the
// failure policy.
func TestNoVerdictOnUpdates(t *testing.T) {
	claim := file(t, "claim-update.json")
	without := edit(t, claim, func(r map[string]any) { delete(r, "oldObject") })
	if w := post(t, New(Config{Logger: quiet()}).Validate(), without); w.Code != http.StatusInternalServerError {
		t.Errorf("without the old object: got %d %s", w.Code, w.Body)
	}
	for code, err := range map[int]error{http.StatusServiceUnavailable: context.DeadlineExceeded, http.StatusInternalServerError: errors.New("broken")} {
		for _, name := range []string{"claim-update.json", "claim-status-update.json"} {
			if w := post(t, New(Config{Logger: quiet(), Admit: fails(err)}).Validate(), file(t, name)); w.Code != code {
				t.Errorf("%v, %s: got %d %s", err, name, w.Code, w.Body)
			}
		}
	}
}

// A cluster that is newer than we are must not be kept from updating either.
func TestUpdatesOfUnknownVersionsAreAllowed(t *testing.T) {
	review := bytes.ReplaceAll(file(t, "claim-update.json"), []byte(`"apiVersion": "resource.k8s.io/v1"`), []byte(`"apiVersion": "resource.k8s.io/v7"`))
	got := answer(t, New(Config{Logger: quiet()}).Validate(), review)
	if !got.Allowed || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "unknown-version") {
		t.Errorf("got %+v", got)
	}
}
