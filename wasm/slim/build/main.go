// Command build builds the module for the browser:
//
//	go run ./wasm/slim/build -o drawbridge.wasm [-version v1.2.3]
//
// run in the folder of the project's go.mod. With -modfile it only prints which
// go.mod a build with the go command itself has to be given, so that tests run
// in the same shape:
//
//	GOOS=js GOARCH=wasm go test -modfile="$(go run ./wasm/slim/build -modfile)" ./core/...
package main

import (
	"flag"
	"fmt"
	"log"

	"github.com/drawbridge-dra/drawbridge/wasm/slim"
)

func main() {
	out := flag.String("o", "drawbridge.wasm", "the `file` to write")
	version := flag.String("version", "", "the release that this is; nothing else of the moment goes in, so that the same source gives the same bytes")
	only := flag.Bool("modfile", false, "only print the go.mod to build with")
	flag.Parse()
	if *only {
		modfile, err := slim.Modfile(".")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(modfile)
		return
	}
	ldflags := "-ldflags=-s -w"
	if *version != "" {
		ldflags += " -X github.com/drawbridge-dra/drawbridge/wasm/bridge.version=" + *version
	}
	if err := slim.Build(".", *out, ldflags); err != nil {
		log.Fatal(err)
	}
}
