package openapi

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drawbridge-dra/drawbridge/server/problem"
)

// details says in our words what huma found wrong while reading a request.
var details = map[int]string{
	http.StatusBadRequest:            "the body is empty; send the objects as YAML or JSON",
	http.StatusRequestTimeout:        "the body did not arrive in time",
	http.StatusRequestEntityTooLarge: "the body is too large; send fewer objects, or start the server with a larger --max-body-bytes",
	http.StatusInternalServerError:   "the body could not be read to its end",
}

// newError replaces huma's errors, which repeat the offending values. The
// message comes from huma's code or ours, never from the client.
func newError(status int, message string, errs ...error) huma.StatusError {
	for _, err := range errs {
		d, ok := err.(*huma.ErrorDetail)
		if !ok {
			continue
		}
		if name, ok := strings.CutPrefix(d.Location, "query."); ok {
			return problem.ForParameter(name, d.Message)
		}
	}
	if status == http.StatusInternalServerError {
		status = http.StatusBadRequest // only a body that broke off leads here
		return problem.New(status, details[http.StatusInternalServerError])
	}
	if detail, ok := details[status]; ok {
		message = detail
	}
	return problem.New(status, message)
}
