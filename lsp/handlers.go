package lsp

import (
	"context"
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"
)

// asked is a request whose parameters have been read.
type asked struct {
	// document is the one that it is about; an answer to an older state of it
	// is not worth the work.
	document *document
	answer   func(ctx context.Context, w *world) (any, error)
}

// requests are what may be asked.
var requests = map[string]func(*server, *world, *json.RawMessage) (asked, error){
	"textDocument/hover":          about(placed, (*server).hover),
	"textDocument/completion":     about(placed, (*server).completion),
	"textDocument/definition":     about(placed, (*server).definition),
	"textDocument/references":     about(func(p referenceParams) string { return p.TextDocument.URI }, (*server).references),
	"textDocument/documentSymbol": about(plainly, (*server).symbols),
	"textDocument/formatting":     about(plainly, (*server).formatting),
	"textDocument/foldingRange":   about(plainly, (*server).folds),
	"textDocument/codeAction":     about(func(p actionParams) string { return p.TextDocument.URI }, (*server).codeActions),
	"textDocument/diagnostic":     about(func(p pullParams) string { return p.TextDocument.URI }, (*server).pull),
	"workspace/executeCommand":    execute,
}

// notifications are what may be told.
var notifications = map[string]func(*server, context.Context, *json.RawMessage) error{
	"initialized":                         told((*server).initialized),
	"$/cancelRequest":                     told((*server).cancel),
	"textDocument/didOpen":                told((*server).didOpen),
	"textDocument/didChange":              told((*server).didChange),
	"textDocument/didClose":               told((*server).didClose),
	"textDocument/didSave":                told((*server).didSave),
	"workspace/didChangeConfiguration":    told((*server).didChangeConfiguration),
	"workspace/didChangeWatchedFiles":     told((*server).didChangeWatchedFiles),
	"workspace/didChangeWorkspaceFolders": told((*server).didChangeFolders),
}

func placed(p placeParams) string     { return p.TextDocument.URI }
func plainly(p documentParams) string { return p.TextDocument.URI }

// about adapts a function that answers about an open document.
func about[P any](uri func(P) string, f func(*server, context.Context, *world, *document, P) (any, error)) func(*server, *world, *json.RawMessage) (asked, error) {
	return func(s *server, w *world, raw *json.RawMessage) (asked, error) {
		params, err := decode[P](raw)
		if err != nil {
			return asked{}, err
		}
		d := w.documents[uri(params)]
		if d == nil {
			return asked{}, failure(jsonrpc2.CodeInvalidParams, "the document is not open")
		}
		return asked{d, func(ctx context.Context, w *world) (any, error) {
			value, err := f(s, ctx, w, d, params)
			if value == nil {
				value = none
			}
			return value, err
		}}, nil
	}
}

// told adapts a function that takes a notification.
func told[P any](f func(*server, context.Context, P)) func(*server, context.Context, *json.RawMessage) error {
	return func(s *server, ctx context.Context, raw *json.RawMessage) error {
		params, err := decode[P](raw)
		if err == nil {
			f(s, ctx, params)
		}
		return err
	}
}

func decode[P any](raw *json.RawMessage) (P, error) {
	var params P
	if raw == nil {
		return params, nil
	}
	if json.Unmarshal(*raw, &params) != nil {
		return params, failure(jsonrpc2.CodeInvalidParams, "the parameters are not of the form that the protocol describes")
	}
	return params, nil
}
