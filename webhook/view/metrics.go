package view

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Register adds the view's metrics. Their labels come from closed sets: the
// kinds that are watched, and the reasons why they cannot be.
func (v *View) Register(meter metric.Meter) error {
	objects, err := meter.Int64ObservableGauge("drawbridge.cluster.objects",
		metric.WithDescription("Objects of the cluster that are known, by kind."))
	if err != nil {
		return err
	}
	synced, err := meter.Int64ObservableGauge("drawbridge.cluster.synced",
		metric.WithDescription("1 for a kind that was read, or that the cluster does not have; 0 for one that was not, or may not be."))
	if err != nil {
		return err
	}
	age, err := meter.Float64ObservableGauge("drawbridge.cluster.silence", metric.WithUnit("s"),
		metric.WithDescription("How long ago the API server last said something about a kind: a list, an event or a sign of life, which comes each minute."))
	if err != nil {
		return err
	}
	failures, err := meter.Int64ObservableCounter("drawbridge.cluster.failures",
		metric.WithDescription("Attempts to read or watch a kind that failed, by reason."))
	if err != nil {
		return err
	}
	_, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		now := v.cfg.Now()
		for _, k := range v.kinds {
			label := attribute.String("kind", k.name)
			o.ObserveInt64(objects, k.objects.Load(), metric.WithAttributes(label))
			is := int64(0)
			if s := state(k.state.Load()); s == known || s == absent {
				is = 1
			}
			o.ObserveInt64(synced, is, metric.WithAttributes(label))
			if k.heard.Load() != 0 {
				o.ObserveFloat64(age, k.age(now).Seconds(), metric.WithAttributes(label))
			}
			for i := range k.failures {
				if n := k.failures[i].Load(); n > 0 {
					o.ObserveInt64(failures, n, metric.WithAttributes(label, attribute.String("reason", reasons[i])))
				}
			}
		}
		return nil
	}, objects, synced, age, failures)
	return err
}
