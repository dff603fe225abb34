package podresources

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"
)

// service answers calls.
type service struct {
	podresourcesv1.UnimplementedPodResourcesListerServer
	source *Source
}

// mostCalls is how many calls of one connection are answered at a time.
const mostCalls = 64

// NewServer makes a server for a source.
func NewServer(source *Source) *grpc.Server {
	s := grpc.NewServer(grpc.MaxConcurrentStreams(mostCalls))
	podresourcesv1.RegisterPodResourcesListerServer(s, &service{source: source})
	return s
}

// List implements the API.
func (s *service) List(ctx context.Context, _ *podresourcesv1.ListPodResourcesRequest) (*podresourcesv1.ListPodResourcesResponse, error) {
	return s.source.Answer(ctx).List, nil
}

// GetAllocatableResources implements the API.
func (s *service) GetAllocatableResources(context.Context, *podresourcesv1.AllocatableResourcesRequest) (*podresourcesv1.AllocatableResourcesResponse, error) {
	return &podresourcesv1.AllocatableResourcesResponse{}, nil
}

// Get implements the API. As in the kubelet, errors have no code of their own.
func (s *service) Get(ctx context.Context, req *podresourcesv1.GetPodResourcesRequest) (*podresourcesv1.GetPodResourcesResponse, error) {
	pod, problem := s.source.Answer(ctx).Lookup(req.GetPodNamespace(), req.GetPodName())
	if problem != "" {
		return nil, errors.New(problem)
	}
	out := &podresourcesv1.GetPodResourcesResponse{PodResources: &podresourcesv1.PodResources{}}
	if err := message(pod, out.PodResources); err != nil {
		return nil, err
	}
	return out, nil
}
