package cli

import "strings"

// list is a flag of several texts: with commas between, or by repeating it. A
// comma in braces belongs to a pattern, such as overlays/{dev,test}/**.
type list []string

// Type is how the value is named.
func (l *list) Type() string { return "list" }

// String has commas between.
func (l *list) String() string { return strings.Join(*l, ",") }

// Set adds texts.
func (l *list) Set(text string) error {
	depth, start := 0, 0
	for i, c := range text {
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth <= 0:
			l.add(text[start:i])
			start = i + 1
		}
	}
	l.add(text[start:])
	return nil
}

func (l *list) add(text string) {
	if text = strings.TrimSpace(text); text != "" {
		*l = append(*l, text)
	}
}
