package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/doctor"
)

func newDoctor() *cobra.Command {
	var kubeconfig, contextName, output string
	var inCluster bool
	var opts doctor.Options
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look at a cluster: is it ready for Dynamic Resource Allocation?",
		Long: `Doctor looks at a cluster and says whether it is ready for Dynamic Resource Allocation:
served API versions, feature gates and versions of its components, drivers and
their pools, pods that wait for devices, and the webhook. It only reads, and
says what it may not read; docs/doctor.md lists the rights.

It exits with 0 if the cluster is healthy, with 1 if there are problems, and
with 2 if it could not be looked at.`,
		Example: `  drawbridge doctor
  drawbridge doctor --context=production -o json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "text" && output != "json" {
				return at(exitMisuse, fmt.Errorf("--output is %q; it can be text or json", output))
			}
			if inCluster && (kubeconfig != "" || contextName != "") {
				return at(exitMisuse, errors.New("--in-cluster goes with neither --kubeconfig nor --context: there is one way to the API server"))
			}
			conf, err := reach(kubeconfig, contextName, inCluster)
			if err != nil {
				return at(exitMisuse, err)
			}
			report, err := doctor.Run(cmd.Context(), conf, opts)
			if err != nil {
				return at(exitMisuse, err)
			}
			if output == "json" {
				encoder := json.NewEncoder(cmd.OutOrStdout())
				encoder.SetEscapeHTML(false)
				encoder.SetIndent("", "  ")
				err = encoder.Encode(report)
			} else {
				err = report.WriteText(cmd.OutOrStdout())
			}
			switch {
			case err != nil:
				return at(exitMisuse, err)
			case report.Outcome == doctor.Healthy:
				return nil
			}
			// The report has said it all.
			cmd.SilenceErrors = true
			if report.Outcome == doctor.NoLook {
				return at(exitMisuse, errors.New("the cluster could not be looked at"))
			}
			return at(exitFailure, errors.New("there are problems"))
		},
	}
	f := cmd.Flags()
	f.StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig file (default: as kubectl finds it)")
	f.StringVar(&contextName, "context", "", "context of the kubeconfig (default: its current one)")
	f.BoolVar(&inCluster, "in-cluster", false, "reach the API server as the pod's service account")
	f.StringVarP(&output, "output", "o", "text", "form of the report: text or json")
	f.IntVar(&opts.Kubelets, "kubelets", 0, "how many kubelets to ask for their feature gates; it takes the right to get nodes/proxy, which is a powerful one")
	complete(cmd, "output", "text", "json")
	f.DurationVar(&opts.Within, "request-timeout", 20*time.Second, "how long to wait for each answer")
	return cmd
}
