package core

import "github.com/drawbridge-dra/drawbridge/core/census"

// Cluster is what is known of a cluster beside the object under review; see
// census.View. Options take one.
type Cluster = census.View

// ClusterUsers are what names an object of a cluster.
type ClusterUsers = census.Users

// ClusterFreshness says how far what is known of a cluster can be relied on.
type ClusterFreshness = census.Freshness

// Around is what matters for judging one object of a cluster.
type Around = census.Around
