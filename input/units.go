package input

import (
	"fmt"
	"slices"
)

// Scope is what is looked at together: only objects of one text are compared
// with each other.
type Scope string

// The scopes, widest first. Auto is all as long as that stays small, else a
// folder each, else a file each.
const (
	Auto   Scope = "auto"
	All    Scope = "all"
	Folder Scope = "folder"
	Single Scope = "file"
)

// Scopes are those that can be chosen.
var Scopes = []Scope{Auto, All, Folder, Single}

// What is looked at together at most unless somebody asks for more. It bounds
// the memory.
const (
	TogetherFiles = 1000
	TogetherBytes = 4 << 20
)

// Units splits files into those that are looked at together, in their order.
// Note says what is not compared for that they are many; empty where nobody
// needs to hear.
func Units(files []*File, scope Scope) (units [][]*File, note string) {
	switch scope {
	case All:
		return [][]*File{files}, ""
	case Single:
		return singles(files), ""
	case Folder:
		return folders(files), ""
	}
	if small(files) {
		return [][]*File{files}, ""
	}
	split := false
	for _, unit := range folders(files) {
		if small(unit) {
			units = append(units, unit)
			continue
		}
		split = true
		units = append(units, singles(unit)...)
	}
	apart := "objects of different folders"
	if split {
		apart += ", and of different files in folders that are larger themselves,"
	}
	return units, fmt.Sprintf("%d files with %d KiB are more than are looked at together (%d files, %d KiB): %s are not compared with each other, so rules across objects (source bundle) see less; narrow the files, or choose with --scope",
		len(files), bytesOf(files)>>10, TogetherFiles, TogetherBytes>>10, apart)
}

func small(files []*File) bool {
	return len(files) == 1 || len(files) <= TogetherFiles && bytesOf(files) <= TogetherBytes
}

func bytesOf(files []*File) int64 {
	var sum int64
	for _, f := range files {
		sum += f.Size
	}
	return sum
}

func singles(files []*File) [][]*File {
	units := make([][]*File, len(files))
	for i, f := range files {
		units[i] = []*File{f}
	}
	return units
}

// folders puts the files of each folder together, in the order in which the
// folders first come.
func folders(files []*File) [][]*File {
	index := map[string]int{}
	var units [][]*File
	for _, f := range files {
		i, ok := index[f.Folder()]
		if !ok {
			i = len(units)
			index[f.Folder()] = i
			units = append(units, nil)
		}
		units[i] = append(units[i], f)
	}
	return units
}

// ScopeOf is the scope of a name.
func ScopeOf(name string) (Scope, error) {
	if slices.Contains(Scopes, Scope(name)) {
		return Scope(name), nil
	}
	return "", fmt.Errorf("%q is no scope; it can be auto, all, folder or file", name)
}
