// Package schedule compares what Drawbridge makes of pods with what the code
// of kube-scheduler makes of them: the requests of the claim for extended
// resources, the room on nodes, what devices take of it, and binding
// conditions.
package schedule
