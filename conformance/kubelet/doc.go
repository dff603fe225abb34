// Package kubelet compares what Drawbridge says of kubelets with what the
// kubelet's own manager of claims does: which drivers it calls over gRPC, what
// it refuses and in which words, and what it writes about the health of
// devices.
package kubelet
