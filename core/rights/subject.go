package rights

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/drawbridge-dra/drawbridge/core/role"
)

// Subject is who asks, as the API server knows them once they have signed in.
type Subject struct {
	User   string
	Groups []string
	// Node is the node that the token of a service account names, as the
	// tokens do that kubelets mount into pods; empty for none.
	Node string
}

const (
	serviceAccountPrefix = "system:serviceaccount:"
	authenticated        = "system:authenticated"
	unauthenticated      = "system:unauthenticated"
	masters              = "system:masters"
)

// NewSubject adds the groups that the API server adds to everybody.
func NewSubject(user string, groups []string, node string) Subject {
	s := Subject{User: user, Groups: slices.Clone(groups), Node: node}
	add := func(group string) {
		if !slices.Contains(s.Groups, group) {
			s.Groups = append(s.Groups, group)
		}
	}
	if namespace, _, ok := s.ServiceAccount(); ok {
		add("system:serviceaccounts")
		add("system:serviceaccounts:" + namespace)
	}
	if user == "system:anonymous" {
		add(unauthenticated)
	} else if !slices.Contains(s.Groups, unauthenticated) {
		add(authenticated)
	}
	return s
}

// AccountName is the user name of a service account.
func AccountName(namespace, name string) string {
	return serviceAccountPrefix + namespace + ":" + name
}

// ServiceAccount is the namespace and name of the service account that the
// user is; false if they are none.
func (s Subject) ServiceAccount() (namespace, name string, ok bool) {
	rest, ok := strings.CutPrefix(s.User, serviceAccountPrefix)
	if !ok {
		return "", "", false
	}
	namespace, name, ok = strings.Cut(rest, ":")
	if !ok || strings.Contains(name, ":") || len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return "", "", false
	}
	return namespace, name, true
}

// Called names the subject as people do.
func (s Subject) Called() string {
	if namespace, name, ok := s.ServiceAccount(); ok {
		return "ServiceAccount " + namespace + "/" + name
	}
	return "user " + s.User
}

func (s Subject) superuser() bool { return slices.Contains(s.Groups, masters) }

// among finds the first of a binding's subjects that means this one. A service
// account without a namespace is one of the binding's own.
func (s Subject) among(list []role.Subject, namespace string) (role.Subject, bool) {
	for _, one := range list {
		switch one.Kind {
		case role.User:
			if one.Name == s.User {
				return one, true
			}
		case role.UserGroup:
			if slices.Contains(s.Groups, one.Name) {
				return one, true
			}
		case role.ServiceAccount:
			if one.Namespace == "" {
				one.Namespace = namespace
			}
			if rest, ok := strings.CutPrefix(s.User, serviceAccountPrefix); ok && one.Namespace != "" && rest == one.Namespace+":"+one.Name {
				return one, true
			}
		}
	}
	return role.Subject{}, false
}

// on tells whether the subject counts as being on the node that a claim is
// allocated to, and why not.
func (s Subject) on(node string) (bool, string) {
	_, _, account := s.ServiceAccount()
	switch {
	case node == "":
		return false, "the claim is not allocated to one node by its name"
	case !account:
		return false, s.Called() + " is no service account"
	case s.Node == "":
		return false, "the token of " + s.Called() + " names no node"
	case len(validation.IsDNS1123Subdomain(s.Node)) > 0:
		return false, s.Node + " is no name of a node"
	case s.Node != node:
		return false, "the token of " + s.Called() + " is one of node " + s.Node + ", and the claim is allocated to " + node
	}
	return true, ""
}
