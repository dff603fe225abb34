package webhook

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/drawbridge-dra/drawbridge/webhook/view"
)

// TestViewWithTheRightsOfTheDeployment lets the view read the cluster as the
// service account of deploy/ may, and nothing more.
func TestViewWithTheRightsOfTheDeployment(t *testing.T) {
	control(t)
	role, err := os.ReadFile(filepath.Join(root, "deploy", "chart", "manifests", "clusterrole.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const account = "system:serviceaccount:view-test:drawbridge"
	rights := strings.Replace(string(role), "name: drawbridge", "name: view-test", 1)
	kubectl(t, rights, "apply", "-f", "-").must(t)
	kubectl(t, "", "create", "clusterrolebinding", "view-test", "--clusterrole=view-test", "--user="+account).must(t)
	t.Cleanup(func() {
		kubectlWith(context.Background(), t, "", "delete", "clusterrolebinding/view-test", "clusterrole/view-test")
	})
	conf := unhurried(rest.CopyConfig(plane.Config()))
	conf.Impersonate = rest.ImpersonationConfig{UserName: account, Groups: []string{"system:serviceaccounts", "system:authenticated"}}
	client, err := kubernetes.NewForConfig(conf)
	if err != nil {
		t.Fatal(err)
	}
	silent := slog.New(slog.NewTextHandler(io.Discard, nil))
	v := view.New(view.Config{Client: client, Pods: true, Logger: silent})
	f := view.NewFeatures(view.FeaturesConfig{Client: client, Logger: silent})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{}, 2)
	go func() { v.Run(ctx); done <- struct{}{} }()
	go func() { f.Run(ctx); done <- struct{}{} }()
	t.Cleanup(func() { cancel(); <-done; <-done })

	eventually(t, func(context.Context) error {
		if fresh := v.Freshness(); len(fresh.Unknown)+len(fresh.Stale) > 0 {
			return fmt.Errorf("not known: %+v", fresh)
		}
		return nil
	})
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "view-test"}}
	if _, err := plane.client.ResourceV1().DeviceClasses().Create(t.Context(), class, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(context.Context) error {
		if _, known := v.ClassFor("deviceclass.resource.kubernetes.io/view-test"); !known {
			return fmt.Errorf("the class is not known")
		}
		return nil
	})
	if err := plane.client.ResourceV1().DeviceClasses().Delete(t.Context(), class.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(context.Context) error {
		if _, known := v.ClassFor("deviceclass.resource.kubernetes.io/view-test"); known {
			return fmt.Errorf("the class is known after it was deleted")
		}
		return nil
	})
	// The API server has the gates at their defaults, and says so.
	eventually(t, func(context.Context) error {
		var status strings.Builder
		if err := f.WriteStatus(&status); err != nil {
			return err
		}
		for _, want := range []string{"kubernetes version 1.37, from the API server (v1.37.", "feature gates none differs, from the API server's metrics"} {
			if !strings.Contains(status.String(), want) {
				return fmt.Errorf("status is\n%swant %q", status.String(), want)
			}
		}
		return nil
	})
}
