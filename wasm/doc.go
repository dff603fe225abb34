//go:build !(js && wasm)

// Command wasm is the core as a module for JavaScript. Built with
//
//	GOOS=js GOARCH=wasm go build -trimpath -ldflags="-s -w" -o drawbridge.wasm ./wasm
//
// it puts one object, drawbridge, on the global scope, whose functions take
// a text and options (as JSON) and return JSON. Built for anything else it
// only says so.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this command runs in JavaScript only: build it with GOOS=js GOARCH=wasm")
	os.Exit(2)
}
