package core

import (
	"context"

	"github.com/drawbridge-dra/drawbridge/core/assist"
)

// What helps the person who writes is named here, so that fronts need not know
// the package behind.
type (
	// Hover answers HoverAt.
	Hover = assist.Hover
	// Completed answers CompleteAt.
	Completed = assist.Completed
	// Completion is something that may stand at a place.
	Completion = assist.Completion
	// Outline answers OutlineOf.
	Outline = assist.Outline
	// OutlineEntry is an object of an Outline, or a part of one.
	OutlineEntry = assist.Entry
	// Places answers DefinitionAt and ReferencesAt.
	Places = assist.Places
	// Formatted answers Format.
	Formatted = assist.Formatted
)

// PlaceOptions are the options of what asks about a place of the text.
type PlaceOptions struct {
	Options
	// Line and Column count from 1; columns count code points.
	Line   int `json:"line"`
	Column int `json:"column"`
}

// desk reads the options, and a text that need not be one that can be parsed.
func desk(ctx context.Context, text []byte, o Options) (*assist.Desk, error) {
	set, err := o.features()
	if err != nil {
		return nil, err
	}
	return assist.New(text, set), ctx.Err()
}

// HoverAt tells what stands at a place: what a field means, which values it
// takes, which gate and version it needs. The error is an *OptionError, or the
// context's own.
func HoverAt(ctx context.Context, text []byte, opts PlaceOptions) (*Hover, error) {
	d, err := desk(ctx, text, opts.Options)
	if err != nil {
		return nil, err
	}
	return d.Hover(opts.Line, opts.Column), nil
}

// CompleteAt lists what may stand at a place. The text need not be complete.
// The error is an *OptionError, or the context's own.
func CompleteAt(ctx context.Context, text []byte, opts PlaceOptions) (*Completed, error) {
	d, err := desk(ctx, text, opts.Options)
	if err != nil {
		return nil, err
	}
	return d.Complete(opts.Line, opts.Column), nil
}

// OutlineOf tells of which objects and parts a text is made. The error is an
// *OptionError, or the context's own.
func OutlineOf(ctx context.Context, text []byte, opts Options) (*Outline, error) {
	d, err := desk(ctx, text, opts)
	if err != nil {
		return nil, err
	}
	return d.Outline(), nil
}

// DefinitionAt finds what the name at a place refers to. The error is an
// *OptionError, or the context's own.
func DefinitionAt(ctx context.Context, text []byte, opts PlaceOptions) (*Places, error) {
	d, err := desk(ctx, text, opts.Options)
	if err != nil {
		return nil, err
	}
	return d.Definition(opts.Line, opts.Column), nil
}

// ReferencesAt finds every place that has the name at a place. The error is an
// *OptionError, or the context's own.
func ReferencesAt(ctx context.Context, text []byte, opts PlaceOptions) (*Places, error) {
	d, err := desk(ctx, text, opts.Options)
	if err != nil {
		return nil, err
	}
	return d.References(opts.Line, opts.Column), nil
}

// Format evens out the indentation of a text. The text that it gives means
// the same; where that is not certain it is the one that was given. The error
// is an *OptionError, or the context's own.
func Format(ctx context.Context, text []byte, opts Options) (*Formatted, error) {
	d, err := desk(ctx, text, opts)
	if err != nil {
		return nil, err
	}
	return d.Format(), nil
}
