// Package problem writes the errors of every HTTP front as RFC 9457 problem
// documents. A problem never repeats what the client sent: bodies and queries
// can hold anything, and answers end up in logs and chats.
package problem

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// ContentType is the media type of a problem document.
const ContentType = "application/problem+json"

// Problem is one error, as RFC 9457 has it. The type is always about:blank,
// so it is left out: title and status say what kind it is.
type Problem struct {
	Title     string `json:"title" doc:"The HTTP status in words." example:"Bad Request"`
	Status    int    `json:"status" doc:"The HTTP status code." example:"400"`
	Detail    string `json:"detail,omitempty" doc:"What is wrong with this request, and what to do." example:"the body is empty; send the objects as YAML or JSON"`
	Parameter string `json:"parameter,omitempty" doc:"The query parameter that is wrong, where it is one." example:"kubernetesVersion"`
}

// New makes a problem of a status and a sentence.
func New(status int, detail string) *Problem {
	return &Problem{Title: title(status), Status: status, Detail: detail}
}

// ForParameter makes the problem of a query parameter that cannot be used.
func ForParameter(name, detail string) *Problem {
	p := New(http.StatusBadRequest, name+": "+detail)
	p.Parameter = name
	return p
}

// Error makes a Problem usable as an error.
func (p *Problem) Error() string { return p.Detail }

// GetStatus tells the status to huma.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType tells the media type to huma, whatever was negotiated.
func (p *Problem) ContentType(string) string { return ContentType }

// Write sends the problem. Headers that the status needs, such as Allow, are
// set before.
func (p *Problem) Write(w http.ResponseWriter) {
	body, err := json.Marshal(p)
	if err != nil { // strings and a number: cannot happen
		body = []byte(`{"title":"Internal Server Error","status":500}`)
	}
	body = append(body, '\n')
	h := w.Header()
	h.Set("Content-Type", ContentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	h.Del("Content-Encoding")
	h.Del("Etag")
	w.WriteHeader(p.Status)
	// The client may have gone; there is nobody left to tell.
	_, _ = w.Write(body)
}

// Write sends a problem made of a status and a sentence.
func Write(w http.ResponseWriter, status int, detail string) {
	New(status, detail).Write(w)
}

func title(status int) string {
	if t := http.StatusText(status); t != "" {
		return t
	}
	return "Error"
}
