package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	plfeature "k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/schedulinggates"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// scheduler runs the plugins of kube-scheduler in its framework, extension
// point by extension point as kube-scheduler does. Of the nodes that fit it
// takes the first.
type scheduler struct {
	cluster *cluster
	nodes   []*corev1.Node
	plugins framework.Framework
}

func enabled(names ...string) config.PluginSet {
	var set config.PluginSet
	for _, n := range names {
		set.Enabled = append(set.Enabled, config.Plugin{Name: n})
	}
	return set
}

func newScheduler(ctx context.Context, c *cluster, nodes []*corev1.Node) (*scheduler, error) {
	s := &scheduler{cluster: c, nodes: nodes}
	gates := plfeature.Features{
		EnableDynamicResourceAllocation: utilfeature.DefaultFeatureGate.Enabled(features.DynamicResourceAllocation),
		EnableDRAControlPlaneController: utilfeature.DefaultFeatureGate.Enabled(features.DRAControlPlaneController),
		EnableSidecarContainers:         true,
	}
	registry := frameworkruntime.Registry{
		queuesort.Name:         queuesort.New,
		schedulinggates.Name:   frameworkruntime.FactoryAdapter(gates, schedulinggates.New),
		nodeunschedulable.Name: nodeunschedulable.New,
		nodename.Name:          nodename.New,
		tainttoleration.Name:   frameworkruntime.FactoryAdapter(gates, tainttoleration.New),
		nodeaffinity.Name:      nodeaffinity.New,
		noderesources.Name:     frameworkruntime.FactoryAdapter(gates, noderesources.NewFit),
		dynamicresources.Name:  frameworkruntime.FactoryAdapter(gates, dynamicresources.New),
		defaultbinder.Name:     defaultbinder.New,
	}
	profile := &config.KubeSchedulerProfile{
		SchedulerName: "default-scheduler",
		Plugins: &config.Plugins{
			QueueSort:  enabled(queuesort.Name),
			PreEnqueue: enabled(schedulinggates.Name, dynamicresources.Name),
			PreFilter:  enabled(nodeaffinity.Name, noderesources.Name, dynamicresources.Name),
			Filter:     enabled(nodeunschedulable.Name, nodename.Name, tainttoleration.Name, nodeaffinity.Name, noderesources.Name, dynamicresources.Name),
			PostFilter: enabled(dynamicresources.Name),
			PreScore:   enabled(dynamicresources.Name),
			Reserve:    enabled(dynamicresources.Name),
			PreBind:    enabled(dynamicresources.Name),
			Bind:       enabled(defaultbinder.Name),
			PostBind:   enabled(dynamicresources.Name),
		},
		PluginConfig: []config.PluginConfig{
			{Name: nodeaffinity.Name, Args: &config.NodeAffinityArgs{}},
			{Name: noderesources.Name, Args: &config.NodeResourcesFitArgs{ScoringStrategy: &config.ScoringStrategy{
				Type:      config.LeastAllocated,
				Resources: []config.ResourceSpec{{Name: "cpu", Weight: 1}, {Name: "memory", Weight: 1}},
			}}},
		},
	}
	var err error
	s.plugins, err = frameworkruntime.NewFramework(ctx, registry, profile,
		frameworkruntime.WithClientSet(c.client),
		frameworkruntime.WithInformerFactory(c.informers),
		frameworkruntime.WithSnapshotSharedLister(s),
		frameworkruntime.WithResourceClaimCache(assumecache.NewAssumeCache(klog.FromContext(ctx), c, "resource claim", "", nil)),
	)
	return s, err
}

// attempt is one attempt to schedule a pod; it says what came of it.
func (s *scheduler) attempt(ctx context.Context, pod *corev1.Pod) (string, error) {
	for _, p := range s.plugins.PreEnqueuePlugins() {
		if status := p.PreEnqueue(ctx, pod); !status.IsSuccess() {
			return status.Message(), nil
		}
	}
	if len(s.nodes) == 0 {
		return "no nodes available", nil
	}
	state := framework.NewCycleState()
	infos, err := s.List()
	if err != nil {
		return "", err
	}
	statuses := framework.NodeToStatusMap{}
	var feasible []*framework.NodeInfo
	chosen, status, _ := s.plugins.RunPreFilterPlugins(ctx, state, pod)
	switch {
	case !status.IsSuccess() && !status.IsRejected():
		return status.Message(), nil
	case !status.IsSuccess():
		for _, n := range infos {
			statuses[n.Node().Name] = status
		}
	default:
		for _, n := range infos {
			if !chosen.AllNodes() && !chosen.NodeNames.Has(n.Node().Name) {
				continue
			}
			switch status := s.plugins.RunFilterPlugins(ctx, state, pod, n); {
			case status.IsSuccess():
				feasible = append(feasible, n)
			case status.IsRejected():
				statuses[n.Node().Name] = status
			default:
				return status.Message(), nil
			}
		}
	}
	if len(feasible) == 0 {
		_, after := s.plugins.RunPostFilterPlugins(ctx, state, pod, statuses)
		if !status.IsSuccess() {
			return status.Message(), nil
		}
		return fmt.Sprintf("no node fits; %s", after.Message()), nil
	}
	if len(feasible) > 1 {
		if status := s.plugins.RunPreScorePlugins(ctx, state, pod, feasible); !status.IsSuccess() {
			return status.Message(), nil
		}
	}
	node := feasible[0].Node().Name
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = node
	if status := s.plugins.RunReservePluginsReserve(ctx, state, assumed, node); !status.IsSuccess() {
		s.plugins.RunReservePluginsUnreserve(ctx, state, assumed, node)
		return status.Message(), nil
	}
	for _, point := range []func(context.Context, *framework.CycleState, *corev1.Pod, string) *framework.Status{
		s.plugins.RunPermitPlugins, s.plugins.RunPreBindPlugins, s.plugins.RunBindPlugins,
	} {
		if status := point(ctx, state, assumed, node); !status.IsSuccess() {
			s.plugins.RunReservePluginsUnreserve(ctx, state, assumed, node)
			return status.Message(), nil
		}
	}
	s.plugins.RunPostBindPlugins(ctx, state, assumed, node)
	return "", nil
}

// The scheduler is its own snapshot of the nodes with their pods.

func (s *scheduler) NodeInfos() framework.NodeInfoLister       { return s }
func (s *scheduler) StorageInfos() framework.StorageInfoLister { return nil }

func (s *scheduler) List() ([]*framework.NodeInfo, error) {
	var out []*framework.NodeInfo
	for _, n := range s.nodes {
		info := framework.NewNodeInfo()
		info.SetNode(n)
		for _, o := range s.cluster.indexers["pods"].List() {
			if p := o.(*corev1.Pod); p.Spec.NodeName == n.Name && p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
				info.AddPod(p)
			}
		}
		out = append(out, info)
	}
	return out, nil
}

func (s *scheduler) Get(name string) (*framework.NodeInfo, error) {
	infos, err := s.List()
	for _, n := range infos {
		if n.Node().Name == name {
			return n, err
		}
	}
	return nil, fmt.Errorf("there is no node %s", name)
}

func (s *scheduler) HavePodsWithAffinityList() ([]*framework.NodeInfo, error) { return nil, nil }

func (s *scheduler) HavePodsWithRequiredAntiAffinityList() ([]*framework.NodeInfo, error) {
	return nil, nil
}
