package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/registry/resource/podschedulingcontext"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
)

// cluster is an API server in memory, with the rules of the real one for what
// is written, and caches that know of each write at once.
type cluster struct {
	client    *fake.Clientset
	informers informers.SharedInformerFactory
	indexers  map[string]cache.Indexer
	// claims is told of every change of a claim.
	claims  cache.ResourceEventHandler
	version int
	made    int
	// actor and pod are who acts now, and for whom.
	actor, pod string
	log        []write
}

// strategies are what the API server does to what is written.
type strategies struct {
	create rest.RESTCreateStrategy
	update rest.RESTUpdateStrategy
	status rest.RESTUpdateStrategy
}

var rules = map[string]strategies{
	"resourceclaims":        {resourceclaim.Strategy, resourceclaim.Strategy, resourceclaim.StatusStrategy},
	"podschedulingcontexts": {podschedulingcontext.Strategy, podschedulingcontext.Strategy, podschedulingcontext.StatusStrategy},
}

func newCluster() *cluster {
	c := &cluster{client: fake.NewSimpleClientset()}
	c.informers = informers.NewSharedInformerFactory(c.client, 0)
	resources := c.informers.Resource().V1alpha3()
	c.indexers = map[string]cache.Indexer{
		"resourceclaims":         resources.ResourceClaims().Informer().GetIndexer(),
		"podschedulingcontexts":  resources.PodSchedulingContexts().Informer().GetIndexer(),
		"resourceclaimtemplates": resources.ResourceClaimTemplates().Informer().GetIndexer(),
		"deviceclasses":          resources.DeviceClasses().Informer().GetIndexer(),
		"resourceslices":         resources.ResourceSlices().Informer().GetIndexer(),
		"pods":                   c.informers.Core().V1().Pods().Informer().GetIndexer(),
	}
	c.client.PrependReactor("*", "*", c.react)
	return c
}

// AddEventHandler lets the cluster be the informer of the scheduler's cache of
// claims.
func (c *cluster) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	c.claims = h
	return nil, nil
}

func resourceOf(obj runtime.Object) string {
	switch obj.(type) {
	case *resourceapi.ResourceClaim:
		return "resourceclaims"
	case *resourceapi.PodSchedulingContext:
		return "podschedulingcontexts"
	case *resourceapi.ResourceClaimTemplate:
		return "resourceclaimtemplates"
	case *resourceapi.DeviceClass:
		return "deviceclasses"
	case *resourceapi.ResourceSlice:
		return "resourceslices"
	}
	return "pods"
}

// put stores an object under a new version and tells everybody.
func (c *cluster) put(obj runtime.Object) error {
	c.version++
	obj.(metav1.Object).SetResourceVersion(strconv.Itoa(c.version))
	indexer := c.indexers[resourceOf(obj)]
	old, exists, err := indexer.Get(obj)
	if err != nil {
		return err
	}
	if err := indexer.Update(obj); err != nil {
		return err
	}
	if _, claim := obj.(*resourceapi.ResourceClaim); claim && c.claims != nil {
		if exists {
			c.claims.OnUpdate(old, obj)
		} else {
			c.claims.OnAdd(obj, false)
		}
	}
	return nil
}

func (c *cluster) remove(obj runtime.Object) error {
	if _, claim := obj.(*resourceapi.ResourceClaim); claim && c.claims != nil {
		defer c.claims.OnDelete(obj)
	}
	return c.indexers[resourceOf(obj)].Delete(obj)
}

// find gives the object itself, which nobody may write to.
func (c *cluster) find(resource schema.GroupVersionResource, namespace, name string) (runtime.Object, error) {
	indexer := c.indexers[resource.Resource]
	if indexer == nil {
		return nil, fmt.Errorf("there are no %s here", resource.Resource)
	}
	obj, exists, err := indexer.GetByKey(namespace + "/" + name)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, apierrors.NewNotFound(resource.GroupResource(), name)
	}
	return obj.(runtime.Object), nil
}

// react answers all requests. One that it does not know is an error.
func (c *cluster) react(action clienttesting.Action) (bool, runtime.Object, error) {
	resource, part := action.GetResource(), action.GetSubresource()
	switch a := action.(type) {
	case clienttesting.GetActionImpl:
		obj, err := c.find(resource, a.Namespace, a.Name)
		if err != nil {
			return true, nil, err
		}
		return true, obj.DeepCopyObject(), nil
	case clienttesting.DeleteActionImpl:
		return true, nil, c.delete(resource, a.Namespace, a.Name)
	case clienttesting.UpdateActionImpl:
		obj, err := c.update(resource.Resource, part, a.Object.DeepCopyObject())
		return true, obj, err
	case clienttesting.PatchActionImpl:
		obj, err := c.patch(a)
		return true, obj, err
	case clienttesting.CreateActionImpl:
		if part == "binding" {
			return true, a.Object, c.bind(a.Object.(*corev1.Binding))
		}
		obj, err := c.create(a)
		return true, obj, err
	}
	return true, nil, fmt.Errorf("%s of %s is not served here", action.GetVerb(), resource.Resource)
}

func internal(obj runtime.Object) (runtime.Object, error) {
	return legacyscheme.Scheme.ConvertToVersion(obj, schema.GroupVersion{Group: "resource.k8s.io", Version: runtime.APIVersionInternal})
}

func external(obj runtime.Object) (runtime.Object, error) {
	return legacyscheme.Scheme.ConvertToVersion(obj, resourceapi.SchemeGroupVersion)
}

func around(namespace string) context.Context {
	return genericapirequest.WithNamespace(context.Background(), namespace)
}

func (c *cluster) create(a clienttesting.CreateActionImpl) (runtime.Object, error) {
	s, ok := rules[a.Resource.Resource]
	if !ok {
		return nil, fmt.Errorf("nobody creates %s", a.Resource.Resource)
	}
	obj, err := internal(a.Object.DeepCopyObject())
	if err != nil {
		return nil, err
	}
	m := obj.(metav1.Object)
	c.made++
	m.SetUID(types.UID("made-" + strconv.Itoa(c.made)))
	if m.GetName() == "" {
		// A cluster would append five characters.
		m.SetName(strings.TrimSuffix(m.GetGenerateName(), "-"))
	}
	for {
		if _, err := c.find(a.Resource, a.Namespace, m.GetName()); err != nil {
			break
		}
		if m.GetGenerateName() == "" {
			return nil, apierrors.NewAlreadyExists(a.Resource.GroupResource(), m.GetName())
		}
		m.SetName(m.GetName() + "-x")
	}
	if err := rest.BeforeCreate(s.create, around(a.Namespace), obj); err != nil {
		return nil, err
	}
	stored, err := external(obj)
	if err != nil {
		return nil, err
	}
	if err := c.put(stored); err != nil {
		return nil, err
	}
	part := ""
	if a.Resource.Resource == "podschedulingcontexts" {
		part = "spec"
	}
	c.note("create", part, stored)
	return stored.DeepCopyObject(), nil
}

func (c *cluster) update(resource, part string, obj runtime.Object) (runtime.Object, error) {
	s, ok := rules[resource]
	if !ok {
		return nil, fmt.Errorf("nobody updates %s", resource)
	}
	m := obj.(metav1.Object)
	gvr := resourceapi.SchemeGroupVersion.WithResource(resource)
	before, err := c.find(gvr, m.GetNamespace(), m.GetName())
	if err != nil {
		return nil, err
	}
	if v := m.GetResourceVersion(); v != "" && v != before.(metav1.Object).GetResourceVersion() {
		return nil, apierrors.NewConflict(gvr.GroupResource(), m.GetName(), fmt.Errorf("it has been written to in between"))
	}
	m.SetResourceVersion(before.(metav1.Object).GetResourceVersion())
	strategy := s.update
	if part == "status" {
		strategy = s.status
	}
	old, err := internal(before)
	if err != nil {
		return nil, err
	}
	now, err := internal(obj)
	if err != nil {
		return nil, err
	}
	if err := rest.BeforeUpdate(strategy, around(m.GetNamespace()), now, old); err != nil {
		return nil, err
	}
	stored, err := external(now)
	if err != nil {
		return nil, err
	}
	if equality.Semantic.DeepEqual(stored, before) {
		return stored, nil
	}
	if part == "" && resource == "podschedulingcontexts" {
		part = "spec"
	}
	if m := stored.(metav1.Object); m.GetDeletionTimestamp() != nil && len(m.GetFinalizers()) == 0 {
		c.log = append(c.log, write{Pod: c.pod, Actor: c.actor, Verb: "update", Object: nameOf(stored), Part: part})
		return stored, c.remove(before)
	}
	if err := c.put(stored); err != nil {
		return nil, err
	}
	c.note("update", part, stored)
	return stored.DeepCopyObject(), nil
}

func (c *cluster) patch(a clienttesting.PatchActionImpl) (runtime.Object, error) {
	before, err := c.find(a.Resource, a.Namespace, a.Name)
	if err != nil {
		return nil, err
	}
	if a.PatchType == types.StrategicMergePatchType && a.Resource.Resource == "resourceclaims" {
		text, err := json.Marshal(before)
		if err != nil {
			return nil, err
		}
		text, err = strategicpatch.StrategicMergePatch(text, a.Patch, resourceapi.ResourceClaim{})
		if err != nil {
			return nil, err
		}
		now := &resourceapi.ResourceClaim{}
		if err := json.Unmarshal(text, now); err != nil {
			return nil, err
		}
		return c.update(a.Resource.Resource, a.Subresource, now)
	}
	if pod, ok := before.(*corev1.Pod); ok && a.PatchType == types.ApplyPatchType && a.Subresource == "status" {
		var applied corev1.Pod
		if err := json.Unmarshal(a.Patch, &applied); err != nil {
			return nil, err
		}
		pod = pod.DeepCopy()
		for _, s := range applied.Status.ResourceClaimStatuses {
			pod.Status.ResourceClaimStatuses = append(dropped(pod.Status.ResourceClaimStatuses, s.Name), s)
		}
		if err := c.put(pod); err != nil {
			return nil, err
		}
		c.note("update", "status", pod)
		return pod.DeepCopy(), nil
	}
	return nil, fmt.Errorf("nobody patches %s like this: %s", a.Resource.Resource, a.Patch)
}

func dropped(list []corev1.PodResourceClaimStatus, name string) []corev1.PodResourceClaimStatus {
	var out []corev1.PodResourceClaimStatus
	for _, s := range list {
		if s.Name != name {
			out = append(out, s)
		}
	}
	return out
}

func (c *cluster) delete(resource schema.GroupVersionResource, namespace, name string) error {
	obj, err := c.find(resource, namespace, name)
	if err != nil {
		return err
	}
	if m := obj.(metav1.Object); len(m.GetFinalizers()) > 0 {
		if m.GetDeletionTimestamp() != nil {
			return nil
		}
		obj = obj.DeepCopyObject()
		now := metav1.Unix(0, 0)
		obj.(metav1.Object).SetDeletionTimestamp(&now)
		if err := c.put(obj); err != nil {
			return err
		}
		c.note("delete", "", obj)
		return nil
	}
	if err := c.remove(obj); err != nil {
		return err
	}
	c.log = append(c.log, write{Pod: c.pod, Actor: c.actor, Verb: "delete", Object: nameOf(obj)})
	return nil
}

func (c *cluster) bind(b *corev1.Binding) error {
	obj, err := c.find(corev1.SchemeGroupVersion.WithResource("pods"), b.Namespace, b.Name)
	if err != nil {
		return err
	}
	pod := obj.(*corev1.Pod).DeepCopy()
	if pod.Spec.NodeName != "" {
		return fmt.Errorf("pod %s has a node already", pod.Name)
	}
	pod.Spec.NodeName = b.Target.Name
	if err := c.put(pod); err != nil {
		return err
	}
	c.note("update", "binding", pod)
	return nil
}

func nameOf(obj runtime.Object) string {
	kind := "Pod"
	switch obj.(type) {
	case *resourceapi.ResourceClaim:
		kind = "ResourceClaim"
	case *resourceapi.PodSchedulingContext:
		kind = "PodSchedulingContext"
	}
	m := obj.(metav1.Object)
	return kind + " " + m.GetNamespace() + "/" + m.GetName()
}

// note writes down what was written.
func (c *cluster) note(verb, part string, obj runtime.Object) {
	c.log = append(c.log, write{Pod: c.pod, Actor: c.actor, Verb: verb, Object: nameOf(obj), Part: part, After: stateOf(obj)})
}

func stateOf(obj runtime.Object) *state {
	s := &state{}
	switch v := obj.(type) {
	case *resourceapi.PodSchedulingContext:
		s.Selected = v.Spec.SelectedNode
		s.Potential = append(s.Potential, v.Spec.PotentialNodes...)
		sort.Strings(s.Potential)
		for _, r := range v.Status.ResourceClaims {
			if s.Unsuitable == nil {
				s.Unsuitable = map[string][]string{}
			}
			s.Unsuitable[r.Name] = append([]string{}, r.UnsuitableNodes...)
		}
	case *resourceapi.ResourceClaim:
		s.Finalizers = v.Finalizers
		s.Deallocation = v.Status.DeallocationRequested
		for _, r := range v.Status.ReservedFor {
			s.Reserved = append(s.Reserved, string(r.UID))
		}
		if a := v.Status.Allocation; a != nil {
			s.Allocated, s.Controller = true, a.Controller
			if a.NodeSelector != nil {
				s.Nodes, _ = json.Marshal(a.NodeSelector)
			}
		}
	case *corev1.Pod:
		s.Node = v.Spec.NodeName
		for _, r := range v.Status.ResourceClaimStatuses {
			if r.ResourceClaimName != nil {
				if s.Claims == nil {
					s.Claims = map[string]string{}
				}
				s.Claims[r.Name] = *r.ResourceClaimName
			}
		}
	}
	return s
}
