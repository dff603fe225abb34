package admission

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/nearest"
)

// What a policy file says of itself.
const (
	PolicyAPIVersion = "drawbridge-dra.github.io/v1"
	PolicyKind       = "AdmissionPolicy"
)

// mostPolicyBytes is far more than a policy that names every rule in a hundred
// profiles.
const mostPolicyBytes = 1 << 20

// mostFaults is how many faults of a policy are told at once.
const mostFaults = 20

// Fault is something wrong with a policy file.
type Fault struct {
	Line, Column int // from 1; 0 where the place is not known
	Message      string
}

// PolicyError lists what is wrong with a policy file, in order.
type PolicyError struct {
	Faults []Fault
	// More counts the faults that are not listed.
	More int
}

func (e *PolicyError) Error() string {
	var parts []string
	for _, f := range e.Faults {
		if f.Line > 0 {
			parts = append(parts, fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, f.Message))
		} else {
			parts = append(parts, f.Message)
		}
	}
	if e.More > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(parts, "; ")
}

// ParsePolicy reads a policy, which is YAML or JSON. The error is a
// *PolicyError: a policy with a fault anywhere is no policy.
func ParsePolicy(text []byte) (*Policy, error) {
	r := &policyReader{}
	if len(text) > mostPolicyBytes {
		r.fault(nil, fmt.Sprintf("the policy has %d bytes and may have %d", len(text), mostPolicyBytes))
		return nil, &r.err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		r.fault(nil, "the policy is empty; it needs apiVersion, kind and rules")
		return nil, &r.err
	case err != nil:
		r.fault(nil, "the policy cannot be read: "+strings.TrimPrefix(err.Error(), "yaml: "))
		return nil, &r.err
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		r.fault(nil, "the policy is followed by more; a file holds one policy")
	}
	p := r.policy(document.Content[0])
	if len(r.err.Faults) > 0 {
		return nil, &r.err
	}
	return p, nil
}

// policyReader reads a policy and notes what is wrong with it.
type policyReader struct{ err PolicyError }

func (r *policyReader) fault(n *yaml.Node, message string) {
	if len(r.err.Faults) == mostFaults {
		r.err.More++
		return
	}
	f := Fault{Message: message}
	if n != nil {
		f.Line, f.Column = n.Line, n.Column
	}
	r.err.Faults = append(r.err.Faults, f)
}

func (r *policyReader) policy(n *yaml.Node) *Policy {
	p := &Policy{}
	said := map[string]string{}
	r.fields(n, "a policy", map[string]func(*yaml.Node){
		"apiVersion": func(v *yaml.Node) { said["apiVersion"] = r.text(v) },
		"kind":       func(v *yaml.Node) { said["kind"] = r.text(v) },
		"rules":      func(v *yaml.Node) { p.rules = r.table(v) },
		"profiles":   func(v *yaml.Node) { p.profiles = r.profiles(v) },
	})
	for _, want := range [][2]string{{"apiVersion", PolicyAPIVersion}, {"kind", PolicyKind}} {
		if said[want[0]] != want[1] {
			r.fault(n, fmt.Sprintf("%s must be %s", want[0], want[1]))
		}
	}
	return p
}

func (r *policyReader) profiles(n *yaml.Node) map[string]profile {
	out := map[string]profile{}
	r.entries(n, "profiles", func(key, value *yaml.Node) {
		if !labelValue(key.Value) {
			r.fault(key, fmt.Sprintf("the profile %q cannot be chosen by a label: a name has up to 63 letters, digits, '-', '_' and '.', and begins and ends with a letter or digit", shorten(key.Value)))
		}
		var p profile
		r.fields(value, "a profile", map[string]func(*yaml.Node){
			"byLabel": func(v *yaml.Node) {
				on, err := strconv.ParseBool(r.text(v))
				if err != nil {
					r.fault(v, fmt.Sprintf("byLabel is true or false, not %q", shorten(v.Value)))
				}
				p.byLabel = on
			},
			"rules": func(v *yaml.Node) { p.rules = r.table(v) },
		})
		out[key.Value] = p
	})
	return out
}

func (r *policyReader) table(n *yaml.Node) table {
	t := table{rule: map[string]Action{}, source: map[diag.Source]Action{}}
	r.entries(n, "rules", func(key, value *yaml.Node) {
		action := Action(value.Value)
		if value.Kind != yaml.ScalarNode || !slices.Contains(Actions, action) {
			r.fault(value, fmt.Sprintf("what comes of a rule is deny, warn, audit or off, not %q", shorten(value.Value)))
			return
		}
		source, id, cut := strings.Cut(key.Value, "/")
		switch {
		case key.Value == "*":
			t.all = action
		case cut && id == "*" && defaults[diag.Source(source)] != nil:
			t.source[diag.Source(source)] = action
		case cut && isRule(diag.Source(source), id):
			t.rule[key.Value] = action
		default:
			r.fault(key, unknownRule(key.Value))
		}
	})
	return t
}

func isRule(source diag.Source, id string) bool {
	_, ok := diag.Lookup(source, id)
	return ok
}

func unknownRule(name string) string {
	message := fmt.Sprintf("there is no rule %q", shorten(name))
	candidates := []string{"*"}
	for source := range defaults {
		candidates = append(candidates, string(source)+"/*")
	}
	for _, rule := range diag.Rules() {
		candidates = append(candidates, string(rule.Source)+"/"+rule.ID)
	}
	slices.Sort(candidates)
	if meant := nearest.Name(name, candidates); meant != "" {
		return message + "; is " + meant + " meant?"
	}
	return message + "; write one as source/id, such as bundle/missing-class, or bundle/*, api/*, gate/*, decode/* or *"
}

// fields reads a map with known keys.
func (r *policyReader) fields(n *yaml.Node, what string, known map[string]func(*yaml.Node)) {
	r.entries(n, what, func(key, value *yaml.Node) {
		if read := known[key.Value]; read != nil {
			read(value)
			return
		}
		var names []string
		for name := range known {
			names = append(names, name)
		}
		slices.Sort(names)
		r.fault(key, fmt.Sprintf("%s has no field %q; it has %s", what, shorten(key.Value), strings.Join(names, ", ")))
	})
}

// entries walks a map. Nothing at all stands for an empty one.
func (r *policyReader) entries(n *yaml.Node, what string, each func(key, value *yaml.Node)) {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return
	case n.Kind == yaml.AliasNode:
		r.fault(n, "aliases are not followed here; write it out")
		return
	case n.Kind != yaml.MappingNode:
		r.fault(n, what+" is a map here")
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			r.fault(key, "a key is plain text here")
			continue
		}
		if first, twice := lines[key.Value]; twice {
			r.fault(key, fmt.Sprintf("%q stands here for the second time; the first is in line %d", shorten(key.Value), first))
			continue
		}
		lines[key.Value] = key.Line
		each(key, value)
	}
}

func (r *policyReader) text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		r.fault(n, "plain text is needed here")
		return ""
	}
	return n.Value
}

// shorten keeps messages readable, whatever the file holds.
func shorten(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

func labelValue(s string) bool { return s != "" && len(validation.IsValidLabelValue(s)) == 0 }
