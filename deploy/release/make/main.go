// Command make makes a release:
//
//	go run ./release/make -folder=out/release -version=v0.1.0 linux/amd64 darwin/arm64
//
// Without platforms it is for all of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drawbridge-dra/drawbridge/deploy/release"
)

func main() {
	r := release.Release{Log: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	flag.StringVar(&r.Root, "root", "..", "the checkout")
	flag.StringVar(&r.Folder, "folder", "out/release", "where to put it")
	flag.StringVar(&r.Version, "version", "", "the tag, such as v0.1.0")
	flag.StringVar(&r.Commit, "commit", "", "the commit that the tag names")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, r, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, r release.Release, names []string) error {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH is %q; it must be seconds since 1970", os.Getenv("SOURCE_DATE_EPOCH"))
	}
	r.Epoch = time.Unix(seconds, 0)
	r.Platforms = release.Platforms
	if len(names) > 0 {
		r.Platforms = nil
	}
	for _, name := range names {
		system, arch, _ := strings.Cut(name, "/")
		p := release.Platform{OS: system, Arch: arch}
		if !slices.Contains(release.Platforms, p) {
			return fmt.Errorf("%s is no platform of a release; there are %v", name, release.Platforms)
		}
		r.Platforms = append(r.Platforms, p)
	}
	return r.Make(ctx)
}
