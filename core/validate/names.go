package validate

import (
	"strconv"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The formats of names. Each function returns as many problems as the API
// server has errors for the value.

const (
	maxLabel     = 63
	maxSubdomain = 253
	maxID        = 32
)

func lowerAlnum(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }
func alnum(b byte) bool      { return lowerAlnum(b) || b >= 'A' && b <= 'Z' }

// isLabelText tells whether the characters, not the length, make a DNS label.
func isLabelText(s string) bool {
	if s == "" || !lowerAlnum(s[0]) || !lowerAlnum(s[len(s)-1]) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !lowerAlnum(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

// isSubdomainText tells whether the characters make a DNS subdomain.
func isSubdomainText(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !isLabelText(part) {
			return false
		}
	}
	return true
}

// isWord tells whether s starts and ends with a letter or digit and has only
// letters, digits, "-", "_" and "." between.
func isWord(s string) bool {
	if s == "" || !alnum(s[0]) || !alnum(s[len(s)-1]) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !alnum(s[i]) && s[i] != '-' && s[i] != '_' && s[i] != '.' {
			return false
		}
	}
	return true
}

// isIdentifier tells whether s is an identifier of the language C.
func isIdentifier(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !alnum(s[i]) && s[i] != '_' {
			return false
		}
	}
	return true
}

// because sets the reason under which equal problems are one.
func (p problem) because(exact, reason string) problem {
	p.exact, p.reason = exact, reason
	return p
}

// tooLongText is the problem of a name whose length is part of its format.
func tooLongText(rule, value, noun string, limit int) problem {
	p := tooLong(rule, value, noun, limit)
	p.kind, p.exact = field.ErrorTypeInvalid, value
	return p
}

// label checks a DNS label: names of devices, requests and counters.
func label(rule, noun, value string) []problem {
	var out []problem
	if len(value) > maxLabel {
		out = append(out, tooLongText(rule, value, noun, maxLabel))
	}
	if !isLabelText(value) {
		p := invalid(rule, value, badName(noun, value, `lower-case letters, digits and "-", with a letter or digit at both ends`)).because(value, "label")
		p.mend(rewrite(value, maxLabel, func(r rune) rune { return keep(unicode.ToLower(r), "-", '-') }), isLabelText)
		out = append(out, p)
	}
	return out
}

// subdomain checks a DNS subdomain: names of objects, nodes and classes.
func subdomain(rule, noun, value string) []problem {
	return append(subdomainLength(rule, noun, value), subdomainText(rule, noun, value)...)
}

func subdomainLength(rule, noun, value string) []problem {
	if len(value) <= maxSubdomain {
		return nil
	}
	return []problem{tooLongText(rule, value, noun, maxSubdomain)}
}

func subdomainText(rule, noun, value string) []problem {
	if isSubdomainText(value) {
		return nil
	}
	p := invalid(rule, value, badName(noun, value, `lower-case letters, digits, "-" and ".", with a letter or digit at both ends of each part`)).because(value, "subdomain")
	p.mend(rewrite(value, maxSubdomain, func(r rune) rune { return keep(unicode.ToLower(r), "-.", '-') }), isSubdomainText)
	return []problem{p}
}

// labelKey checks the key of a label, a taint or a condition: a name with an
// optional domain before a slash.
func labelKey(rule, noun, value string) []problem {
	const shape = `letters, digits, "-", "_" and ".", with a letter or digit at both ends`
	prefix, name, slash := "", value, false
	switch parts := strings.Split(value, "/"); len(parts) {
	case 1:
	case 2:
		prefix, name, slash = parts[0], parts[1], true
	default:
		return []problem{invalid(rule, value, noun+" "+quote(value)+" has "+plural(len(parts)-1, "slash")+", at most 1 is allowed: write example.com/name")}
	}
	var out []problem
	if slash && prefix == "" {
		out = append(out, invalid(rule, value, noun+" "+quote(value)+" has nothing before the slash; put a domain there, or remove the slash"))
	} else if slash {
		out = append(out, subdomain(rule, "the domain of "+noun, prefix)...)
	}
	if name == "" {
		out = append(out, invalid(rule, value, noun+" is empty; give it a name"))
	} else if len(name) > maxLabel {
		out = append(out, tooLongText(rule, name, noun, maxLabel))
	}
	if !isWord(name) {
		out = append(out, invalid(rule, value, badName(noun, name, shape)))
	}
	for i := range out {
		out[i].value, out[i].exact, out[i].reason = short(value), value, "key "+out[i].reason
	}
	return out
}

// labelValue checks the value of a label or a taint.
func labelValue(rule, noun, value string) []problem {
	var out []problem
	if len(value) > maxLabel {
		out = append(out, tooLongText(rule, value, noun, maxLabel))
	}
	if value != "" && !isWord(value) {
		out = append(out, invalid(rule, value, badName(noun, value, `letters, digits, "-", "_" and ".", with a letter or digit at both ends`)).because(value, "label value"))
	}
	return out
}

// identifierReason stands for what Kubernetes says of names that are none.
const identifierReason = "identifier"

// identifier checks the name of an attribute or a capacity without its
// domain.
func identifier(rule, noun, value string) []problem {
	var out []problem
	if len(value) > maxID {
		out = append(out, tooLong(rule, value, noun, maxID))
	}
	if !isIdentifier(value) {
		p := invalid(rule, value, badName(noun, value, `letters, digits and "_", with no digit at the start`)).because(value, identifierReason)
		p.mend(rewrite(value, maxID, func(r rune) rune { return keep(r, "_", '_') }), isIdentifier)
		out = append(out, p)
	}
	return out
}

// driverName checks the name of a driver. Upper-case letters are accepted.
func driverName(rule, noun, value string) []problem {
	if value == "" {
		return []problem{required(rule, noun+" is missing; write the driver's name, such as gpu.example.com")}
	}
	var out []problem
	if len(value) > maxLabel {
		out = append(out, tooLong(rule, value, noun, maxLabel))
	}
	for _, p := range subdomain(rule, noun, strings.ToLower(value)) {
		p.value, p.exact = short(value), value
		out = append(out, p)
	}
	return out
}

// driverNameDeclared is driverName as the declared pass sees it: it counts
// characters, not bytes, and folds case as regular expressions do.
func driverNameDeclared(rule, noun, value string) []problem {
	if value == "" {
		return driverName(rule, noun, value)
	}
	var out []problem
	if n := len([]rune(value)); n > maxLabel {
		out = append(out, tooLong(rule, value, noun, maxLabel))
	}
	return append(out, caselessName(rule, noun, value)...)
}

// caselessName checks a DNS subdomain in which letters may have any case.
func caselessName(rule, noun, value string) []problem {
	out := subdomainLength(rule, noun, value)
	for _, p := range subdomainText(rule, noun, strings.Map(fold, value)) {
		p.value = short(value)
		out = append(out, p)
	}
	return out
}

// fold turns a letter into the lower-case ASCII letter that regular
// expressions without case take it for, of which two are not ASCII.
func fold(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return r - 'A' + 'a'
	case r == '\u212a':
		return 'k'
	case r == '\u017f':
		return 's'
	}
	return r
}

// poolName checks the name of a pool: subdomains with slashes between.
func poolName(rule, value string) []problem {
	if value == "" {
		return []problem{required(rule, "the pool has no name; a driver with one pool per node uses the node's name")}
	}
	var out []problem
	if len(value) > maxSubdomain {
		out = append(out, tooLong(rule, value, "pool name", maxSubdomain))
	}
	parts := strings.Split(value, "/")
	for i, part := range parts {
		noun := "pool name"
		if len(parts) > 1 {
			noun = "part " + strconv.Itoa(i+1) + " of the pool name"
		}
		for _, p := range subdomain(rule, noun, part) {
			if len(parts) > 1 {
				p.hint, p.replacement = "", ""
			}
			p.value = short(value)
			out = append(out, p)
		}
	}
	return out
}

// qualifiedName checks the name of an attribute or a capacity. A name with
// two or more slashes is accepted, as by Kubernetes.
func (c *checker) qualifiedName(rule, noun, value string) []problem {
	if value == "" && !c.does(emptyNamesInvalid) {
		return []problem{required(rule, noun+" is empty; give it a name")}
	}
	if !strings.Contains(value, "/") {
		return identifier(rule, noun, value)
	}
	parts := strings.Split(value, "/")
	if len(parts) == 2 {
		var out []problem
		if parts[0] == "" {
			out = append(out, c.emptyPart(rule, value, noun+" "+quote(value)+" has nothing before the slash; put a domain there, or remove the slash").because("", "domain"))
		} else {
			out = driverName(rule, "the domain of "+noun, parts[0])
			for i := range out {
				if out[i].replacement != "" {
					out[i].replacement += "/" + parts[1]
				}
			}
		}
		return append(out, c.afterSlash(rule, noun, value, parts)...)
	}
	return nil
}

// plainlyNamed recognizes what nearly all names of attributes and capacities
// are: a right one, perhaps with a domain.
func plainlyNamed(name string) bool {
	domain, id, found := strings.Cut(name, "/")
	if !found {
		return len(name) <= maxID && isIdentifier(name)
	}
	return len(domain) <= maxLabel && isSubdomainText(domain) && len(id) <= maxID && isIdentifier(id)
}

// afterSlash checks the second part of a name with a domain.
func afterSlash(rule, noun, value string, parts []string) []problem {
	if parts[1] == "" {
		return []problem{invalid(rule, value, noun+" "+quote(value)+" has nothing after the slash; put a name there").because("", "name")}
	}
	out := identifier(rule, noun, parts[1])
	for i := range out {
		if out[i].replacement != "" {
			out[i].replacement = parts[0] + "/" + out[i].replacement
		}
	}
	return out
}

// fullNameByHand checks the name of an attribute that must have a domain. It
// accepts upper-case letters in the domain.
func (c *checker) fullNameByHand(rule, noun, value string) []problem {
	out := c.qualifiedName(rule, noun, value)
	if c.does(domainsInvalid) && !strings.Contains(value, "/") && (value != "" || c.does(emptyNamesInvalid)) {
		out = append(out, noDomain(rule, noun, value))
	}
	return out
}

func noDomain(rule, noun, value string) problem {
	return invalid(rule, value, noun+" "+quote(value)+" has no domain; write it as domain/name, where the domain of an unqualified attribute is its driver's name")
}

// fullName checks the same as the declared pass does, which refuses upper-case
// letters in the domain.
func fullName(rule, noun, value string) []problem {
	parts := strings.Split(value, "/")
	var out []problem
	switch len(parts) {
	case 1:
		out = identifier(rule, noun, value)
		out = append(out, noDomain(rule, noun, value))
	case 2:
		if parts[0] == "" {
			out = append(out, invalid(rule, value, noun+" "+quote(value)+" has nothing before the slash; put a domain there"))
		} else {
			domain := "the domain of " + noun
			if len(parts[0]) > maxLabel {
				out = append(out, tooLong(rule, parts[0], domain, maxLabel))
			}
			for _, p := range subdomain(rule, domain, parts[0]) {
				if p.replacement != "" {
					p.replacement += "/" + parts[1]
				}
				out = append(out, p)
			}
		}
		out = append(out, afterSlash(rule, noun, value, parts)...)
	}
	for i := range out {
		out[i].value = short(value)
	}
	return out
}

// badName says what in a name is not allowed.
func badName(noun, value, allowed string) string {
	if value == "" {
		return noun + " is empty; it needs " + allowed
	}
	return noun + " " + quote(value) + " may have only " + allowed
}

// rewrite maps the characters of a name and cuts it to a length.
func rewrite(value string, longest int, each func(rune) rune) string {
	out := strings.Map(each, value)
	if len(out) > longest {
		out = out[:longest]
	}
	return strings.Trim(out, "-.")
}

// keep returns r if it is an ASCII letter, a digit or one of extra, else
// instead.
func keep(r rune, extra string, instead rune) rune {
	if r < unicode.MaxASCII && alnum(byte(r)) || strings.ContainsRune(extra, r) {
		return r
	}
	return instead
}

// mend offers a replacement if it passes the rule.
func (p *problem) mend(replacement string, ok func(string) bool) {
	if ok(replacement) {
		p.hint, p.replacement = "write "+replacement, replacement
		p.message += "; for example " + replacement
	}
}
