package metadata

import (
	"cmp"
	"path"

	resourceapi "k8s.io/api/resource/v1"
)

// Options are how a driver is set up.
type Options struct {
	// Versions are written in this order.
	Versions []string
	// Generation is that of the files: 1 when a claim is prepared.
	Generation int64
	// PluginsDir and CDIDir are those of the node.
	PluginsDir, CDIDir string
	// Left is how many bytes of files may still be written; a file that would
	// be too large is left out.
	Left *int
}

// Published is what a driver has published of a device. Size is about how many
// bytes that takes.
type Published struct {
	Attributes map[resourceapi.QualifiedName]resourceapi.DeviceAttribute
	Size       int
}

// Attributes finds what has been published of a device; false where that is
// not known.
type Attributes func(driver, pool, device string) (Published, bool)

// entryBytes is what a device takes in a file without its attributes.
const entryBytes = 512

// File is a file that a driver writes for a request of a claim.
type File struct {
	Driver string
	// Request is the one that names the directory, Reference what stands in
	// the file, with the alternative that was chosen.
	Request, Reference string
	// Others are references of the same request whose file has the same path.
	Others  []string
	Devices []AllocatedDevice
	// Unpublished are the devices of which no slice tells.
	Unpublished []string

	ContainerPath, HostPath string
	CDIID, CDIPath          string
	Content, CDI            []byte
}

// Files are those of a claim, written by every driver that has devices in it,
// one for each request, and how many were left out. Of devices with a status,
// the network data are in them too. The files are in the order of the
// allocation.
func Files(claim *resourceapi.ResourceClaim, attributes Attributes, opts Options) (out []File, omitted int, err error) {
	if claim.Status.Allocation == nil {
		return nil, 0, nil
	}
	network := networkData(claim)
	at := map[[2]string]int{}
	for _, of := range references(claim) {
		f := File{Driver: of.driver, Request: BaseRequest(of.reference), Reference: of.reference}
		size := 0
		for _, r := range of.results {
			published, known := attributes(r.Driver, r.Pool, r.Device)
			data := network[identity(r.Driver, r.Pool, r.Device, (*string)(r.ShareID))]
			if size += entryBytes + published.Size + networkSize(data); size > *opts.Left {
				break
			}
			if !known {
				f.Unpublished = append(f.Unpublished, r.Pool+"/"+r.Device)
			}
			f.Devices = append(f.Devices, AllocatedDevice{Driver: r.Driver, Pool: r.Pool, Name: r.Device, Attributes: published.Attributes, NetworkData: data})
		}
		if size > *opts.Left {
			omitted++
			continue
		}
		if err := f.write(claim, opts); err != nil {
			return nil, 0, err
		}
		*opts.Left -= max(size, len(f.Content)+len(f.CDI))
		// Files of one request and one driver lie at the same place; the last
		// by name is kept here.
		key := [2]string{f.Driver, f.Request}
		same, twice := at[key]
		if !twice {
			at[key] = len(out)
			out = append(out, f)
			continue
		}
		if out[same].Reference < f.Reference {
			f.Others = append(out[same].Others, out[same].Reference)
			out[same] = f
		} else {
			out[same].Others = append(out[same].Others, f.Reference)
		}
	}
	return out, omitted, nil
}

func (f *File) write(claim *resourceapi.ResourceClaim, opts Options) error {
	m := &DeviceMetadata{Requests: []DeviceMetadataRequest{{Name: f.Reference, Devices: f.Devices}}}
	m.Name, m.Namespace, m.UID, m.Generation = claim.Name, claim.Namespace, claim.UID, cmp.Or(opts.Generation, 1)
	m.PodClaimName = PodClaimName(claim)
	uid := string(claim.UID)
	f.HostPath = path.Join(ClaimDir(path.Join(opts.PluginsDir, f.Driver), claim.Namespace, claim.Name), f.Request, "metadata.json")
	f.ContainerPath = ContainerPath(f.Driver, claim.Name, m.PodClaimName, f.Request)
	f.CDIID, f.CDIPath = CDIID(f.Driver, uid, f.Request), CDIPath(opts.CDIDir, f.Driver, uid, f.Request)
	var err error
	if f.Content, err = Stream(m, opts.Versions); err != nil {
		return err
	}
	f.CDI, err = CDISpec(f.Driver, uid, f.Request, f.HostPath, f.ContainerPath)
	return err
}

// PodClaimName is the entry of a pod that the annotation of a claim names, for
// which claims that are made from templates have it.
func PodClaimName(claim *resourceapi.ResourceClaim) *string {
	if v, ok := claim.Annotations[resourceapi.PodResourceClaimAnnotation]; ok {
		return &v
	}
	return nil
}

// referred are the devices of a driver for a request.
type referred struct {
	driver, reference string
	results           []*resourceapi.DeviceRequestAllocationResult
}

func references(claim *resourceapi.ResourceClaim) []*referred {
	var out []*referred
	known := map[[2]string]*referred{}
	results := claim.Status.Allocation.Devices.Results
	for i := range results {
		r := &results[i]
		key := [2]string{r.Driver, r.Request}
		if known[key] == nil {
			known[key] = &referred{driver: r.Driver, reference: r.Request}
			out = append(out, known[key])
		}
		known[key].results = append(known[key].results, r)
	}
	return out
}

type deviceID struct{ driver, pool, device, share string }

func identity(driver, pool, device string, share *string) deviceID {
	id := deviceID{driver, pool, device, ""}
	if share != nil {
		id.share = *share
	}
	return id
}

// networkData are those that drivers have written into the status of the
// claim, about devices and shares of them.
func networkData(claim *resourceapi.ResourceClaim) map[deviceID]*resourceapi.NetworkDeviceData {
	out := map[deviceID]*resourceapi.NetworkDeviceData{}
	for i := range claim.Status.Devices {
		d := &claim.Status.Devices[i]
		out[identity(d.Driver, d.Pool, d.Device, d.ShareID)] = d.NetworkData
	}
	return out
}

func networkSize(n *resourceapi.NetworkDeviceData) int {
	if n == nil {
		return 0
	}
	size := len(n.InterfaceName) + len(n.HardwareAddress)
	for _, ip := range n.IPs {
		size += len(ip)
	}
	return size
}
