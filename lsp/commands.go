package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/drawbridge-dra/drawbridge/core"
)

// commands are what the client can have executed. The first argument is the
// URI of an open document. The answer is returned as a text, and shown.
var commands = map[string]func(ctx context.Context, options core.Options, text []byte, rest []json.RawMessage) (string, error){
	"drawbridge.allocate": allocate,
	"drawbridge.explain":  explain,
}

func execute(s *server, w *world, raw *json.RawMessage) (asked, error) {
	p, err := decode[commandParams](raw)
	if err != nil {
		return asked{}, err
	}
	run := commands[p.Command]
	if run == nil {
		return asked{}, failure(jsonrpc2.CodeInvalidParams, "this server has no such command")
	}
	var uri string
	if len(p.Arguments) == 0 || json.Unmarshal(p.Arguments[0], &uri) != nil || w.documents[uri] == nil {
		return asked{}, failure(jsonrpc2.CodeInvalidParams, "the first argument must be the URI of an open document")
	}
	d := w.documents[uri]
	return asked{d, func(ctx context.Context, w *world) (any, error) {
		c := w.chosen(d)
		text, err := run(ctx, c.options(), w.around(ctx, d).Bytes, p.Arguments[1:])
		if err != nil {
			return nil, err
		}
		s.tell(ctx, "window/showMessage", map[string]any{"type": 3, "message": text})
		return text, nil
	}}, nil
}

// allocate says what becomes of everything that wants devices.
func allocate(ctx context.Context, options core.Options, text []byte, _ []json.RawMessage) (string, error) {
	options.Explain = core.ExplainSummary
	result, err := core.Allocate(ctx, text, options)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, p := range result.Pods {
		lines = append(lines, said(p.Message, p.Namespace+"/"+p.Name, string(p.Outcome)))
	}
	for _, c := range result.Claims {
		if c.Pod == "" {
			lines = append(lines, said(c.Message, c.Claim.Namespace+"/"+c.Claim.Name, string(c.Outcome)))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "No pod here uses devices, and there is no claim.")
	}
	return strings.Join(append(lines, result.Assumptions...), "\n"), nil
}

// said is what was said of something, or its outcome.
func said(message, name, outcome string) string {
	if message != "" {
		return message
	}
	return fmt.Sprintf("%s: %s", name, outcome)
}

// explain says what becomes of one pod or claim, and what would have to change.
func explain(ctx context.Context, o core.Options, text []byte, rest []json.RawMessage) (string, error) {
	options := core.ExplainOptions{Options: o}
	if len(rest) == 0 || json.Unmarshal(rest[0], &options.Target) != nil {
		return "", failure(jsonrpc2.CodeInvalidParams, `the second argument must name what to explain, as in {"pod": "default/train"} or {"claim": "default/gpu"}`)
	}
	result, err := core.Explain(ctx, text, options)
	if err != nil {
		return "", err
	}
	var lines []string
	if p := result.Pod; p != nil {
		lines = append(lines, said(p.Message, options.Pod, string(p.Outcome)))
	}
	if c := result.Claim; c != nil {
		lines = append(lines, said(c.Message, options.Claim, string(c.Outcome)))
	}
	for _, f := range result.FitsIf {
		lines = append(lines, "It "+f.Message+".")
	}
	return strings.Join(append(lines, result.Assumptions...), "\n"), nil
}
