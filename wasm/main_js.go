//go:build js && wasm

package main

import (
	"syscall/js"

	"github.com/drawbridge-dra/drawbridge/core"
	"github.com/drawbridge-dra/drawbridge/wasm/bridge"
)

// global is the name of the object on the global scope.
const global = "drawbridge"

// ready is the name of the function that is called, where there is one, as
// soon as the object is in place: the caller of go.run cannot know otherwise.
const ready = "drawbridgeReady"

func main() {
	object := js.Global().Get("Object").New()
	for _, operation := range bridge.Operations() {
		object.Set(operation, function(operation))
	}
	js.Global().Set(global, object)
	if f := js.Global().Get(ready); f.Type() == js.TypeFunction {
		f.Invoke()
	}
	select {} // The functions live as long as the program runs.
}

// function makes a JavaScript function (text, options, tell) => string of an
// operation. What tell, which can be left out, is called with is how many of
// how many of what are done.
func function(operation string) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		var text []byte
		var options string
		if len(args) > 0 {
			text = bytesOf(args[0])
		}
		if len(args) > 1 && args[1].Type() == js.TypeString {
			options = args[1].String()
		}
		if len(args) > 2 && args[2].Type() == js.TypeFunction {
			return bridge.CallWatched(operation, text, options, func(p core.Progress) {
				args[2].Invoke(p.Done, p.Total, p.What)
			})
		}
		return bridge.Call(operation, text, options)
	})
}

// bytesOf reads a string or, for texts that are not valid UTF-8, a
// Uint8Array. Anything else is an empty text.
func bytesOf(v js.Value) []byte {
	switch {
	case v.Type() == js.TypeString:
		return []byte(v.String())
	case v.InstanceOf(js.Global().Get("Uint8Array")):
		text := make([]byte, v.Get("length").Int())
		js.CopyBytesToGo(text, v)
		return text
	}
	return nil
}
