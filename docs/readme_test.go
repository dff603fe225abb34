package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeLeadsEverywhere keeps the README complete: every operation of the
// API is in it, and every page of the documentation is linked from it.
func TestReadmeLeadsEverywhere(t *testing.T) {
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	readme := read("../README.md")
	operations := regexp.MustCompile(`(?m)^  (/\S+):$`).FindAllStringSubmatch(read("../openapi/openapi.yaml"), -1)
	if len(operations) < 10 {
		t.Fatalf("only %d operations in openapi.yaml; is it written in another way?", len(operations))
	}
	for _, m := range operations {
		// As a whole word: /v1/validate is no part of /v1/validate-update.
		if !regexp.MustCompile(regexp.QuoteMeta(m[1]) + "[`?]").MatchString(readme) {
			t.Errorf("README.md does not name %s", m[1])
		}
	}
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, page := range pages {
		if !strings.Contains(readme, "](docs/"+page+")") {
			t.Errorf("README.md has no link to docs/%s", page)
		}
	}
}
