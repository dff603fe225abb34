package openapi

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drawbridge-dra/drawbridge/core"
)

type statusInput struct {
	BundleOptions
	User           string   `query:"user" doc:"Who writes: the name as the API server knows it. For a service account give serviceAccount instead." example:"system:kube-scheduler"`
	ServiceAccount string   `query:"serviceAccount" doc:"Who writes: a service account, as namespace/name." example:"gpu-system/driver"`
	Groups         []string `query:"groups" doc:"Groups of the user, with commas between, besides those that the API server adds itself."`
	Node           string   `query:"node" doc:"The node that the token of the service account names, as those do that kubelets mount into pods." example:"worker-1"`
	Verb           string   `query:"verb" enum:"update,patch,create" doc:"How it is written; server-side apply is patch. Default: update."`
	Claim          string   `query:"claim" doc:"The claim to look at, as namespace/name. Default: all that differ." example:"default/train"`
	Writes         []string `query:"writes" doc:"What is written: allocation, reservedFor, with commas between. Default, also without drivers: what differs between the two texts."`
	Drivers        []string `query:"drivers" doc:"Drivers whose entries of status.devices are written, with commas between." example:"gpu.example.com"`
	AllocatedNode  string   `query:"allocatedNode" doc:"The node that the claim is allocated to. Default: that of the text after." example:"worker-1"`
	WithoutBuiltIn bool     `query:"withoutBuiltIn" doc:"Leave out the roles that every cluster starts with."`
	RawBody        []byte
}

type rolesInput struct {
	KubernetesVersion string   `query:"kubernetesVersion" doc:"Kubernetes version at which the roles are tried, such as 1.37. Default: the newest known."`
	FeatureGates      string   `query:"featureGates" doc:"Feature gates that differ from the version's defaults, in the form of the API server's flag."`
	For               string   `query:"for" required:"true" enum:"scheduler,node-driver,controller" doc:"For a scheduler, for a driver that runs on every node, or for one that runs once for all of them."`
	Driver            string   `query:"driver" doc:"The name of the driver, for a driver." example:"gpu.example.com"`
	ServiceAccount    string   `query:"serviceAccount" required:"true" doc:"Whose rights they are: a service account, as namespace/name." example:"gpu-system/driver"`
	Name              string   `query:"name" doc:"Name of the role and its binding. Default: the account's, and for what it is."`
	Verbs             []string `query:"verbs" doc:"How the status is written: update, patch or, the default, both with a comma between."`
}

// registerRights adds the operations about who may write.
func (a *api) registerRights() {
	huma.Register(a.huma, a.changeOperation(huma.Operation{
		OperationID: "status-authorization",
		Path:        "/v1/status-authorization",
		Summary:     "Tell who may write the status of a claim",
		Description: "Given Roles, ClusterRoles and bindings: may this user or service account write the status of these claims, by the rules for its parts that Kubernetes 1.36 added? With the rule that allows each part, or the smallest one that would. Roles count wherever they stand; claims are compared before and after, or the query says what is written.",
	}, reflect.TypeFor[core.StatusAuthorizationResult]()), func(ctx context.Context, in *statusInput) (*answer, error) {
		change, p := readChange(in.contentType, in.RawBody)
		if p != nil {
			return a.reply(nil, p), nil
		}
		opts := core.StatusOptions{
			Options: in.options(), User: in.User, ServiceAccount: in.ServiceAccount, Groups: in.Groups, Node: in.Node, Verb: in.Verb,
			Claim: in.Claim, Writes: in.Writes, Drivers: in.Drivers, AllocatedNode: in.AllocatedNode, WithoutBuiltIn: in.WithoutBuiltIn,
		}
		return a.reply(compute(ctx, a, func(ctx context.Context) (*core.StatusAuthorizationResult, error) {
			return core.StatusAuthorization(ctx, change, opts)
		})), nil
	})
	roles := a.catalogOperation(huma.Operation{
		OperationID: "roles",
		Path:        "/v1/roles",
		Summary:     "Write the roles with the fewest rights",
		Description: "A ClusterRole and its binding for a scheduler or a driver, with the rights that writing the status of claims takes from Kubernetes 1.36 on. They are tried before they are shown.",
	}, reflect.TypeFor[core.RolesResult]())
	roles.Errors = append(roles.Errors, http.StatusInternalServerError)
	huma.Register(a.huma, roles, func(ctx context.Context, in *rolesInput) (*answer, error) {
		opts := core.RolesOptions{
			KubernetesVersion: in.KubernetesVersion, FeatureGates: in.FeatureGates, For: in.For, Driver: in.Driver,
			ServiceAccount: in.ServiceAccount, Name: in.Name, Verbs: in.Verbs,
		}
		return a.reply(compute(ctx, a, func(ctx context.Context) (*core.RolesResult, error) { return core.RolesFor(ctx, opts) })), nil
	})
}
