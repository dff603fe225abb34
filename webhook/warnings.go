package webhook

import (
	"strings"
	"unicode"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// The API server cuts warnings itself, in the middle of words, and refuses
// those that do not fit into an HTTP header.
const (
	maxWarning  = 256
	maxWarnings = 4096
)

// warnings renders findings for people who see them in their terminal.
func warnings(findings []diag.Diagnostic) []string {
	var texts []string
	for _, d := range findings {
		texts = append(texts, describe(d, false))
	}
	return fit(texts)
}

// fit keeps warnings within what a response may carry.
func fit(texts []string) []string {
	var out []string
	left := maxWarnings
	for _, text := range texts {
		runes := []rune(strings.Map(plain, strings.ToValidUTF8(text, "\uFFFD")))
		if len(runes) > maxWarning {
			runes = append(runes[:maxWarning-1], '…')
		}
		if len(runes) > left {
			break
		}
		left -= len(runes)
		out = append(out, string(runes))
	}
	return out
}

// plain replaces what must not stand in a header.
func plain(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}
