package core

import "github.com/drawbridge-dra/drawbridge/core/diag"

// Picture is what there is in the cluster and who holds it, as one would draw
// it: pools, their devices and counters, and where each stands in the text.
type Picture struct {
	Nodes   []PictureNode `json:"nodes" doc:"Every node, in the bundle's order; those that were assumed included."`
	Pools   []PicturePool `json:"pools" doc:"Every pool, in the order in which the bundle first names them."`
	Links   []PictureLink `json:"links" doc:"What constraints of allocated claims tie together."`
	Omitted int           `json:"omitted,omitempty" doc:"How many devices are left out, because there are more than one answer holds."`
}

// PictureNode is a node.
type PictureNode struct {
	Name     string         `json:"name" doc:"Name of the node; empty for the nameless node that stands in when the bundle names none."`
	Like     string         `json:"like,omitempty" doc:"The first node whose own pools look the same, names of pools and claims aside; missing for that node itself."`
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text its name stands; missing for a node that was assumed."`
}

// PicturePool is the newest generation of a pool.
type PicturePool struct {
	Driver     string              `json:"driver"`
	Name       string              `json:"name"`
	Generation int64               `json:"generation"`
	Slices     int                 `json:"slices" doc:"How many slices of the generation the bundle has."`
	Announced  int64               `json:"announced" doc:"How many slices the pool is to have."`
	Outdated   int                 `json:"outdated,omitempty" doc:"How many slices of older generations the bundle has; their devices do not count."`
	Node       string              `json:"node,omitempty" doc:"The node that all of its devices belong to."`
	For        string              `json:"for,omitempty" doc:"Which nodes can use its devices, in words, where that is not one node."`
	Problem    string              `json:"problem,omitempty" doc:"Why no device can be taken from the pool."`
	Location   *diag.Location      `json:"location,omitempty" doc:"Where in the submitted text the pool's name stands first; with a problem, where that lies."`
	Counters   []PictureCounterSet `json:"counters,omitempty" doc:"What devices of the pool draw from."`
	Devices    []PictureDevice     `json:"devices"`
}

// PictureCounterSet is a set of counters that devices share.
type PictureCounterSet struct {
	Name     string         `json:"name"`
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text the set is published."`
	Counters []PictureBar   `json:"counters" doc:"By name."`
}

// PictureBar is an amount that is divided among takers. Shares of it are in
// thousandths, so that nobody has to read quantities.
type PictureBar struct {
	Name     string        `json:"name"`
	Total    string        `json:"total" doc:"All there is, as written."`
	Used     string        `json:"used" doc:"What is taken of it."`
	Left     string        `json:"left" doc:"What is left of it; less than nothing if more is taken than there is."`
	Permille int           `json:"permille" doc:"What is taken, in thousandths of the total."`
	Parts    []PicturePart `json:"parts,omitempty" doc:"Who takes how much."`
}

// PicturePart is what one taker takes.
type PicturePart struct {
	Device   string   `json:"device,omitempty" doc:"The device that draws from the counter."`
	Claims   []string `json:"claims" doc:"The claims, as namespace/name, for which it is taken."`
	Amount   string   `json:"amount"`
	Permille int      `json:"permille" doc:"The amount in thousandths of the total."`
}

// PictureDevice is a device.
type PictureDevice struct {
	Name     string          `json:"name"`
	Location *diag.Location  `json:"location,omitempty" doc:"Where in the submitted text the device is published."`
	For      string          `json:"for,omitempty" doc:"Which nodes can use it, in words, where each device of the pool says so itself."`
	Holders  []PictureHolder `json:"holders,omitempty" doc:"The claims that hold it, or a share of it, or look at it as administrators."`
	Shared   bool            `json:"shared,omitempty" doc:"True if several claims can have a share of it."`
	Capacity []PictureBar    `json:"capacity,omitempty" doc:"By name. Claims take of it only if the device is shared; else who holds the device has all of it."`
	Draws    []PictureDraw   `json:"draws,omitempty" doc:"What the device takes of the counters of its pool when somebody holds it."`
	Taints   []PictureTaint  `json:"taints,omitempty" doc:"Its taints, those of rules included."`
}

// PictureHolder is a claim that has a device.
type PictureHolder struct {
	Claim   string `json:"claim" doc:"Namespace and name of the claim."`
	Request string `json:"request" doc:"The request, or request/subrequest."`
	Share   string `json:"share,omitempty" doc:"ID of its share."`
	Admin   bool   `json:"admin,omitempty" doc:"True for admin access, which holds nothing."`
}

// PictureDraw is what a device draws from a set of counters.
type PictureDraw struct {
	Set      string         `json:"set" doc:"Name of the set of counters."`
	Groups   []string       `json:"groups,omitempty" doc:"The compatibility groups of the device there: it can be in use together with devices that have one of them."`
	Counters []PictureTaken `json:"counters" doc:"By name."`
}

// PictureTaken is an amount of a counter.
type PictureTaken struct {
	Name     string `json:"name" doc:"Name of the counter."`
	Amount   string `json:"amount"`
	Permille int    `json:"permille" doc:"The amount in thousandths of what the counter has in all."`
}

// PictureTaint is a taint of a device.
type PictureTaint struct {
	Taint    string         `json:"taint" doc:"The taint, as key=value:effect."`
	Location *diag.Location `json:"location,omitempty" doc:"Where in the submitted text it is set, in the slice or in a rule."`
}

// PictureLink is a constraint of an allocated claim with the devices that it
// ties together.
type PictureLink struct {
	Claim     string   `json:"claim" doc:"Namespace and name of the claim."`
	Kind      string   `json:"kind" enum:"matchAttribute,distinctAttribute"`
	Attribute string   `json:"attribute"`
	Devices   []string `json:"devices" doc:"As driver/pool/device."`
	Values    []string `json:"values" doc:"What each of the devices has for the attribute; empty where it publishes none."`
}
