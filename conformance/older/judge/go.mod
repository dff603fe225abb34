// What the judges of older Kubernetes versions have in common. The versions
// are those of the module that uses it; here stand the oldest.
module github.com/drawbridge-dra/drawbridge/conformance/older/judge

go 1.24.0

require (
	github.com/go-logr/logr v1.4.1
	k8s.io/kubernetes v1.30.14
)
