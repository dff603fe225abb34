package render

import (
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"
)

// Helm renders the chart as `helm install drawbridge` does, with its schema
// for the values, which are given as YAML.
func Helm(folder, namespace, values string) ([]Object, error) {
	files, err := files(folder, namespace, values)
	if err != nil {
		return nil, err
	}
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) == ".yaml" {
			all.WriteString(files[name] + "\n---\n")
		}
	}
	return collect(all.String())
}

// files are the chart's templates, rendered.
func files(folder, namespace, values string) (map[string]string, error) {
	chart, err := loader.LoadDir(folder)
	if err != nil {
		return nil, err
	}
	given := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(values), &given); err != nil {
		return nil, err
	}
	release := common.ReleaseOptions{Name: "drawbridge", Namespace: namespace, Revision: 1, IsInstall: true}
	all, err := util.ToRenderValues(chart, given, release, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(chart, all)
}
