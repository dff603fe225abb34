package webhook

import "github.com/drawbridge-dra/drawbridge/core"

// Cluster is what the webhook knows of the cluster's other objects: which of
// them matter for judging one (core.Options take it as it is), the labels of
// nodes and namespaces, which class serves an extended resource, who uses a
// class or a template, and how far all of that can be relied on. No method
// waits for anything. Package view keeps one up to date from an API server; in
// Config nil means that nothing is known.
type Cluster = core.Cluster
