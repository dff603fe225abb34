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

// parameterWords are what huma says of a parameter, and what we do.
var parameterWords = []struct{ theirs, ours string }{
	{"invalid integer", "must be a whole number"},
	{"invalid boolean", "must be true or false"},
	{"required query parameter is missing", "is missing; add it to the query"},
	{`expected value to be one of "`, "must be one of "},
	{"expected number >= ", "must be at least "},
}

// inOurWords says what is wrong with a parameter as the core does.
func inOurWords(message string) string {
	for _, w := range parameterWords {
		if rest, ok := strings.CutPrefix(message, w.theirs); ok {
			return w.ours + strings.TrimSuffix(rest, `"`)
		}
	}
	return message
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
			return problem.ForParameter(name, inOurWords(d.Message))
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
