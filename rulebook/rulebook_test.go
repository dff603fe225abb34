package rulebook

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/core"
)

func TestDiff(t *testing.T) {
	text := func(lines []Line) string {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString(string(l.Kind) + l.Text + "\n")
		}
		return b.String()
	}
	for _, tt := range []struct{ from, to, want string }{
		{"a\nb\nc\n", "a\nx\nc\n", " a\n-b\n+x\n c\n"},
		{"a\n", "a\nb\n", " a\n+b\n"},
		{"a\nb\n", "b\n", "-a\n b\n"},
		{"1\n2\n3\n4\na\n5\n6\n7\n8\n", "1\n2\n3\n4\nb\n5\n6\n7\n8\n", "@…\n 3\n 4\n-a\n+b\n 5\n 6\n@…\n"},
		{"a\n", "b\n", "-a\n+b\n"},
	} {
		if got := text(hunks(diff(tt.from, tt.to), 2)); got != tt.want {
			t.Errorf("%q to %q: got\n%s\nwant\n%s", tt.from, tt.to, got, tt.want)
		}
	}
}

var identifiers = regexp.MustCompile(`id="([^"]+)"`)

// TestFindingsLead follows the link of findings, and every link inside.
func TestFindingsLead(t *testing.T) {
	page, err := Page()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"page": page, "document": Markdown(nil)} {
		here := map[string]bool{}
		for _, m := range identifiers.FindAllSubmatch(text, -1) {
			if here[string(m[1])] {
				t.Errorf("%s: %s is there twice", name, m[1])
			}
			here[string(m[1])] = true
		}
		links := regexp.MustCompile(`(?:href="|\]\()#([^")]+)`).FindAllSubmatch(text, -1)
		if len(links) < 250 {
			t.Errorf("%s: only %d links", name, len(links))
		}
		for _, m := range links {
			if !here[string(m[1])] {
				t.Errorf("%s: %s leads nowhere", name, m[1])
			}
		}
		result, err := core.Validate(context.Background(), []byte("kind: ResourceClaim\n---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: A}\n"), core.Options{})
		if err != nil || len(result.Diagnostics) < 2 {
			t.Fatalf("%v %+v", err, result)
		}
		for _, d := range result.Diagnostics {
			if file, anchor, _ := strings.Cut(d.URL, "#"); file != "/rules.html" || !here[anchor] {
				t.Errorf("%s: %s leads nowhere", name, d.URL)
			}
		}
		for _, r := range core.Rules(core.RuleFilter{}).Rules {
			if _, anchor, _ := strings.Cut(r.URL, "#"); !here[anchor] {
				t.Errorf("%s: no entry for %s/%s", name, r.Source, r.ID)
			}
		}
		for _, r := range core.Reasons() {
			if !here["reason-"+r.Code] {
				t.Errorf("%s: no entry for %s", name, r.Code)
			}
		}
	}
}

// TestPageIsPlain keeps the page within its policy and as it is promised.
func TestPageIsPlain(t *testing.T) {
	page, err := Page()
	if err != nil {
		t.Fatal(err)
	}
	for _, not := range []string{"<script", "style=", "<style", "src=", " onclick", "\a"} {
		if bytes.Contains(page, []byte(not)) {
			t.Errorf("the page has %q", not)
		}
	}
	if !bytes.Contains(page, []byte("gpu␇.example.com")) {
		t.Error("a control character does not show")
	}
	if again, err := Page(); err != nil || !bytes.Equal(page, again) {
		t.Errorf("the page differs from one time to the next: %v", err)
	}
	for _, part := range []string{`<del>-       compatibilityGroups: [mig, vgpu, passthrough]`, `<ins>+       compatibilityGroups: [mig, vgpu]`, "featureGates=DRADeviceCompatibilityGroups=true"} {
		if !bytes.Contains(page, []byte(part)) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if bytes.Contains(Style(), []byte("url(")) {
		t.Error("the style sheet loads something")
	}
}
