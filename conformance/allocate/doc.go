// Package allocate compares Drawbridge's allocator with the one of the
// scheduler, on generated clusters and claims.
package allocate
