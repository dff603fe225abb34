package openapi

import (
	"bytes"
	"context"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/server/problem"
)

// BundleOptions are the options of every operation that reads a bundle.
type BundleOptions struct {
	KubernetesVersion string `query:"kubernetesVersion" doc:"Kubernetes version whose rules apply, such as 1.37. Default: the newest known."`
	FeatureGates      string `query:"featureGates" doc:"Feature gates that differ from the version's defaults, in the form of the API server's flag." example:"DRADeviceCompatibilityGroups=true,AllBeta=true"`
	FieldValidation   string `query:"fieldValidation" enum:"Strict,Warn,Ignore" doc:"What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it."`

	contentType, accept string
}

// Resolve implements huma.Resolver: it keeps the headers that say how the
// body was sent, and how the answer is wanted.
func (o *BundleOptions) Resolve(ctx huma.Context) []error {
	o.contentType, o.accept = ctx.Header("Content-Type"), ctx.Header("Accept")
	return nil
}

func (o BundleOptions) options() core.Options {
	return core.Options{
		KubernetesVersion: o.KubernetesVersion,
		FeatureGates:      o.FeatureGates,
		FieldValidation:   o.FieldValidation,
	}
}

type validateInput struct {
	BundleOptions
	RawBody []byte
}

type updateInput struct {
	BundleOptions
	Subresource string `query:"subresource" enum:"status" doc:"What is updated: status for the status alone. Default: all but the status."`
	RawBody     []byte
}

// PlanOptions are the options of every operation that plans.
type PlanOptions struct {
	BundleOptions
	SkipValidation bool   `query:"skipValidation" doc:"Take the objects as already stored: plan without validating them first."`
	Now            string `query:"now" doc:"The time, as in 2026-11-29T12:00:00Z, at which to judge whether devices have become ready in time; without it that is left open."`
}

func (o PlanOptions) options() core.Options {
	out := o.BundleOptions.options()
	out.SkipValidation, out.Now = o.SkipValidation, o.Now
	return out
}

type allocateInput struct {
	PlanOptions
	Explain string `query:"explain" enum:"full,summary,none" doc:"How much to tell about nodes: full names every node and device (the default), summary groups nodes that are alike, none tells only what becomes of pods and claims."`
	Picture bool   `query:"picture" doc:"Add what there is in the cluster: pools, devices and counters, who holds how much of them, and where each stands in the text."`
	KubeletOptions
	NodeOperations bool `query:"nodeOperations" doc:"Add to each pod what the kubelet does with its claims."`
	RawBody        []byte
}

// KubeletOptions are the options of operations that tell of kubelets.
type KubeletOptions struct {
	AbsentDrivers string `query:"absentDrivers" doc:"Drivers whose plugin does not run, everywhere or on one node; all others are taken to run." example:"gpu.example.com,nic.example.com@worker-1"`
}

type nodeOperationsInput struct {
	PlanOptions
	KubeletOptions
	RawBody []byte
}

// TargetOptions name what a question is about.
type TargetOptions struct {
	Pod   string `query:"pod" doc:"The pod that the question is about, as namespace/name." example:"default/train"`
	Claim string `query:"claim" doc:"The claim that the question is about, as namespace/name; instead of a pod." example:"default/train"`
}

func (o TargetOptions) target() core.Target { return core.Target{Pod: o.Pod, Claim: o.Claim} }

type targetInput struct {
	PlanOptions
	TargetOptions
	Explain string `query:"explain" enum:"full,summary,none" doc:"How much to tell about nodes: summary groups nodes that are alike (the default), full names every node and device, none tells only what becomes of the pod or claim, and what would have to change."`
	RawBody []byte
}

type capacityInput struct {
	PlanOptions
	TargetOptions
	Template string `query:"template" doc:"The claim template that the question is about, as namespace/name; instead of a pod or a claim." example:"default/two-gpus"`
	RawBody  []byte
}

type diffInput struct {
	PlanOptions
	AfterKubernetesVersion string `query:"afterKubernetesVersion" doc:"Kubernetes version of the cluster after the change. Default: that of kubernetesVersion."`
	AfterFeatureGates      string `query:"afterFeatureGates" doc:"Feature gates of the cluster after the change, all that differ from its version's defaults. Default: those of featureGates." example:"DRADeviceTaintRules=true"`
	RawBody                []byte
}

type convertInput struct {
	BundleOptions
	APIVersion string `query:"apiVersion" doc:"API version to give the objects in. Default: that of each object." example:"resource.k8s.io/v1beta1"`
	RawBody    []byte
}

type negotiationInput struct {
	BundleOptions
	Fresh   bool `query:"fresh" doc:"Take the PodSchedulingContexts of the bundle for the answers that the controllers will give, rather than for what is in the cluster already."`
	RawBody []byte
}

type rulesInput struct {
	Source string `query:"source" enum:"decode,api,gate,bundle" doc:"Only rules of this source."`
	ID     string `query:"id" doc:"Only rules with this id." example:"compatibility-groups-max"`
}

// failures are the problems that reading a bundle can end in.
var failures = []int{
	http.StatusBadRequest, http.StatusNotAcceptable, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge,
	http.StatusUnsupportedMediaType, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable,
}

func (a *api) register() {
	huma.Register(a.huma, a.bundleOperation(huma.Operation{
		OperationID: "validate",
		Path:        "/v1/validate",
		Summary:     "Validate a bundle",
		Description: "Would the API server accept these objects, would it drop a field, and do they fit each other? The status is 200 whenever the body could be read, whatever is wrong inside it.",
	}, reflect.TypeFor[core.ValidateResult]()), func(ctx context.Context, in *validateInput) (*answer, error) {
		if p := lostLines(in.contentType, in.RawBody); p != nil {
			return a.reply(nil, p), nil
		}
		return a.reply(compute(ctx, a, func(ctx context.Context) (*core.ValidateResult, error) {
			return core.Validate(ctx, in.RawBody, in.options())
		})), nil
	})
	huma.Register(a.huma, a.changeOperation(huma.Operation{
		OperationID: "validate-update",
		Path:        "/v1/validate-update",
		Summary:     "Validate an update of a bundle",
		Description: "Would the API server accept these objects in place of those? Objects belong together by kind, namespace and name; those that are only in the text after are created, those only in the text before deleted. The rules across objects look at the text after.",
	}, reflect.TypeFor[core.ValidateResult]()), func(ctx context.Context, in *updateInput) (*answer, error) {
		change, p := readChange(in.contentType, in.RawBody)
		if p != nil {
			return a.reply(nil, p), nil
		}
		return a.reply(compute(ctx, a, func(ctx context.Context) (*core.ValidateResult, error) {
			return core.ValidateChange(ctx, change, core.ChangeOptions{Options: in.options(), Subresource: in.Subresource})
		})), nil
	})
	huma.Register(a.huma, a.bundleOperation(huma.Operation{
		OperationID: "convert",
		Path:        "/v1/convert",
		Summary:     "Show objects as they are stored, in any API version",
		Description: "What does the API server make of these objects? With the defaults that it fills in, without the fields that it drops, in the API version that is asked for, and with everything that gets lost on the way.",
	}, reflect.TypeFor[core.ConvertResult]()), func(ctx context.Context, in *convertInput) (*answer, error) {
		if p := lostLines(in.contentType, in.RawBody); p != nil {
			return a.reply(nil, p), nil
		}
		return a.reply(compute(ctx, a, func(ctx context.Context) (*core.ConvertResult, error) {
			return core.Convert(ctx, in.RawBody, core.ConvertOptions{Options: in.options(), APIVersion: in.APIVersion})
		})), nil
	})
	a.registerClassic()
	a.registerPlans()
	a.registerRights()
	a.registerNodes()
	huma.Register(a.huma, a.catalogOperation(huma.Operation{
		OperationID: "versions",
		Path:        "/v1/versions",
		Summary:     "List Kubernetes versions and feature gates",
	}, reflect.TypeFor[core.VersionsResult]()), func(context.Context, *struct{}) (*answer, error) {
		return a.render(core.Versions()), nil
	})
	huma.Register(a.huma, a.catalogOperation(huma.Operation{
		OperationID: "rules",
		Path:        "/v1/rules",
		Summary:     "List the rules that findings name",
		Description: "Every rule with an example and its mend: all rules, or those of a source, or one. The page /rules.html shows the same.",
	}, reflect.TypeFor[core.RulesResult]()), func(_ context.Context, in *rulesInput) (*answer, error) {
		return a.render(core.Rules(core.RuleFilter{Source: in.Source, ID: in.ID})), nil
	})
}

// catalogOperation completes an operation that only tells what there is.
func (a *api) catalogOperation(op huma.Operation, result reflect.Type) huma.Operation {
	op.Method = http.MethodGet
	op.Tags = []string{"catalog"}
	op.Errors = []int{http.StatusBadRequest, http.StatusNotAcceptable}
	op.Responses = a.responses(result)
	op.Middlewares = huma.Middlewares{acceptable, strictQuery}
	return op
}

// bundleOperation completes an operation that reads a bundle.
func (a *api) bundleOperation(op huma.Operation, result reflect.Type) huma.Operation {
	op.Method = http.MethodPost
	op.Tags = []string{"bundle"}
	op.MaxBodyBytes = a.cfg.BodyLimit + 1 // huma refuses the limit itself
	op.SkipValidateBody = true            // the core reads it
	op.BodyReadTimeout = a.cfg.BodyTimeout
	op.Errors = failures
	op.Responses = a.responses(result)
	op.Middlewares = huma.Middlewares{acceptable, strictQuery, a.admit}
	op.RequestBody = &huma.RequestBody{
		Description: "The objects: YAML with any number of documents, a JSON object or array, or a List as kubectl prints it.",
		Required:    true,
		Content:     map[string]*huma.MediaType{},
	}
	for _, media := range requestTypes {
		schema := &huma.Schema{Type: huma.TypeString, Description: "YAML text."}
		if media == mediaJSON {
			schema = &huma.Schema{Description: "An object, an array of objects, or a List.", OneOf: []*huma.Schema{
				{Type: huma.TypeObject, AdditionalProperties: true},
				{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}},
			}}
		}
		op.RequestBody.Content[media] = &huma.MediaType{Schema: schema}
	}
	return op
}

// lostLines catches YAML that was sent with curl -d, which deletes every line
// break and leaves nothing to be read.
func lostLines(contentType string, body []byte) *problem.Problem {
	media, _ := requestType(contentType, "")
	text := bytes.TrimSpace(body)
	if media != mediaForm || len(text) == 0 || bytes.ContainsAny(text, "\r\n") || text[0] == '{' || text[0] == '[' {
		return nil
	}
	return problem.New(http.StatusUnsupportedMediaType, "the body is a form, or YAML that lost its line breaks: curl -d deletes them; use --data-binary @bundle.yaml, with the header 'Content-Type: application/yaml'")
}

// responses documents the answer in every form that it can have.
func (a *api) responses(result reflect.Type) map[string]*huma.Response {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(result, true, "")
	content := map[string]*huma.MediaType{}
	for _, media := range answerTypes {
		content[media] = &huma.MediaType{Schema: schema}
	}
	return map[string]*huma.Response{strconv.Itoa(http.StatusOK): {Description: "The answer.", Content: content}}
}
