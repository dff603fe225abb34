// Command build builds the module for the browser:
//
//	go run ./wasm/slim/build -o drawbridge.wasm [-version v1.2.3]
//
// run in the folder of the project's go.mod.
package main

import (
	"flag"
	"log"

	"github.com/drawbridge-dra/drawbridge/wasm/slim"
)

func main() {
	out := flag.String("o", "drawbridge.wasm", "the `file` to write")
	version := flag.String("version", "", "the release that this is; nothing else of the moment goes in, so that the same source gives the same bytes")
	flag.Parse()
	ldflags := "-ldflags=-s -w"
	if *version != "" {
		ldflags += " -X github.com/drawbridge-dra/drawbridge/wasm/bridge.version=" + *version
	}
	if err := slim.Build(".", *out, ldflags); err != nil {
		log.Fatal(err)
	}
}
