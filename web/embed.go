// Package web holds the playground: the page in which the core answers while
// one types. The page is built by npm, in this folder, into dist; the Go
// package embeds what is there at compile time.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist placeholder
var files embed.FS

// FS returns the built page with index.html at its root. Files that gain
// from it have a .br and a .gz file beside them. Where the page had not been
// built before the binary was, there is only an index.html that says how to.
func FS() fs.FS {
	folder := "placeholder"
	if Built() {
		folder = "dist"
	}
	sub, err := fs.Sub(files, folder)
	if err != nil {
		panic(err) // Both names are constants that fs.Sub accepts.
	}
	return sub
}

// Built tells whether the page is part of this binary.
func Built() bool {
	_, err := fs.Stat(files, "dist/index.html")
	return err == nil
}
