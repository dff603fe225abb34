// Package drawbridge runs the tests of the scheduler's allocator against the
// one of Drawbridge.
package drawbridge
