package server

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/drawbridge-dra/drawbridge/server/certs"
)

// certificates measures the certificate of the HTTPS listener, and the work
// for it where that is ours.
func (t *telemetry) certificates(source certificateSource, manager *certs.Manager) error {
	meter := t.meters.Meter("drawbridge")
	expiry, err := meter.Int64ObservableGauge("drawbridge.certificate.expiration.timestamp", metric.WithUnit("s"),
		metric.WithDescription("When the certificate expires, in seconds since 1970."))
	if err != nil {
		return err
	}
	kind := func(name string) metric.MeasurementOption {
		return metric.WithAttributes(attribute.String("certificate", name))
	}
	if _, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		certificate, err := source.GetCertificate(nil)
		if err == nil && certificate != nil && certificate.Leaf != nil {
			o.ObserveInt64(expiry, certificate.Leaf.NotAfter.Unix(), kind("serving"))
		}
		if manager != nil {
			if s := manager.Status(); !s.AuthorityNotAfter.IsZero() {
				o.ObserveInt64(expiry, s.AuthorityNotAfter.Unix(), kind("authority"))
			}
		}
		return err
	}, expiry); err != nil || manager == nil {
		return err
	}
	failing, err1 := meter.Int64ObservableGauge("drawbridge.certificates.failing",
		metric.WithDescription("1 while this replica cannot look after the certificates; it then serves those that it has."))
	read, err2 := meter.Int64ObservableGauge("drawbridge.certificates.read.timestamp", metric.WithUnit("s"),
		metric.WithDescription("When this replica last read the Secret of the certificates or wrote it, in seconds since 1970."))
	looks, err3 := meter.Int64ObservableCounter("drawbridge.certificates.looks",
		metric.WithDescription("Looks at the Secret and at both configurations, by outcome."))
	changes, err4 := meter.Int64ObservableCounter("drawbridge.certificates.changes",
		metric.WithDescription("What this replica did to the Secret."))
	repairs, err5 := meter.Int64ObservableCounter("drawbridge.certificates.repairs",
		metric.WithDescription("How often this replica wrote caBundle, by kind of configuration."))
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return err
	}
	_, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := manager.Status()
		var bad int64
		if s.Failing {
			bad = 1
		}
		o.ObserveInt64(failing, bad)
		if !s.Read.Equal(time.Time{}) {
			o.ObserveInt64(read, s.Read.Unix())
		}
		for _, counts := range []struct {
			of    metric.Int64Observable
			label string
			by    map[string]int64
		}{{looks, "outcome", s.Looks}, {changes, "change", s.Changes}, {repairs, "configuration", s.Repairs}} {
			for name, n := range counts.by {
				o.ObserveInt64(counts.of, n, metric.WithAttributes(attribute.String(counts.label, name)))
			}
		}
		return nil
	}, failing, read, looks, changes, repairs)
	return err
}
