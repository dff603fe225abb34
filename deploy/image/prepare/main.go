// Command prepare makes the folder from which the Dockerfile builds:
//
//	go run ./image/prepare -folder out amd64 arm64
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/drawbridge-dra/drawbridge/deploy/image"
)

func main() {
	root := flag.String("root", "..", "the checkout")
	folder := flag.String("folder", "out", "where to put it")
	version := flag.String("version", "", "what the binary tells as its version")
	flag.Parse()
	if err := prepare(*root, *folder, *version, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func prepare(root, folder, version string, archs []string) error {
	epoch := time.Unix(0, 0)
	if text := os.Getenv("SOURCE_DATE_EPOCH"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("SOURCE_DATE_EPOCH is %q; it must be seconds since 1970", text)
		}
		epoch = time.Unix(seconds, 0)
	}
	for _, arch := range archs {
		c := image.Context{Root: root, Folder: folder, Arch: arch, Version: version, Epoch: epoch}
		if err := c.Make(context.Background()); err != nil {
			return err
		}
	}
	return nil
}
