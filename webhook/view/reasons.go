package view

import (
	"context"
	"errors"
	"net"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// reasons are why a kind cannot be read, all that metrics tell apart.
var reasons = [...]string{"forbidden", "unauthorized", "not-found", "expired", "throttled", "timeout", "unreachable", "other"}

// reasonOf returns the index of the reason.
func reasonOf(err error) int {
	name := "other"
	var network net.Error
	switch {
	case apierrors.IsForbidden(err):
		name = "forbidden"
	case apierrors.IsUnauthorized(err):
		name = "unauthorized"
	case apierrors.IsNotFound(err):
		name = "not-found"
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		name = "expired"
	case apierrors.IsTooManyRequests(err):
		name = "throttled"
	case apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), errors.Is(err, context.DeadlineExceeded):
		name = "timeout"
	case errors.As(err, &network):
		if name = "unreachable"; network.Timeout() {
			name = "timeout"
		}
	}
	for i, r := range reasons {
		if r == name {
			return i
		}
	}
	return len(reasons) - 1
}
