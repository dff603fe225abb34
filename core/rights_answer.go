package core

import (
	"context"
	"fmt"
	"strings"

	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/rights"
)

// mostReasons is for how many refusals it is worked out what comes near.
const mostReasons = 50

func (w *rightsWork) answer(ctx context.Context) (*StatusAuthorizationResult, error) {
	var builtIn []any
	if !w.opts.WithoutBuiltIn {
		builtIn = rights.BuiltIn(w.set)
		w.notes = append(w.notes, "the roles that every cluster starts with are there and unchanged, where the text has none of the same name")
	}
	policy := rights.NewPolicy(w.objects, builtIn)
	asker := policy.Asks(w.subject)
	out := &StatusAuthorizationResult{
		KubernetesVersion: w.set.Version().String(), Granular: rights.Granular(w.set), Allowed: true,
		Subject: RightsSubject{User: w.subject.User, Groups: w.subject.Groups, Node: w.subject.Node},
		Verb:    w.opts.verb(), Claims: []ClaimRights{},
	}
	var lacking []rights.Demand
	seen, reasons := map[rights.Attributes]bool{}, 0
	for i, r := range w.requests {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := w.claim(r)
		c.Location = w.places[i]
		for _, d := range rights.Demands(r, w.subject, w.set) {
			check := w.check(asker, d, reasons < mostReasons)
			c.Checks = append(c.Checks, check)
			if check.Allowed {
				c.Associated = c.Associated || d.Driver != "" && d.Apart == ""
				continue
			}
			c.Allowed = false
			reasons++
			if at := d.Any[0]; !seen[at] && len(lacking) < mostReasons {
				seen[at] = true
				lacking = append(lacking, d)
			}
		}
		c.Message = w.inShort(&c)
		out.Allowed = out.Allowed && c.Allowed
		out.Claims = append(out.Claims, c)
	}
	out.Message = w.inAll(out)
	if len(lacking) < mostReasons {
		out.Mend = rights.Mend(w.objects, w.subject, lacking, w.set, builtIn)
	}
	if policy.Partial {
		w.notes = append(w.notes, "there are too many roles and aggregates to compare all labels: some aggregates were taken to have fewer rules than they have")
	}
	found := append(unreadable(w.before), w.after.Diagnostics...)
	if len(w.before.Objects) > 0 || len(w.opts.Writes)+len(w.opts.Drivers) > 0 {
		found = withoutEmpty(found)
	}
	out.Diagnostics = append([]diag.Diagnostic{}, found...)
	finish(out.Diagnostics)
	out.Assumptions = append([]string{}, w.notes...)
	return out, nil
}

// withoutEmpty leaves out that a text has no object, where that is how it is
// meant.
func withoutEmpty(list []diag.Diagnostic) []diag.Diagnostic {
	var out []diag.Diagnostic
	for _, d := range list {
		if d.Rule != "empty" {
			out = append(out, d)
		}
	}
	return out
}

func (w *rightsWork) claim(r rights.Request) ClaimRights {
	c := ClaimRights{Claim: r.Namespace + "/" + r.Name, Allowed: true, Writes: []string{}, Drivers: append([]string{}, r.Changes.Drivers...), Node: r.Changes.Node, Checks: []RightCheck{}}
	for _, what := range []struct {
		name string
		is   bool
	}{{"allocation", r.Changes.Allocation}, {"reservedFor", r.Changes.ReservedFor}, {"devices", len(r.Changes.Drivers) > 0}} {
		if what.is {
			c.Writes = append(c.Writes, what.name)
		}
	}
	return c
}

// check asks for one demand.
func (w *rightsWork) check(asker *rights.Asker, d rights.Demand, why bool) RightCheck {
	out := RightCheck{Field: d.Field, Driver: d.Driver, Asked: []RightAsk{}}
	for _, at := range d.Any {
		ask := RightAsk{Verb: at.Verb, APIGroup: at.APIGroup, Resource: at.Resource, Subresource: at.Subresource, Namespace: at.Namespace, Name: at.Name}
		if g := asker.May(at); g != nil {
			ask.Allowed, ask.Message, ask.By = true, g.Message(), w.grant(g)
			out.Allowed, out.Message = true, ask.Message
		} else if why {
			ask.Message = asker.Denied(d, at)
		} else {
			ask.Message = "no rule allows it"
		}
		if out.Asked = append(out.Asked, ask); ask.Allowed {
			return out
		}
	}
	// The first is the one with which least is given away; what is near to it
	// says most.
	out.Message = out.Asked[0].Message
	if len(out.Asked) == 1 && d.Driver != "" && d.Apart != "" && !strings.Contains(out.Message, d.Apart) {
		out.Message += "; the right for the driver's own node does not count, as " + d.Apart
	}
	return out
}

func (w *rightsWork) grant(g *rights.Grant) *RightGrant {
	out := &RightGrant{Superuser: g.Superuser}
	if g.Superuser {
		return out
	}
	out.Rule = g.Rule
	out.Role = w.source(g.Role, fmt.Sprintf("rules[%d]", g.Rule))
	out.Into = w.source(g.Into, "metadata.name")
	out.Binding = w.source(g.Binding, "metadata.name")
	out.Subject = g.Subject.Kind + " " + g.Subject.Name
	if g.Subject.Namespace != "" && g.Subject.Kind == "ServiceAccount" {
		out.Subject = g.Subject.Kind + " " + g.Subject.Namespace + "/" + g.Subject.Name
	}
	return out
}

func (w *rightsWork) source(s *rights.Source, field string) *RightSource {
	if s == nil {
		return nil
	}
	out := &RightSource{Kind: s.Ref.Kind, Namespace: s.Ref.Namespace, Name: s.Ref.Name, BuiltIn: s.BuiltIn()}
	if s.Object != nil {
		out.Location = s.Object.Locate(field)
		if w.earlier[s.Object] {
			out.Text = textBefore
		}
	}
	return out
}

// inShort is the answer for one claim.
func (w *rightsWork) inShort(c *ClaimRights) string {
	who, verb := w.subject.Called(), w.opts.verb()
	if verb == "create" {
		if c.Allowed {
			return who + " may create claim " + c.Claim + "; what it writes into the status is dropped, as a claim is created without one"
		}
		return who + " may not create claim " + c.Claim + ": " + c.Checks[0].Message
	}
	what := "nothing that rights are asked for"
	if len(c.Writes) > 0 {
		what = "status." + strings.Join(c.Writes, " and status.")
	}
	if c.Allowed {
		return fmt.Sprintf("%s may %s %s of claim %s", who, verb, what, c.Claim)
	}
	for _, check := range c.Checks {
		if !check.Allowed {
			return fmt.Sprintf("%s may not %s %s of claim %s: %s", who, verb, what, c.Claim, check.Message)
		}
	}
	return ""
}

// inAll is the answer for all of them.
func (w *rightsWork) inAll(out *StatusAuthorizationResult) string {
	text := out.Claims[0].Message
	if n := len(out.Claims); n > 1 {
		refused := 0
		for _, c := range out.Claims {
			if !c.Allowed {
				if refused == 0 {
					text = c.Message
				}
				refused++
			}
		}
		if refused == 0 {
			text = fmt.Sprintf("%s may %s the status of all %d claims", w.subject.Called(), out.Verb, n)
		} else {
			text = fmt.Sprintf("for %d of %d claims it is refused: %s", refused, n, text)
		}
	}
	if out.Verb != "create" && !out.Granular {
		text += "; the parts of a status are not looked at, as DRAResourceClaimGranularStatusAuthorization is off, which came with Kubernetes 1.36 and is on there by default"
	}
	return text + "."
}
