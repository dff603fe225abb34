package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File is a file in an archive, named with slashes.
type File struct {
	Name       string
	Text       []byte
	Executable bool
}

func (f File) mode() fs.FileMode {
	if f.Executable {
		return 0o755
	}
	return 0o644
}

// pack writes an archive: the files by name, of nobody, at one time.
func (r Release) pack(p Platform, files []File) error {
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	var out bytes.Buffer
	write := r.tar
	if p.OS == "windows" {
		write = r.zip
	}
	if err := write(&out, files); err != nil {
		return err
	}
	return r.write(r.archive(p), out.Bytes())
}

func (r Release) tar(out *bytes.Buffer, files []File) error {
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(packed)
	for _, f := range files {
		header := tar.Header{Typeflag: tar.TypeReg, Name: f.Name, Size: int64(len(f.Text)), Mode: int64(f.mode()), ModTime: r.Epoch.UTC(), Format: tar.FormatUSTAR}
		if err := w.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := w.Write(f.Text); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return packed.Close()
}

func (r Release) zip(out *bytes.Buffer, files []File) error {
	w := zip.NewWriter(out)
	for _, f := range files {
		header := zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: r.Epoch.UTC()}
		header.SetMode(f.mode())
		one, err := w.CreateHeader(&header)
		if err != nil {
			return err
		}
		if _, err := one.Write(f.Text); err != nil {
			return err
		}
	}
	return w.Close()
}

// checksums writes checksums.txt, as sha256sum --check reads it, about all that
// is there by then, and returns the sums by name.
func (r Release) checksums() (map[string]string, error) {
	entries, err := os.ReadDir(r.Folder)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	var text strings.Builder
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(r.Folder, e.Name()))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		sums[e.Name()] = hex.EncodeToString(sum[:])
		fmt.Fprintf(&text, "%s  %s\n", sums[e.Name()], e.Name())
	}
	return sums, r.write("checksums.txt", []byte(text.String()))
}
