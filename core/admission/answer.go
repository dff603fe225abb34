package admission

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// MaxCauses bounds the causes of a denial; the message counts the rest.
const MaxCauses = 200

// The API server cuts warnings itself, in the middle of words, and refuses
// those that do not fit into an HTTP header.
const (
	maxWarning  = 256
	maxWarnings = 4096
)

// maxAnnotation bounds what a request adds to the audit log.
const maxAnnotation = 4096

// The audit annotations; the API server puts the name of the webhook before
// each.
const (
	deniedAnnotation   = "rules"
	auditedAnnotation  = "audited-rules"
	profileAnnotation  = "policy-profile"
	nodeNameAnnotation = "node-name"
)

// answer writes the response: what denies, what warns, what goes to the audit
// log. Told are warnings that come of no rule; notes come last.
func (c *Case) answer(d *Decision, told, notes []string) {
	for _, f := range d.with(Warn) {
		told = append(told, warning(f))
	}
	d.Response.Warnings = fit(append(told, notes...))
	audited := d.with(Audit)
	annotate(d, auditedAnnotation, ruleIDs(audited))
	if wrong := d.with(Deny); len(wrong) > 0 {
		d.Verdict = Denied
		d.Response.Allowed = false
		d.Response.Result = c.denial(wrong)
		// A request that is refused is changed by nobody.
		d.Response.Patch, d.Response.PatchType, d.Patch = nil, nil, nil
		delete(d.Response.AuditAnnotations, nodeNameAnnotation)
		annotate(d, deniedAnnotation, ruleIDs(wrong))
	}
	if len(d.Judged) > 0 {
		annotate(d, profileAnnotation, d.Profile)
	}
}

func annotate(d *Decision, key, value string) {
	if value == "" {
		return
	}
	if d.Response.AuditAnnotations == nil {
		d.Response.AuditAnnotations = map[string]string{}
	}
	d.Response.AuditAnnotations[key] = value
}

// statuses are how the API server itself answers what is wrong in this way.
// What only a policy refuses is forbidden, not invalid.
var statuses = map[diag.Source]struct {
	code   int32
	reason metav1.StatusReason
}{
	diag.Decode: {400, metav1.StatusReasonBadRequest},
	diag.API:    {422, metav1.StatusReasonInvalid},
	diag.Gate:   {403, metav1.StatusReasonForbidden},
	diag.Bundle: {403, metav1.StatusReasonForbidden},
}

// denial says no the way the API server itself does: the first finding in
// words, all of them as causes. The line number counts in the object as the
// API server sent it: it means something only where that has lines.
func (c *Case) denial(wrong []diag.Diagnostic) *metav1.Status {
	status := c.status(wrong[0].Source, describe(wrong[0], slices.Contains(c.Request.Object.Raw, '\n')))
	if more := len(wrong) - 1; more > 0 {
		status.Message += fmt.Sprintf("; and %d more", more)
	}
	if c.RulesURL != nil {
		if page, err := url.Parse(strings.TrimPrefix(diag.URL(wrong[0].Source, wrong[0].Rule), "/")); err == nil {
			status.Message += "; see " + c.RulesURL.ResolveReference(page).String()
		}
	}
	for _, d := range wrong[:min(len(wrong), MaxCauses)] {
		status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{
			Type:    metav1.CauseType(d.Type),
			Field:   d.Field,
			Message: d.Message + " (" + ID(d) + ")",
		})
	}
	return status
}

func (c *Case) status(source diag.Source, message string) *metav1.Status {
	r := c.Request
	return &metav1.Status{
		Status: metav1.StatusFailure, Code: statuses[source].code, Reason: statuses[source].reason, Message: message,
		Details: &metav1.StatusDetails{Name: r.Name, Group: r.Kind.Group, Kind: r.Kind.Kind},
	}
}

// describe writes a finding as one line.
func describe(d diag.Diagnostic, withLine bool) string {
	var b strings.Builder
	if d.Field != "" {
		b.WriteString(d.Field + ": ")
	}
	b.WriteString(d.Message + " (" + ID(d))
	if withLine && d.Location != nil {
		fmt.Fprintf(&b, ", line %d", d.Location.Line)
	}
	b.WriteString(")")
	return b.String()
}

// warning writes a finding as a line that fits: where it is too long the
// message is cut between words, and the rule, which has the rest, stays.
func warning(d diag.Diagnostic) string {
	text, tail := describe(d, false), " ("+ID(d)+")"
	if utf8.RuneCountInString(text) <= maxWarning {
		return text
	}
	head := []rune(strings.TrimSuffix(text, tail))
	room := maxWarning - utf8.RuneCountInString(tail) - len(" …")
	if room <= 0 {
		return text
	}
	cut := string(head[:room])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return cut + " …" + tail
}

// ruleIDs lists the rules of findings, each once, for the audit log.
func ruleIDs(list []diag.Diagnostic) string {
	var ids []string
	for _, d := range list {
		if id := ID(d); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for len(strings.Join(ids, ",")) > maxAnnotation {
		ids = append(ids[:len(ids)-2], "…")
	}
	return strings.Join(ids, ",")
}

// fit keeps warnings within what a response may carry, and says each once.
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
		if line := string(runes); !slices.Contains(out, line) {
			left -= len(runes)
			out = append(out, line)
		}
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
