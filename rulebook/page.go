package rulebook

import (
	"bytes"
	"embed"
	"html/template"

	"github.com/drawbridge-dra/drawbridge/core"
)

//go:embed rules.html.tmpl rules.css
var files embed.FS

var page = template.Must(template.New("rules.html.tmpl").Funcs(template.FuncMap{
	"visible": visible,
	"anchor":  reasonAnchor,
}).ParseFS(files, "rules.html.tmpl"))

// Page writes the page to which findings link. It needs Style beside it, as
// rules.css, and nothing else.
func Page() ([]byte, error) {
	var b bytes.Buffer
	err := page.Execute(&b, map[string]any{
		"Intro": Intro, "Chapters": Chapters(), "ReasonsIntro": ReasonsIntro, "Reasons": core.Reasons(),
	})
	return b.Bytes(), err
}

// Style is the style sheet of the page.
func Style() []byte {
	text, err := files.ReadFile("rules.css")
	if err != nil {
		panic(err) // it is compiled in
	}
	return text
}
