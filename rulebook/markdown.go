package rulebook

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core"
)

// Markdown writes docs/rules.md. The mend of a reason is what mends says of
// its code, empty where there is nothing to say.
func Markdown(mends map[string]string) []byte {
	var b bytes.Buffer
	chapters, reasons := Chapters(), core.Reasons()
	fmt.Fprintf(&b, "# Rules and reasons\n\nGenerated from the registry by `task generate`; do not edit.\n\n%s\n", Intro)
	for _, c := range chapters {
		fmt.Fprintf(&b, "\n| [%s](#source-%s) | severity | demands |\n|---|---|---|\n", c.Source, c.Source)
		for _, r := range c.Rules {
			fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, r.Anchor, r.Severity, cell(r.Doc))
		}
	}
	b.WriteString("\n| [reason](#reasons) | about a | means |\n|---|---|---|\n")
	for _, r := range reasons {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.Code, reasonAnchor(r), r.Scope, cell(r.Doc))
	}
	for _, c := range chapters {
		fmt.Fprintf(&b, "\n## <a id=\"source-%s\"></a>Source `%s`\n\n%s\n", c.Source, c.Source, c.Words)
		for _, r := range c.Rules {
			r.markdown(&b)
		}
	}
	fmt.Fprintf(&b, "\n## <a id=\"reasons\"></a>Reasons of allocation\n\n%s\n", ReasonsIntro)
	for _, r := range reasons {
		fmt.Fprintf(&b, "\n### <a id=\"%s\"></a>`%s`\n\nAbout a %s: %s.\n", reasonAnchor(r), r.Code, r.Scope, r.Doc)
		if mend := mends[r.Code]; mend != "" {
			fmt.Fprintf(&b, "\n%s\n", mend)
		}
	}
	return b.Bytes()
}

func (e Entry) markdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n### <a id=\"%s\"></a>`%s/%s`\n\n%s (%s)\n", e.Anchor, e.Source, e.ID, e.Doc, e.Severity)
	if e.Example.Before != "" {
		fmt.Fprintf(b, "\nStored:\n\n%s", block("yaml", e.Example.Before))
	}
	under := ""
	if e.Under != nil {
		under = ", with `" + strings.Join(e.Under, "` and `") + "`"
	}
	fmt.Fprintf(b, "\n%s%s:\n\n%s", e.Shown, under, block(language(e.Example.Wrong), e.Example.Wrong))
	switch {
	case e.Gates != "":
		fmt.Fprintf(b, "\nMend: turn the gate on, with `featureGates=%s`, or leave the field out.\n", e.Gates)
	case e.KeepGates:
		b.WriteString("\nMend: leave the gate on, as it is by default, or leave the field out.\n")
	}
	if e.Changes != nil {
		var changes strings.Builder
		for _, l := range e.Changes {
			if l.Kind == '@' {
				changes.WriteString("@@ … @@\n")
				continue
			}
			changes.WriteString(strings.TrimRight(string(l.Kind)+l.Text, " ") + "\n")
		}
		fmt.Fprintf(b, "\nMend:\n\n%s", block("diff", changes.String()))
	}
	var stated []string
	for _, link := range e.Links {
		stated = append(stated, "<"+link+">")
	}
	for _, f := range e.Functions {
		stated = append(stated, "`"+f+"`")
	}
	if stated != nil {
		fmt.Fprintf(b, "\nStated in %s.\n", strings.Join(stated, ", "))
	}
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func reasonAnchor(r core.ReasonInfo) string { return "reason-" + r.Code }

func block(language, text string) string {
	return "```" + language + "\n" + strings.TrimRight(visible(text), "\n") + "\n```\n"
}

// language is that of a text; what is wrong with some is that they are none.
func language(text string) string {
	switch {
	case strings.HasPrefix(text, "{"):
		return "json"
	case strings.HasPrefix(text, "NAME "):
		return "text"
	}
	return "yaml"
}
