// Package bridge calls the facade with what JavaScript can pass: a name, a
// text and options as JSON; and answers with a string of JSON. It knows
// nothing of JavaScript, so that it can be tested anywhere.
package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/drawbridge-dra/drawbridge/core"
)

// failure is what a call returns instead of a result.
type failure struct {
	Error failureDetail `json:"error"`
}

type failureDetail struct {
	// Option names the option that cannot be used; empty when the failure
	// is not about an option.
	Option  string `json:"option"`
	Message string `json:"message"`
}

// operations are the functions of the facade by the name under which
// JavaScript finds them.
var operations = map[string]func(text []byte, options string) (any, error){
	"admit":               withOptions(core.AdmitText),
	"checkMetadata":       withOptions(checkMetadata),
	"checkMetadataUpdate": checkMetadataUpdate,
	"deviceMetadata":      withOptions(core.DeviceMetadata),
	"podResources":        withOptions(core.PodResources),
	"validate":            withOptions(core.Validate),
	"validateUpdate":      withChange(core.ValidateChange),
	"allocate":            withOptions(core.Allocate),
	"capacity":            withOptions(core.Capacity),
	"diff":                withChange(core.Diff),
	"explain":             withOptions(core.Explain),
	"mutatePod":           mutatePod,
	"nodeOperations":      withOptions(core.NodeOperations),
	"resourceHealth":      withOptions(core.ResourceHealth),
	"convert":             withOptions(core.Convert),
	"negotiation":         withOptions(core.Negotiate),
	"fixes":               withOptions(core.Fixes),
	"hover":               withOptions(core.HoverAt),
	"complete":            withOptions(core.CompleteAt),
	"outline":             withOptions(core.OutlineOf),
	"definition":          withOptions(core.DefinitionAt),
	"references":          withOptions(core.ReferencesAt),
	"format":              withOptions(core.Format),
	"versions":            func([]byte, string) (any, error) { return core.Versions(), nil },
	"rules":               rules,
	"statusAuthorization": withChange(core.StatusAuthorization),
	"roles":               roles,
	"version":             func([]byte, string) (any, error) { return versionResult{Version: version}, nil },
}

// watched are the operations that take long enough to tell how far they are.
var watched = map[string]func(text []byte, options string, tell func(core.Progress)) (any, error){
	"allocate": withProgress(core.Allocate),
	"capacity": withProgress(core.Capacity),
	"explain":  withProgress(core.Explain),

	"nodeOperations": withProgress(core.NodeOperations),
	"resourceHealth": withProgress(core.ResourceHealth),
}

// version is set by the release build: -ldflags "-X …/bridge.version=v1.2.3".
var version = "development"

type versionResult struct {
	Version string `json:"version"`
}

// mutateOptions are the options of mutatePod.
type mutateOptions struct {
	// Operation is CREATE or UPDATE; empty means CREATE.
	Operation string `json:"operation"`
}

// rules lists the rules, all or those that the options choose.
func rules(_ []byte, options string) (any, error) {
	var filter core.RuleFilter
	if err := decodeOptions(options, &filter); err != nil {
		return nil, err
	}
	return core.Rules(filter), nil
}

// roles writes roles for what the options say.
func roles(_ []byte, options string) (any, error) {
	var opts core.RolesOptions
	if err := decodeOptions(options, &opts); err != nil {
		return nil, err
	}
	return core.RolesFor(context.Background(), opts)
}

// withChange adapts a function of the facade that takes a change, for which the
// text is the body of its REST operation.
func withChange[O, R any](f func(context.Context, core.Change, O) (R, error)) func([]byte, string) (any, error) {
	return func(text []byte, options string) (any, error) {
		var opts O
		if err := decodeOptions(options, &opts); err != nil {
			return nil, err
		}
		change, err := core.ParseChange(text)
		if err != nil {
			return nil, err
		}
		return f(context.Background(), change, opts)
	}
}

// checkMetadata checks a file, which is the text.
func checkMetadata(ctx context.Context, text []byte, opts core.CheckMetadataOptions) (*core.CheckMetadataResult, error) {
	return core.CheckMetadata(ctx, core.MetadataFiles{Current: string(text)}, opts)
}

// checkMetadataUpdate checks two files, for which the text is the body of the
// REST operation.
func checkMetadataUpdate(text []byte, options string) (any, error) {
	var opts core.CheckMetadataOptions
	if err := decodeOptions(options, &opts); err != nil {
		return nil, err
	}
	files, err := core.ParseMetadataFiles(text)
	if err != nil {
		return nil, err
	}
	return core.CheckMetadata(context.Background(), files, opts)
}

func mutatePod(text []byte, options string) (any, error) {
	opts := mutateOptions{Operation: "CREATE"}
	if err := decodeOptions(options, &opts); err != nil {
		return nil, err
	}
	return core.MutatePod(text, opts.Operation)
}

// Operations lists the names that Call knows, sorted.
func Operations() []string {
	names := make([]string, 0, len(operations))
	for name := range operations {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Call performs one operation. A result is returned as exactly the bytes of
// core.JSON; whatever goes wrong, a panic included, comes back as
// {"error":{"option":…,"message":…}}.
func Call(operation string, text []byte, options string) string {
	return CallWatched(operation, text, options, nil)
}

// CallWatched is Call for who wants to hear how far the work is. What is told
// changes nothing in the answer.
func CallWatched(operation string, text []byte, options string, tell func(core.Progress)) (answer string) {
	defer func() {
		if p := recover(); p != nil {
			answer = failed(fmt.Errorf("the core stopped on this input: %v", p))
		}
	}()
	run, known := operations[operation]
	if !known {
		return failed(fmt.Errorf("there is no operation %q", operation))
	}
	if slow := watched[operation]; slow != nil && tell != nil {
		run = func(text []byte, options string) (any, error) { return slow(text, options, tell) }
	}
	result, err := run(text, options)
	if err != nil {
		return failed(err)
	}
	out, err := core.JSON(result)
	if err != nil {
		return failed(err)
	}
	return string(out)
}

// withOptions adapts a function of the facade that takes options.
func withOptions[O, R any](f func(context.Context, []byte, O) (R, error)) func([]byte, string) (any, error) {
	return func(text []byte, options string) (any, error) {
		var opts O
		if err := decodeOptions(options, &opts); err != nil {
			return nil, err
		}
		return f(context.Background(), text, opts)
	}
}

// reporting is what the options of a watched operation are.
type reporting[O any] interface {
	*O
	Report(func(core.Progress))
}

// withProgress adapts a function of the facade that tells how far it is.
func withProgress[O, R any, P reporting[O]](f func(context.Context, []byte, O) (R, error)) func([]byte, string, func(core.Progress)) (any, error) {
	return func(text []byte, options string, tell func(core.Progress)) (any, error) {
		var opts O
		if err := decodeOptions(options, &opts); err != nil {
			return nil, err
		}
		P(&opts).Report(tell)
		return f(context.Background(), text, opts)
	}
}

// decodeOptions reads the options strictly: a misspelt one would otherwise
// be taken for its default.
func decodeOptions(text string, into any) error {
	if text == "" {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("the options cannot be read: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("the options cannot be read: there is more than one JSON value")
	}
	return nil
}

func failed(err error) string {
	detail := failureDetail{Message: err.Error()}
	var option *core.OptionError
	if errors.As(err, &option) {
		detail = failureDetail{Option: option.Option, Message: option.Message}
	}
	out, err := core.JSON(failure{Error: detail})
	if err != nil {
		// Two strings always encode; this keeps the contract if ever not.
		return `{"error":{"option":"","message":"the error cannot be written as JSON"}}`
	}
	return string(out)
}
