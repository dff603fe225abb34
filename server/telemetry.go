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
)

// telemetry owns the metrics and traces of one server. Nothing of it is
// global, so that several servers in one process do not mix.
type telemetry struct {
	registry *prometheus.Registry
	meters   *sdkmetric.MeterProvider
	tracers  trace.TracerProvider
	reviews  metric.Int64Counter
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
	t.reviews, err = t.meters.Meter("drawbridge").Int64Counter("drawbridge.admission.reviews",
		metric.WithDescription("AdmissionReviews answered, by webhook and verdict."))
	if err != nil {
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

// reviewed counts a review. Both words come from a closed set.
func (t *telemetry) reviewed(ctx context.Context, webhook, verdict string) {
	t.reviews.Add(ctx, 1, metric.WithAttributes(attribute.String("webhook", webhook), attribute.String("verdict", verdict)))
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
