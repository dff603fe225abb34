package certs

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	admissionclient "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/utils/clock"
)

// Config says where the certificates live and how long.
type Config struct {
	Namespace string // of the Secret
	Secret    string // its name

	// Mutating and Validating are the names of the configurations whose
	// caBundle is kept right; empty: none.
	Mutating, Validating string

	// Names are what the certificate is for: DNS names and IP addresses. An
	// entry of a configuration is ours if it leads to one of them.
	Names []string

	Validity     time.Duration // of a serving certificate; default 90 days
	RenewAfter   time.Duration // its age at renewal; default two thirds of Validity
	CAValidity   time.Duration // of an authority; default five years
	CARenewAfter time.Duration // its age when the next one is prepared; default two thirds of CAValidity
	Overlap      time.Duration // for which an authority is trusted before it signs and after its last certificate; default an hour

	Secrets        coreclient.SecretsGetter
	Configurations admissionclient.AdmissionregistrationV1Interface

	Logger *slog.Logger // default slog.Default()

	// Clock is what all times are taken from; nil: the real one.
	Clock clock.WithTicker
	// Jitter is between 0 and 1, drawn once for each replica: how much of a
	// tenth earlier than the others this one renews. Nil: by chance.
	Jitter *float64
}

const (
	// atLeast keeps certificates, whose times are whole seconds, from
	// expiring while they are made.
	atLeast = 2 * time.Second

	// backdated is how long before its making a certificate begins to be
	// valid: clocks differ.
	backdated = time.Hour

	longestRefresh = time.Minute
)

// withDefaults completes the configuration and says what cannot work.
func (c Config) withDefaults() (Config, error) {
	if c.Validity == 0 {
		c.Validity = 90 * 24 * time.Hour
	}
	if c.RenewAfter == 0 {
		c.RenewAfter = c.Validity / 3 * 2
	}
	if c.CAValidity == 0 {
		c.CAValidity = max(5*365*24*time.Hour, 12*c.Validity)
	}
	if c.CARenewAfter == 0 {
		c.CARenewAfter = c.CAValidity / 3 * 2
	}
	if c.Overlap == 0 {
		c.Overlap = time.Hour
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	if c.Jitter == nil {
		j := rand.Float64()
		c.Jitter = &j
	}
	return c, errors.Join(c.checkDurations(), c.checkNames())
}

// checkDurations holds what the order of a rotation needs.
func (c Config) checkDurations() error {
	var errs []error
	for _, rule := range []struct {
		broken bool
		says   string
	}{
		{c.RenewAfter < atLeast || c.Overlap <= 0, fmt.Sprintf("--cert-renew-after is %v and --ca-overlap %v; the first must be at least %v and the second more than 0", c.RenewAfter, c.Overlap, atLeast)},
		{c.RenewAfter > c.Validity/10*9, fmt.Sprintf("--cert-renew-after is %v, which leaves too little of --cert-validity %v; at most nine tenths of it", c.RenewAfter, c.Validity)},
		{c.CARenewAfter < c.Validity+3*c.Overlap, fmt.Sprintf("--ca-renew-after is %v; it must be at least --cert-validity and three times --ca-overlap, %v, or authorities would pile up", c.CARenewAfter, c.Validity+3*c.Overlap)},
		{c.CAValidity < c.CARenewAfter+c.Validity+3*c.Overlap, fmt.Sprintf("--ca-validity is %v; it must be at least --ca-renew-after, --cert-validity and three times --ca-overlap, %v, or an authority would expire before its certificates", c.CAValidity, c.CARenewAfter+c.Validity+3*c.Overlap)},
	} {
		if rule.broken {
			errs = append(errs, errors.New(rule.says))
		}
	}
	return errors.Join(errs...)
}

func (c Config) checkNames() error {
	if c.Namespace == "" || c.Secret == "" {
		return errors.New("--certs-namespace and --certs-secret must name the Secret of the certificates; the namespace is only known by itself in a pod with a service account")
	}
	if len(c.Names) == 0 {
		return errors.New("--cert-names is empty; give the names under which the API server reaches the webhook, such as drawbridge.drawbridge.svc")
	}
	for _, name := range c.Names {
		if net.ParseIP(name) == nil && len(validation.IsDNS1123Subdomain(name)) > 0 {
			return fmt.Errorf("--cert-names has %q, which is neither an IP address nor a DNS name of lower-case letters, digits, '-' and '.'", name)
		}
	}
	return nil
}

// refresh is the longest time between two looks. It follows from what has to
// be seen in time: ten looks fit into the shortest of the times that count.
func (c Config) refresh() time.Duration {
	shortest := min(c.RenewAfter, c.Validity-c.RenewAfter, c.CARenewAfter, c.Overlap)
	return max(min(longestRefresh, shortest/10), 50*time.Millisecond)
}

// patience is how long a replica without memory waits for one that has it to
// put a lost Secret back.
func (c Config) patience() time.Duration { return 3 * c.refresh() }

// early is how much of a time this replica does not wait out.
func (c Config) early(d time.Duration) time.Duration {
	return d - time.Duration(float64(d)/10**c.Jitter)
}

// ServiceNames are the names under which API servers reach a Service.
func ServiceNames(service, namespace string) []string {
	host := strings.Join([]string{service, namespace, "svc"}, ".")
	return []string{host, host + ".cluster.local"}
}
