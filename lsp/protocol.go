package lsp

import "encoding/json"

// The parts of the Language Server Protocol 3.17 that are spoken here. The
// names are the protocol's.

type position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type documentID struct {
	URI     string `json:"uri"`
	Version *int32 `json:"version,omitempty"`
}

type openParams struct {
	TextDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int32  `json:"version"`
		Text       string `json:"text"`
	} `json:"textDocument"`
}

type changeParams struct {
	TextDocument   documentID `json:"textDocument"`
	ContentChanges []struct {
		Range *textRange `json:"range"`
		Text  string     `json:"text"`
	} `json:"contentChanges"`
}

type documentParams struct {
	TextDocument documentID `json:"textDocument"`
}

type placeParams struct {
	TextDocument documentID `json:"textDocument"`
	Position     position   `json:"position"`
}

type referenceParams struct {
	placeParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

type pullParams struct {
	TextDocument     documentID `json:"textDocument"`
	PreviousResultID string     `json:"previousResultId"`
}

type actionParams struct {
	TextDocument documentID `json:"textDocument"`
	Range        textRange  `json:"range"`
	Context      struct {
		Diagnostics []json.RawMessage `json:"diagnostics"`
		Only        []string          `json:"only"`
	} `json:"context"`
}

type commandParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

type workspaceFolder struct {
	URI string `json:"uri"`
}

type foldersParams struct {
	Event struct {
		Added   []workspaceFolder `json:"added"`
		Removed []workspaceFolder `json:"removed"`
	} `json:"event"`
}

type initializeParams struct {
	ProcessID             *int              `json:"processId"`
	RootPath              *string           `json:"rootPath"`
	RootURI               *string           `json:"rootUri"`
	WorkspaceFolders      []workspaceFolder `json:"workspaceFolders"`
	InitializationOptions json.RawMessage   `json:"initializationOptions"`
	Capabilities          capabilities      `json:"capabilities"`
}

// capabilities are those of the client.
type capabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Workspace struct {
		Configuration bool `json:"configuration"`
		WorkspaceEdit struct {
			DocumentChanges bool `json:"documentChanges"`
		} `json:"workspaceEdit"`
		DidChangeWatchedFiles struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
		} `json:"didChangeWatchedFiles"`
		DidChangeConfiguration struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
		} `json:"didChangeConfiguration"`
		Diagnostics struct {
			RefreshSupport bool `json:"refreshSupport"`
		} `json:"diagnostics"`
	} `json:"workspace"`
	TextDocument struct {
		Diagnostic         *struct{} `json:"diagnostic"`
		PublishDiagnostics struct {
			RelatedInformation     bool `json:"relatedInformation"`
			CodeDescriptionSupport bool `json:"codeDescriptionSupport"`
			DataSupport            bool `json:"dataSupport"`
			TagSupport             *struct {
				ValueSet []int `json:"valueSet"`
			} `json:"tagSupport"`
		} `json:"publishDiagnostics"`
		Completion struct {
			CompletionItem struct {
				SnippetSupport      bool     `json:"snippetSupport"`
				DocumentationFormat []string `json:"documentationFormat"`
				InsertTextMode      struct {
					ValueSet []int `json:"valueSet"`
				} `json:"insertTextModeSupport"`
			} `json:"completionItem"`
		} `json:"completion"`
		Hover struct {
			ContentFormat []string `json:"contentFormat"`
		} `json:"hover"`
		DocumentSymbol struct {
			Hierarchical bool `json:"hierarchicalDocumentSymbolSupport"`
		} `json:"documentSymbol"`
	} `json:"textDocument"`
}

type diagnostic struct {
	Range           textRange       `json:"range"`
	Severity        int             `json:"severity"`
	Code            string          `json:"code"`
	CodeDescription *href           `json:"codeDescription,omitempty"`
	Source          string          `json:"source"`
	Message         string          `json:"message"`
	Tags            []int           `json:"tags,omitempty"`
	Related         []related       `json:"relatedInformation,omitempty"`
	Data            *diagnosticData `json:"data,omitempty"`
}

type href struct {
	Href string `json:"href"`
}

type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

// diagnosticData is what a program that reads findings may want to know.
type diagnosticData struct {
	Object string `json:"object,omitempty"`
	Field  string `json:"field,omitempty"`
	Value  string `json:"value,omitempty"`
	Gate   string `json:"gate,omitempty"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type diagnosticReport struct {
	Kind     string        `json:"kind"`
	ResultID string        `json:"resultId"`
	Items    *[]diagnostic `json:"items,omitempty"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup     `json:"contents"`
	Range    *textRange `json:"range,omitempty"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []completionItem `json:"items"`
}

type completionItem struct {
	Label            string    `json:"label"`
	Kind             int       `json:"kind,omitempty"`
	Detail           string    `json:"detail,omitempty"`
	Documentation    *markup   `json:"documentation,omitempty"`
	SortText         string    `json:"sortText"`
	FilterText       string    `json:"filterText,omitempty"`
	InsertTextFormat int       `json:"insertTextFormat"`
	InsertTextMode   int       `json:"insertTextMode,omitempty"`
	TextEdit         *textEdit `json:"textEdit,omitempty"`
}

type documentEdit struct {
	TextDocument versionedID `json:"textDocument"`
	Edits        []textEdit  `json:"edits"`
}

// versionedID has the version null for what is not open.
type versionedID struct {
	URI     string `json:"uri"`
	Version *int32 `json:"version"`
}

type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes,omitempty"`
	DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`
}

type codeAction struct {
	Title       string            `json:"title"`
	Kind        string            `json:"kind"`
	Diagnostics []json.RawMessage `json:"diagnostics,omitempty"`
	IsPreferred bool              `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit    `json:"edit,omitempty"`
	Command     *command          `json:"command,omitempty"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

type documentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           int              `json:"kind"`
	Range          textRange        `json:"range"`
	SelectionRange textRange        `json:"selectionRange"`
	Children       []documentSymbol `json:"children,omitempty"`
}

// symbolInformation is for clients that know no tree.
type symbolInformation struct {
	Name          string   `json:"name"`
	Kind          int      `json:"kind"`
	Location      location `json:"location"`
	ContainerName string   `json:"containerName,omitempty"`
}

// The protocol's codes for what became of a request.
const (
	codeNotInitialized  = -32002
	codeRequestFailed   = -32803
	codeContentModified = -32801
	codeCancelled       = -32800
)
