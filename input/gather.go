package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Options say how to gather.
type Options struct {
	// Stdin is what "-" stands for.
	Stdin io.Reader
	// Exclude are patterns of names that are passed over in folders.
	Exclude []string
}

// Gathered is what was found.
type Gathered struct {
	Files []*File
	// Notes say what was passed over that might have been meant.
	Notes []string
}

// extensions are those of files that are looked for in folders.
var extensions = []string{".yaml", ".yml", ".json"}

// vendored are folders of what others wrote.
var vendored = []string{"node_modules", "vendor"}

// Gather finds the files that arguments stand for, each once, sorted within
// each argument.
func Gather(ctx context.Context, args []string, opts Options) (*Gathered, error) {
	for _, pattern := range opts.Exclude {
		if !doublestar.ValidatePattern(pattern) {
			return nil, fmt.Errorf("--exclude: %q is no pattern; write one such as testdata/** or **/*.tmpl.yaml", pattern)
		}
	}
	g := &gathering{ctx: ctx, opts: opts, seen: map[string]bool{}, folders: map[string]string{}}
	for _, arg := range args {
		if err := g.argument(arg); err != nil {
			return nil, err
		}
	}
	return &g.out, nil
}

type gathering struct {
	ctx  context.Context
	opts Options
	// seen are the files that are there, by where they really are, and folders
	// where the folders that led to them really are.
	seen    map[string]bool
	folders map[string]string
	out     Gathered
	// met counts the files that an argument stands for, also those that are
	// there already.
	met int
}

func (g *gathering) argument(arg string) error {
	if arg == "-" {
		return g.stdin()
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return g.folder(arg)
	case err == nil:
		g.add(arg, info.Size(), true)
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return Unreadable(arg, err)
	case !strings.ContainsAny(arg, "*?[{"):
		return fmt.Errorf("%s is not there; name a file, a folder, a pattern in quotes, or - for standard input", arg)
	}
	return g.pattern(arg)
}

// Unreadable is a failure to read a path, which it names as answers do, and
// why, without the name of the call that failed.
func Unreadable(path string, err error) error {
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return fmt.Errorf("%s cannot be read: %w", Name(path), err)
}

// ErrDrained says that standard input is asked for again.
var ErrDrained = errors.New("- stands for standard input, which can be read only once; name it once")

func (g *gathering) stdin() error {
	if g.seen["-"] {
		return ErrDrained
	}
	g.seen["-"] = true
	type read struct {
		text []byte
		err  error
	}
	// A terminal on which nobody types must not keep an interrupt waiting.
	done := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(g.opts.Stdin, mostBytes))
		done <- read{text, err}
	}()
	select {
	case <-g.ctx.Done():
		return g.ctx.Err()
	case r := <-done:
		if r.err != nil {
			return fmt.Errorf("%s cannot be read: %w", Stdin, r.err)
		}
		g.out.Files = append(g.out.Files, &File{Name: Stdin, Size: int64(len(r.text)), Named: true, text: r.text})
	}
	return nil
}

var errNothing = errors.New("holds no file that ends in .yaml, .yml or .json")

// folder finds what is in a folder and below it.
func (g *gathering) folder(root string) error {
	before := g.met
	walked := root
	if !strings.HasSuffix(root, string(filepath.Separator)) {
		walked += string(filepath.Separator) // a link to a folder is one
	}
	err := filepath.WalkDir(walked, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = g.ctx.Err()
		}
		if err != nil {
			return Unreadable(path, err)
		}
		if path == walked {
			return g.chart(root)
		}
		if PassedOver(path, entry) || g.excluded(path) {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return g.chart(path)
		}
		info, err := os.Stat(path) // what a link leads to
		if err != nil {
			return Unreadable(path, err)
		}
		if info.Mode().IsRegular() {
			g.add(path, info.Size(), false)
		}
		return nil
	})
	if err == nil && g.met == before {
		return fmt.Errorf("%s %w; hidden folders, %s and templates of charts are passed over", root, errNothing, strings.Join(vendored, ", "))
	}
	return err
}

// PassedOver tells whether a walk through folders leaves an entry alone: what
// is hidden, other people's packages, charts' templates, and files that are no
// YAML and no JSON by their names.
func PassedOver(path string, entry fs.DirEntry) bool {
	name := entry.Name()
	if entry.IsDir() {
		return strings.HasPrefix(name, ".") || slices.Contains(vendored, name) || IsTemplates(path)
	}
	return strings.HasPrefix(name, ".") || !IsManifest(name)
}

// IsManifest tells by the name of a file whether objects may be in it.
func IsManifest(name string) bool {
	return slices.Contains(extensions, strings.ToLower(filepath.Ext(name)))
}

// IsTemplates tells whether a folder holds the templates of a chart, which are
// no YAML before Helm has rendered them.
func IsTemplates(folder string) bool {
	return filepath.Base(folder) == "templates" && isChart(filepath.Dir(folder))
}

func isChart(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "Chart.yaml"))
	return err == nil
}

// chart says how a chart can be looked at.
func (g *gathering) chart(folder string) error {
	if !isChart(folder) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(folder, "templates")); err == nil {
		g.out.Notes = append(g.out.Notes, fmt.Sprintf("%s is a chart, whose templates are no YAML before they are rendered; ask with: helm template %s | drawbridge validate -", Name(folder), Name(folder)))
	}
	return nil
}

func (g *gathering) excluded(path string) bool {
	return MatchAny(g.opts.Exclude, Name(path))
}

// MatchAny tells whether a name, or a folder that it is in, matches any of the
// patterns. A pattern that begins at the root is for the whole path.
func MatchAny(patterns []string, name string) bool {
	whole := ""
	for _, pattern := range patterns {
		pattern, candidate := strings.TrimPrefix(pattern, "./"), name
		if filepath.IsAbs(filepath.FromSlash(pattern)) {
			if whole == "" {
				whole = absolute(name)
			}
			candidate = whole
		}
		if doublestar.MatchUnvalidated(pattern, candidate) || doublestar.MatchUnvalidated(strings.TrimSuffix(pattern, "/")+"/**", candidate) {
			return true
		}
	}
	return false
}

// absolute is the whole path of a name, with slashes.
func absolute(name string) string {
	path, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil {
		return name
	}
	return filepath.ToSlash(path)
}

// Below makes of a pattern for names in a folder one for whole paths.
func Below(folder, pattern string) string {
	literal := strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)
	return literal.Replace(filepath.ToSlash(folder)) + "/" + strings.TrimPrefix(pattern, "./")
}

// ValidPattern tells whether a pattern can be used.
func ValidPattern(pattern string) bool { return doublestar.ValidatePattern(pattern) }

// pattern finds what a shell would, but that ** stands for any folders, and
// that what a walk through folders passes over is passed over here, too, unless
// the pattern names it. One that names an extension is about files of that,
// whatever is in them; any other is about manifests.
func (g *gathering) pattern(pattern string) error {
	paths, err := doublestar.FilepathGlob(pattern, doublestar.WithNoHidden(), doublestar.WithNoFollow())
	if err != nil {
		return fmt.Errorf("%s is not there, and no pattern either: %w", pattern, err)
	}
	slices.Sort(paths)
	exact := strings.Trim(filepath.Ext(pattern), ".*?[]{}\\") != ""
	deep := strings.Contains(pattern, "**")
	before := g.met
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return Unreadable(path, err)
		}
		switch {
		case g.excluded(path) || foreign(pattern, path):
		case info.IsDir() && (deep || foreign(pattern, filepath.Join(path, "*"))):
		case info.IsDir():
			// One that holds nothing is no mistake where others were meant, too.
			if err := g.folder(path); err != nil && !errors.Is(err, errNothing) {
				return err
			}
		case info.Mode().IsRegular() && (exact || IsManifest(path)):
			g.add(path, info.Size(), exact)
		}
	}
	if g.met == before {
		return fmt.Errorf("no file matches %s", pattern)
	}
	return nil
}

// foreign tells whether a path that a pattern has found leads through a folder
// that is passed over and not named by the pattern.
func foreign(pattern, path string) bool {
	named := strings.Split(filepath.ToSlash(pattern), "/")
	for folder := filepath.Dir(path); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		base := filepath.Base(folder)
		if !slices.Contains(named, base) && (slices.Contains(vendored, base) || IsTemplates(folder)) {
			return true
		}
	}
	return false
}

// add takes a file along, once, however many ways lead to it.
func (g *gathering) add(path string, size int64, named bool) {
	g.met++
	if at := g.real(path); !g.seen[at] {
		g.seen[at] = true
		g.out.Files = append(g.out.Files, &File{Name: Name(path), Path: path, Size: size, Named: named})
	}
}

// real is where a file really is. A link to a file counts as a file of its own:
// whoever makes one wants it to be in two places.
func (g *gathering) real(path string) string {
	folder := filepath.Dir(path)
	real, known := g.folders[folder]
	if !known {
		real = absolute(folder)
		if followed, err := filepath.EvalSymlinks(real); err == nil {
			real = followed
		}
		g.folders[folder] = real
	}
	return filepath.Join(real, filepath.Base(path))
}

// Name is the name of a path in answers: relative where it is below the
// working directory, however it was named, with slashes.
func Name(path string) string {
	path = filepath.Clean(path)
	if !filepath.IsLocal(path) {
		here, err := os.Getwd()
		if err == nil {
			var whole, rel string
			if whole, err = filepath.Abs(path); err == nil {
				if rel, err = filepath.Rel(here, whole); err == nil && filepath.IsLocal(rel) {
					path = rel
				}
			}
		}
	}
	return filepath.ToSlash(path)
}
