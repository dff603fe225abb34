package render

import (
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Kustomize builds a folder as `kubectl kustomize` does.
func Kustomize(folder string) ([]Object, error) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, err
	}
	text, err := built.AsYaml()
	if err != nil {
		return nil, err
	}
	return collect(string(text))
}
