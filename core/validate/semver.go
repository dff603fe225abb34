package validate

import (
	"regexp"
	"strconv"
	"strings"
)

// semver is the grammar of semver.org 2.0.0.
var semver = regexp.MustCompile(`^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)` +
	`(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?` +
	`(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$`)

func isSemver(s string) bool { return isRelease(s) || semver.MatchString(s) }

// isRelease recognizes what nearly all versions are, three numbers, without
// the work of the expression.
func isRelease(s string) bool {
	numbers, digits, first := 0, 0, byte(0)
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == '.':
			if digits == 0 || digits > 1 && first == '0' {
				return false
			}
			numbers, digits = numbers+1, 0
		case s[i] < '0' || s[i] > '9':
			return false
		default:
			if digits++; digits == 1 {
				first = s[i]
			}
		}
	}
	return numbers == 3
}

var dottedNumbers = regexp.MustCompile(`^[vV]?\d+(?:\.\d+)*$`)

// semverFault says in words what keeps a value from being a semantic version.
func semverFault(s string) string {
	switch {
	case s == "":
		return "is empty"
	case !dottedNumbers.MatchString(s):
		return "is no semantic version"
	case s[0] == 'v' || s[0] == 'V':
		return "starts with " + s[:1]
	}
	if n := strings.Count(s, ".") + 1; n != 3 {
		return "has " + plural(n, "part")
	}
	return "has a leading zero"
}

// mendSemver turns dotted numbers into a semantic version that says the same:
// missing numbers become 0, surplus ones build metadata, which no comparison
// looks at. It returns "" where it knows no such version.
func mendSemver(s string) string {
	if !dottedNumbers.MatchString(s) {
		return ""
	}
	parts := strings.Split(strings.TrimLeft(s, "vV"), ".")
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 63)
		if err != nil {
			return ""
		}
		parts[i] = strconv.FormatUint(n, 10)
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	mended := strings.Join(parts[:3], ".")
	if len(parts) > 3 {
		mended += "+" + strings.Join(parts[3:], ".")
	}
	if !isSemver(mended) {
		return ""
	}
	return mended
}
