package lsp

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/drawbridge-dra/drawbridge/project"
)

// initialize begins the connection.
func (s *server) initialize(raw *json.RawMessage) (any, error) {
	params, err := decode[initializeParams](raw)
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, f := range params.WorkspaceFolders {
		folders = append(folders, pathOf(f.URI))
	}
	if len(folders) == 0 && params.RootURI != nil {
		folders = append(folders, pathOf(*params.RootURI))
	}
	if len(folders) == 0 && params.RootPath != nil && *params.RootPath != "" {
		folders = append(folders, filepath.Clean(*params.RootPath))
	}
	folders = slices.DeleteFunc(folders, func(f string) bool { return f == "" })
	client := params.Capabilities
	s.disk.watched = client.Workspace.DidChangeWatchedFiles.DynamicRegistration
	var complaint error
	s.change(func(w *world) {
		w.client, w.folders = client, folders
		w.encoding = choose(client.General.PositionEncodings)
		w.pulls = client.TextDocument.Diagnostic != nil
		complaint = w.settings.read(params.InitializationOptions, w.flags)
	})
	if complaint != nil {
		s.warn(context.Background(), complaint.Error())
	}
	if params.ProcessID != nil {
		s.watchParent(*params.ProcessID)
	}
	s.phase.Store(phaseUp)
	return s.offer(s.now()), nil
}

// offer is what the server can do.
func (s *server) offer(w *world) any {
	type object map[string]any
	offered := object{
		"positionEncoding":           w.encoding,
		"textDocumentSync":           object{"openClose": true, "change": 2, "save": object{}},
		"hoverProvider":              true,
		"completionProvider":         object{"triggerCharacters": []string{":", " ", "-", ".", "[", "\"", "/"}},
		"definitionProvider":         true,
		"referencesProvider":         true,
		"documentSymbolProvider":     true,
		"documentFormattingProvider": true,
		"foldingRangeProvider":       true,
		"codeActionProvider":         object{"codeActionKinds": []string{"quickfix"}},
		"executeCommandProvider":     object{"commands": slices.Sorted(maps.Keys(commands))},
		"workspace":                  object{"workspaceFolders": object{"supported": true, "changeNotifications": true}},
	}
	if w.pulls {
		offered["diagnosticProvider"] = object{"identifier": section, "interFileDependencies": true, "workspaceDiagnostics": false}
	}
	return object{"capabilities": offered, "serverInfo": object{"name": section, "version": s.opts.Version}}
}

// initialized asks the client for what it has to say later.
func (s *server) initialized(ctx context.Context, _ struct{}) {
	type object map[string]any
	client := s.now().client
	var wanted []object
	if client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		wanted = append(wanted, object{
			"id": "files", "method": "workspace/didChangeWatchedFiles",
			"registerOptions": object{"watchers": []object{{"globPattern": "**/*.{yaml,yml,json}"}, {"globPattern": "**/" + project.Name}}},
		})
	}
	if client.Workspace.DidChangeConfiguration.DynamicRegistration {
		wanted = append(wanted, object{
			"id": "settings", "method": "workspace/didChangeConfiguration",
			"registerOptions": object{"section": section},
		})
	}
	if len(wanted) > 0 {
		s.call(ctx, "client/registerCapability", object{"registrations": wanted}, func(json.RawMessage) {})
	}
	s.configure(ctx)
}

// configure asks the client for its settings.
func (s *server) configure(ctx context.Context) {
	if !s.now().client.Workspace.Configuration {
		return
	}
	params := map[string]any{"items": []any{map[string]any{"section": section}}}
	s.call(ctx, "workspace/configuration", params, func(result json.RawMessage) {
		var items []json.RawMessage
		if json.Unmarshal(result, &items) == nil && len(items) > 0 {
			s.settle(ctx, items[0])
		}
	})
}

// settle takes over settings.
func (s *server) settle(ctx context.Context, raw json.RawMessage) {
	before := s.now().settings
	next := before
	if err := next.read(raw, s.opts.Settings); err != nil {
		s.warn(ctx, err.Error())
		return
	}
	if next != before {
		s.change(func(w *world) { w.settings = next })
		s.refresh(ctx)
	}
}

// refresh lets a client that pulls ask again.
func (s *server) refresh(ctx context.Context) {
	if w := s.now(); w.pulls && w.client.Workspace.Diagnostics.RefreshSupport {
		s.call(ctx, "workspace/diagnostic/refresh", nil, func(json.RawMessage) {})
	}
}

// cancel gives up a request.
func (s *server) cancel(_ context.Context, params struct {
	ID jsonrpc2.ID `json:"id"`
}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.open[params.ID]; cancel != nil {
		cancel()
	}
}

// watchParent ends the server after the process that started it has ended.
// Where the process is not to be seen, as from inside of a container, its end
// is not either.
func (s *server) watchParent(pid int) {
	gone := parentGone(pid)
	if gone == nil {
		return
	}
	go func() {
		for {
			select {
			case <-s.conn.DisconnectNotify():
				return
			case <-time.After(time.Second):
			}
			if gone() {
				s.log.Info("the editor is gone")
				s.stop(errOrphaned)
				return
			}
		}
	}()
}
