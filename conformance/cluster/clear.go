package cluster

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// now deletes without waiting for a kubelet that is not there.
var now = metav1.DeleteOptions{GracePeriodSeconds: ptr(int64(0))}

// clear removes what a scenario has left, so that the next begins with an
// empty cluster. Namespaces stay.
func (r *Runner) clear(ctx context.Context) error {
	for namespace := range r.used {
		if err := r.clearNamespace(ctx, namespace); err != nil {
			return err
		}
	}
	others := metav1.ListOptions{FieldSelector: "metadata.name!=" + barrierName}
	problems := []error{
		r.client.ResourceV1().ResourceSlices().DeleteCollection(ctx, now, others),
		r.client.ResourceV1().DeviceClasses().DeleteCollection(ctx, now, others),
		r.client.CoreV1().Nodes().DeleteCollection(ctx, now, others),
	}
	mapping, err := r.mapper.RESTMapping(taintRules)
	if err == nil {
		err = r.dynamic.Resource(mapping.Resource).DeleteCollection(ctx, now, metav1.ListOptions{})
	}
	if !meta.IsNoMatchError(err) {
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// clearNamespace removes the pods, claims and templates of a namespace. The
// claims that pods have used are protected until a controller has freed them;
// that need not be waited for.
func (r *Runner) clearNamespace(ctx context.Context, namespace string) error {
	if err := r.client.CoreV1().Pods(namespace).DeleteCollection(ctx, now, metav1.ListOptions{}); err != nil {
		return err
	}
	claims, err := r.client.ResourceV1().ResourceClaims(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range claims.Items {
		c := &claims.Items[i]
		if len(c.Finalizers) > 0 {
			_, err := r.client.ResourceV1().ResourceClaims(namespace).Patch(ctx, c.Name, types.MergePatchType,
				[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
		}
		if err := r.client.ResourceV1().ResourceClaims(namespace).Delete(ctx, c.Name, now); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return r.client.ResourceV1().ResourceClaimTemplates(namespace).DeleteCollection(ctx, now, metav1.ListOptions{})
}
