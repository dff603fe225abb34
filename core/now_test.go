package core

import (
	"context"
	"errors"
	"testing"
)

func TestNow(t *testing.T) {
	var wrong *OptionError
	if _, err := Allocate(context.Background(), nil, Options{Now: "noon"}); !errors.As(err, &wrong) || wrong.Option != "now" {
		t.Errorf("got %v", err)
	}
	if _, err := Allocate(context.Background(), nil, Options{Now: "2026-11-29T12:00:00+01:00"}); err != nil {
		t.Error(err)
	}
}
