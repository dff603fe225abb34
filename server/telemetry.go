package server

import (
	"context"
	"errors"
	"net/http"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/drawbridge-dra/drawbridge/webhook"
)

// telemetry owns the metrics and traces of one server. Nothing of it is
// global, so that several servers in one process do not mix.
type telemetry struct {
	registry *prometheus.Registry
	meters   *sdkmetric.MeterProvider
	tracers  trace.TracerProvider
	reviews  metric.Int64Counter
	took     metric.Float64Histogram
	findings metric.Int64Counter
	policies metric.Int64Counter
	stop     []func(context.Context) error
}

// labels are all that HTTP metrics may carry. server.address, which otelhttp
// takes from the Host header, would let any client add time series.
var labels = attribute.NewAllowKeysFilter("http.request.method", "http.response.status_code", "http.route")

func newTelemetry(ctx context.Context, version string) (*telemetry, error) {
	t := &telemetry{registry: prometheus.NewRegistry(), tracers: noop.NewTracerProvider()}
	t.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	res, err := resource.Merge(resource.Default(), resource.NewSchemaless(
		attribute.String("service.name", "drawbridge"), attribute.String("service.version", version)))
	if err != nil {
		return nil, err
	}
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(t.registry), otelprometheus.WithoutScopeInfo())
	if err != nil {
		return nil, err
	}
	t.meters = sdkmetric.NewMeterProvider(
		sdkmetric.WithReader(exporter),
		sdkmetric.WithResource(res),
		sdkmetric.WithView(sdkmetric.NewView(sdkmetric.Instrument{Name: "http.server.*"}, sdkmetric.Stream{AttributeFilter: labels})),
	)
	t.stop = append(t.stop, t.meters.Shutdown)
	if err := t.instruments(t.meters.Meter("drawbridge")); err != nil {
		return nil, err
	}
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return t, nil
	}
	otlp, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, err
	}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithBatcher(otlp), sdktrace.WithResource(res))
	t.tracers = tracers
	t.stop = append(t.stop, tracers.Shutdown)
	return t, nil
}

// middleware measures and traces every request. The route is added by observe,
// because chi knows it only afterwards.
func (t *telemetry) middleware(next http.Handler) http.Handler {
	return otelhttp.NewHandler(next, "http",
		otelhttp.WithTracerProvider(t.tracers),
		otelhttp.WithMeterProvider(t.meters),
		otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithServerName("drawbridge"),
		otelhttp.WithFilter(func(r *http.Request) bool { return !quiet[r.URL.Path] }),
	)
}

// instruments makes those of our own.
func (t *telemetry) instruments(meter metric.Meter) error {
	var errs [4]error
	t.reviews, errs[0] = meter.Int64Counter("drawbridge.admission.reviews",
		metric.WithDescription("AdmissionReviews answered, by webhook, kind, operation and verdict."))
	t.took, errs[1] = meter.Float64Histogram("drawbridge.admission.duration", metric.WithUnit("s"),
		metric.WithDescription("Time from the first byte of an AdmissionReview to its answer, by webhook and kind."),
		metric.WithExplicitBucketBoundaries(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10))
	t.findings, errs[2] = meter.Int64Counter("drawbridge.admission.findings",
		metric.WithDescription("Findings in AdmissionReviews that something came of, by rule and action."))
	t.policies, errs[3] = meter.Int64Counter("drawbridge.policy.reads",
		metric.WithDescription("Changes of the policy file, by result: used, or refused because of what it says."))
	return errors.Join(errs[:]...)
}

// reviewed counts a review. All words come from closed sets.
func (t *telemetry) reviewed(ctx context.Context, o webhook.Observation) {
	name, kind := attribute.String("webhook", o.Webhook), attribute.String("kind", o.Kind)
	t.reviews.Add(ctx, 1, metric.WithAttributes(name, kind, attribute.String("operation", o.Operation), attribute.String("verdict", o.Verdict)))
	// The same words for the span, and no names: see SECURITY.md.
	trace.SpanFromContext(ctx).SetAttributes(name, kind, attribute.String("operation", o.Operation), attribute.String("verdict", o.Verdict))
	t.took.Record(ctx, o.Took.Seconds(), metric.WithAttributes(name, kind))
	for _, r := range o.Rules {
		t.findings.Add(ctx, int64(r.Count), metric.WithAttributes(attribute.String("rule", r.Rule), attribute.String("action", r.Action)))
	}
}

// policyRead counts a change of the policy file. The age of a policy that is
// no longer that of the file shows as a refusal without a use after it.
func (t *telemetry) policyRead(ctx context.Context, used bool) {
	result := "used"
	if !used {
		result = "refused"
	}
	t.policies.Add(ctx, 1, metric.WithAttributes(attribute.String("result", result)))
}

func (t *telemetry) handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{Registry: t.registry, MaxRequestsInFlight: 4})
}

func (t *telemetry) shutdown(ctx context.Context) error {
	var errs []error
	for _, stop := range t.stop {
		errs = append(errs, stop(ctx))
	}
	return errors.Join(errs...)
}
