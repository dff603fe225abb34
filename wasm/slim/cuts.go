package slim

// A cut is one change to the copies of a module.
type cut struct {
	module string
	files  string // a pattern of files
	keep   string // the file among them that stays
	// old gives way to new. Without old, new is all that stays below the
	// package clause.
	old, new string
}

// cuts are all that the slim module lacks.
var cuts = []cut{
	// Protobuf, some 25 kB of code for a large type. Whoever asks an object for
	// Marshal makes the linker keep it for every type there is.
	{module: "k8s.io/api", files: "*/*/generated.pb.go"},

	// Metrics of feature gates, and with them Prometheus and an HTTP server.
	{module: "k8s.io/component-base", files: "metrics/prometheus/feature/metrics.go", new: `
import "context"

func ResetFeatureInfoMetric() {}

func RecordFeatureInfo(context.Context, string, string, bool) {}
`},
	{module: "k8s.io/component-base", files: "metrics/prometheus/compatversion/metrics.go", new: `
import "context"

func ResetCompatVersionInfoMetric() {}

func RecordCompatVersionInfo(context.Context, string, string, string, string) {}
`},

	// Flags of components: lists of TLS ciphers among them.
	{module: "k8s.io/component-base", files: "cli/flag/*.go", keep: "colon_separated_multimap_string_string.go"},

	// What makes an HTTP client, and with it TLS and its ciphers: whoever only
	// watches asks this package whether a connection ended.
	{module: "k8s.io/apimachinery", files: "pkg/util/net/http.go", new: `
import "io"

func IsProbableEOF(err error) bool { return err == io.EOF }

func IsTimeout(error) bool { return false }
`},
	{module: "k8s.io/apimachinery", files: "pkg/util/net/interface.go"},
	{module: "k8s.io/apimachinery", files: "pkg/util/runtime/runtime.go", old: `"net/http"`, new: ``},
	{module: "k8s.io/apimachinery", files: "pkg/util/runtime/runtime.go", old: `	if r == http.ErrAbortHandler {`, new: `	if false {`},
	{module: "k8s.io/apiserver", files: "pkg/authorization/authorizer/interfaces.go", old: `"net/http"`, new: ``},
	{module: "k8s.io/apiserver", files: "pkg/authorization/authorizer/interfaces.go", old: `*http.Request)`, new: `any)`},

	// CBOR, the form of objects between Kubernetes' own parts: times, quantities
	// and numbers could be written in it.
	{module: "k8s.io/apimachinery", files: "pkg/runtime/serializer/cbor/direct/direct.go", new: `
import "errors"

var errCut = errors.New("this module does not speak CBOR")

func Marshal(any) ([]byte, error) { return nil, errCut }

func Unmarshal([]byte, any) error { return errCut }

func Diagnose([]byte) (string, error) { return "", errCut }
`},

	// A second JSON library, which only managed fields would be read with.
	{module: "github.com/json-iterator/go", files: "*.go", keep: "iter.go"},
	{module: "github.com/json-iterator/go", files: "iter.go", new: `
import (
	"errors"
	"io"
)

type config struct{}

var ConfigCompatibleWithStandardLibrary config

var errCut = errors.New("this module does not read managed fields")

type Iterator struct{ Error error }

func NewIterator(config) *Iterator { return &Iterator{Error: errCut} }

func (i *Iterator) Pool() *Iterator { return i }

func (i *Iterator) BorrowIterator([]byte) *Iterator { return i }

func (i *Iterator) ReturnIterator(*Iterator) {}

func (i *Iterator) Read() interface{} { return nil }

func (i *Iterator) WhatIsNext() int { return 0 }

func (i *Iterator) ReportError(string, string) {}

type Stream struct{}

func NewStream(config, io.Writer, int) *Stream { return &Stream{} }

func (s *Stream) Pool() *Stream { return s }

func (s *Stream) BorrowStream(io.Writer) *Stream { return s }

func (s *Stream) ReturnStream(*Stream) {}

func (s *Stream) Buffer() []byte { return nil }

func (s *Stream) SetBuffer([]byte) {}

func (s *Stream) Flush() error { return errCut }

func (s *Stream) WriteVal(interface{}) {}
`},
}
