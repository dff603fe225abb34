package cluster

import (
	"context"
	"errors"
	"slices"
	"time"
)

// StopAPIServer ends the API server and leaves everything else as it is.
// StartAPIServer brings it back where it was; what it stored is still there.
func (c *Cluster) StopAPIServer() error {
	i := slices.IndexFunc(c.processes, func(p *process) bool { return p.name == apiServer })
	if i < 0 {
		return errors.New("the API server does not run")
	}
	p := c.processes[i]
	c.processes = slices.Delete(c.processes, i, i+1)
	// It would wait for those who watch to leave, and they never do.
	return p.stop(3 * time.Second)
}

// StartAPIServer undoes StopAPIServer.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	p, err := start(apiServer, c.program(apiServer), c.LogDir(), c.apiServerFlags()...)
	if err != nil {
		return err
	}
	// Behind etcd and before all that need it, so that Stop ends them well.
	c.processes = slices.Insert(c.processes, 1, p)
	return await(ctx, p, readyWithin, c.ready)
}
