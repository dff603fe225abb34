package diag

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Operation is what is done with an object: the API server has rules for each.
type Operation string

// The operations.
const (
	Create       Operation = "create"
	Update       Operation = "update"
	UpdateStatus Operation = "status"
	Delete       Operation = "delete"
)

// ExampleOptions are the options that an example needs; empty fields are the
// defaults.
type ExampleOptions struct {
	KubernetesVersion, FeatureGates, FieldValidation string
}

// Example shows a rule at work: a text that breaks it and the same text,
// mended. A line of a text that ends in "# × 33" stands for 33 lines, each
// with its number, from 0, in place of "#"; Expand writes them all.
type Example struct {
	Operation Operation
	// Before is the stored object that an update is about; empty for others.
	Before string
	Wrong  string
	Right  string
	// Options are those under which Wrong breaks the rule, RightOptions those
	// under which Right does not; for most they are the same.
	Options, RightOptions ExampleOptions
	// Also are other rules, as source/id, that Wrong cannot but break.
	Also []string
}

//go:embed examples/*/*.txtar
var exampleFiles embed.FS

// Example reads the example of the rule: the file with its name, whose form
// examples/README.md describes.
func (r Rule) Example() (Example, error) {
	name := "examples/" + string(r.Source) + "/" + r.ID + ".txtar"
	text, err := exampleFiles.ReadFile(name)
	if err != nil {
		return Example{}, err
	}
	e, err := parseExample(string(text))
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return e, err
}

// sections are where the parts of the file go.
var sections = map[string]func(e *Example) *string{
	"before": func(e *Example) *string { return &e.Before },
	"wrong":  func(e *Example) *string { return &e.Wrong },
	"right":  func(e *Example) *string { return &e.Right },
}

func parseExample(text string) (Example, error) {
	e := Example{Operation: Create}
	var into *string
	var right *ExampleOptions
	for line := range strings.Lines(text) {
		if name, ok := marker(line); ok {
			find := sections[name]
			if find == nil {
				return e, fmt.Errorf("there is no section %q", name)
			}
			into = find(&e)
			continue
		}
		if into != nil {
			*into += line
			continue
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		rest = strings.TrimSpace(rest)
		var err error
		switch word {
		case "":
		case "operation":
			e.Operation = Operation(rest)
		case "also":
			e.Also = strings.Fields(rest)
		case "options":
			e.Options, err = parseOptions(rest)
		case "right options":
			right = &ExampleOptions{}
			*right, err = parseOptions(rest)
		default:
			err = fmt.Errorf("%q is none of options, right options, operation and also", word)
		}
		if err != nil {
			return e, err
		}
	}
	e.RightOptions = e.Options
	if right != nil {
		e.RightOptions = *right
	}
	if e.Right == "" && right != nil {
		e.Right = e.Wrong
	}
	if e.Before != "" && e.Operation == Create {
		e.Operation = Update
	}
	switch {
	case e.Wrong == "" || e.Right == "":
		return e, fmt.Errorf("sections wrong and right, or wrong and right options, are needed")
	case !slices.Contains([]Operation{Create, Update, UpdateStatus}, e.Operation):
		return e, fmt.Errorf("there is no operation %q", e.Operation)
	case e.Operation != Create && e.Before == "":
		return e, fmt.Errorf("an update needs a section before")
	}
	return e, nil
}

// marker reads a line such as "-- wrong --".
func marker(line string) (string, bool) {
	name, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "-- ")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, " --")
}

func parseOptions(list string) (ExampleOptions, error) {
	var o ExampleOptions
	names := map[string]*string{
		"kubernetesVersion": &o.KubernetesVersion, "featureGates": &o.FeatureGates, "fieldValidation": &o.FieldValidation,
	}
	for _, field := range strings.Fields(list) {
		name, value, _ := strings.Cut(field, "=")
		into := names[name]
		if into == nil {
			return o, fmt.Errorf("there is no option %q", name)
		}
		*into = value
	}
	return o, nil
}

var repeated = regexp.MustCompile(`(?m)^(.*?) *# × (\d+)\n`)

// Expand writes the lines of an example that stand for several.
func Expand(text string) string {
	return repeated.ReplaceAllStringFunc(text, func(line string) string {
		m := repeated.FindStringSubmatch(line)
		n, _ := strconv.Atoi(m[2]) // the expression allows nothing but digits
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(m[1], "#", strconv.Itoa(i)))
			b.WriteByte('\n')
		}
		return b.String()
	})
}
