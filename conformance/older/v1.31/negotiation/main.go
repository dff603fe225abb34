// Plays bundles as Kubernetes 1.31 does: with the scheduler's own plugins, the
// library for controllers of drivers, and kube-controller-manager's controller
// of claims, on an API server that has nothing but memory. It reads requests
// from standard input, one JSON value each, and writes an answer for each.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// request is a bundle. Fresh takes its PodSchedulingContexts for the answers of
// the drivers alone.
type request struct {
	Text  string `json:"text"`
	Gates string `json:"gates"`
	Fresh bool   `json:"fresh,omitempty"`
	// Turns is how often the actors come to act, Runs how often it is played:
	// the scheduler draws lots. Shuffles is how often it is played besides with
	// actors that act in any order.
	Turns    int `json:"turns"`
	Runs     int `json:"runs"`
	Shuffles int `json:"shuffles"`
}

// answer lists the histories that differ.
type answer struct {
	Histories []history `json:"histories"`
	// Ends are those of the plays in any order, each once.
	Ends [][]end `json:"ends"`
}

// history is one play.
type history struct {
	Writes []write `json:"writes"`
	Ends   []end   `json:"ends"`
}

// write is one change of one object.
type write struct {
	Pod    string `json:"pod"`
	Actor  string `json:"actor"`
	Verb   string `json:"verb"`
	Object string `json:"object"`
	Part   string `json:"part,omitempty"`
	// After is what counts of the object then; nil where it is gone.
	After *state `json:"after,omitempty"`
}

// state is what counts of an object.
type state struct {
	Selected     string              `json:"selected,omitempty"`
	Potential    []string            `json:"potential,omitempty"`
	Unsuitable   map[string][]string `json:"unsuitable,omitempty"`
	Allocated    bool                `json:"allocated,omitempty"`
	Controller   string              `json:"controller,omitempty"`
	Nodes        json.RawMessage     `json:"nodes,omitempty"`
	Reserved     []string            `json:"reserved,omitempty"`
	Finalizers   []string            `json:"finalizers,omitempty"`
	Deallocation bool                `json:"deallocation,omitempty"`
	Node         string              `json:"node,omitempty"`
	Claims       map[string]string   `json:"claims,omitempty"`
}

// end is what became of a pod.
type end struct {
	Pod     string `json:"pod"`
	Outcome string `json:"outcome"`
	Node    string `json:"node,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

func main() {
	klog.SetLogger(logr.Discard())
	metrics.Register()
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer) error {
	requests := json.NewDecoder(bufio.NewReaderSize(in, 1<<20))
	answers := json.NewEncoder(out)
	for {
		var r request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		a, err := decide(r)
		if err != nil {
			return fmt.Errorf("%w in\n%s", err, r.Text)
		}
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
}
