package core

import (
	"context"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/drawbridge-dra/drawbridge/core/bundle"
	"github.com/drawbridge-dra/drawbridge/core/diag"
	"github.com/drawbridge-dra/drawbridge/core/feature"
	"github.com/drawbridge-dra/drawbridge/core/rights"
	"github.com/drawbridge-dra/drawbridge/core/validate"
)

// StatusOptions say who writes the status of claims, and what. Without Writes
// and Drivers it is what differs between the two texts.
type StatusOptions struct {
	Options
	// User is the name as the API server knows it. Instead of it a
	// ServiceAccount can be given, as namespace/name.
	User           string `json:"user,omitempty"`
	ServiceAccount string `json:"serviceAccount,omitempty"`
	// Groups are those besides the ones that the API server adds itself.
	Groups []string `json:"groups,omitempty"`
	// Node is the node that the token of the service account names.
	Node string `json:"node,omitempty"`
	// Verb is update, the default, patch or create.
	Verb string `json:"verb,omitempty"`
	// Claim is the one to look at, as namespace/name; empty for all that
	// change, or any claim in Namespace where the texts have none.
	Claim string `json:"claim,omitempty"`
	// Writes are allocation and reservedFor.
	Writes []string `json:"writes,omitempty"`
	// Drivers are those whose entries of status.devices are written.
	Drivers []string `json:"drivers,omitempty"`
	// AllocatedNode is the node that the claim is allocated to; empty for that
	// of the text, or none.
	AllocatedNode string `json:"allocatedNode,omitempty"`
	// WithoutBuiltIn leaves out the roles that every cluster starts with.
	WithoutBuiltIn bool `json:"withoutBuiltIn,omitempty"`
}

// StatusAuthorizationResult answers StatusAuthorization.
type StatusAuthorizationResult struct {
	KubernetesVersion string            `json:"kubernetesVersion" doc:"The version whose rules were applied, such as 1.37."`
	Granular          bool              `json:"granular" doc:"True if the API server looks at the parts of a status: from 1.36 on, unless DRAResourceClaimGranularStatusAuthorization is off."`
	Allowed           bool              `json:"allowed" doc:"True if all of it is allowed, for each claim."`
	Message           string            `json:"message" doc:"The answer in one or two sentences."`
	Subject           RightsSubject     `json:"subject"`
	Verb              string            `json:"verb" enum:"update,patch,create"`
	Claims            []ClaimRights     `json:"claims" doc:"Every claim whose status is written."`
	Mend              string            `json:"mend,omitempty" doc:"The smallest role, with its binding, that allows what is refused, as YAML. It was tried."`
	Diagnostics       []diag.Diagnostic `json:"diagnostics" doc:"What is wrong with reading the texts, and roles that do not do what they seem to."`
	Assumptions       []string          `json:"assumptions" doc:"What was taken for granted because the texts do not say."`
}

// RightsSubject is who asks.
type RightsSubject struct {
	User   string   `json:"user" doc:"The name as the API server knows it."`
	Groups []string `json:"groups" doc:"All groups, those that the API server adds included."`
	Node   string   `json:"node,omitempty" doc:"The node that the token names."`
}

// ClaimRights says what is needed to write the status of a claim.
type ClaimRights struct {
	Claim      string         `json:"claim" doc:"Namespace and name of the claim."`
	Allowed    bool           `json:"allowed"`
	Message    string         `json:"message" doc:"The answer in one sentence."`
	Writes     []string       `json:"writes" doc:"What is written: allocation, reservedFor, devices."`
	Drivers    []string       `json:"drivers" doc:"The drivers whose entries of status.devices are added, changed or removed."`
	Node       string         `json:"node,omitempty" doc:"The one node that the claim is allocated to, by name, once it is written."`
	Associated bool           `json:"associated" doc:"True if the subject counts as being on that node."`
	Checks     []RightCheck   `json:"checks" doc:"What must be allowed, in the order in which the API server asks. It stops where the request as such is refused; what it would ask next is listed all the same."`
	Location   *diag.Location `json:"location,omitempty" doc:"Where in the text after the claim's name stands."`
}

// RightCheck is something that must be allowed, in one of some ways.
type RightCheck struct {
	Field   string     `json:"field,omitempty" doc:"The part of the status that it is for; missing for the request as such."`
	Driver  string     `json:"driver,omitempty" doc:"The driver whose entries are written."`
	Allowed bool       `json:"allowed"`
	Message string     `json:"message" doc:"What allows it, or why nothing does."`
	Asked   []RightAsk `json:"asked" doc:"The questions to the authorizer, one after the other until one is allowed."`
}

// RightAsk is a question to the authorizer.
type RightAsk struct {
	Verb        string      `json:"verb"`
	APIGroup    string      `json:"apiGroup"`
	Resource    string      `json:"resource"`
	Subresource string      `json:"subresource,omitempty"`
	Namespace   string      `json:"namespace,omitempty" doc:"Missing where it is asked for all namespaces."`
	Name        string      `json:"name,omitempty" doc:"The claim's name, or the driver's; missing where it is asked for all names."`
	Allowed     bool        `json:"allowed"`
	Message     string      `json:"message"`
	By          *RightGrant `json:"by,omitempty" doc:"What allows it."`
}

// RightGrant is the rule that allows something, and how the subject has it.
type RightGrant struct {
	Superuser bool         `json:"superuser,omitempty" doc:"True for members of system:masters, for whom no role is looked at."`
	Role      *RightSource `json:"role,omitempty" doc:"The role that the rule is written in."`
	Rule      int          `json:"rule" doc:"Position of the rule in the role, from 0."`
	Into      *RightSource `json:"into,omitempty" doc:"The aggregate that has the rule from that role, if that is what is bound."`
	Binding   *RightSource `json:"binding,omitempty" doc:"The binding that gives it to the subject."`
	Subject   string       `json:"subject,omitempty" doc:"The subject of the binding that is meant: kind, and name."`
}

// RightSource is a role or a binding.
type RightSource struct {
	Kind      string         `json:"kind"`
	Namespace string         `json:"namespace,omitempty"`
	Name      string         `json:"name"`
	BuiltIn   bool           `json:"builtIn,omitempty" doc:"True for what every cluster starts with."`
	Text      string         `json:"text,omitempty" doc:"before, if it stands in the text before."`
	Location  *diag.Location `json:"location,omitempty" doc:"Where in the text: the rule of a role, the name of a binding."`
}

// mostRights is how many claims are looked at in one answer, and mostDrivers
// how many drivers of each.
const mostRights, mostDrivers = 1000, 100

// StatusAuthorization says whether somebody may write the status of claims:
// the differences between the text before and the one after, or what the
// options say. Roles and bindings are those of both texts, and those of After
// where both have one of a name. The error is an *OptionError, or the
// context's own.
func StatusAuthorization(ctx context.Context, change Change, opts StatusOptions) (*StatusAuthorizationResult, error) {
	subject, err := opts.subject()
	if err != nil {
		return nil, err
	}
	b, set, err := parse([]byte(change.After), opts.Options)
	if err != nil {
		return nil, err
	}
	before := bundle.Parse([]byte(change.Before), bundle.Options{FieldValidation: bundle.Ignore, Features: set})
	w := &rightsWork{opts: opts, set: set, subject: subject, before: before, after: b}
	if err := w.gather(ctx); err != nil {
		return nil, err
	}
	return w.answer(ctx)
}

// rightsWork is one answer of StatusAuthorization.
type rightsWork struct {
	opts          StatusOptions
	set           *feature.Set
	subject       rights.Subject
	before, after *bundle.Bundle
	// objects are those that count, earlier those of the text before.
	objects  []*bundle.Object
	earlier  map[*bundle.Object]bool
	requests []rights.Request
	places   []*diag.Location
	notes    []string
}

// subject reads who asks.
func (o StatusOptions) subject() (rights.Subject, error) {
	user := o.User
	switch {
	case user != "" && o.ServiceAccount != "":
		return rights.Subject{}, &OptionError{"user", "must be left out where serviceAccount is given"}
	case user == "" && o.ServiceAccount == "":
		return rights.Subject{}, &OptionError{"serviceAccount", "must be namespace/name, or give the name of a user in user"}
	case user == "":
		namespace, account, found := strings.Cut(o.ServiceAccount, "/")
		user = rights.AccountName(namespace, account)
		if _, _, ok := (rights.Subject{User: user}).ServiceAccount(); !found || !ok {
			return rights.Subject{}, &OptionError{"serviceAccount", "must be namespace/name, such as gpu-system/driver"}
		}
	}
	if !slices.Contains([]string{"", "update", "patch", "create"}, o.Verb) {
		return rights.Subject{}, &OptionError{"verb", "must be update, patch or create"}
	}
	for _, what := range o.Writes {
		if what != "allocation" && what != "reservedFor" {
			return rights.Subject{}, &OptionError{"writes", "must be allocation or reservedFor; for entries of status.devices name their drivers"}
		}
	}
	if len(o.Drivers) > mostDrivers {
		return rights.Subject{}, &OptionError{"drivers", fmt.Sprintf("must be %d at the most", mostDrivers)}
	}
	for _, driver := range o.Drivers {
		if len(driver) > 63 || len(validation.IsDNS1123Subdomain(strings.ToLower(driver))) > 0 {
			return rights.Subject{}, &OptionError{"drivers", "must be names of drivers, such as gpu.example.com: at most 63 letters, digits, - and dots"}
		}
	}
	return rights.NewSubject(user, o.Groups, o.Node), nil
}

func (o StatusOptions) verb() string {
	if o.Verb == "" {
		return "update"
	}
	return o.Verb
}

// gather finds the roles that count, and what is written.
func (w *rightsWork) gather(ctx context.Context) error {
	w.earlier = map[*bundle.Object]bool{}
	for _, o := range w.before.Objects {
		w.earlier[o] = true
	}
	w.objects = append(slices.Clone(w.before.Objects), w.after.Objects...)
	env := surroundings(w.set, w.opts.alone(), w.before, w.after)
	replaced := namesakes(w.before, w.after)
	hypothesis := len(w.opts.Writes) > 0 || len(w.opts.Drivers) > 0
	left := 0
	for i, o := range w.after.Objects {
		claim, ok := o.Value.(*resourceapi.ResourceClaim)
		if !ok || w.opts.Claim != "" && w.opts.Claim != named(o).namespace+"/"+o.Ref.Name {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(w.requests) == mostRights {
			left++
			continue
		}
		var changes rights.Changes
		if hypothesis {
			changes = w.supposed(claim)
		} else {
			changes = writtenTo(replaced[i], o, claim, env)
			if len(changes.Drivers) > mostDrivers {
				w.notes = append(w.notes, fmt.Sprintf("only the first %d of %d drivers of claim %s were looked at", mostDrivers, len(changes.Drivers), o.Ref.Name))
				changes.Drivers = changes.Drivers[:mostDrivers]
			}
		}
		w.add(named(o), changes, o.Locate("metadata.name"))
	}
	if left > 0 {
		w.notes = append(w.notes, fmt.Sprintf("only the first %d claims were looked at, %d were not; name one with claim", mostRights, left))
	}
	if len(w.requests) > 0 {
		return nil
	}
	if !hypothesis && w.opts.verb() != "create" {
		return &OptionError{"writes", "must say what is written, or drivers must, where the text after has no such claim to compare"}
	}
	at := name{namespace: validate.DefaultNamespace, name: "any"}
	if w.opts.Claim != "" {
		var found bool
		if at.namespace, at.name, found = strings.Cut(w.opts.Claim, "/"); !found || at.namespace == "" || at.name == "" {
			return &OptionError{"claim", "must be namespace/name, such as default/train"}
		}
	} else {
		w.notes = append(w.notes, "no claim in the text: one named any in namespace default assumed")
	}
	w.add(at, w.supposed(nil), nil)
	return nil
}

func (w *rightsWork) add(at name, changes rights.Changes, place *diag.Location) {
	w.requests = append(w.requests, rights.Request{Verb: w.opts.verb(), Namespace: at.namespace, Name: at.name, Changes: changes})
	w.places = append(w.places, place)
}

// supposed are the changes that the options name, to a claim that may be nil.
func (w *rightsWork) supposed(claim *resourceapi.ResourceClaim) rights.Changes {
	var c rights.Changes
	if claim != nil {
		c = rights.Compare(&resourceapi.ResourceClaimStatus{}, &claim.Status)
	}
	c.Allocation, c.ReservedFor = slices.Contains(w.opts.Writes, "allocation"), slices.Contains(w.opts.Writes, "reservedFor")
	c.Drivers = slices.Compact(slices.Sorted(slices.Values(w.opts.Drivers)))
	c.Allocated = c.Allocated || len(c.Drivers) > 0
	if w.opts.AllocatedNode != "" {
		c.Node, c.Allocated = w.opts.AllocatedNode, true
	}
	return c
}

// writtenTo compares what is stored before and after an update of the status.
// A claim that was not there before had no status.
func writtenTo(was, is *bundle.Object, claim *resourceapi.ResourceClaim, env validate.Env) rights.Changes {
	if was == nil || was.Value == nil {
		bare := claim.DeepCopy()
		bare.Status = resourceapi.ResourceClaimStatus{}
		was = &bundle.Object{Ref: is.Ref, Value: bare}
	}
	status := func(from, to *bundle.Object) *resourceapi.ResourceClaimStatus {
		if stored, ok := validate.UpdateStatus(from, to, env).Stored.(*resourceapi.ResourceClaim); ok {
			return &stored.Status
		}
		return &resourceapi.ResourceClaimStatus{}
	}
	return rights.Compare(status(was, was), status(was, is))
}
