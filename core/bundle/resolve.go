package bundle

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// kubectl reads plain scalars by the rules of YAML 1.1, with the exceptions
// of the library it uses: no base-60 numbers, and timestamps stay strings.

// words are the plain scalars that do not mean themselves.
var words = map[string]Kind{"": Null, "~": Null}

// truths are the words for true and false.
var truths = map[string]bool{}

// notFinite are the numbers that JSON cannot hold.
var notFinite = map[string]bool{}

func init() {
	for _, word := range []string{"null", "y", "n", "yes", "no", "on", "off", "true", "false"} {
		for _, form := range []string{word, strings.ToUpper(word[:1]) + word[1:], strings.ToUpper(word)} {
			if word == "null" {
				words[form] = Null
				continue
			}
			words[form] = Bool
			truths[form] = word == "y" || word == "yes" || word == "on" || word == "true"
		}
	}
	for _, word := range []string{".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"} {
		notFinite[word] = true
		if !strings.EqualFold(word, ".nan") {
			notFinite["+"+word] = true
			notFinite["-"+word] = true
		}
	}
}

// scalar is what a scalar of YAML means. Kind Number has the JSON form as its
// text, and the number as its value when it is not a whole one.
type scalar struct {
	kind  Kind
	text  string
	whole bool
	float float64
}

var yamlFloat = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// resolvePlain gives a plain scalar its meaning. The bool is false for a
// number that JSON cannot hold.
func resolvePlain(in string) (scalar, bool) {
	if kind, ok := words[in]; ok {
		if kind == Bool {
			return scalar{kind: Bool, text: strconv.FormatBool(truths[in])}, true
		}
		return scalar{kind: Null}, true
	}
	if notFinite[in] {
		return scalar{}, false
	}
	switch c := in[0]; {
	case c == '.':
		if f, err := strconv.ParseFloat(in, 64); err == nil {
			return floatScalar(f)
		}
	case c == '+' || c == '-' || (c >= '0' && c <= '9'):
		return resolveNumber(in)
	}
	return scalar{kind: String, text: in}, true
}

func resolveNumber(in string) (scalar, bool) {
	plain := strings.ReplaceAll(in, "_", "")
	if !looksLikeDate(in) {
		if i, err := strconv.ParseInt(plain, 0, 64); err == nil {
			return scalar{kind: Number, text: strconv.FormatInt(i, 10), whole: true}, true
		}
		if u, err := strconv.ParseUint(plain, 0, 64); err == nil {
			return scalar{kind: Number, text: strconv.FormatUint(u, 10), whole: true}, true
		}
		if yamlFloat.MatchString(plain) {
			if f, err := strconv.ParseFloat(plain, 64); err == nil {
				return floatScalar(f)
			}
		}
		// The library takes a sign behind the prefix, too.
		if sign, digits, ok := strings.Cut(plain, "0b"); ok && (sign == "" || sign == "-") {
			if i, err := strconv.ParseInt(sign+digits, 2, 64); err == nil {
				return scalar{kind: Number, text: strconv.FormatInt(i, 10), whole: true}, true
			}
			if u, err := strconv.ParseUint(digits, 2, 64); err == nil && sign == "" {
				return scalar{kind: Number, text: strconv.FormatUint(u, 10), whole: true}, true
			}
		}
	}
	return scalar{kind: String, text: in}, true
}

// looksLikeDate keeps dates such as 2026-01-02 strings. No number has that
// form, so it only says out loud what would happen anyway.
func looksLikeDate(in string) bool {
	return len(in) > 5 && in[4] == '-' && strings.Trim(in[:4], "0123456789") == ""
}

func floatScalar(f float64) (scalar, bool) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return scalar{}, false
	}
	text, err := json.Marshal(f)
	if err != nil {
		return scalar{}, false
	}
	return scalar{kind: Number, text: string(text), float: f}, true
}

// resolveTagged gives a scalar with an explicit tag its meaning. The bool is
// false when the value does not fit the tag.
func resolveTagged(tag, in string) (scalar, bool) {
	switch tag {
	case "!!str", "!!merge":
		return scalar{kind: String, text: in}, true
	case "!!binary":
		data, err := base64.StdEncoding.DecodeString(in)
		return scalar{kind: String, text: string(data)}, err == nil
	case "!!timestamp":
		return scalar{kind: String, text: in}, looksLikeDate(in)
	case "!!null", "!!bool", "!!int", "!!float":
	default:
		return scalar{kind: String, text: in}, true
	}
	got, ok := resolvePlain(in)
	if !ok {
		return got, false
	}
	switch tag {
	case "!!null":
		return got, got.kind == Null
	case "!!bool":
		return got, got.kind == Bool
	case "!!int":
		return got, got.kind == Number && got.whole
	}
	if got.whole {
		f, err := strconv.ParseFloat(got.text, 64)
		if err != nil {
			return got, false
		}
		return floatScalar(f)
	}
	return got, got.kind == Number
}

// keyText is the key that kubectl makes of a scalar; false if it makes none.
func (s scalar) keyText() (string, bool) {
	switch s.kind {
	case Null:
		return "", false
	case Number:
		if !s.whole {
			text := strconv.FormatFloat(s.float, 'g', -1, 32)
			if strings.HasSuffix(text, "Inf") { // too large for 32 bits
				text = strings.Replace(strings.TrimPrefix(text, "+"), "Inf", ".inf", 1)
			}
			return text, true
		}
		_, err := strconv.ParseInt(s.text, 10, 64)
		return s.text, err == nil
	}
	return s.text, true
}
