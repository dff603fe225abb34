// Package terminal writes for people: colours where they are wanted, text that
// cannot do harm to a terminal, source lines with what is meant underlined,
// tables, and how far the work is.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// Style is how text is set off.
type Style string

// The styles, as terminals know them.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "1;31"
	Green  Style = "1;32"
	Yellow Style = "1;33"
	Blue   Style = "1;34"
	Purple Style = "1;35"
)

// Painter sets text off, or does not.
type Painter struct {
	On bool
	// Columns is how wide the terminal is; 0 where that is not known.
	Columns int
}

// Paint sets a text off. The text must be Clean.
func (p Painter) Paint(s Style, text string) string {
	if !p.On || s == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Colors decides about colours: always, never, or auto, which means on a
// terminal that can show them, unless the environment says otherwise: NO_COLOR
// and CLICOLOR=0 turn them off, CLICOLOR_FORCE turns them on without a
// terminal.
func Colors(choice string, out io.Writer, getenv func(string) string) (Painter, error) {
	p := Painter{Columns: Columns(out)}
	force := getenv("CLICOLOR_FORCE")
	switch choice {
	case "always":
		p.On = true
	case "never":
	case "auto":
		switch {
		case getenv("NO_COLOR") != "":
		case force != "" && force != "0":
			p.On = true
		default:
			p.On = Is(out) && getenv("CLICOLOR") != "0" && getenv("TERM") != "dumb"
		}
	default:
		return Painter{}, fmt.Errorf("--color is %q; it can be auto, always or never", choice)
	}
	return p, nil
}

// Is tells whether what is written is seen on a terminal.
func Is(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Columns is how wide the terminal is; 0 where that is not known.
func Columns(out io.Writer) int {
	file, ok := out.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// Clean makes a text that somebody else wrote safe to show in one line:
// control characters, which could move the cursor or change what was written
// before, and characters that reverse the direction of writing are written as
// their numbers.
func Clean(text string) string {
	if strings.IndexFunc(text, harmful) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '\t' || r == '\n':
			out.WriteByte(' ')
		case harmful(r):
			fmt.Fprintf(&out, `\u{%x}`, r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Lines is Clean for a text of several lines.
func Lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, Clean(strings.TrimRight(line, "\r\n")))
	}
	return out
}

// harmful tells what Clean does not leave as it is.
func harmful(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar || r == '\u2028' || r == '\u2029'
}

// Width is how many columns a clean text takes.
func Width(text string) int {
	columns := 0
	for _, r := range text {
		columns += runeWidth(r)
	}
	return columns
}

func runeWidth(r rune) int {
	if r < 0x80 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
