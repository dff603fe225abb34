package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/drawbridge-dra/drawbridge/cluster"
)

// newClusterRole prints what --from-cluster may need.
func newClusterRole() *cobra.Command {
	return &cobra.Command{
		Use:   "cluster-role",
		Short: "Print the ClusterRole with all rights that --from-cluster uses, which only read",
		Long: `Cluster-role prints a ClusterRole with all rights that --from-cluster uses. They
are rights to read; Secrets and ConfigMaps are not among them.`,
		Example: "  drawbridge cluster-role | kubectl apply -f -\n  kubectl create clusterrolebinding drawbridge-reader --clusterrole=" + cluster.RoleName + " --group=developers",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), cluster.Role())
			return err
		},
	}
}
