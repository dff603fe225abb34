// Package cluster builds and starts a real control plane: etcd,
// kube-apiserver, kube-scheduler and kube-controller-manager, as processes of
// this machine and without any kubelet. It is for tests that need Kubernetes'
// own word:
//
//	c := cluster.Start(t, cluster.Options{FeatureGates: cluster.AllGates})
//	client, err := kubernetes.NewForConfig(c.Config())
//
// Start takes about ten seconds once the programs are built. Whoever wants one
// control plane for several tests uses New in TestMain and Stop at its end.
// Nodes are plain objects: what runs on them is up to the test.
//
// A Runner applies the YAML of a scenario to a control plane, lets the
// scheduler handle its pods one after the other, and tells what became of
// them; Compare sets that against the answer of Drawbridge. The tests of this
// package do so for every scenario below testdata/cluster, and for the other
// fixtures as far as an API server accepts them.
package cluster
