package render

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/strvals"
	"sigs.k8s.io/yaml"
)

// commands are all of a document, in blocks of their own and inside of lines.
func commands(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	inside := false
	for _, line := range strings.Split(string(text), "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			inside = trimmed == "```sh"
			continue
		}
		if inside {
			out = append(out, trimmed)
			continue
		}
		for _, span := range regexp.MustCompile("`((?:kubectl|helm|go tool) [^`]+)`").FindAllStringSubmatch(line, -1) {
			out = append(out, span[1])
		}
	}
	return out
}

var (
	applied   = regexp.MustCompile(`^kubectl apply -k deploy/(\S+)$`)
	helmed    = regexp.MustCompile(`^helm (?:install|upgrade|upgrade --install) drawbridge deploy/(\S+) --namespace (\S+)( --create-namespace)?((?: --(?:set|values) \S.*)?)$`)
	switched  = regexp.MustCompile(`^kubectl delete (\S+) drawbridge$`)
	about     = regexp.MustCompile(`^kubectl -n (\S+) (?:rollout status deployment/drawbridge|get pods)$`)
	labelled  = regexp.MustCompile(`^kubectl label namespace (\S+) (\S+)=(\S+)$`)
	can       = regexp.MustCompile(`^kubectl auth can-i --as=system:serviceaccount:(\S+):(\S+) list resourceslices$`)
	tasked    = regexp.MustCompile(`^(go tool -modfile=tools/go.mod task|task) (\S+)( ARCH=\S+)?$`)
	resources = []string{"validatingwebhookconfiguration", "mutatingwebhookconfiguration"}
)

// Whatever the documents tell people to run is there to be run.
func TestCommands(t *testing.T) {
	all := commands(t, "../../docs/deploy.md")
	if len(all) < 10 {
		t.Fatalf("got %q", all)
	}
	for _, command := range append(all, commands(t, "../chart/README.md")...) {
		switch {
		case applied.MatchString(command):
			if list, err := Kustomize("../" + applied.FindStringSubmatch(command)[1]); err != nil || len(list) < 10 {
				t.Errorf("%s: %d objects, %v", command, len(list), err)
			}
		case helmed.MatchString(command):
			m := helmed.FindStringSubmatch(command)
			list, err := Helm("../"+m[1], m[2], given(t, m[4]))
			if err != nil || len(list) < 10 {
				t.Errorf("%s: %d objects, %v", command, len(list), err)
			}
		case switched.MatchString(command):
			kinds := strings.Split(switched.FindStringSubmatch(command)[1], ",")
			for _, o := range everything(t) {
				name := strings.ToLower(o.Kind())
				if slices.Contains(resources, name) && (!slices.Contains(kinds, name) || !strings.HasSuffix(o.Name(), "/drawbridge")) {
					t.Errorf("%s leaves %s", command, o.Name())
				}
			}
		case about.MatchString(command), labelled.MatchString(command), can.MatchString(command):
			if !strings.Contains(command, "drawbridge") {
				t.Errorf("%s is about something else", command)
			}
		case tasked.MatchString(command):
			name := tasked.FindStringSubmatch(command)[2]
			taskfile, err := os.ReadFile("../../Taskfile.yml")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(taskfile), "\n  "+name+":\n") {
				t.Errorf("there is no task %s", name)
			}
		default:
			t.Errorf("nobody tries this command: %s", command)
		}
	}
}

// given are the values of a command line: of --set by Helm's own reading, of
// --values from the block in the documentation that begins with the name.
func given(t *testing.T, line string) string {
	t.Helper()
	words := strings.Fields(line)
	out := map[string]any{}
	for i := 0; i+1 < len(words); i += 2 {
		switch words[i] {
		case "--set":
			if err := strvals.ParseInto(words[i+1], out); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		case "--values":
			if err := yaml.UnmarshalStrict(block(t, words[i+1]), &out); err != nil || len(out) == 0 {
				t.Errorf("%s: %v", words[i+1], err)
			}
		default:
			t.Errorf("nobody tries %s", words[i])
		}
	}
	text, err := yaml.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block is a file that docs/deploy.md shows.
func block(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)\n( *)```yaml\n *# " + regexp.QuoteMeta(name) + "\n(.*?)```").FindSubmatch(text)
	if m == nil {
		t.Fatalf("docs/deploy.md does not show %s", name)
	}
	return []byte(strings.ReplaceAll("\n"+string(m[2]), "\n"+string(m[1]), "\n"))
}
