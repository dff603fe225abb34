package container

import (
	"io"
	"sync"
)

// slowBody is a body whose end waits to be let go.
type slowBody struct {
	text  string
	sent  bool
	once  sync.Once
	begun chan struct{} // closed when the first part is taken
	feed  <-chan struct{}
}

func newSlowBody(text string) (*slowBody, chan<- struct{}) {
	feed := make(chan struct{})
	return &slowBody{text: text, begun: make(chan struct{}), feed: feed}, feed
}

func (b *slowBody) Read(p []byte) (int, error) {
	if !b.sent {
		b.sent = true
		b.once.Do(func() { close(b.begun) })
		return copy(p, b.text), nil
	}
	<-b.feed
	return 0, io.EOF
}
