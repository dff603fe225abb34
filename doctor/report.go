// Package doctor looks at a cluster and says whether it is ready for Dynamic
// Resource Allocation: what its components are and which feature gates they
// have, what drivers publish, which pods wait for devices, and whether our
// webhook would be reached. It only reads; what it may not read it says.
package doctor

// Status is how a check went.
type Status string

// The statuses, best first.
const (
	OK      Status = "ok"
	Info    Status = "info"
	Unknown Status = "unknown" // it could not be looked at
	Problem Status = "problem"
)

// Check is one thing that was looked at.
type Check struct {
	Area    string   `json:"area"` // such as "gates"
	Status  Status   `json:"status"`
	Message string   `json:"message"`           // one sentence
	Details []string `json:"details,omitempty"` // at most a few lines
}

// Component is a part of the control plane, or a kubelet.
type Component struct {
	Kind    string `json:"kind"` // kube-apiserver, kube-scheduler, kube-controller-manager, kubelet
	Name    string `json:"name"` // of the pod or node; empty for the API server
	Version string `json:"version,omitempty"`
	// Gates are those that matter to DRA, as far as they are known; From says
	// where from: metrics, configz or flags.
	Gates map[string]bool `json:"gates,omitempty"`
	From  string          `json:"from,omitempty"`
	// Unknown says why the gates are not known.
	Unknown string `json:"unknown,omitempty"`
}

// ServedVersion is a version of resource.k8s.io with the resources it has.
type ServedVersion struct {
	APIVersion string   `json:"apiVersion"`
	Resources  []string `json:"resources"`
}

// Driver is what a driver publishes.
type Driver struct {
	Name    string `json:"name"`
	Slices  int    `json:"slices"`
	Pools   int    `json:"pools"`
	Devices int    `json:"devices"`
	// Nodes are how many nodes have slices of their own; Plugins on how many
	// of them a pod was seen that may be the driver's plugin; Without are
	// the first of those where none was.
	Nodes   int      `json:"nodes"`
	Plugins int      `json:"plugins"`
	Without []string `json:"without,omitempty"`
}

// Pool is a pool that no device can be taken from.
type Pool struct {
	Driver  string `json:"driver"`
	Name    string `json:"name"`
	Problem string `json:"problem"`
}

// Pod is one that waits for devices.
type Pod struct {
	Pod     string `json:"pod"` // namespace/name
	Fits    bool   `json:"fits"`
	Message string `json:"message"`
}

// Webhook is an entry of a webhook configuration of ours.
type Webhook struct {
	Configuration string `json:"configuration"` // kind and name
	Name          string `json:"name"`
	FailurePolicy string `json:"failurePolicy"`
	Service       string `json:"service,omitempty"` // namespace/name:port
	URL           string `json:"url,omitempty"`
	// Endpoints are how many are ready; -1 where that is not known.
	Endpoints int `json:"endpoints"`
}

// Report is everything.
type Report struct {
	Outcome    string          `json:"outcome"` // healthy, problems or unknown
	Version    string          `json:"version,omitempty"`
	Served     []ServedVersion `json:"served"`
	Components []Component     `json:"components"`
	Drivers    []Driver        `json:"drivers"`
	Pools      []Pool          `json:"pools"` // those with a problem
	Pending    int             `json:"pending"`
	Pods       []Pod           `json:"pods"` // the first of those that wait
	Webhooks   []Webhook       `json:"webhooks"`
	Checks     []Check         `json:"checks"`
}

// The outcomes.
const (
	Healthy  = "healthy"
	Problems = "problems"
	NoLook   = "unknown"
)

// most is how many names or lines a check lists.
const most = 10

func (r *Report) say(area string, s Status, message string, details ...string) {
	if n := len(details); n > most {
		details = append(details[:most:most], "…")
	}
	r.Checks = append(r.Checks, Check{Area: area, Status: s, Message: message, Details: details})
}

// conclude finds the outcome. A cluster that does not answer is none that is
// well.
func (r *Report) conclude() {
	r.Outcome = Healthy
	for _, c := range r.Checks {
		switch {
		case c.Area == "server" && c.Status == Unknown:
			r.Outcome = NoLook
			return
		case c.Status == Problem:
			r.Outcome = Problems
		}
	}
}
