package openapi

import (
	"mime"
	"slices"
	"strings"

	"github.com/munnerz/goautoneg"
)

// The media types of requests and answers. YAML has one registered name and
// two that people use.
const (
	mediaJSON = "application/json"
	mediaYAML = "application/yaml"
)

var answerTypes = []string{mediaJSON, mediaYAML, "application/x-yaml", "text/yaml"}

// requestTypes are the content types under which a bundle may come.
var requestTypes = []string{mediaJSON, mediaYAML, "application/x-yaml", "text/yaml"}

// lenientTypes are what tools put on a bundle when nobody told them what it
// is; the text says itself whether it is JSON or YAML. curl's --data-binary
// sends mediaForm.
var lenientTypes = []string{"", "text/plain", "application/octet-stream", mediaForm}

const mediaForm = "application/x-www-form-urlencoded"

// negotiate picks the media type of the answer, and "" if the client takes
// none of ours. JSON wins where the client has no preference. The most
// specific range decides over each type, as RFC 9110 has it, so that
// "application/json;q=0, */*" asks for YAML.
func negotiate(accept string) string {
	if strings.TrimSpace(accept) == "" {
		return mediaJSON
	}
	ranges := goautoneg.ParseAccept(strings.ToLower(accept))
	best, bestQ, bestSpecific := "", 0.0, 0
	for _, offer := range answerTypes {
		q, specific := quality(ranges, offer)
		if q > bestQ || q == bestQ && q > 0 && specific > bestSpecific {
			best, bestQ, bestSpecific = offer, q, specific
		}
	}
	return best
}

// quality tells how much the client wants a type, and how specific the range
// was that said so: 3 the type itself, 2 type/*, 1 */*.
func quality(ranges []goautoneg.Accept, offer string) (q float64, specific int) {
	major, minor, _ := strings.Cut(offer, "/")
	for _, r := range ranges {
		s := 0
		switch {
		case r.Type == major && r.SubType == minor:
			s = 3
		case r.Type == major && r.SubType == "*":
			s = 2
		case r.Type == "*" && r.SubType == "*":
			s = 1
		}
		if s > specific {
			q, specific = r.Q, s
		}
	}
	return q, specific
}

// requestType checks the headers that describe a body. It returns the media
// type, and what is wrong with it.
func requestType(contentType, contentEncoding string) (media, wrong string) {
	if e := strings.ToLower(strings.TrimSpace(contentEncoding)); e != "" && e != "identity" {
		return "", "the body must not be compressed: send it without Content-Encoding"
	}
	if strings.TrimSpace(contentType) == "" {
		return "", ""
	}
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return "", "the Content-Type header cannot be read; " + sendInstead
	}
	if !slices.Contains(requestTypes, media) && !slices.Contains(lenientTypes, media) {
		if media == "multipart/form-data" {
			return "", "a form is not a bundle: send the text itself as the body, with curl --data-binary @bundle.yaml instead of -F"
		}
		return "", "this Content-Type is neither JSON nor YAML; " + sendInstead
	}
	switch strings.ToLower(params["charset"]) {
	case "", "utf-8", "utf8", "us-ascii":
	default:
		return "", "the text must be UTF-8"
	}
	return media, ""
}

const sendInstead = "add the header 'Content-Type: application/yaml', which JSON may use too, or 'Content-Type: application/json'"
