package feature

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Version is a minor release of Kubernetes 1.
type Version struct{ Minor int }

// The first and the last version that Drawbridge knows.
var (
	Oldest = Version{Minor: 31}
	Newest = Version{Minor: 37}
)

// First is the version in which DRA came. Of those before Oldest only the API
// is known, which no later one has; see ParsePast.
var First = Version{Minor: 26}

// Past tells whether only the API of the version is known.
func (v Version) Past() bool { return v.Minor < Oldest.Minor }

// Versions lists the known versions, newest first.
func Versions() []Version {
	var all []Version
	for minor := Newest.Minor; minor >= Oldest.Minor; minor-- {
		all = append(all, Version{Minor: minor})
	}
	return all
}

// String gives the version as people write it, such as 1.37.
func (v Version) String() string { return "1." + strconv.Itoa(v.Minor) }

// versionForm is what people write: with or without v, a patch release, and
// what vendors append to it.
var versionForm = regexp.MustCompile(`^v?([0-9]{1,4})\.([0-9]{1,4})(\.[0-9]{1,4}([-+].*)?)?$`)

// ParseVersion reads "1.37", "v1.37" or "1.37.2". The patch release is not
// told apart.
func ParseVersion(text string) (Version, error) {
	parts := versionForm.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return Version{}, malformedVersion(text)
	}
	minor, err := strconv.Atoi(parts[2])
	if err != nil || parts[1] != "1" || minor < Oldest.Minor || minor > Newest.Minor {
		return Version{}, fmt.Errorf("Kubernetes %s.%s is not a version that Drawbridge knows; it knows %s", parts[1], parts[2], knownVersions())
	}
	return Version{Minor: minor}, nil
}

// ParsePast is ParseVersion for those who look at the API only: it reads the
// versions from First on.
func ParsePast(text string) (Version, error) {
	v, err := ParseVersion(text)
	if parts := versionForm.FindStringSubmatch(strings.TrimSpace(text)); err != nil && parts != nil && parts[1] == "1" {
		if minor, e := strconv.Atoi(parts[2]); e == nil && minor >= First.Minor && minor < Oldest.Minor {
			return Version{Minor: minor}, nil
		}
	}
	return v, err
}

func malformedVersion(text string) error {
	return fmt.Errorf("%q is not a Kubernetes version; write it like %s; Drawbridge knows %s", shorten(text), Newest, knownVersions())
}

func knownVersions() string {
	var names []string
	for _, v := range Versions() {
		names = append(names, v.String())
	}
	return strings.Join(names, ", ")
}

// shorten keeps messages readable when the input is long.
func shorten(text string) string {
	const limit = 60
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit]) + "…"
}
