// Package cluster reads of a live cluster what an answer needs: the objects
// that matter to devices, the version of the API server, and its feature
// gates. It only reads, never asks for Secrets or ConfigMaps, and says what it
// may not read and what an answer lacks for that. Files can be laid over what
// was read, as if they had been applied.
package cluster
