package webhook

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	kjson "sigs.k8s.io/json"

	"github.com/drawbridge-dra/drawbridge/server/problem"
)

// bodyLimit is what a review can need: two objects of the 3 MiB that an API
// server takes, and what is around them.
const bodyLimit = 7 << 20

// defaultTimeout applies where the API server does not say how long it waits;
// it always does.
const defaultTimeout = 10 * time.Second

// Patience is how long the API server waits, less what the answer needs to get
// there: a verdict that comes too late is none.
func Patience(r *http.Request) time.Duration {
	d, err := time.ParseDuration(r.URL.Query().Get("timeout"))
	if err != nil || d <= 0 || d > time.Minute {
		return defaultTimeout
	}
	return d - min(d/10, 200*time.Millisecond)
}

// read takes a review from a request, or says why there is none.
func read(rw http.ResponseWriter, r *http.Request) (*admissionv1.AdmissionReview, *problem.Problem) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return nil, problem.New(http.StatusUnsupportedMediaType, "an AdmissionReview comes as application/json")
	}
	var body bytes.Buffer
	// What the sender says of the length saves copies; it is not believed far.
	body.Grow(int(min(max(r.ContentLength, 0), 1<<20)) + bytes.MinRead)
	// Who is slower than an API server waits only keeps others out. Not every
	// writer has a deadline; those of a server do.
	control := http.NewResponseController(rw)
	_ = control.SetReadDeadline(time.Now().Add(min(Patience(r), defaultTimeout)))
	_, err = body.ReadFrom(http.MaxBytesReader(rw, r.Body, bodyLimit))
	if err == nil {
		_ = control.SetReadDeadline(time.Time{})
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, problem.New(http.StatusRequestEntityTooLarge, fmt.Sprintf("the AdmissionReview is larger than %d MiB", bodyLimit>>20))
	case err != nil:
		return nil, problem.New(http.StatusBadRequest, "the body could not be read to its end")
	}
	review := &admissionv1.AdmissionReview{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(body.Bytes(), review); err != nil {
		return nil, problem.New(http.StatusBadRequest, "the body cannot be read as an AdmissionReview")
	}
	switch {
	case review.APIVersion != "admission.k8s.io/v1" || review.Kind != "AdmissionReview":
		return nil, problem.New(http.StatusBadRequest, "the body is not an AdmissionReview of admission.k8s.io/v1; list v1 in admissionReviewVersions")
	case review.Request == nil:
		return nil, problem.New(http.StatusBadRequest, "the AdmissionReview has no request")
	}
	return review, nil
}
