package census

// View is what is known of a cluster beside the object under review. Whoever
// has none passes nil. No method waits for anything, and all may be called
// from several goroutines at a time.
type View interface {
	// Around gathers what matters for judging an object: a pointer to a type
	// of k8s.io/api in the version that the core works with. What it returns
	// does not change any more.
	Around(object any) *Around
	// NodeLabels are the labels of a node; false where the node is not known.
	NodeLabels(name string) (map[string]string, bool)
	// NamespaceLabels are the labels of a namespace; false where it is not known.
	NamespaceLabels(name string) (map[string]string, bool)
	// ClassFor is the DeviceClass that serves an extended resource, by its
	// extendedResourceName or by deviceclass.resource.kubernetes.io/; false
	// where none is known to.
	ClassFor(resource string) (string, bool)
	// UsersOfClass counts the claims and templates that name a DeviceClass.
	UsersOfClass(name string) Users
	// UsersOfTemplate counts the pods that name a template and are not done.
	UsersOfTemplate(namespace, name string) Users
	// Freshness says how far what is known can be relied on.
	Freshness() Freshness
}

// Users are what names an object: some of them, in order, and how many there are.
type Users struct {
	// Claims, Templates and Pods are up to MostUsers of each, as
	// namespace/name, in order.
	Claims, Templates, Pods []string
	// ClaimCount, TemplateCount and PodCount count all of them,
	// AllocatedCount the claims that hold devices.
	ClaimCount, TemplateCount, PodCount, AllocatedCount int
}

// MostUsers is how many users are named.
const MostUsers = 3

// None tells whether nothing names the object, as far as is known.
func (u Users) None() bool { return u.ClaimCount+u.TemplateCount+u.PodCount == 0 }

// Freshness says how far what is known of a cluster can be relied on. Kinds
// that the cluster does not have count as known.
type Freshness struct {
	// Unknown are the kinds that have not been read, in order: not yet, or
	// because the cluster does not let them be read. Pending are the former.
	Unknown, Pending []string
	// Stale are the kinds that were read and are cut off: their state is that
	// of some time ago; in order.
	Stale []string
	// Seconds is how long ago the most outdated of them was last heard of.
	Seconds int64
}

// Knows tells whether a kind has been read.
func (f Freshness) Knows(kind string) bool {
	for _, k := range f.Unknown {
		if k == kind {
			return false
		}
	}
	return true
}
