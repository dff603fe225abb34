// Package render makes the objects of the deployment in both ways that there
// are to install it, with kustomize's and Helm's own libraries, so that tests
// can hold them against each other and against Kubernetes' own checks.
package render
