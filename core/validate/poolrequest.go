package validate

import (
	"strconv"

	resourceapi "k8s.io/api/resource/v1"
	alphaapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Limits that the API states only in its rules.
const (
	smallestPoolLimit     = 1
	poolRequestConditions = 10
	poolRequestPools      = 1000
	poolErrorSize         = 256
	poolSummaryItems      = 32
)

func (c *checker) poolRequest(r *alphaapi.ResourcePoolStatusRequest) {
	meta := (*path)(nil).child("metadata")
	c.namespaceIgnored(&r.ObjectMeta, "ResourcePoolStatusRequest", meta)
	c.metadata(&r.ObjectMeta, clusterScoped, meta)
	c.poolRequestSpec(&r.Spec, (*path)(nil).child("spec"))
}

func (c *checker) poolRequestSpec(s *alphaapi.ResourcePoolStatusRequestSpec, at *path) {
	c.reportedDriver(s.Driver, at.child("driver"))
	if s.PoolName != nil {
		problems := poolName("pool-name", *s.PoolName)
		if *s.PoolName == "" {
			problems = []problem{invalid("pool-name", "", "poolName is empty; name a pool, or leave poolName out for all pools of the driver")}
		}
		c.std(at.child("poolName"), problems...)
	}
	if n := s.Limit; n != nil && (*n < smallestPoolLimit || *n > alphaapi.ResourcePoolStatusRequestLimitMax) {
		text := strconv.Itoa(int(*n))
		c.std(at.child("limit"), problem{rule: "pool-request-limit", kind: field.ErrorTypeInvalid, value: text,
			message: "limit is " + text + ", it must be between " + strconv.Itoa(smallestPoolLimit) + " and " +
				strconv.Itoa(int(alphaapi.ResourcePoolStatusRequestLimitMax)) + "; leave it out for " + strconv.Itoa(int(alphaapi.ResourcePoolStatusRequestLimitDefault))})
	}
	if name := s.DefaultPartitionTypeAttribute; name != nil {
		c.std(at.child("defaultPartitionTypeAttribute"), fullName("default-partition-type-attribute", "defaultPartitionTypeAttribute", *name)...)
	}
}

// reportedDriver checks the name of a driver, here without the limit that
// drivers themselves have.
func (c *checker) reportedDriver(name string, at *path) {
	if name == "" {
		c.std(at, driverName("driver-name", "driver name", name)...)
		return
	}
	c.std(at, caselessName("driver-name", "driver name", name)...)
}

// poolRequestStatus checks the answer to a request: it is given once.
func (c *checker) poolRequestStatus(s, was *alphaapi.ResourcePoolStatusRequestStatus, at *path) {
	if was != nil {
		c.fixed(byHand, "pool-status-immutable", "the answer to a request", was, s, at, "create another request for a newer answer")
	}
	if s == nil {
		return
	}
	if conditions := func() { c.conditions(s.Conditions, at.child("conditions")) }; was == nil {
		conditions()
	} else {
		c.declaredOnly(conditions)
	}
	c.manyConditions(standard, s.Conditions, poolRequestConditions, at.child("conditions"))
	c.least("pool-status-count", "poolCount", s.PoolCount, 0, true, at.child("poolCount"))
	const limit = poolRequestPools
	pools := at.child("pools")
	if n := len(s.Pools); n > limit {
		c.std(pools, tooMany("pool-status-pools-max", n, limit, "pool", "leave out the rest, poolCount tells how many there are"))
		return
	}
	for i := range s.Pools {
		p := &s.Pools[i]
		c.about(named("pool", p.PoolName, "pools", i), func() { c.poolStatus(p, pools.at(i)) })
	}
}

func (c *checker) poolStatus(p *alphaapi.PoolStatus, at *path) {
	c.reportedDriver(p.Driver, at.child("driver"))
	c.std(at.child("poolName"), poolName("pool-name", p.PoolName)...)
	switch n := strconv.FormatInt(p.Generation, 10); {
	case p.Generation == 0:
		c.std(at.child("generation"), required("pool-status-generation", "the generation of the pool is 0, which counts as missing; let the driver count its generations from 1"))
	case p.Generation < 0:
		c.std(at.child("generation"), problem{rule: "pool-status-generation", kind: field.ErrorTypeInvalid, value: n,
			message: "the generation of the pool is " + n + ", it must be 1 or more; copy it from the slices"})
	}
	for _, f := range []struct {
		name  string
		n     *int32
		least int64
	}{
		{"resourceSliceCount", p.ResourceSliceCount, 1},
		{"totalDevices", p.TotalDevices, 0}, {"allocatedDevices", p.AllocatedDevices, 0},
		{"availableDevices", p.AvailableDevices, 0}, {"unavailableDevices", p.UnavailableDevices, 0},
	} {
		c.least("pool-status-number", f.name, f.n, f.least, false, at.child(f.name))
	}
	if p.NodeName != nil {
		c.std(at.child("nodeName"), subdomain("node-name", "nodeName", *p.NodeName)...)
	}
	if p.ValidationError != nil && len(*p.ValidationError) > poolErrorSize {
		c.std(at.child("validationError"), tooLong("pool-status-error", *p.ValidationError, "validationError", poolErrorSize))
	}
	c.partitionSummary(p.PartitionSummary, at.child("partitionSummary"))
	if p.ShareableSummary != nil {
		c.shareableSummary(p.ShareableSummary, at.child("shareableSummary"))
	}
}

func (c *checker) partitionSummary(list []alphaapi.PartitionTypeStatus, at *path) {
	const rule, limit = "pool-status-partitions", poolSummaryItems
	if n := len(list); n > limit {
		c.std(at, tooMany(rule, n, limit, "type of partition", "leave out those that are least used"))
		return
	}
	type kind struct{ attribute, value string }
	unique(list, func(e alphaapi.PartitionTypeStatus) kind { return kind{e.Attribute, e.Type} }, func(i int) {
		c.std(at.at(i), duplicate(rule, list[i].Type, "type of partition"))
	})
	for i := range list {
		e, p := &list[i], at.at(i)
		if e.Attribute == "" {
			c.std(p.child("attribute"), required(rule, "the entry does not say which attribute tells the partitions apart; write its name with its domain"))
		}
		if e.Type == "" {
			c.std(p.child("type"), required(rule, "the type of partition is missing; write the value of the attribute"))
		}
		c.least(rule, "total", e.Total, 0, true, p.child("total"))
		c.least(rule, "allocatable", e.Allocatable, 0, true, p.child("allocatable"))
	}
}

func (c *checker) shareableSummary(s *alphaapi.ShareableSummaryStatus, at *path) {
	const rule, limit = "pool-status-shares", poolSummaryItems
	c.least(rule, "fullyAvailableDevices", s.FullyAvailableDevices, 0, true, at.child("fullyAvailableDevices"))
	c.least(rule, "partiallyAvailableDevices", s.PartiallyAvailableDevices, 0, true, at.child("partiallyAvailableDevices"))
	list := at.child("capacity")
	if n := len(s.Capacity); n > limit {
		c.std(list, tooMany(rule, n, limit, "sort of capacity", "leave out those that are least used"))
		return
	}
	for i := range s.Capacity {
		e, p := &s.Capacity[i], list.at(i)
		for _, f := range []struct {
			name    string
			missing bool
		}{{"name", e.Name == ""}, {"total", e.Total == nil}, {"consumed", e.Consumed == nil}, {"available", e.Available == nil}} {
			if f.missing {
				c.std(p.child(f.name), required(rule, f.name+" of the capacity is missing; write it for every capacity of the summary"))
			}
		}
	}
}

// taintRuleStatus checks a new status of a rule.
func (c *checker) taintRuleStatus(s *resourceapi.DeviceTaintRuleStatus, at *path) {
	c.manyConditions(byHand, s.Conditions, resourceapi.DeviceTaintRuleStatusMaxConditions, at.child("conditions"))
	c.conditions(s.Conditions, at.child("conditions"))
}
