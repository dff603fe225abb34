package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/drawbridge-dra/drawbridge/cmd/drawbridge/cli"
)

// named are words for what the three documents name, in the order of each. A
// row of the table says each.
var named = map[string][]string{
	"The page of DRA features (1.37)": {
		"Partitionable devices", "compatibility groups", "At most two groups", "stripped", "skips", "Consumable capacity", "Request policies", "DistinctAttribute",
		"Granular authorization", "Roles", "Optional node operations", "only together", "copied", "declare", "files that containers see", "reading and checking",
		"slices of their own", "over several claims", "named by its pod", "goes by the copy", "allowMultipleAllocations", "generation rises",
	},
	"The page of Kubernetes 1.31": {
		"kinds of v1alpha3", "from templates", "several pods share", "slips", "control-plane controller", "PodSchedulingContext", "ResourceClass", "Deallocation",
		"cleared", "Monitoring: ", "socket", "Pre-scheduled pods wait", "at admission", "triggers and reserves", "Pre-scheduled pods: extended resources", "Enabling", "Checking whether", "matchAttribute", "Configuration for the driver",
	},
	"The announcement of 1.34": {
		"General availability", "Earlier versions", "Admin access in", "Admin access is refused", "Prioritized list", "PodResources", "Extended resources", "Consumable capacity", "Binding conditions", "Health",
	},
}

var (
	seedRow  = regexp.MustCompile("^\\| (.+) \\| (.+) \\| (–|\\[.+\\]\\((.+)\\)) \\| `(.+)` \\| \\[(\\d+)\\]\\(#show-(\\d+)\\) \\| \\[(Test\\w+)\\]\\((.+)\\) \\|$")
	seedShow = regexp.MustCompile(`(?s)<a id="show-(\d+)"></a>\d+\. ([^\n]*)\n\n` + "```console\n(.*?)```")
)

// TestSeeds holds the table of the documents' features to the repository: each
// has a fixture, an operation, a command with its output and a test. What the
// commands print is held by TestExamples.
func TestSeeds(t *testing.T) {
	text, err := os.ReadFile("seeds.md")
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../openapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string][]string{}
	for _, m := range seedShow.FindAllStringSubmatch(string(text), -1) {
		shown[m[1]] = m[2:]
	}
	features := map[string][]string{}
	rows := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| feature ") {
			continue
		}
		m := seedRow.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Errorf("this row cannot be read: %s", line)
			continue
		}
		rows++
		feature, from, fixture, operation, number, test, file := m[1], m[2], m[4], m[5], m[6], m[8], m[9]
		features[from] = append(features[from], feature)
		show := shown[number]
		if len(show) == 0 || number != m[7] || show[0] != feature {
			t.Errorf("%s: nothing shows it", feature)
			continue
		}
		if fixture != "" {
			if _, err := os.Stat(fixture); err != nil {
				t.Errorf("%s: %v", feature, err)
			}
			// What a command cannot show because it goes on for ever, its test reads.
			name := filepath.Clean(strings.TrimPrefix(fixture, "../"))
			if code, _ := os.ReadFile(file); !strings.Contains(show[1], name) && !(strings.HasPrefix(operation, "drawbridge ") && strings.Contains(string(code), name)) {
				t.Errorf("%s: neither the command nor the test reads %s", feature, fixture)
			}
		}
		checkOperation(t, feature, operation, show[1], string(document))
		if code, err := os.ReadFile(file); err != nil || !strings.Contains(string(code), "\nfunc "+test+"(") {
			t.Errorf("%s: %s has no %s", feature, file, test)
		}
	}
	if rows != len(shown) {
		t.Errorf("%d rows, and %d commands", rows, len(shown))
	}
	for from, words := range named {
		for _, word := range words {
			if !strings.Contains(strings.Join(features[from], "\n"), word) {
				t.Errorf("%s names what no row says: %s", from, word)
			}
		}
	}
}

// checkOperation looks an operation up where it is declared, and in the command.
func checkOperation(t *testing.T, feature, operation, command, document string) {
	t.Helper()
	method, path, ok := strings.Cut(operation, " ")
	switch {
	case !ok:
		t.Errorf("%s: %q is no operation", feature, operation)
	case method == "drawbridge":
		if found, _, err := cli.New().Find([]string{path}); err != nil || found.Name() != path || !strings.Contains(command, "drawbridge "+path) {
			t.Errorf("%s: there is no command %s, or it is not shown", feature, operation)
		}
	case strings.HasPrefix(path, "/admission/"):
		if !strings.Contains(command, path) {
			t.Errorf("%s: %s is not asked", feature, path)
		}
	default:
		declared := regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(path) + `:\n    ` + strings.ToLower(method) + `:$`)
		if !declared.MatchString(document) || !regexp.MustCompile(`localhost:8080`+regexp.QuoteMeta(path)+`[?']`).MatchString(command) {
			t.Errorf("%s: %s is not declared, or not asked", feature, operation)
		}
	}
}
