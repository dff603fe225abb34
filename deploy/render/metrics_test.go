package render

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	corev1 "k8s.io/api/core/v1"
)

// apiServers are the metrics of the API server that are looked at, with the
// labels that it gives them.
var apiServers = map[string][]string{
	"apiserver_admission_webhook_fail_open_count":                   {"name", "type"},
	"apiserver_admission_webhook_rejection_count":                   {"name", "type", "operation", "error_type", "rejection_code"},
	"apiserver_admission_webhook_admission_duration_seconds_bucket": {"name", "type", "operation", "rejected", "le"},
	"apiserver_admission_match_condition_evaluation_errors_total":   {"name", "kind", "type", "operation"},
	"apiserver_admission_match_condition_exclusions_total":          {"name", "kind", "type", "operation"},
	"up": nil, // Prometheus' own
}

// scrapers are the labels that Prometheus adds to all that it scrapes from a
// pod.
var scrapers = []string{"job", "pod", "namespace", "instance"}

// queries are all expressions of the alerts and of the dashboard, by where
// they stand.
func queries(t *testing.T, list []Object) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, r := range Of[*monitoringv1.PrometheusRule](list) {
		for _, g := range r.Spec.Groups {
			for _, rule := range g.Rules {
				out["alert "+rule.Alert] = rule.Expr.String()
			}
		}
	}
	for _, c := range Of[*corev1.ConfigMap](list) {
		for name, text := range c.Data {
			var dashboard struct {
				Panels []struct {
					Title   string
					Targets []struct{ Expr, RefID string }
				}
			}
			if err := json.Unmarshal([]byte(text), &dashboard); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, p := range dashboard.Panels {
				for _, target := range p.Targets {
					out[fmt.Sprintf("panel %s %s", p.Title, target.RefID)] = strings.ReplaceAll(target.Expr, "$__rate_interval", "5m")
				}
			}
		}
	}
	return out
}

// wanted are the metrics of an expression, with every label that it chooses or
// groups by.
func wanted(t *testing.T, where, query string) map[string][]string {
	t.Helper()
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return nil
	}
	out := map[string][]string{}
	parser.Inspect(expr, func(n parser.Node, path []parser.Node) error {
		v, ok := n.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		for _, m := range v.LabelMatchers {
			if m.Name != labels.MetricName {
				out[v.Name] = append(out[v.Name], m.Name)
			}
		}
		for _, above := range path {
			if a, ok := above.(*parser.AggregateExpr); ok {
				out[v.Name] = append(out[v.Name], a.Grouping...)
			}
		}
		if out[v.Name] == nil {
			out[v.Name] = []string{}
		}
		return nil
	})
	return out
}

// Alerts and dashboard ask for nothing that nobody exports.
func TestMetricsExist(t *testing.T) {
	list, err := Helm(chart, "drawbridge", "monitoring: {rules: true, dashboard: true, serviceMonitor: true}")
	if err != nil {
		t.Fatal(err)
	}
	all := queries(t, list)
	if len(all) < 20 {
		t.Fatalf("got %d queries", len(all))
	}
	exported := scrape(t)
	for _, where := range slices.Sorted(maps.Keys(all)) {
		for name, used := range wanted(t, where, all[where]) {
			known, theirs := apiServers[name]
			if !theirs {
				var ours bool
				if known, ours = exported[name]; !ours {
					t.Errorf("%s: nobody exports %s", where, name)
					continue
				}
			}
			for _, label := range used {
				if !slices.Contains(known, label) && (!slices.Contains(scrapers, label) || theirs && name != "up") {
					t.Errorf("%s: %s has no label %s", where, name, label)
				}
			}
		}
	}
	if t.Failed() {
		t.Logf("exported: %q", slices.Sorted(maps.Keys(exported)))
	}
}

// scrape starts a server with all that it can do, sends it one of each, and
// gives what it exports: names as Prometheus stores them, with their labels.
func scrape(t *testing.T) map[string][]string {
	t.Helper()
	answers, looks, client := serveEverything(t)
	review := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","operation":"CREATE","kind":{"group":"resource.k8s.io","version":"v1","kind":"DeviceClass"},` +
		`"resource":{"group":"resource.k8s.io","version":"v1","resource":"deviceclasses"},"object":{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"A b"}}}}`
	res, err := client.Post(answers+"/admission/mutate", "application/json", strings.NewReader(review))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("got %d", res.StatusCode)
	}
	var out map[string][]string
	// What looks at a cluster comes to its first result in its own time.
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		out = metrics(t, answers, client)
		for name, labels := range metrics(t, looks, client) {
			out[name] = append(out[name], labels...)
		}
		if out["drawbridge_cluster_silence_seconds"] != nil && out["drawbridge_certificates_failing"] != nil && out["drawbridge_policy_reads_total"] != nil || time.Now().After(deadline) {
			return out
		}
	}
}

func metrics(t *testing.T, base string, client *http.Client) map[string][]string {
	t.Helper()
	res, err := client.Get(base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	p := expfmt.NewTextParser(model.UTF8Validation)
	families, err := p.TextToMetricFamilies(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for name, family := range families {
		names := []string{}
		for _, m := range family.Metric {
			for _, l := range m.Label {
				names = append(names, l.GetName())
			}
		}
		slices.Sort(names)
		names = slices.Compact(names)
		out[name] = names
		if family.GetType().String() == "HISTOGRAM" {
			out[name+"_bucket"], out[name+"_count"], out[name+"_sum"] = append([]string{"le"}, names...), names, names
		}
	}
	return out
}

// Every alert says what to do in docs/deploy.md.
func TestAlertsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	list, err := Helm(chart, "drawbridge", "monitoring: {rules: true}")
	if err != nil {
		t.Fatal(err)
	}
	for where := range queries(t, list) {
		if name := strings.TrimPrefix(where, "alert "); !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/deploy.md does not say what to do about %s", name)
		}
	}
}
