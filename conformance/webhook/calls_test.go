package webhook

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// metrics are those of the API server.
type metrics map[string]*dto.MetricFamily

func scrape(ctx context.Context) (metrics, error) {
	text, err := plane.client.Discovery().RESTClient().Get().AbsPath("/metrics").Do(ctx).Raw()
	if err != nil {
		return nil, err
	}
	return parseMetrics(text)
}

func parseMetrics(text []byte) (metrics, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(bytes.NewReader(text))
}

// sum adds the counters and gauges of a family whose labels are as given:
// "name=value".
func (m metrics) sum(family string, labels ...string) float64 {
	var sum float64
	for _, metric := range m[family].GetMetric() {
		have := func(want string) bool {
			name, value, _ := strings.Cut(want, "=")
			return slices.ContainsFunc(metric.GetLabel(), func(l *dto.LabelPair) bool { return l.GetName() == name && l.GetValue() == value })
		}
		if !slices.ContainsFunc(labels, func(l string) bool { return !have(l) }) {
			sum += metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + metric.GetUntyped().GetValue()
		}
	}
	return sum
}

// calls are all calls of webhooks, whatever came of them.
func (m metrics) calls() float64 { return m.sum("apiserver_admission_webhook_request_total") }

// failedOpen are calls that failed and did not matter, because failurePolicy
// is Ignore.
func (m metrics) failedOpen() float64 { return m.sum("apiserver_admission_webhook_fail_open_count") }

// failed are those that did.
func (m metrics) failed() float64 {
	const family = "apiserver_admission_webhook_rejection_count"
	return m.sum(family) - m.sum(family, "error_type=no_error")
}

// watchCalls returns a function that reports calls that have failed since.
func watchCalls(t *testing.T) (unfailed func()) {
	t.Helper()
	before, err := scrape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		after, err := scrape(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("the API server has called the webhook %v times", after.calls()-before.calls())
		if n := after.failed() - before.failed(); n != 0 {
			t.Errorf("%v calls of the webhook failed, says the API server", n)
		}
		if n := after.failedOpen() - before.failedOpen(); n != 0 {
			t.Errorf("%v calls of the webhook failed open, says the API server", n)
		}
	}
}
