// Package rights compares what Drawbridge says of who may write the status of
// a claim with Kubernetes: with its own code in process, on generated roles,
// users and updates, and with a real API server. The latter is there for
// drawbridge doctor, too.
package rights
