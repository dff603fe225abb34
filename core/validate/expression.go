package validate

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/selector"
)

func (c *checker) selectors(list []resourceapi.DeviceSelector, at *path) {
	const limit = resourceapi.DeviceSelectorsMaxSize
	if len(list) > limit {
		if c.stops(byBoth, at, tooMany("selectors-max", len(list), limit, "selector", "join some with && in one expression")) {
			return
		}
	}
	for i := range list {
		cel := at.at(i).child("cel")
		if list[i].CEL == nil {
			c.hand(cel, required("selector-cel", "the selector is empty; write the condition under cel.expression"))
			continue
		}
		if !c.storedSelectors || !c.does(oldExpressionsStay) {
			c.expression(list[i].CEL.Expression, false, cel.child("expression"))
		}
	}
}

// expression checks one CEL expression by hand, the declared pass knows
// nothing of them, and returns what it may cost.
func (c *checker) expression(text string, derived bool, at *path) uint64 {
	if c.running&byHand == 0 {
		return 0
	}
	if len(text) > selector.MaxLength && c.does(textsLimited) {
		p := tooLong("cel-expression-length", text, "the expression", selector.MaxLength)
		p.message += ", or split it over several selectors"
		c.hand(at, p)
		return 0
	}
	is := c.compile(text, derived)
	if err := is.Err; err != nil {
		p := problem{rule: "cel-expression", kind: err.Type, value: short(text), line: err.Line, column: err.Column}
		// What the grammar would have taken instead is a list that helps nobody.
		said, _, _ := strings.Cut(err.Message, " expecting {")
		p.message = "the expression does not compile: " + said
		if err.Line > 0 {
			p.message += " (line " + strconv.Itoa(err.Line) + ", column " + strconv.Itoa(err.Column) + " of the expression)"
		}
		if text == "" {
			p.message = "the expression is empty; write a condition on device, such as device.driver == \"gpu.example.com\""
		} else if rest := yamlInside.ReplaceAllString(text, ""); rest != text {
			p.message += "; its text looks like YAML: there is a key named expression inside the expression"
			if c.compile(rest, derived).Err == nil {
				p.hint, p.replacement = "remove the inner key", rest
			}
		} else if advice, mended, ok := selector.Mend(text, c.selectorOptions(derived)); ok {
			p.message += "; " + advice
			if len(mended) <= 200 {
				p.message += ": " + mended
			}
			p.hint, p.replacement = "write "+mended, mended
		}
		c.hand(at, p)
		return 0
	}
	if is.Cost > selector.MaxCost && c.does(textsLimited) {
		c.hand(at, forbidden("cel-cost", text, "the expression may cost "+number(is.Cost)+", at most "+number(selector.MaxCost)+
			" is allowed; avoid nested loops (all, exists, map, filter) over attributes"))
	}
	return is.Cost
}

// Expressions remembers what became of CEL expressions, so that one which many
// objects have is compiled once. It is not safe for concurrent use.
type Expressions struct {
	known  map[expressionKey]selector.Verdict
	shared *selector.Shared
}

// NewExpressions returns an empty memory for one answer. Shared is what is
// remembered beyond that; it may be nil.
func NewExpressions(shared *selector.Shared) *Expressions {
	return &Expressions{known: map[expressionKey]selector.Verdict{}, shared: shared}
}

type expressionKey struct {
	text string
	opts selector.Options
}

func (c *checker) compile(text string, derived bool) selector.Verdict {
	key := expressionKey{text, c.selectorOptions(derived)}
	is, ok := c.expressions.known[key]
	if !ok {
		is = c.expressions.shared.Judge(text, key.opts)
		c.expressions.known[key] = is
	}
	return is
}

func (c *checker) selectorOptions(derived bool) selector.Options {
	return selector.Options{
		Version:            feature.Version{Minor: c.minor},
		ConsumableCapacity: c.on(feature.DRAConsumableCapacity),
		ListAttributes:     c.on(feature.DRAListTypeAttributes),
		Derived:            derived,
		Stored:             c.storedSelectors,
		Costs:              c.storedSelectors,
		NoIncludes:         c.storedSelectors && !c.does(includesFunction),
	}
}

// yamlInside finds the start of a YAML key that was pasted into an
// expression along with its value.
var yamlInside = regexp.MustCompile(`^\s*(?:-\s+)?(?:cel:\s*)?expression:(?:\s*[|>][-+]?\s*\n)?\s*`)

func number(n uint64) string { return strconv.FormatUint(n, 10) }

func (c *checker) derivedAttributes(claim *claimContext, s *single, at *path) {
	const limit = resourceapi.DeviceDerivedAttributesMaxSize
	declaredItems := true
	if n := len(s.derived); n > limit {
		// Only the declared pass stops here.
		c.std(at, tooMany("derived-attributes-max", n, limit, "derived attribute", "keep those that a constraint needs"))
		declaredItems = false
	}
	// By hand there is no limit. The list is refused anyway, so that the work
	// can have one.
	for i := range min(len(s.derived), 4*limit) {
		d, name, expression := &s.derived[i], at.at(i).child("name"), at.at(i).child("expression")
		if declaredItems {
			if d.Name == "" {
				c.std(name, required("derived-attribute-name", "the derived attribute has no name; write it as domain/name"))
			} else {
				c.std(name, fullName("derived-attribute-name", "derived attribute name", string(d.Name))...)
			}
			if d.Expression == "" {
				c.std(expression, required("derived-attribute-expression", "the derived attribute has no expression; write how its value follows from the device"))
			}
		}
		if d.Name != "" && !claim.constrains(s.reference, string(d.Name)) {
			p := invalid("derived-attribute-unused", string(d.Name), "no constraint for this request names the derived attribute "+short(string(d.Name))+"; it would have no effect: add a constraint with it as matchAttribute or distinctAttribute, or remove it")
			c.hand(name, p)
		}
		if d.Expression != "" {
			// The sum may wrap around, as in Kubernetes.
			claim.derivedCost += c.expression(d.Expression, true, expression)
		}
	}
	unique(s.derived, func(d resourceapi.DeviceDerivedAttribute) string { return string(d.Name) }, func(i int) {
		p := duplicate("derived-attribute-duplicate", string(s.derived[i].Name), "derived attribute")
		p.focus = at.at(i).child("name")
		c.hand(at.at(i), p)
	})
}

// deviceConfig checks what is passed to a driver.
func (c *checker) deviceConfig(d *resourceapi.DeviceConfiguration, at *path) {
	if d.Opaque == nil {
		c.hand(at.child("opaque"), required("opaque-config", "the entry configures nothing; add opaque with the driver's name and parameters"))
		return
	}
	driver := at.child("opaque").child("driver")
	const noun = "driver name"
	c.merge(driver, c.driverName("driver-name", noun, d.Opaque.Driver), driverNameDeclared("driver-name", noun, d.Opaque.Driver))
	limit := resourceapi.OpaqueParametersMaxLength
	if c.storedConfig || !c.does(textsLimited) {
		limit = math.MaxInt
	}
	c.rawObject(&rawObject{"opaque-parameters", "parameters", limit,
		"write a JSON object, usually with the apiVersion and kind that the driver defines", "move the bulk into a ConfigMap or the driver"},
		d.Opaque.Parameters.Raw, at.child("opaque").child("parameters"))
}

// rawObject describes JSON that only a driver understands.
type rawObject struct {
	rule, noun     string
	limit          int
	write, shorten string
}

func (c *checker) rawObject(o *rawObject, raw []byte, at *path) {
	missing := required(o.rule, o.noun+" are missing; "+o.write)
	if len(raw) == 0 {
		c.hand(at, missing)
		return
	}
	if n := len(raw); n > o.limit {
		c.hand(at, problem{rule: o.rule, kind: field.ErrorTypeTooLong,
			message: o.noun + " take " + strconv.Itoa(n) + " bytes as JSON, at most " + strconv.Itoa(o.limit) + " are allowed; " + o.shorten})
		return
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		c.hand(at, invalid(o.rule, "", o.noun+" are no JSON: "+err.Error()))
	} else if v == nil {
		c.hand(at, missing)
	} else if _, object := v.(map[string]any); !object {
		c.hand(at, invalid(o.rule, string(raw), o.noun+" are no JSON object; write them as a map"))
	}
}
