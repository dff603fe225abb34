//go:build !js

// WebAssembly has one thread.

package core

import (
	"bytes"
	"maps"
	"slices"
	"sync"
	"testing"
)

// TestConcurrently asks about many fixtures in two goroutines at once, as
// servers do: no call may disturb another. The core starts no goroutine, so
// this is the test to run with the race detector.
func TestConcurrently(t *testing.T) {
	texts, gates := fixtures(t), "AllAlpha=true,AllBeta=true"
	var group sync.WaitGroup
	answers := make([]map[string][]byte, 2)
	paths := slices.Sorted(maps.Keys(texts))
	for i := range answers {
		answers[i] = map[string][]byte{}
		group.Go(func() {
			// The detector makes it slow: each third will do.
			for j := 0; j < len(paths); j += 3 {
				answers[i][paths[j]] = everything(t, texts[paths[j]], gates)
			}
		})
	}
	group.Wait()
	for path, first := range answers[0] {
		if !bytes.Equal(first, answers[1][path]) {
			t.Errorf("%s is answered in two ways", path)
		}
	}
}
