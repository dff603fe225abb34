// Package webhook holds our binary against a real control plane: the webhook
// is registered from the manifests in deploy/, kubectl and the scheduler talk
// to the API server as ever, and what could take a cluster down is done to it:
// certificates that change, replicas that restart or die, an API server that
// goes away, reviews that nobody should send.
//
// The tests share one control plane with the default feature gates. They run
// one after the other, because a registration is for the whole cluster.
package webhook
