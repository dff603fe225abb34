// Package metadata compares the files that Drawbridge says drivers write for
// containers with those that Kubernetes' library for drivers writes, each with
// the other's reader, and what is wrong with such files.
package metadata
