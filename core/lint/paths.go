package lint

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
)

// In v1beta1, and before it, the body of a request stands in the request itself, and the body
// of a device under "basic".
var (
	exactlyInPath = regexp.MustCompile(`(requests\[\d+\])\.exactly\b`)
	deviceInPath  = regexp.MustCompile(`^(spec\.devices\[\d+\])\.(.+)$`)
)

// writtenPath turns a path in v1 into the path in the version that the object
// is written in, which is what its author sees and the API server prints.
func writtenPath(o *bundle.Object, path string) string {
	if !strings.HasSuffix(o.Ref.APIVersion, "/v1beta1") && !strings.HasSuffix(o.Ref.APIVersion, "/v1alpha3") {
		return path
	}
	switch o.Ref.Kind {
	case "ResourceSlice":
		if m := deviceInPath.FindStringSubmatch(path); m != nil && m[2] != "name" {
			return m[1] + ".basic." + m[2]
		}
	case "ResourceClaim", "ResourceClaimTemplate":
		return exactlyInPath.ReplaceAllString(path, "$1")
	}
	return path
}

// at builds a path such as "spec.devices[3].attributes[model]" from its
// parts: a string that starts a path or continues it with a dot, an int for
// an index, a key for the key of a map.
func at(parts ...any) string {
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case int:
			b.WriteString("[" + strconv.Itoa(p) + "]")
		case key:
			b.WriteString("[" + string(p) + "]")
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(p)
		}
	}
	return b.String()
}

// key is the key of a map inside a path.
type key string
